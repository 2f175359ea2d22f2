"""One attacker against all systems of a repository whose speech is there.

Conventions
-----------
* The attacker comes as a config: its corpora, extractors and back-ends. The systems are added to
  it as speech that is protected already (``audio:``). Nothing else of the config changes.
* Where the speech of a system lies is a pattern with {system} and {revision}, and {set} as in a
  config: /speech/{system}/{revision}/{set}. A system is there if any set of it is.
* A run calls a system NAME_REVISION, with _ for what no name of a config may have. It exports it
  under its name in the repository again.
"""

import glob
import re
from pathlib import Path
from shlex import quote

import yaml

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import expand
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.organise.records import Record, Repository
from voiceprivacy.plan import configuration
from voiceprivacy.plan.defaults import complete
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.typeset import listed

FIELDS = ("{system}", "{revision}")
HEADER = "# Made by voiceprivacy add-attacker: {config} with the systems whose speech is there.\n"


def add_attacker(
    repository: Repository, config: Path, pattern: str, output: Path
) -> tuple[dict[str, Record], list[Record]]:
    """Write the config of a run that attacks all systems whose speech is there.

    Parameters
    ----------
    config : of the attacker
    pattern : where speech lies, with {system} and {revision}; {set} stays for the run

    Returns
    -------
    {name in the run: system} of those that are there, and the others

    Raises
    ------
    BadInput : it is no config that attacks a corpus, a list of it is no protocol, a name is taken
        or cannot be one, or no speech is there
    """
    lacking = [field for field in FIELDS if field not in pattern]
    if lacking:
        raise BadInput(f"--speech {pattern}: lacks {' and '.join(lacking)}")
    sections = configuration.read(config).items()
    combined = {name: section for name, section in sections if section is not None}
    _refuse_wrong(combined, config)
    if not combined.get("corpora"):
        raise BadInput(f"{config}: has no corpora: expected a config that attacks one")
    anonymisers = combined["anonymisers"] = dict(combined.get("anonymisers", {}))
    attacked: dict[str, Record] = {}
    elsewhere: list[Record] = []
    for system in repository.systems.values():
        title, revision = system["name"], system["revision"]
        audio = pattern.replace("{system}", title).replace("{revision}", revision)
        if not glob.glob(re.sub(r"\{\w+\}", "*", glob.escape(audio))):
            elsewhere.append(system)
            continue
        name = re.sub(r"[^a-z0-9]+", "_", f"{title}_{revision}".lower()).rstrip("_")
        if name in anonymisers:
            raise BadInput(f"{title} {revision}: another anonymiser is called {name}, too")
        attacked[name], anonymisers[name] = system, {"audio": audio}
    if not attacked:
        raise BadInput(f"--speech {pattern}: holds the speech of no system of {repository.folder}")
    _refuse_wrong(combined, output)
    _refuse_other_lists(combined, config, repository)
    with whole_or_absent(output) as path:
        text = yaml.safe_dump(combined, sort_keys=False, allow_unicode=True)
        path.write_text(HEADER.format(config=config.name) + text, encoding="utf-8")
    return attacked, elsewhere


def _refuse_wrong(config: Record, path: Path) -> None:
    """Refuse keys and names that no run takes; files need not be there yet."""
    for problem in configuration.wrong_entries(config):
        raise BadInput(f"{path}: {problem}")


def _refuse_other_lists(config: Record, path: Path, repository: Repository) -> None:
    """Refuse a list that is no protocol of a repository that has some: it would become another."""
    known = sorted(one["name"] for one in repository.protocols.values())
    of_lists = {key: config[key] for key in ("plan", "corpora") if key in config}
    for corpus, trials in Plan(complete(expand(of_lists))).speech.all_trial_lists():
        if known and f"{corpus}_{trials}" not in known:
            raise BadInput(
                f"{path}: list {trials} of corpora: {corpus} would be the protocol"
                f" {corpus}_{trials}, and {repository.folder} has {listed(known)}: name the corpus"
                " and its lists as there"
            )


def commands(attacked: dict[str, Record], output: Path, repository: Path) -> list[str]:
    """What to call next: the run, and an export of each system."""
    lines = [f"voiceprivacy run --configfile {quote(str(output))}"]
    for name, system in attacked.items():
        lines.append(
            f"voiceprivacy export-result --repository {quote(str(repository))}"
            f' --laboratory "YOUR LABORATORY" --anonymiser {name}'
            f" --system-name {name}={system['name']} --revision {system['revision']}"
        )
    return lines
