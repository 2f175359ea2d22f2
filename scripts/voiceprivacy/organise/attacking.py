"""One attacker against all systems of a repository whose speech is there.

Conventions
-----------
* The attacker comes as a config: its corpora, extractors and back-ends. The systems are added to
  it as speech that is protected already (``audio:``). Nothing else of the config changes.
* Where the speech of a system lies is a pattern with {system} and {revision}, and {set} as in a
  config: /speech/{system}/{revision}/{set}. A system is there if the folder above {set} is.
* A run calls a system NAME_REVISION, with _ for what no name of a config may have. It exports it
  under its name in the repository again.
"""

import re
from pathlib import Path
from shlex import quote
from typing import NamedTuple

import yaml

from voiceprivacy.inout.files import BadInput, whole_or_absent
from voiceprivacy.organise.records import Repository, System
from voiceprivacy.plan import configuration

SET = "{set}"
FIELDS = ("{system}", "{revision}")
HEADER = "# Made by voiceprivacy add-attacker: {config} with the systems whose speech is there.\n"


class Attacked(NamedTuple):
    """A system whose speech is there: its name in the run, and in the config's words where."""

    system: System
    name: str
    audio: str


def systems_with_speech(
    repository: Repository, pattern: str
) -> tuple[list[Attacked], list[System]]:
    """Tell the systems of a repository whose speech is there from the others.

    Parameters
    ----------
    repository : Repository
    pattern : where speech lies, with {system} and {revision}; {set} stays for the run

    Returns
    -------
    list of Attacked, list of System : there, and not there

    Raises
    ------
    BadInput : the pattern lacks a field; two systems would have one name in a run
    """
    lacking = [field for field in FIELDS if field not in pattern]
    if lacking:
        raise BadInput(f"--speech {pattern}: lacks {' and '.join(lacking)}")
    attacked: dict[str, Attacked] = {}
    elsewhere: list[System] = []
    for system in repository.systems.values():
        audio = pattern.replace("{system}", system.name).replace("{revision}", system.revision)
        if not Path(audio.partition(SET)[0]).is_dir():
            elsewhere.append(system)
            continue
        name = re.sub(r"[^a-z0-9]+", "_", f"{system.name}_{system.revision}".lower()).rstrip("_")
        if name in attacked:
            raise BadInput(f"{system.name} {system.revision}: another system is called {name}, too")
        attacked[name] = Attacked(system, name, audio)
    return list(attacked.values()), elsewhere


def add_attacker(
    repository: Repository, config: Path, pattern: str, output: Path
) -> tuple[list[Attacked], list[System]]:
    """Write the config of a run that attacks all systems whose speech is there.

    Returns
    -------
    list of Attacked, list of System : see systems_with_speech

    Raises
    ------
    BadInput : no speech is there; the config cannot be read, or has an anonymiser of such a name
    """
    attacked, elsewhere = systems_with_speech(repository, pattern)
    if not attacked:
        raise BadInput(f"--speech {pattern}: holds the speech of no system of {repository.folder}")
    combined = configuration.read(config)
    anonymisers = combined["anonymisers"] = dict(combined.get("anonymisers") or {})
    for one in attacked:
        if one.name in anonymisers:
            raise BadInput(f"the config has an anonymiser {one.name}; call it otherwise")
        anonymisers[one.name] = {"audio": one.audio}
    with whole_or_absent(output) as path:
        text = yaml.safe_dump(combined, sort_keys=False, allow_unicode=True)
        path.write_text(HEADER.format(config=config.name) + text, encoding="utf-8")
    return attacked, elsewhere


def commands(attacked: list[Attacked], output: Path, repository: Path) -> list[str]:
    """What to call next: the run, and an export of each system."""
    lines = [f"voiceprivacy run --configfile {quote(str(output))}"]
    for system, name, _ in attacked:
        lines.append(
            f"voiceprivacy export-result --repository {quote(str(repository))}"
            ' --laboratory "YOUR LABORATORY"'
            f" --anonymiser {name} --system-name {name}={system.name} --revision {system.revision}"
        )
    return lines
