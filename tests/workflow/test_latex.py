"""What a paper takes of a run is compiled: no error, and no box that is too wide or too high."""

import pytest
from support import made_up
from support.latex import complaints, needs_latex

from voiceprivacy.report.comparison import compare, write_latex
from voiceprivacy.report.methods import methods, write_methods, write_numbers
from voiceprivacy.report.metrics import Number
from voiceprivacy.report.paper_tables import TABLES, write_ranks
from voiceprivacy.report.typeset import write

pytestmark = [pytest.mark.nightly, needs_latex]
MANY = [f"anonymiser_{index}" for index in range(20)]


def of_many(numbers):
    """The numbers of b2 under the names of twenty anonymisers, and those of others."""
    many = []
    for number in numbers:
        names = MANY if number.anonymiser == "b2" else [number.anonymiser]
        many += [number._replace(anonymiser=name) for name in names]
    return sorted(many)


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_papers(tmp_path, name):
    write(tmp_path / "table.tex", TABLES[name](of_many(made_up.metrics())))
    assert complaints(tmp_path, r"\input{table}") == []


def test_ranks_of_many_features_without_a_column_of_nobody(tmp_path):
    numbers = made_up.metrics()
    numbers.append(Number("libri", "-", "b2", "-", "-", "-", "pitch_correlation", "0.5"))
    for extractor in ("f0", "units", "style", "timing", "words_of_transcripts"):
        numbers += [number._replace(extractor=extractor) for number in made_up.metrics()]
    each_once = {number.key: number for number in numbers}
    for number in numbers:
        if number.metric == "n_templates":
            for name, value in (("log2_n_templates_bit", "1.58"), ("disclosure_bit", "0.5")):
                added = number._replace(metric=name, value=value)
                each_once.setdefault(added.key, added)
    write_ranks(tmp_path / "ranks.tex", sorted(each_once.values()))
    assert "-+-" not in (tmp_path / "ranks.tex").read_text()
    assert complaints(tmp_path, r"\input{ranks}") == []


def test_numbers_in_prose_and_the_comparison_of_twenty_anonymisers(tmp_path):
    write_numbers(tmp_path / "numbers.tex", compare(made_up.metrics()))
    name = "libri/f/b2/op/ecapa/cosine/eer_percent"
    used = rf"\input{{numbers}} It is \vpnumber{{{name}}} \% \vpnumber{{{name}/interval}}."
    assert complaints(tmp_path, used) == []
    with pytest.raises(AssertionError, match="There is no number libri/f/b2/op/nobody"):
        complaints(tmp_path, r"\input{numbers} \vpnumber{libri/f/b2/op/nobody}")
    write_latex(tmp_path / "comparison.tex", compare(of_many(made_up.metrics())))
    assert complaints(tmp_path, r"\input{comparison}") == []


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
