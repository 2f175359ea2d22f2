"""What counts as the code of a person's program: a small tree by hand."""

from voiceprivacy.plan.program_files import imported_files
from voiceprivacy.vocabulary import SCRIPTS

TREE = {
    "mine.py": "import numpy, direct\nfrom package import inner\nfrom package.deep.leaf import f\n",
    "direct.py": "def late():\n    import in_function\n",
    "in_function.py": "import mine\n",
    "package/__init__.py": "",
    "package/inner.py": "from . import sibling\nfrom ..direct import late\n",
    "package/sibling.py": "",
    "package/deep/__init__.py": "from .. import above\n",
    "package/deep/leaf.py": "",
    "package/above.py": "",
    "package/run.py": "import package.above\n",
    "unused.py": "",
    "broken.py": "import direct\n)",
    "../outside.py": "",
}


UNUSED = ["unused.py", "broken.py", "package/run.py", "../outside.py"]


def test_all_that_is_imported_from_its_own_folder_is_its_code_there_too(tmp_path, monkeypatch):
    folder = tmp_path / "program"
    for name, text in TREE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    imported = [path.removeprefix(f"{folder}/") for path in imported_files(str(folder / "mine.py"))]
    assert set(TREE) - set(imported) == {"mine.py", *UNUSED}
    assert set(imported) < set(TREE) and imported == sorted(imported)
    assert imported_files(str(folder / "broken.py")) == []
    assert imported_files(str(folder / "weights.pt")) == []
    assert imported_files(str(SCRIPTS / "anonymise_mcadams.py")) == []
    monkeypatch.chdir(folder)
    imported = imported_files("mine.py")
    assert "package/deep/leaf.py" in imported
    assert imported_files(str(folder / "mine.py")) == [f"{folder}/{path}" for path in imported]
    assert "package/above.py" in imported_files("package/run.py")  # python -m package.run
