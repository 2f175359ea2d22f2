"""SpeechBrain's stand-ins for its modules, which warn when anybody asks them for their file."""

import sys

from speechbrain.utils.importutils import LazyModule


def name_no_file():
    """hypothesis asks every module for its file: the stand-ins say that they have none."""
    for module in list(sys.modules.values()):
        if isinstance(module, LazyModule):
            vars(module).setdefault("__file__", None)
