"""Which of our files a script needs, so that Snakemake runs a rule again when one of them changes."""

import ast
import functools
import hashlib

from voiceprivacy.inout.files import SCRIPTS


def code(*scripts):
    """Fingerprint of what the package's files behind some scripts say.

    Rules take it as a parameter: Snakemake runs again what was made with another one. (As input files the modules would
    be most of the files of a large run, and its planning a third slower.)

    Parameters
    ----------
    scripts : str
        Files below our scripts folder without .py, such as score_trials or voiceprivacy/tables. One of the package
        counts itself; a rule's script does not, because it is an input of its rule.
    """
    own = {SCRIPTS / f"{script}.py" for script in scripts if script.startswith("voiceprivacy/")}
    files = own.union(*map(modules, scripts))
    digests = [f"{file.relative_to(SCRIPTS)} {_digest(file)}" for file in sorted(files)]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()[:16]


@functools.cache
def modules(script):
    """Files of the package that a script imports, directly or through others.

    What is imported inside a function only (a plot, a resampler) does not count.

    Parameters
    ----------
    script : str, as above

    Returns
    -------
    list of Path, sorted
    """
    found, new = set(), {SCRIPTS / f"{script}.py"}
    while new:
        imported = {module for path in new for module in _imports(path)} - found
        found, new = found | imported, imported
    return sorted(found)


@functools.cache
def _digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


@functools.cache
def _imports(path):
    names = []
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom):
            names += [
                statement.module,
                *[f"{statement.module}.{alias.name}" for alias in statement.names],
            ]
        elif isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
    return [file for name in names for file in _files(SCRIPTS / name.replace(".", "/"))]


@functools.cache
def _files(place):
    """The file of a module, or that of a folder of modules if it holds more than a docstring; else none."""
    module, folder = place.with_suffix(".py"), place / "__init__.py"
    if folder.exists() and len(ast.parse(folder.read_text(encoding="utf-8")).body) > 1:
        return [folder]
    return [module] if module.exists() else []
