"""Packages as an installer leaves them: modules, and what it writes about them."""

import base64
import hashlib
from pathlib import Path

OFFERS = "[voiceprivacy.anonymisers]\n"


def install(site: Path, name: str, module: str, *, version: str = "1.0", offers: str) -> Path:
    """Put a package of one module into a folder of packages; returns the module's file.

    ``offers`` are lines of its entry points: ``louder = loud:louder``.
    """
    folder = site / f"{name}-{version}.dist-info"
    folder.mkdir(parents=True)
    file = site / f"{name}.py"
    file.write_text(module)
    digest = base64.urlsafe_b64encode(hashlib.sha256(module.encode()).digest()).decode().rstrip("=")
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (folder / "entry_points.txt").write_text(f"{OFFERS}{offers}\n")
    size = len(module)
    (folder / "RECORD").write_text(f"{file.name},sha256={digest},{size}\n{folder.name}/RECORD,,\n")
    return file
