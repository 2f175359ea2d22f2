"""results/plan.json: what a run hands its report, in the order of the page.

A shell command holds at most 128 kB, and a run of twenty systems on twelve lists has thousands of
files. So rules declare their files to Snakemake, and hand their scripts this list of them.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy import corpus_kinds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import foreign
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.json_files import of_type, read_json, write_json
from voiceprivacy.report.figures import (
    ANONYMISER,
    ATLAS,
    ATTACKER,
    GALLERY,
    KINDS,
    LENGTHS,
    LIST,
    SET,
    TRAINING,
    TWO_RUNS,
    Figure,
    Look,
    Subject,
    figure,
)
from voiceprivacy.vocabulary import ORIGINAL, Attack

TABLES = "report/tables"


class Contents(NamedTuple):
    """The files of a run that its metrics and its page are made of.

    Attributes
    ----------
    metrics, intervals : of all attacks
    inference : tables of what speech tells of people
    utility : tables of means; None where nothing could be measured, so that the page says nothing
    words : {corpus: table} of the word errors of speakers
    not_measured : {group of measures of utility: why}, where a corpus leaves some out
    speed : table of how long anonymisers take; None where the run protects nothing that it measures
    comparisons, checks, listen : of the run, and clips to listen to
    speech, lists : tables that describe the corpora; None without a corpus
    expected, published : tables beside other people's numbers; None where there are none
    alphas : {corpus: {anonymiser: table}} of drawn coefficients
    figures : of the page
    internal : whether the page may hold everything
    named : corpora whose speakers the page names, and whose originals it plays
    """

    metrics: list[str] = []  # noqa: RUF012 - a NamedTuple's default, which nobody changes
    intervals: list[str] = []  # noqa: RUF012
    inference: list[str] = []  # noqa: RUF012
    utility: list[str] | None = None
    words: Mapping[str, str] = {}
    not_measured: Mapping[str, str] = {}
    speed: str | None = None
    comparisons: list[str] = []  # noqa: RUF012
    checks: list[str] = []  # noqa: RUF012
    listen: list[str] = []  # noqa: RUF012
    speech: str | None = None
    lists: str | None = None
    expected: str | None = None
    published: str | None = None
    alphas: Mapping[str, Mapping[str, str]] = {}
    figures: list[Figure] = []  # noqa: RUF012
    internal: bool = False
    named: list[str] = []  # noqa: RUF012


def contents_of(plan: Any) -> Contents:
    """The contents of a run, from its voiceprivacy.plan.plan.Plan."""
    has_corpora = bool(plan.speech.manifests())
    has_systems = bool(plan.speech.anonymisers or plan.given.files)
    return Contents(
        metrics=plan.outputs.metrics() + plan.given.metrics(),
        intervals=plan.outputs.intervals() + plan.given.intervals(),
        inference=_inference(plan),
        utility=plan.utility.tables() if has_systems else None,
        words=plan.utility.words_of_speakers() if has_systems else {},
        not_measured=plan.utility.not_measured(),
        speed=_speed(plan),
        comparisons=plan.outputs.comparisons(),
        checks=[*plan.speech.checks(), *plan.speech.checks_of_sounds()],
        listen=plan.utility.clips(),
        speech=plan.layout.path(f"{TABLES}/speech.tsv") if has_corpora else None,
        lists=plan.layout.path(f"{TABLES}/trials.tsv") if has_corpora else None,
        expected=plan.layout.path(f"{TABLES}/expected.tsv") if "expected" in plan.config else None,
        published=plan.layout.path(f"{TABLES}/published.tsv") if _may_be_published(plan) else None,
        alphas={corpus: _alphas(plan, corpus) for corpus in plan.speech.evaluated},
        figures=planned(plan),
        internal=plan.config["report"]["internal"],
        named=_named(plan),
    )


def _may_be_published(plan):
    """Whether there are trial lists, or data without any, in Kaldi directories."""
    measured = [plan.speech.corpora[corpus] for corpus in plan.speech.evaluated]
    is_data = any(
        corpus_kinds.data_sets(options, "trial") and "protocol" not in options
        for options in measured
    )
    return is_data or bool(plan.speech.kaldi_lists())


def _named(plan):
    """Corpora that give nobody away: all of an internal page, else those whose voices are made."""
    is_internal = plan.config["report"]["internal"]
    return [
        corpus
        for corpus in plan.speech.evaluated
        if is_internal or corpus_kinds.is_made_up(plan.speech.corpora[corpus])
    ]


def _inference(plan):
    if not plan.config["report"]["inference"]:
        return []
    return [plan.layout.path(f"metrics/inference/{name}.tsv") for name in plan.outputs.inference()]


def _speed(plan):
    is_known = plan.speech.anonymisers and plan.utility.tables()
    return plan.layout.path(f"{TABLES}/speed.tsv") if is_known else None


def _alphas(plan, corpus):
    """The coefficients that McAdams anonymisers drew; the tables of others are empty."""
    return {
        name: plan.layout.speech(corpus, "trial", name, "manifest.alphas")
        for name in plan.speech.anonymisers
    }


def write_contents(path: FilePath, contents: Contents) -> None:
    """Write them as JSON."""
    figures = [figure._asdict() for figure in contents.figures]
    write_json(path, contents._asdict() | {"figures": figures})


def read_contents(path: FilePath) -> Contents:
    """Read what write_contents wrote.

    Raises
    ------
    BadInput : a figure of no kind that there is, or without a field
    """
    contents: Contents = of_type(read_json(path), Contents, str(path))
    for index, one in enumerate(contents.figures):
        _check_figure(f"{path}: figure {index}", one)
    return contents


def _check_figure(where: str, figure: Figure) -> None:
    if figure.kind not in KINDS:
        raise BadInput(f"{where}: '{figure.kind}' is none of {', '.join(KINDS)}")
    for field in Subject._fields:
        if name := getattr(figure, field):  # they become folders and names of pictures
            foreign.name(name, f"{where}: {field}")


# Which figures a run has.


def planned(plan: Any) -> list[Figure]:
    """Every figure of a run, from its voiceprivacy.plan.plan.Plan."""
    report = plan.config["report"]
    shared = {
        "look": Look(list(plan.config["anonymisers"]), report["speaker_order"]),
        "layout": plan.layout,
    }
    subjects = _subjects(plan)
    figures = []
    for kind in KINDS.values():
        for subject, systems in subjects[kind.per].items():
            figures.append(figure(kind.name, subject, systems=systems, **shared))
    return figures


def _subjects(plan):
    """{LIST, GALLERY, ...: {Subject: systems of the figure}} of a run."""
    attackers, given, speech = plan.attackers, plan.given, plan.speech
    subjects = {per: {} for per in {kind.per for kind in KINDS.values()}}
    subjects[ATLAS] = {Subject(*trial_list): () for trial_list in plan.atlas.lists()}
    subjects[SET] = {Subject(corpus): () for corpus in _measured_sets(plan)}
    for attack in attackers.attacks():
        systems = attackers.systems(attack.extractor, attack.backend)
        subjects[LIST][_of_attack(attack)] = systems
        if speech.has_gallery(attack.corpus):
            subjects[GALLERY][_of_attack(attack)] = systems
        for system in systems:
            if system == ORIGINAL:
                continue
            subjects[ANONYMISER][_of_attack(attack, system)] = ()
            subjects[ATTACKER][Subject(extractor=attack.extractor, backend=attack.backend)] = ()
            if system in speech.repeated:
                subjects[TWO_RUNS][_of_attack(attack, system)] = ()
    # Scores of others: of these systems there are no voices, and no matrices of similarity.
    for attack in given.attacks():
        subjects[LIST][_of_attack(attack)] = list(given.systems(attack))
        for system in given.calibrated(attack):
            subjects[TWO_RUNS][_of_attack(attack, system)] = ()
    for attack in attackers.rank_attacks():
        systems = attackers.systems(attack.extractor, attack.backend)
        subjects[GALLERY][_of_attack(attack)] = systems
        # Several galleries of one gender differ in the lengths of their tests and templates.
        galleries = speech.galleries(attack.corpus)
        if len(galleries) > len({gallery.gender for gallery in galleries.values()}):
            gender = galleries[attack.trials].gender
            subjects[LENGTHS][_of_attack(attack._replace(trials=gender))] = ()
    # Of an extractor that no attack uses there is no training.
    tried = {attack.extractor for attack in (*attackers.attacks(), *attackers.rank_attacks())}
    for name in attackers.extractors_with("train"):
        if name in tried:
            subjects[TRAINING][Subject(extractor=name, backend="loss")] = ()
    return subjects


def _measured_sets(plan):
    """Corpora of the verdict whose utility is measured with intervals."""
    if not plan.n_replicates or not plan.speech.anonymisers:
        return []
    measured = {Path(table).stem for table in plan.utility.tables()}
    attacks = (*plan.attackers.attacks(), *plan.given.attacks())
    return [name for name in dict.fromkeys(each.corpus for each in attacks) if name in measured]


def _of_attack(attack: Attack, anonymiser: str = "") -> Subject:
    return Subject(attack.corpus, attack.trials, anonymiser, attack.extractor, attack.backend)


def rule_name(job: str) -> str:
    """The name of the rule of a job: CORPUS/TRIALS/EXTRACTOR/BACKEND with __ for each slash."""
    return f"plot_{job.replace('/', '__')}"


def by_job(figures: Iterable[Figure]) -> dict[str, list[Figure]]:
    """Figures whose pictures are drawn together: those of a list and attacker, and all others.

    Returns
    -------
    {corpus/trials/extractor/backend, or "run": figures}
    """
    jobs: dict[str, list[Figure]] = {}
    for drawn in figures:
        job = "run"
        # One job for each list and attacker: what it draws reads the same curves.
        if KINDS[drawn.kind].per in (LIST, GALLERY, ANONYMISER, TWO_RUNS):
            job = "/".join((drawn.corpus, drawn.trials, drawn.extractor, drawn.backend))
        jobs.setdefault(job, []).append(drawn)
    return jobs
