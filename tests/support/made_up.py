"""Made-up results with all that the page draws: two corpora, names that are markup."""

import itertools
from pathlib import Path

import numpy as np

from support import utilities, verdicts
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import Utterance, write_manifest, write_table
from voiceprivacy.layout import Layout
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.curves import (
    CALIBRATIONS,
    COLUMNS,
    DISCLOSURES,
    EXAMPLES,
    EXPOSURES,
    LAW,
    PROFILES,
    SIMILARITIES,
    ZOO,
)
from voiceprivacy.report.figures import KINDS, Look, Subject, drawer, figure
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.page import show, write_page
from voiceprivacy.report.plots import style
from voiceprivacy.report.published import beside, tables_of
from voiceprivacy.vocabulary import AtlasPoint, ExposedPoint

TEMPLATE = Path(__file__).parents[2] / "workflow" / "report" / "index.html.j2"
EVIL = "<!--<script><b>x"  # no slash: ids of speakers have none
LISTS = {"libri": ("f", "m"), "vctk": ("f",)}
SYSTEMS = {"original": ["oo"], "b2": ["op", "pp"], "b2r": ["op", "pp"]}
ATTACKER = ("ecapa", "cosine")
SPEAKERS = ["s1", "s2", f"s3{EVIL}"]
PICTURE = '<svg viewBox="0 0 99 99" xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
OF_ATLAS = ("atlas", "exposed")  # kinds of figures of a list
EXPOSED = [  # channel, speaker, bits
    ("voice", SPEAKERS[0], 0.4),
    ("pitch", SPEAKERS[0], 0.9),
    ("voice", SPEAKERS[2], 1.1),
    ("pitch", SPEAKERS[2], 0.2),
]
AVERAGES = {"challenge": {"libri": {"f": 0.25, "m": 0.25}, "vctk": {"f": 0.5}}}
PROVENANCE = {
    "version": "0.1.0",
    "config": {"anonymisers": {"b2": {}, "b2r": {}}, "report": {"averages": AVERAGES}},
}
EER_PERCENT = {
    ("original", "oo"): 3.0,
    ("b2", "op"): 30.0,
    ("b2", "pp"): 8.0,
    ("b2r", "op"): 35.0,
    ("b2r", "pp"): 21.0,
}


def metrics():
    """All numbers of the run, with intervals of lists."""
    numbers = []
    for (corpus, lists), (anonymiser, conditions) in itertools.product(
        LISTS.items(), SYSTEMS.items()
    ):
        for trials, condition in itertools.product(lists, conditions):
            for name, value in _numbers(anonymiser, condition, shift=lists.index(trials)).items():
                limits = (str(value - 1), str(value + 1)) if name == "eer_percent" else ("-", "-")
                key = (corpus, trials, anonymiser, *ATTACKER, condition, name)
                numbers.append(Number(*key, str(value), *limits))
    return sorted(numbers + _galleries())


def _galleries():
    """Rank disclosure of galleries that were sampled for tests of one and two utterances."""
    numbers = []
    for test, (anonymiser, conditions) in itertools.product((1, 2), SYSTEMS.items()):
        for condition in conditions:
            key = ("libri", f"f_t{test}_d1", anonymiser, *ATTACKER, condition)
            disclosure = [str(share * test) for share in (0.5, 0.4, 0.6)]
            numbers.append(Number(*key, "disclosure_bit", *disclosure))
            numbers.append(Number(*key, "n_templates", "3"))
            numbers.append(Number(*key, "mean_test_s", str(6.25 * test)))
            numbers.append(Number(*key, "mean_template_s", "6.25"))
    return numbers


def _costs(anonymiser, condition):
    """Numbers of two runs."""
    numbers = {}
    for run in ("train", "test"):
        numbers |= {f"dece_{run}_bit": 0.4, f"worst_case_{run}_log10": 1.5, f"tag_{run}": "B"}
    for kind in ("linear", "isotonic"):
        numbers |= {f"cece_{kind}_bit": 0.1, f"cllr_{kind}_bit": 0.9}
    return numbers


def _numbers(anonymiser, condition, *, shift=0):
    eer = EER_PERCENT[anonymiser, condition] + 2 * shift
    disclosure = round(0.72 - eer / 80, 3)
    numbers = {"eer_percent": eer, "cllr_bit": 1.1, "cllr_min_bit": eer / 50}
    numbers |= {"n_target": 40, "n_nontarget": 80, "n_templates": 3}
    numbers |= {"dece_bit": disclosure, "dece_null95_bit": 0.3, "worst_case_log10": 1.5, "tag": "B"}
    numbers |= {"mean_disclosure_bit": 1.0, "model_mean_disclosure_bit": 0.9}
    numbers |= {"identification_rate_percent": 50.0}
    if condition == "op":
        numbers["deid_percent"] = 60.0 + shift
    if condition == "pp":
        numbers["gvd_db"] = "-inf" if anonymiser == "b2" and shift else -0.5
    return numbers


def write_results(folder):
    """Write curves, speech and pictures of the run below ``folder``."""
    of_lists = {
        "atlas": (AtlasPoint._fields, _channels()),
        "exposed": (ExposedPoint._fields, _exposed()),
    }
    for corpus, lists in LISTS.items():
        part = folder / "audio" / corpus / "trial"
        said = [Utterance(f"u{k}", name, "f", "u.flac", 1.0) for k, name in enumerate(SPEAKERS)]
        write_manifest(_made(part / "original" / "manifest.tsv"), said)
        rows = [(f"u{k}", name, 0.8 + k / 100) for k, name in enumerate(SPEAKERS)]
        alphas = _made(part / "b2r" / "manifest.alphas.tsv")
        write_table(alphas, ["utterance", "speaker", "alpha"], rows)
        for trials, (anonymiser, conditions) in itertools.product(lists, SYSTEMS.items()):
            attacked = f"{corpus}/{trials}/{anonymiser}/{'/'.join(ATTACKER)}.tsv"
            tables = dict.fromkeys(FAMILIES, conditions)
            tables |= {"similarity": ("oo", "op", "pp")} if anonymiser != "original" else {}
            for family, of_table in tables.items():
                columns, rows_of = FAMILIES.get(family, (SIMILARITIES, _similarities))
                rows = list(itertools.chain.from_iterable(map(rows_of, of_table)))
                write_table(_made(folder / "curves" / family / attacked), columns, rows)
        for trials, (family, (columns, rows)) in itertools.product(lists, of_lists.items()):
            write_table(_made(folder / f"curves/{family}/{corpus}/{trials}.tsv"), columns, rows)
    rows = [(epoch, 3 / epoch, 50, 10 - epoch, 0.001, 1.0) for epoch in (1, 2, 3)]
    write_table(_made(folder / "models" / ATTACKER[0] / "training.tsv"), COLUMNS, rows)
    write_json(folder / "verdict.json", verdicts.usual("libri"))
    words = utilities.means("libri", "own_wer_percent", utilities.WORDS_PERCENT)
    utilities.write(folder / "metrics" / "utility" / "libri.tsv", words)
    for shown in figures(folder):
        picture = _made(Path(shown.pictures(Layout(folder))["svg"]))
        picture.write_text(PICTURE)
    write_metrics(folder / "metrics.tsv", metrics())
    families = {"zebra": _numbers, "ranks": _numbers, "calibration": _costs}
    systems = itertools.product(families.items(), LISTS.items(), SYSTEMS.items())
    for (family, numbers_of), (corpus, lists), (name, conditions) in systems:
        numbers = {condition: numbers_of(name, condition) for condition in conditions}
        for trials in lists:
            attacked = f"{family}/{corpus}/{trials}/{name}/{'/'.join(ATTACKER)}.json"
            write_json(_made(folder / "metrics" / attacked), numbers)


def draw(folder):
    """Draw the pictures of the run, which lies in ``folder``, as its jobs do."""
    for drawn in figures(folder):
        path = _made(Path(drawn.pictures(Layout(folder))["svg"]))
        style.save(drawer(drawn.kind)(**drawn.arguments), path)


def figures(folder):
    """The figures of the run, which lies in ``folder``."""
    attacker = dict(zip(("extractor", "backend"), ATTACKER, strict=True))
    subjects = [
        ("plane", Subject("libri")),
        ("distinctiveness", Subject(**attacker)),
        ("rank_lengths", Subject("libri", "f", **attacker)),
        ("training", Subject(extractor=ATTACKER[0], backend="loss")),
    ]
    for corpus, lists in LISTS.items():
        for trials in lists:
            of_list = Subject(corpus, trials)
            subjects += [(kind, of_list) for kind in OF_ATLAS]
            for kind in ("zebra", "ranks", "rank_speakers", "law"):
                subjects.append((kind, Subject(corpus, trials, **attacker)))
            for kind in ("similarity", "zoo", "speakers", "calibration"):
                for name in ("b2", "b2r"):
                    subjects.append((kind, Subject(corpus, trials, name, **attacker)))
    look = Look(["b2", "b2r"])
    return [
        figure(kind, subject, systems=list(SYSTEMS), look=look, layout=Layout(folder))
        for kind, subject in subjects
    ]


def published(numbers=None):
    """What others published about B2 and B2r on libri_test, beside numbers of this run."""
    of_run = [
        metric._replace(corpus="libri_test")
        for metric in numbers or metrics()
        if metric.corpus == "libri"
    ]
    sizes = {("f", "n_target"): "548", ("f", "n_nontarget"): "11196"}
    sizes |= {("m", "n_target"): "449", ("m", "n_nontarget"): "9457"}
    of_run = [
        number._replace(value=sizes.get((number.trials, number.metric), number.value))
        for number in of_run
    ]
    lists = {trials: f"data/libri_test_trials_{trials}" for trials in LISTS["libri"]}
    command = "python {scripts}/anonymise_mcadams.py --alpha"
    enrolled = {"kaldi": {"enrolment": "data/libri_test_enrolls"}, "protocol": {"given": lists}}
    anonymisers = {"b2": {"command": f"{command} 0.8"}, "b2r": {"command": f"{command} 0.7 0.9"}}
    config = {"corpora": {"libri_test": enrolled}, "anonymisers": anonymisers}
    return tables_of(beside(of_run, config))


def render(folder, **content):
    """Write the page of the run, which lies in ``folder``."""
    numbers, page = content.get("metrics") or metrics(), folder / "report" / "index.html"
    shown = []
    for drawn in figures(folder):
        pictures = {"svg": drawn.pictures(Layout(folder))["svg"]}
        shown.append(show(drawn, pictures=pictures))
    assert {figure.kind for figure in shown if figure.svg} == set(KINDS)
    tables = {corpus: folder / "audio" / corpus / "trial" / "b2r" for corpus in LISTS}
    options = {
        "systems": compare(numbers),
        "metrics": numbers,
        "figures": shown,
        "provenance": PROVENANCE,
        "alphas": {name: {"b2r": part / "manifest.alphas.tsv"} for name, part in tables.items()},
    }
    write_page(page, template=TEMPLATE, **options | content)
    return page


def _profiles(condition):
    x = np.linspace(-5, 5, 21)
    return [(condition, at, 0.5 * np.exp(-at * at / 8), np.exp(-at * at / 8)) for at in x]


def _calibrations(condition):
    return [
        (condition, at, *[0.5 * np.exp(-at * at / 8)] * len(CALIBRATIONS))
        for at in np.linspace(-5, 5, 21)
    ]


def _ranks(condition):
    return [(condition, rank, share, share) for rank, share in ((1, 0.5), (2, 0.25), (3, 0.25))]


def _examples(condition):
    return [
        (condition, name, rank, share, share)
        for name in SPEAKERS
        for rank, share in ((1, 0.5), (2, 0.25), (3, 0.25))
    ]


def _disclosures(condition):
    return [
        (condition, name, 4, 50.0, 1.5, k / 2, 1, 1, k / 3, k / 4, k / 2)
        for k, name in enumerate(SPEAKERS)
    ]


def _exposures(condition):
    return [
        (condition, name, 4, 8, k / 10, 1.2, "-" if condition != "op" else 50 + k)
        for k, name in enumerate(SPEAKERS)
    ]


def _zoo(condition):
    corners = (("dove", "dove"), ("worm", "-"), ("-", "-"))
    return [
        (condition, name, 4, 8, 1.0 + k, -1.0 - k, corner, 0.5, animal, "-")
        for k, (name, (corner, animal)) in enumerate(zip(SPEAKERS, corners, strict=True))
    ]


def _similarities(condition):
    return [
        (condition, one, other, 0.9 if one == other else 0.2)
        for one in SPEAKERS
        for other in SPEAKERS
    ]


def _law(condition):
    return [
        (condition, "ascending", criterion, n, length, 0.6, "-", "-", 1 / n)
        for criterion, (n, length) in itertools.product(
            ("linkability", "singling_out"), [(2, 1), (2, "all"), (20, 1)]
        )
    ]


def _channels():
    return [
        AtlasPoint(name, condition, channel, 1.2, 0.6, "-", 1.585)
        for name, conditions in SYSTEMS.items()
        for condition, channel in itertools.product(conditions, ("voice", "pitch", "words"))
    ]


def _exposed():
    return [
        ExposedPoint(name, condition, channel, speaker, bits, bits / 2, min(1.5, 2 * bits))
        for name, conditions in SYSTEMS.items()
        for condition, (channel, speaker, bits) in itertools.product(conditions, EXPOSED)
    ]


def _made(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


FAMILIES = {
    "zebra": (["label", *PROFILES], _profiles),
    "calibration": (
        ["label", "prior_log_odds", *(f"ece_{name}_bit" for name in CALIBRATIONS)],
        _calibrations,
    ),
    "ranks": (["label", "rank", "p", "gamma"], _ranks),
    "rank_speakers": (DISCLOSURES, _disclosures),
    "rank_examples": (EXAMPLES, _examples),
    "speakers": (EXPOSURES, _exposures),
    "zoo": (ZOO, _zoo),
    "law": (LAW, _law),
}
