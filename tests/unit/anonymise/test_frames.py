"""Compiled code in a read-only image without a home: only temporary files can be written."""

import os
import subprocess
import sys

from voiceprivacy.vocabulary import SCRIPTS

PROGRAM = """
import os
from numba.core import caching

def refuse(self, ensure=caching._CacheLocator.ensure_cache_path):
    if not self.get_cache_path().startswith(os.environ["TMPDIR"]):
        raise OSError(30, "Read-only file system")
    ensure(self)

caching._CacheLocator.ensure_cache_path = refuse
import numpy as np
from voiceprivacy.anonymise.functions import frames

print(frames.burg(np.ones(400))[0])
print(len(os.listdir(os.environ["TMPDIR"])))
"""


def test_a_read_only_installation_compiles_for_the_process_and_leaves_nothing(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS), "TMPDIR": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)
    said = subprocess.check_output([sys.executable, "-c", PROGRAM], env=environment, text=True)
    assert said.split() == ["1.0", "1"]
    assert list(tmp_path.iterdir()) == []


PROTECT = """
import hashlib
import numpy as np
from voiceprivacy.anonymise.functions import frames

signal = 1e-2 * np.random.default_rng(0).normal(size=48000)
protected = frames.overlap_add(signal, np.hanning(480), 160, 0, 0.8, 3.0)
print(hashlib.sha256(protected.tobytes()).hexdigest())
"""


def test_code_that_was_just_compiled_and_code_that_was_kept_give_the_same_bytes(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(SCRIPTS)}
    command = [sys.executable, "-P", "-c", PROTECT]
    compiled, kept = (subprocess.check_output(command, env=environment) for _ in range(2))
    assert list(tmp_path.rglob("*.nbc")) and compiled == kept
