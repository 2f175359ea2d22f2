"""A new repository of results: its checks, our own runs on an excerpt (tier B), and what the
challenges' baselines published (tier A).

Conventions
-----------
* Our own results lie in the template, as ``export-result`` wrote them.
* Published numbers stand in workflow/resources/published and nowhere else. A new repository is made
  from them, and they can be read back from it without a difference.
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
from voiceprivacy.tools.exchange.records import (
    Attacker,
    NotReported,
    Number,
    Protocol,
    Repository,
    Result,
    System,
    Utility,
)
from voiceprivacy.tools.exchange.repository import write_record

TEMPLATE = RESOURCES / "leaderboard"
REVISION = "1"
ON_PROTECTED = "_on_protected"
EER_NAME = "eer_percent"
PUBLISHED_NAMES = {name.lower(): name for name in SYSTEMS}  # {name here: name there}
RECIPES = "https://github.com/Voice-Privacy-Challenge/Voice-Privacy-Challenge-"
NOT_SAID = NotReported("the published tables do not say it")
NO_EER = Number(None, not_reported="the published tables have none of original speech here")


class Publication(NamedTuple):
    """Where numbers come from: their ``sources`` begin with ``prefix``. And who attacked there."""

    prefix: str
    utility_source: str
    laboratory: str
    year: int
    code: str | None
    attacker: str
    attacker_revision: str


KALDI, ECAPA, ECAPA_SSL = "kaldi_xvector_plda", "ecapa_tdnn_cosine", "ecapa_ssl_cosine"
ATTACKERS = {
    KALDI: "x-vectors and PLDA of Kaldi",
    ECAPA: "ECAPA-TDNN and cosine",
    ECAPA_SSL: "WavLM-Large with ECAPA-TDNN and cosine",
}
CLEAN_360 = ("LibriSpeech train-clean-360",)
LEARNT_FROM = {KALDI: CLEAN_360, ECAPA: CLEAN_360}  # of the third, nothing is reported
VPC = "VoicePrivacy Challenge"
FILES_2022 = "VPC2022 baseline/results/results."
OF_2024, OF_2026 = "VPC2024 result files", "VPC2026 result files"
SECOND = "second run of B3"
# The first whose prefix fits is meant.
PUBLICATIONS = (
    Publication("VPC2020", "", f"{VPC} 2020", 2020, f"{RECIPES}2020", KALDI, "2020"),
    Publication("Noe et al. 2020", "", "Noé et al. 2020", 2020, None, KALDI, "noe2020"),
    # Two files for each system: by what their attackers were trained on. Similarity stands
    # in the second, and is of attackers of the first kind.
    Publication(f"{FILES_2022}orig", "", f"{VPC} 2022", 2022, f"{RECIPES}2022", KALDI, "2022-orig"),
    Publication(f"{FILES_2022}anon", "", f"{VPC} 2022", 2022, f"{RECIPES}2022", KALDI, "2022-anon"),
    Publication("Noe et al. 2022", "", "Noé et al. 2022", 2022, None, KALDI, "noe2022"),
    Publication(
        f"{OF_2024} (ECAPA-TDNN, {SECOND})",
        f"{OF_2024} ({SECOND})",
        f"{VPC} 2024",
        2024,
        f"{RECIPES}2024",
        ECAPA,
        "2024-run2",
    ),
    Publication(OF_2024, OF_2024, f"{VPC} 2024", 2024, f"{RECIPES}2024", ECAPA, "2024"),
    Publication(
        f"{OF_2026}, track 1",
        f"{OF_2026}, track 1",
        f"{VPC} 2026, track 1",
        2026,
        f"{RECIPES}2026",
        ECAPA_SSL,
        "2026-track1",
    ),
    Publication(
        f"{OF_2026}, track 2",
        f"{OF_2026}, track 2",
        f"{VPC} 2026, track 2",
        2026,
        f"{RECIPES}2026",
        ECAPA_SSL,
        "2026-track2",
    ),
)
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
    described = _described(results)
    with whole_folder_or_absent(folder) as temporary:
        shutil.copytree(TEMPLATE, temporary, dirs_exist_ok=True)
        for record in [*described, *results]:
            write_record(temporary, record)
    own = len(list(TEMPLATE.glob("results/*/*/*/*.json")))
    published = counted(len(results), "published result")
    return [
        f"{folder}: a new repository with {published} at tier A, and {own} of our own at tier B",
        f"Its site: voiceprivacy leaderboard {folder}",
    ]


def publication_of(source: str) -> Publication:
    """Which publication a source is of."""
    return next(one for one in PUBLICATIONS if source.startswith(one.prefix))


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
    model = HEARD_BY[row["metric"], row["definition"]]
    return Utility(
        row["metric"],
        value,
        low=None,
        high=None,
        model=model,
        revision=None,
        definition=row["definition"],
        data=row["data"],
    )


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
        date=str(key.publication.year),
        source=key.source,
        conditions=conditions,
        draws=None,
        utility=tuple(utility),
        controls={},
        versions={},
        provenance={},
        scores=None,
    )


def _described(results: Iterable[Result]) -> list[System | Attacker | Protocol]:
    """The systems, attackers and protocols of all results."""
    systems: dict[str, Publication] = {}
    attackers: dict[tuple[str, str], Publication] = {}
    protocols: dict[str, None] = {}
    for result in results:
        publication = publication_of(result.source or "")
        known = systems.setdefault(result.system, publication)
        systems[result.system] = min(known, publication, key=lambda one: (one.year, not one.code))
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
    return System(
        name,
        REVISION,
        title=SYSTEMS[published],
        paper=NOT_SAID,
        code=publication.code or NOT_SAID,
        licence=NOT_SAID,
        year=publication.year,
        training_data=NOT_SAID,
        level=LEVELS.get(published, NOT_SAID),
        real_time_factor=NOT_SAID,
    )


def _attacker(name: str, revision: str, publication: Publication) -> Attacker:
    informed = name != publication.attacker
    title = ATTACKERS[publication.attacker]
    return Attacker(
        name,
        revision,
        title=f"{title}, trained on protected speech" if informed else title,
        paper=NOT_SAID,
        code=publication.code or NOT_SAID,
        licence=NOT_SAID,
        year=publication.year,
        weights=NOT_SAID,
        training_data=LEARNT_FROM.get(publication.attacker, NOT_SAID),
        adaptation="trained on speech that the system protected" if informed else "none",
        readings=NOT_SAID,
    )


def _protocol(name: str) -> Protocol:
    corpus, _, trials = name.partition("_trials_")
    counts = {
        row["what"].removesuffix("_trials"): int(row["count"])
        for row in read_table(COUNTS, ["set", "what", "count"])
        if row["set"] == name and row["what"] in COUNTED.values()
    }
    return Protocol(
        name,
        title=f"{corpus}, trials {trials}",
        public=True,
        data=DATA.get(corpus, NOT_SAID),
        fingerprint=NOT_SAID,
        sha256=NOT_SAID,
        counts=counts or NOT_SAID,
        weights={},
    )


def _published(repository: Repository) -> list[Result]:
    """Results that say where they were published."""
    return [result for result in repository.results if result.source]


def published_numbers(repository: Repository) -> list[tuple]:
    """The rows of numbers.tsv as a repository has them, sorted; values are numbers."""
    rows = []
    for result in _published(repository):
        trained_on = "protected" if result.attacker.endswith(ON_PROTECTED) else "original"
        system = PUBLISHED_NAMES[result.system]
        for condition, numbers in result.conditions.items():
            for metric, measured in numbers.items():
                if measured.value is not None:
                    key = (result.protocol, system, condition, metric)
                    rows.append((*key, measured.value, trained_on, result.source))
    return sorted(rows)


def published_utility(repository: Repository) -> list[tuple]:
    """The rows of utility.tsv as a repository has them, sorted; values are numbers."""
    rows = set()
    for result in _published(repository):
        source = publication_of(result.source or "").utility_source
        for line in result.utility:
            key = (line.data, PUBLISHED_NAMES[result.system], line.metric, line.definition)
            rows.add((*key, line.value, source))
    return sorted(rows)
