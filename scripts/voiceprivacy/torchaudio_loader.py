"""Make ``import torchaudio`` (and so ``import speechbrain``) work on a torch without CUDA.

torchaudio 2.11 ships one compiled extension, linked to CUDA; on a CPU-only torch loading it raises OSError although
nothing that we use needs it. Import this module before torchaudio or speechbrain: it turns that error into "no
extension" and changes nothing where the extension loads.
"""

import importlib.abc
import importlib.util
import sys

_MODULE = "torchaudio._extension.utils"


class _WithoutExtension(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        self._spec = importlib.util.find_spec(name)
        return importlib.util.spec_from_loader(name, self, origin=self._spec.origin)

    def create_module(self, spec):
        return importlib.util.module_from_spec(self._spec)

    def exec_module(self, module):
        self._spec.loader.exec_module(module)
        load_library = module._load_lib

        def load_or_do_without(library):
            try:
                return load_library(library)
            except OSError:
                return False

        module._load_lib = load_or_do_without


if _MODULE not in sys.modules:
    sys.meta_path.insert(0, _WithoutExtension())
