"""How a wheel is made of this tree: hatchling calls this file (pyproject.toml).

The tree lies in site-packages/voiceprivacy as it lies in a checkout, because scripts find the
package beside them: in scripts/voiceprivacy. What is imported as ``voiceprivacy`` is a file of its
own, whose modules are looked for there. Type checkers do not follow that. For them, what ``api``
offers is described in a stub.
"""

import ast
import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PACKAGE = Path("scripts", "voiceprivacy")
COMMIT = PACKAGE / "provenance" / "commit.py"
RAISED = ["BadInput"]  # by the functions of the API
# What commands of a shared repository import beside numpy and scipy: no Snakemake, no torch.
PLOTS = ("matplotlib",)
EXCHANGE = ("jinja2", "jsonschema", "matplotlib", "pyyaml", "soundfile")
WHERE_MODULES_LIE = """
__path__ = [f"{__path__[0]}/scripts/voiceprivacy"]  # the tree is as in a checkout
"""


class Wheel(BuildHookInterface):
    """Adds what a checkout does not have: the commit, and what Python and type checkers need."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            sys.exit("error: a checkout has a command of its own: make .venv/bin/voiceprivacy")
        root, self.scratch = Path(self.root), tempfile.TemporaryDirectory()
        commit = runpy.run_path(str(root / COMMIT))
        files = {commit["BUILT"]: json.dumps(commit["state_of"](root), indent=1) + "\n"}
        if self.target_name == "wheel":
            package = (root / PACKAGE / "__init__.py").read_text(encoding="utf-8")
            files["__init__.py"] = package + WHERE_MODULES_LIE
            files["api.pyi"] = stub(root / "scripts", "voiceprivacy.api")
            files["py.typed"] = ""
        for name, text in files.items():
            path = Path(self.scratch.name, name)
            path.write_text(text, encoding="utf-8")
            build_data["force_include"][str(path)] = name

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.scratch.cleanup()


class Extras(MetadataHookInterface):
    """voiceprivacy[run], [neural], [plots] and [exchange], in the versions that are tested.

    [run] is the workflow, [neural] has what neural systems compute with besides, [plots] draws
    figures of score files, [exchange] are results that laboratories share.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        pins = self._pins("requirements")
        drawn, shared = (
            [pin for pin in pins if pin.partition("==")[0] in names] for names in (PLOTS, EXCHANGE)
        )
        neural = [*pins, *self._pins("requirements-neural")]
        extras = {"run": pins, "plots": drawn, "exchange": shared, "neural": neural}
        metadata["optional-dependencies"] = extras

    def _pins(self, name: str) -> list[str]:
        lines = Path(self.root, "envs", f"{name}.in").read_text(encoding="utf-8").splitlines()
        return [line for line in lines if line and not line.startswith("#")]


def stub(scripts: Path, module: str) -> str:
    """The public classes and functions of a module, as type checkers read them.

    Parameters
    ----------
    scripts : folder of the package
    module : its full name

    Returns
    -------
    str : a stub that imports nothing of ours; classes and aliases of other modules stand in it
    """
    imports, statements = _declared(scripts, module, also=RAISED)
    lines = [ast.unparse(statement) for statement in [*imports, *statements]]
    return "\n".join([*dict.fromkeys(lines), ""])


def _declared(scripts, module, wanted=(), also=()):
    """(imports of others' modules, declarations) of a module, with what they use of ours first.

    All that is public, or what is ``wanted`` by name; and names that it imports ``also``.
    """
    path = scripts / f"{module.replace('.', '/')}.py"
    path = path if path.exists() else path.with_suffix("") / "__init__.py"
    body = ast.parse(path.read_text(encoding="utf-8")).body
    own = [declaration for declaration in map(_declaration, body) if declaration]
    own = [declaration for declaration in own if _is_wanted(declaration, wanted)]
    nodes = [node for declaration in own for node in ast.walk(declaration)]
    used = {*also, *(node.id for node in nodes if isinstance(node, ast.Name))}
    imports, ours = [], []
    for statement in body:
        if isinstance(statement, ast.ImportFrom) and statement.module.startswith("voiceprivacy."):
            if names := used.intersection(alias.name for alias in statement.names):
                more, theirs = _declared(scripts, statement.module, names)
                imports, ours = imports + more, ours + theirs
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            names = [alias for alias in statement.names if (alias.asname or alias.name) in used]
            statement.names = names
            imports += [statement] if names else []
    return imports, ours + own


def _declaration(statement):
    """A class, function or alias without its code, but with its words; None of all others."""
    if isinstance(statement, ast.FunctionDef):
        words = [statement.body[0]] if ast.get_docstring(statement) else []
        statement.body = [*words, ast.Expr(ast.Constant(...))]
    elif isinstance(statement, ast.ClassDef):
        statement.body = [_declaration(part) or part for part in statement.body]
    elif not isinstance(statement, ast.Assign):
        return None
    return statement


def _is_wanted(declaration, wanted):
    target = declaration.targets[0] if isinstance(declaration, ast.Assign) else declaration
    name = getattr(target, "name", getattr(target, "id", "_"))
    return name in wanted if wanted else not name.startswith("_")
