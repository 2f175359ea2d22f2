"""Made-up results with all that the page draws: two corpora, names that are markup."""

import itertools
from pathlib import Path

import numpy as np

from support import utilities, verdicts
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import Utterance, write_manifest
from voiceprivacy.inout.tables import write_table
from voiceprivacy.layout import Layout
from voiceprivacy.report import curves
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.figures import KINDS, Look, Subject, drawer, figure
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.report.page import show, write_page
from voiceprivacy.report.plots import drawing
from voiceprivacy.report.published import beside, tables_of
from voiceprivacy.report.rows import AtlasPoint, ExposedPoint

TEMPLATE = Path(__file__).parents[2] / "workflow" / "report" / "index.html.j2"
EVIL = "<!--<script><b>x"  # no slash: ids of speakers have none
LISTS = (("libri", "f"), ("libri", "m"), ("vctk", "f"))
CORPORA = ("libri", "vctk")
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
    """All numbers of the run: galleries for tests of one and two utterances, then lists."""
    numbers = []
    for test, (anonymiser, conditions) in itertools.product((1, 2), SYSTEMS.items()):
        sizes = {"n_templates": 3, "mean_test_s": 6.25 * test, "mean_template_s": 6.25}
        for condition in conditions:
            key = ("libri", f"f_t{test}_d1", anonymiser, *ATTACKER, condition)
            disclosure = [str(share * test) for share in (0.5, 0.4, 0.6)]
            numbers.append(Number(*key, "disclosure_bit", *disclosure))
            numbers += [Number(*key, name, str(size)) for name, size in sizes.items()]
    for (corpus, trials), (name, conditions) in itertools.product(LISTS, SYSTEMS.items()):
        for condition in conditions:
            for metric, value in _numbers(name, condition, shift=int(trials == "m")).items():
                limits = (str(value - 1), str(value + 1)) if metric == "eer_percent" else ("-", "-")
                key = (corpus, trials, name, *ATTACKER, condition, metric)
                numbers.append(Number(*key, str(value), *limits))
    return sorted(numbers)


def _costs(anonymiser, condition):
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
    said = [Utterance(f"u{k}", name, "f", "u.flac", 1.0) for k, name in enumerate(SPEAKERS)]
    for corpus in CORPORA:
        part = folder / "audio" / corpus / "trial"
        write_manifest(part / "original" / "manifest.tsv", said)
        rows = [(one.utterance, one.speaker, 0.8 + k / 100) for k, one in enumerate(said)]
        write_table(part / "b2r" / "manifest.alphas.tsv", ["utterance", "speaker", "alpha"], rows)
    for corpus, trials in LISTS:
        for name in SYSTEMS:
            _write_attack(folder, name, f"{corpus}/{trials}/{name}/{'/'.join(ATTACKER)}")
        for family, (columns, rows) in _tables_of_lists().items():
            write_table(folder / f"curves/{family}/{corpus}/{trials}.tsv", columns, rows)
    rows = [(epoch, 3 / epoch, 50, 10 - epoch, 0.001, 1.0) for epoch in (1, 2, 3)]
    write_table(folder / "models" / ATTACKER[0] / "training.tsv", curves.COLUMNS, rows)
    write_json(folder / "verdict.json", verdicts.usual("libri"))
    words = utilities.means("libri", "own_wer_percent", utilities.WORDS_PERCENT)
    utilities.write(folder / "metrics" / "utility" / "libri.tsv", words)
    for shown in figures(folder):
        picture = Path(shown.pictures(Layout(folder))["svg"])
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_text(PICTURE)
    write_metrics(folder / "metrics.tsv", metrics())


def _write_attack(folder, name, attacked):
    for family, columns in FAMILIES.items():
        conditions, rows = SYSTEMS[name], []
        if family == "similarity" and name != "original":
            conditions = ["oo", "op", "pp"]
        for condition in conditions:
            rows += [(condition, *row) for row in _rows(condition)[family]]
        write_table(folder / f"curves/{family}/{attacked}.tsv", columns, rows)
    for family, numbers_of in {"zebra": _numbers, "ranks": _numbers, "calibration": _costs}.items():
        numbers = {condition: numbers_of(name, condition) for condition in SYSTEMS[name]}
        write_json(folder / f"metrics/{family}/{attacked}.json", numbers)


def draw(folder):
    for drawn in figures(folder):
        drawing.save(drawer(drawn.kind)(**drawn.arguments), drawn.pictures(Layout(folder))["svg"])


def figures(folder):
    attacker = dict(zip(("extractor", "backend"), ATTACKER, strict=True))
    subjects = [
        ("plane", Subject("libri")),
        ("distinctiveness", Subject(**attacker)),
        ("rank_lengths", Subject("libri", "f", **attacker)),
        ("training", Subject(extractor=ATTACKER[0], backend="loss")),
    ]
    for corpus, trials in LISTS:
        subjects += [(kind, Subject(corpus, trials)) for kind in OF_ATLAS]
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


def written(folder, kind, subject, columns, rows, systems=()):
    """A figure below ``folder`` whose first file has these rows."""
    shown = figure(kind, subject, systems=systems, look=Look(["b2"]), layout=Layout(folder))
    write_table(folder / shown.files[0], columns, rows)
    return shown


def published(numbers=None):
    """What others published about B2 and B2r on libri_test, beside numbers of this run."""
    sizes = {("f", "n_target"): "548", ("f", "n_nontarget"): "11196"}
    sizes |= {("m", "n_target"): "449", ("m", "n_nontarget"): "9457"}
    of_run = []
    for number in numbers or metrics():
        if number.corpus == "libri":
            value = sizes.get((number.trials, number.metric), number.value)
            of_run.append(number._replace(corpus="libri_test", value=value))
    lists = {trials: f"data/libri_test_trials_{trials}" for trials in "fm"}
    command = "python {scripts}/anonymise_mcadams.py --alpha"
    enrolled = {"kaldi": {"enrolment": "data/libri_test_enrolls"}, "protocol": {"given": lists}}
    anonymisers = {"b2": {"command": f"{command} 0.8"}, "b2r": {"command": f"{command} 0.7 0.9"}}
    config = {"corpora": {"libri_test": enrolled}, "anonymisers": anonymisers}
    return tables_of(beside(of_run, config))


def render(folder, **content):
    numbers, page = content.get("metrics") or metrics(), folder / "report" / "index.html"
    shown = []
    for drawn in figures(folder):
        pictures = {"svg": drawn.pictures(Layout(folder))["svg"]}
        shown.append(show(drawn, pictures=pictures))
    assert {figure.kind for figure in shown if figure.svg} == set(KINDS)
    tables = {corpus: folder / "audio" / corpus / "trial" / "b2r" for corpus in CORPORA}
    options = {
        "systems": compare(numbers),
        "metrics": numbers,
        "figures": shown,
        "provenance": PROVENANCE,
        "alphas": {name: {"b2r": part / "manifest.alphas.tsv"} for name, part in tables.items()},
    }
    write_page(page, template=TEMPLATE, **options | content)
    return page


FAMILIES = {  # columns of the curves of an attack
    "zebra": ["label", *curves.PROFILES],
    "calibration": [
        "label",
        "prior_log_odds",
        *(f"ece_{name}_bit" for name in curves.CALIBRATIONS),
    ],
    "ranks": ["label", "rank", "p", "gamma"],
    "rank_speakers": curves.DISCLOSURES,
    "rank_examples": curves.EXAMPLES,
    "speakers": curves.EXPOSURES,
    "zoo": curves.ZOO,
    "law": curves.LAW,
    "similarity": curves.SIMILARITIES,
}


def _rows(condition):
    costs = [(at, 0.5 * np.exp(-at * at / 8)) for at in np.linspace(-5, 5, 21)]
    ranks = [(rank, share, share) for rank, share in ((1, 0.5), (2, 0.25), (3, 0.25))]
    corners = (("dove", "dove"), ("worm", "-"), ("-", "-"))
    pairs = itertools.product(SPEAKERS, SPEAKERS)
    readings = itertools.product(("linkability", "singling_out"), [(2, 1), (2, "all"), (20, 1)])
    rows = {
        "zebra": [(at, cost, 2 * cost) for at, cost in costs],
        "calibration": [(at, *[cost] * len(curves.CALIBRATIONS)) for at, cost in costs],
        "ranks": ranks,
        "rank_examples": [(name, *row) for name, row in itertools.product(SPEAKERS, ranks)],
        "law": [("ascending", name, *size, 0.6, "-", "-", 1 / size[0]) for name, size in readings],
        "similarity": [(one, other, 0.9 if one == other else 0.2) for one, other in pairs],
        "rank_speakers": [],
        "speakers": [],
        "zoo": [],
    }
    for k, name in enumerate(SPEAKERS):
        corner, animal = corners[k]
        deid = 50 + k if condition == "op" else "-"
        rows["rank_speakers"].append((name, 4, 50.0, 1.5, k / 2, 1, 1, k / 3, k / 4, k / 2))
        rows["speakers"].append((name, 4, 8, k / 10, 1.2, deid))
        rows["zoo"].append((name, 4, 8, 1.0 + k, -1.0 - k, corner, 0.5, animal, "-"))
    return rows


def _tables_of_lists():
    """{family: (columns, rows)} of what a list has for all its attacks together."""
    channels, exposed = [], []
    for name, conditions in SYSTEMS.items():
        for condition in conditions:
            for channel in ("voice", "pitch", "words"):
                channels.append((name, condition, channel, 1.2, 0.6, "-", 1.585))
            for channel, speaker, bits in EXPOSED:
                limits = (bits / 2, min(1.5, 2 * bits))
                exposed.append((name, condition, channel, speaker, bits, *limits))
    return {"atlas": (AtlasPoint._fields, channels), "exposed": (ExposedPoint._fields, exposed)}
