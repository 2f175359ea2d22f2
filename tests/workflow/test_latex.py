"""What a paper takes of a run is compiled: no error, and no box that is too wide or too high."""

from pathlib import Path

import numpy as np
import pytest
from support import made_up
from support.calls import succeeds
from support.latex import ARTICLE, COLUMN, PAGE, complaints, needs_latex

from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import Trial, write_scores
from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.methods import methods, write_methods, write_numbers
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.paper_tables import TABLES, write_ranks
from voiceprivacy.report.typeset import write

pytestmark = [pytest.mark.long, needs_latex]
MANY = [f"anonymiser_{index}" for index in range(20)]
NUMBERS = {"dece_bit": 0.25, "worst_case_log10": 1.5, "tag": "B", "dece_null95_bit": 0.3}
COSTS = ("cece_linear_bit", "cece_isotonic_bit", "cllr_linear_bit", "cllr_isotonic_bit")
OF_TWO_RUNS = {
    **dict.fromkeys((*COSTS, "dece_train_bit", "dece_test_bit"), 0.25),
    **dict.fromkeys(("worst_case_train_log10", "worst_case_test_log10"), 1.5),
    **dict.fromkeys(("tag_train", "tag_test"), "B"),
}


def write_made_up_scores(path):
    """Scores of two Gaussians."""
    draws = np.random.default_rng(0).normal(size=400)
    labels = ["target", "nontarget"] * 200
    trials = [Trial("s", f"u{index}", label) for index, label in enumerate(labels)]
    write_scores(path, trials, draws + 2 * (np.array(labels) == "target"))


def of_many(numbers):
    """The numbers of b2 under the names of twenty anonymisers, and those of others."""
    many = []
    for number in numbers:
        names = MANY if number.anonymiser == "b2" else [number.anonymiser]
        many += [number._replace(anonymiser=name) for name in names]
    return sorted(many)


def test_the_comparison_of_twenty_anonymisers(tmp_path):
    write_latex(tmp_path / "comparison.tex", compare(of_many(made_up.metrics())))
    assert complaints(tmp_path, r"\input{comparison}") == []


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_papers(tmp_path, name):
    write(tmp_path / "table.tex", TABLES[name](of_many(made_up.metrics())))
    assert complaints(tmp_path, r"\input{table}") == []


def test_ranks_of_many_features_without_a_column_of_nobody(tmp_path):
    numbers = [
        *made_up.metrics(),
        Number("libri", "-", "b2", "-", "-", "-", "pitch_correlation", "0.5"),
    ]
    for extractor in ("f0", "units", "style", "timing", "words_of_transcripts"):
        numbers += [number._replace(extractor=extractor) for number in made_up.metrics()]
    for number in list(numbers):
        if number.metric == "n_templates":
            for name, value in (("log2_n_templates_bit", "1.58"), ("disclosure_bit", "0.5")):
                numbers.append(number._replace(metric=name, value=value))
    write_ranks(tmp_path / "ranks.tex", sorted(set(numbers)))
    assert "-+-" not in (tmp_path / "ranks.tex").read_text()
    assert complaints(tmp_path, r"\input{ranks}") == []


def test_numbers_in_prose_and_one_that_is_not_there(tmp_path):
    write_numbers(tmp_path / "numbers.tex", compare(made_up.metrics()))
    name = "libri/f/b2/op/ecapa/cosine/eer_percent"
    used = rf"\input{{numbers}} It is \vpnumber{{{name}}} \% \vpnumber{{{name}/interval}}."
    assert complaints(tmp_path, used) == []
    with pytest.raises(AssertionError, match="There is no number libri/f/b2/op/nobody"):
        complaints(tmp_path, r"\input{numbers} \vpnumber{libri/f/b2/op/nobody}")


def test_methods_with_their_references(tmp_path):
    provenance = {
        "version": "1",
        "config": {
            "corpora": {"a_b": {"librispeech": {}, "protocol": {"enrol_trial": {}}}},
            "anonymisers": {"b2": {"command": "python {scripts}/anonymise_mcadams.py"}, "x": {}},
            "extractors": {"semi": {"recipe": "ecapa_ssl", "train": {"speech": "anonymised"}}},
            "backends": {"plda": {"type": "plda"}},
            "report": {"bootstrap": 1000},
        },
    }
    write_methods(tmp_path, methods(made_up.metrics(), provenance))
    body = r"\input{methods} \bibliographystyle{plain} \sloppy\bibliography{methods}"
    assert complaints(tmp_path, body, times=3) == []


@pytest.mark.parametrize(
    ("picture", "flags", "width"),
    [
        ("ece", [], COLUMN),
        ("det", ["--columns", "1"], COLUMN),
        ("tippett", ["--columns", "2"], PAGE),
        ("det", ["--width", "4.5"], ARTICLE),
    ],
)
def test_pictures_of_scores_are_as_wide_as_they_are_asked_to_be(tmp_path, picture, flags, width):
    for name in ("one", "two"):
        write_made_up_scores(tmp_path / f"{name}.tsv")
    files = ["--scores", tmp_path / "one.tsv", tmp_path / "two.tsv"]
    output = tmp_path / "figure.tex"
    succeeds(
        "plot",
        "scores",
        *files,
        "--label",
        "one",
        "two",
        "--picture",
        picture,
        *flags,
        "--figures",
        output,
    )
    body = r"\noindent\input{figure}"
    assert complaints(tmp_path, body, width=width) == []


@pytest.mark.parametrize("kind", ["zebra", "calibration", "law"])
def test_pictures_of_a_run_fit_into_a_column(tmp_path, kind):
    made_up.write_results(tmp_path)
    drawn = next(figure for figure in made_up.figures(tmp_path) if figure.kind == kind)
    metrics = drawn.arguments.get("metrics", [])
    numbers = OF_TWO_RUNS if kind == "calibration" else NUMBERS
    for path in [metrics] if isinstance(metrics, str) else metrics:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_json(path, dict.fromkeys(("oo", "op", "pp"), numbers))
    arguments = []
    for flag, value in drawn.arguments.items():
        values = value if isinstance(value, list) else [value]
        arguments += [f"--{flag}", *values]
    succeeds("plot", kind, *arguments, "--figures", tmp_path / "figure.tex")
    assert complaints(tmp_path, r"\noindent\input{figure}", width=COLUMN) == []
