"""Torch the same each time, torchaudio without CUDA, and SpeechBrain quicker, for whoever imports
this module before them.

* The first mathematical function that a process calls sets up MKL's vector library, and two threads
  can do so at the same moment: one of them then computes with half of the digits. Of 27,000 forked
  processes whose first call was a sine or cosine in several threads, ten had such numbers: speech
  resampled from 22.05 kHz differed by up to four steps of 16 bits. Of 22,000 that had called a
  function of one number before, none had. So torch calls one as soon as it is loaded.
* torchaudio 2.11 ships one compiled extension, which is linked to CUDA. On a torch for CPUs,
  loading it raises OSError and ``import torchaudio`` fails, although nothing that we use needs it.
  Here that error means "no extension". Where the extension loads, nothing changes.
* The filter of torchaudio's resampler is kept from one recording to the next, and computed in one
  thread at a time. One is kept, because that of two odd rates may take gigabytes.
* SpeechBrain imports scipy.stats for one sampler that we do not use. Here scipy.stats is imported
  when that sampler is used. Measured on two utterances, extract_embeddings takes 1.37 s instead of
  2.17 s of processor time, and 262 MB instead of 324 MB. Twenty anonymisers on six corpora have
  some 250 such jobs: three minutes of processor time, and 60 MB in each job.
"""

import functools
import importlib.abc
import importlib.util
import sys
import threading
import types

STATISTICS = "scipy.stats"


class _ChangedModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module; ``execute(its own loader, module)`` loads it in a changed way."""

    def __init__(self, name, execute):
        self.name, self.execute = name, execute

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)  # the next finder knows the file
        spec = importlib.util.find_spec(name)
        if spec is not None:
            self._loader, spec.loader = spec.loader, self
        return spec

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self.execute(self._loader, module)


def _load_set_up(loader, module):
    """Load torch, and let one thread set up what all use."""
    loader.exec_module(module)
    _set_up(module)


def _set_up(torch):
    torch.exp(torch.zeros(1))


def _load_without_extension(loader, module):
    """Load torchaudio's module of extensions; one that cannot be loaded is none."""
    loader.exec_module(module)
    load_library = module._load_lib

    def load_or_do_without(library):
        try:
            return load_library(library)
        except OSError:
            return False

    module._load_lib = load_or_do_without


def _load_with_filters_kept(loader, module):
    """Load torchaudio's functions with a resampler that keeps its last filter."""
    loader.exec_module(module)
    keeping = functools.lru_cache(maxsize=1)
    filters, one_at_a_time = keeping(module._get_sinc_resample_kernel), threading.Lock()

    def kept_filters(*arguments, **named):
        with one_at_a_time:
            return filters(*arguments, **named)

    module._get_sinc_resample_kernel = kept_filters


def _load_with_statistics_later(loader, module):
    """Load SpeechBrain's samplers with a stand-in for scipy.stats."""
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


# A module that was imported before this one stays as it is, but torch is set up.
if "torch" in sys.modules:
    _set_up(sys.modules["torch"])
for _module, _loading in {
    "torch": _load_set_up,
    "torchaudio._extension.utils": _load_without_extension,
    "torchaudio.functional.functional": _load_with_filters_kept,
    "speechbrain.dataio.sampler": _load_with_statistics_later,
}.items():
    if _module not in sys.modules:
        sys.meta_path.insert(0, _ChangedModule(_module, _loading))
