"""A new repository of results: its checks, our own runs on an excerpt (tier B), and what the
challenges' baselines published (tier A).

Conventions
-----------
* Our own results lie in the template, as ``export-result`` wrote them.
* Published numbers stand in workflow/resources/published and nowhere else. A new repository is made
  from them. ``publications.tsv`` there says who published them.
* A published set of trials is a protocol. Attackers of different publications are revisions of one
  attacker. Those that were trained on protected speech are attackers of their own.
* Utility is of a system and of data. It stands with the system's first attack on the trials of that
  data. Data without trials (emotions) stand with all trials of that publication.
* Original speech is the system ``unprotected``. Where its utility was published alone, its equal
  error rate is "not reported".

References: workflow/resources/published/README.md.
"""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.inout.files import RESOURCES, counted, whole_folder_or_absent
from voiceprivacy.inout.tables import number, read_rows, read_table
from voiceprivacy.organise.records import (
    Attacker,
    NotReported,
    Number,
    Protocol,
    Result,
    System,
    Texts,
    Utility,
    described,
    write_record,
)
from voiceprivacy.report.published import (
    COUNTED,
    COUNTS,
    HEARD_BY,
    NUMBERS,
    NUMBERS_COLUMNS,
    SYSTEMS,
    UNPROTECTED,
    UTILITY,
    UTILITY_COLUMNS,
)
from voiceprivacy.vocabulary import ABSENT

TEMPLATE = RESOURCES / "leaderboard"
REVISION = "1"
ON_PROTECTED = "_on_protected"
EER_NAME = "eer_percent"
PUBLISHED_NAMES = {name.lower(): name for name in SYSTEMS}  # {name here: name there}
TABLE = RESOURCES / "published" / "publications.tsv"
NOT_SAID = NotReported("the published tables do not say it")
NO_EER = Number(None, not_reported="the published tables have none of original speech here")


class Publication(NamedTuple):
    """Where numbers come from: their ``sources`` begin with ``prefix``. And who attacked there."""

    prefix: str
    utility_source: str
    laboratory: str
    year: str
    code: str
    attacker: str
    attacker_revision: str


# The first whose prefix fits is meant.
PUBLICATIONS = [Publication(**row) for row in read_table(TABLE, list(Publication._fields))]
CLEAN_360 = ("LibriSpeech train-clean-360",)
ATTACKERS: dict[str, tuple[str, Texts]] = {  # title, and what they learnt from
    "kaldi_xvector_plda": ("x-vectors and PLDA of Kaldi", CLEAN_360),
    "ecapa_tdnn_cosine": ("ECAPA-TDNN and cosine", CLEAN_360),
    "ecapa_ssl_cosine": ("WavLM-Large with ECAPA-TDNN and cosine", NOT_SAID),
}
LEVELS = {
    "B2": "corpus",
    "B2r": "speaker",
    "B2_2022": "speaker",
    "B1b_2024": "utterance",
    "B2_2024": "utterance",
}
DATA = {
    "libri_dev": ("LibriSpeech dev-clean",),
    "libri_test": ("LibriSpeech test-clean",),
    "vctk_dev": ("VCTK",),
    "vctk_test": ("VCTK",),
}


class Key(NamedTuple):
    """What a result is of: a published set and system, who attacked it there, and the source."""

    set: str
    system: str
    attacker: str
    publication: Publication
    source: str


def new_repository(folder: Path) -> list[str]:
    """Begin a repository of results: the template with our own, and all that was published.

    Returns
    -------
    list of str : lines for the terminal

    Raises
    ------
    BadInput : the folder holds files of others
    """
    results = _results()
    with whole_folder_or_absent(folder) as temporary:
        shutil.copytree(TEMPLATE, temporary, dirs_exist_ok=True)
        for record in [*_described(results), *results]:
            write_record(temporary, record)
    own = len(list(TEMPLATE.glob("results/*/*/*/*.json")))
    published = counted(len(results), "published result")
    return [
        f"{folder}: a new repository with {published} at tier A, and {own} of our own at tier B",
        f"Its site: voiceprivacy leaderboard {folder}",
    ]


def publication_of(source: str | None) -> Publication:
    """Which publication a source is of."""
    return next(one for one in PUBLICATIONS if str(source).startswith(one.prefix))


def _code(publication: Publication) -> str | NotReported:
    return NOT_SAID if publication.code == ABSENT else publication.code


def _results() -> list[Result]:
    """All published attacks, with the utility of their systems."""
    conditions: dict[Key, dict[str, dict[str, Number]]] = {}
    for line, row in read_rows(NUMBERS, NUMBERS_COLUMNS):
        publication = publication_of(row["source"])
        suffix = ON_PROTECTED if row["attacker"] == "protected" else ""
        attacker = publication.attacker + suffix
        key = Key(row["set"], row["system"], attacker, publication, row["source"])
        measured = conditions.setdefault(key, {}).setdefault(row["condition"], {})
        measured[row["metric"]] = Number(number(row["value"], NUMBERS, line))
    utility = _utility(conditions)
    for key in utility:
        conditions.setdefault(key, {"oo": {EER_NAME: NO_EER}})
    return [_result(key, conditions[key], utility.get(key, [])) for key in sorted(conditions)]


def _utility(attacked: Iterable[Key]) -> dict[Key, list[Utility]]:
    """Published utility, with the first attack on its system or a key of its own."""
    first: dict[tuple[str, str, Publication], Key] = {}
    sets: dict[Publication, set[str]] = {}
    for key in sorted(attacked):
        first.setdefault((key.set, key.system, key.publication), key)
        sets.setdefault(key.publication, set()).add(key.set)
    utility: dict[Key, list[Utility]] = {}
    for line, row in read_rows(UTILITY, UTILITY_COLUMNS):
        source, system = row["source"], row["system"]
        publication = next(one for one in PUBLICATIONS if one.utility_source == source)
        for name in sorted(_sets_of(row["data"], sets[publication])):
            alone = Key(name, system, publication.attacker, publication, source)
            key = first.get((name, system, publication), alone)
            measured = _measured(row, number(row["value"], UTILITY, line))
            utility.setdefault(key, []).append(measured)
    return utility


def _sets_of(data: str, sets: Iterable[str]) -> list[str]:
    """The sets of trials that data stand with: their own, or all of the same split."""
    own = [name for name in sets if name.startswith(f"{data}_trials")]
    split = data.rpartition("_")[2]
    return own or [name for name in sets if f"_{split}_trials" in name]


def _measured(row: Mapping[str, str], value: float) -> Utility:
    metric, definition = row["metric"], row["definition"]
    heard_by = HEARD_BY[metric, definition]
    return Utility(metric, value, None, None, heard_by, None, definition, row["data"])


def _result(
    key: Key, conditions: Mapping[str, Mapping[str, Number]], utility: Sequence[Utility]
) -> Result:
    return Result(
        system=key.system.lower(),
        revision=REVISION,
        protocol=key.set,
        attacker=key.attacker,
        attacker_revision=key.publication.attacker_revision,
        tier="A",
        laboratory=key.publication.laboratory,
        date=key.publication.year,
        source=key.source,
        conditions=conditions,
        draws=None,
        utility=tuple(utility),
    )


def _described(results: Iterable[Result]) -> list[System | Attacker | Protocol]:
    """The systems, attackers and protocols of all results."""
    systems: dict[str, Publication] = {}
    attackers: dict[tuple[str, str], Publication] = {}
    protocols: dict[str, None] = {}
    for result in results:
        publication = publication_of(result.source)
        known = systems.setdefault(result.system, publication)
        first = min(known, publication, key=lambda one: (one.year, one.code == ABSENT))
        systems[result.system] = first
        attackers[result.attacker, result.attacker_revision] = publication
        protocols[result.protocol] = None
    return [
        *(_system(name, publication) for name, publication in systems.items()),
        *(_attacker(*key, publication) for key, publication in attackers.items()),
        *map(_protocol, protocols),
    ]


def _system(name: str, publication: Publication) -> System:
    published = PUBLISHED_NAMES[name]
    if published == UNPROTECTED:
        return System(name, REVISION, SYSTEMS[published], None, None, None, None, (), None, None)
    return described(
        System,
        NOT_SAID,
        name=name,
        revision=REVISION,
        title=SYSTEMS[published],
        code=_code(publication),
        year=int(publication.year),
        level=LEVELS.get(published, NOT_SAID),
    )


def _attacker(name: str, revision: str, publication: Publication) -> Attacker:
    informed = name != publication.attacker
    title, learnt_from = ATTACKERS[publication.attacker]
    return described(
        Attacker,
        NOT_SAID,
        name=name,
        revision=revision,
        title=f"{title}, trained on protected speech" if informed else title,
        code=_code(publication),
        year=int(publication.year),
        training_data=learnt_from,
        adaptation="trained on speech that the system protected" if informed else "none",
    )


def _protocol(name: str) -> Protocol:
    corpus, _, trials = name.partition("_trials_")
    counts = {
        row["what"].removesuffix("_trials"): int(row["count"])
        for row in read_table(COUNTS, ["set", "what", "count"])
        if row["set"] == name and row["what"] in COUNTED.values()
    }
    return described(
        Protocol,
        NOT_SAID,
        name=name,
        title=f"{corpus}, trials {trials}",
        public=True,
        data=DATA.get(corpus, NOT_SAID),
        counts=counts or NOT_SAID,
        weights={},
    )
