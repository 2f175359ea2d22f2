"""Systems that laboratories have exported, compared on the lists that their folders share.

Conventions
-----------
* A list is the same if its trials and its speakers are, whatever its name.
* All results with scores take part. What two laboratories have measured of one system are two
  systems here. Attacks that are not trusted are left out.
"""

from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.organise.ranked_systems import Attacked, Ranking, Scored, ranking, scored_attacks
from voiceprivacy.organise.recomputed import read_listed
from voiceprivacy.organise.records import (
    TRIALS,
    Repository,
    distrust,
    read_repository,
)
from voiceprivacy.privacy.uncertainty.ranking import FEWEST_PERSONS
from voiceprivacy.report.terminal import columns

COLUMNS = ("group", "rank", "evidence %", "system")
MEANING = (
    "Evidence: 0 % is none, 100 % is enough to re-identify every speaker. Systems of one group"
    " cannot be told apart. Ranks have limits that hold for all systems together in 95 % of cases."
)
FEW = f"Lists of fewer than {FEWEST_PERSONS} persons together tell nothing apart."

Hashes = tuple[str, ...]


def is_repository(folder: Path) -> bool:
    """Whether a folder has protocols, as export-result writes them."""
    return (folder / "protocols").is_dir()


def comparison_lines(*folders: Path) -> list[str]:
    """The groups of all systems of two folders, as lines of text.

    Raises
    ------
    BadInput : no list, or no attack on it, is in both folders
    """
    names: dict[Hashes, str] = {}  # of lists
    systems: dict[str, dict[Attacked, Scored]] = {}
    measured: dict[tuple[str, Attacked], str] = {}  # SHA-256 of scores
    lists: list[set[str]] = []
    for folder in folders:
        repository = read_repository(folder)
        own = _names_of_lists(repository, names)
        lists.append({*own.values()})
        for result in repository.results.values():
            if result["protocol"] not in own or distrust(result):
                continue
            label = f"{result['system']} {result['revision']}, {result['laboratory']}"
            tried = [(result, condition) for condition in result["conditions"]]
            for attack, scored in scored_attacks(folder, tried).items():
                renamed = attack._replace(protocol=own[attack.protocol])
                if measured.setdefault((label, renamed), result["scores"]) != result["scores"]:
                    label = f"{label}, {folder}"  # the same laboratory has measured it again
                systems.setdefault(label, {})[renamed] = scored
    both = " and ".join(map(str, folders))
    if not set.intersection(*lists):
        raise BadInput(
            f"{both}: have no list in common whose trials and speakers are the same, and whose"
            " trials both folders hold (export-result --public)"
        )
    compared = ranking(systems)
    if not compared.places:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in compared.unranked.items())
        raise BadInput(f"{both}: nothing can be compared: {reasons}")
    return _lines(compared)


def _names_of_lists(repository: Repository, names: dict[Hashes, str]) -> dict[str, str]:
    """{protocol: name of its list}: the name that the first folder has; ``names`` are known."""
    own: dict[str, str] = {}
    for path, protocol in repository.protocols.items():
        lists = repository.folder / (path.removesuffix(".json") + TRIALS)
        if lists.is_file():
            hashes = read_listed(lists).hashes()
            same = (hashes["trials"], hashes["speakers"])
            own[protocol["name"]] = names.setdefault(same, protocol["name"])
    return own


def _lines(compared: Ranking) -> list[str]:
    attacks = (f"{one.attacker} under {one.condition.upper()}" for one in compared.attacks)
    rows = [
        (str(one.rank.group), one.limits, f"{one.evidence:.1f}", one.name)
        for one in compared.places
    ]
    lines = [
        f"Lists: {', '.join(compared.protocols)}",
        f"Attacks: {', '.join(dict.fromkeys(attacks))}",
        *columns([COLUMNS, *rows]),
    ]
    lines += [f"in no group: {name}: {reason}" for name, reason in compared.unranked.items()]
    return [*lines, MEANING, FEW]
