"""Compiled code in a read-only image without a home: only temporary files can be written."""

import os
import subprocess
import sys

from voiceprivacy.inout.files import SCRIPTS

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


def test_a_read_only_installation_without_a_home_compiles_for_the_process_and_leaves_nothing(
    tmp_path,
):
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment | {"PYTHONPATH": str(SCRIPTS), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1.0", "1"]
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
