"""The command ``voiceprivacy`` of an installed wheel, and ``python -m voiceprivacy``.

The script takes this process over: what it sees is what it would see in a checkout.
"""

import os
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "main.py"


def main() -> None:
    os.execv(sys.executable, [sys.executable, str(SCRIPT), *sys.argv[1:]])


if __name__ == "__main__":
    main()
