"""Make ``import torchaudio`` (and so ``import speechbrain``) work on a torch without CUDA, and quicker.

torchaudio 2.11 ships one compiled extension, linked to CUDA; on a CPU-only torch loading it raises OSError although
nothing that we use needs it. SpeechBrain imports scipy.stats, a quarter of a command's start-up, for one sampler that
we do not use. Import this module before torchaudio or speechbrain: it turns that error into "no extension" and changes
nothing where the extension loads, and scipy.stats is imported when that sampler is used.
"""

import importlib.abc
import importlib.util
import sys
import types

STATISTICS = "scipy.stats"


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module by its own loader, in its own way."""

    def __init__(self, name, execute):
        self.name, self.execute = name, execute

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        self._spec = importlib.util.find_spec(name)
        return importlib.util.spec_from_loader(name, self, origin=self._spec.origin)

    def create_module(self, spec):
        return importlib.util.module_from_spec(self._spec)

    def exec_module(self, module):
        self.execute(self._spec.loader, module)


def _or_without_extension(loader, module):
    loader.exec_module(module)
    load_library = module._load_lib

    def load_or_do_without(library):
        try:
            return load_library(library)
        except OSError:
            return False

    module._load_lib = load_or_do_without


def _with_statistics_later(loader, module):
    if STATISTICS in sys.modules:
        return loader.exec_module(module)
    sys.modules[STATISTICS] = _Statistics(STATISTICS)
    try:
        loader.exec_module(module)
    finally:
        del sys.modules[STATISTICS]


class _Statistics(types.ModuleType):
    """Stands for scipy.stats while somebody imports names of it."""

    def __getattr__(self, name):
        return _Distribution(name)


class _Distribution:
    """Stands for a distribution of scipy.stats until it is used."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        return getattr(getattr(importlib.import_module(STATISTICS), self._name), attribute)


for _name, _execute in {
    "torchaudio._extension.utils": _or_without_extension,
    "speechbrain.dataio.sampler": _with_statistics_later,
}.items():
    if _name not in sys.modules:
        sys.meta_path.insert(0, _Changed(_name, _execute))
