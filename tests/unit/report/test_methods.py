"""What an author writes of a run: what it used is said and cited, and nothing else."""

import re

import pytest
from support import made_up

from voiceprivacy.report.comparison import compare
from voiceprivacy.report.methods import (
    ANONYMISERS,
    BACKENDS,
    CITED,
    CORPORA,
    FEATURES,
    METRICS_SAID,
    NETWORKS,
    UTILITY,
    methods,
    read_citations,
    write_methods,
    write_numbers,
)
from voiceprivacy.report.metrics import Number

ALWAYS = ("snakemake",)


def number(metric, extractor="ecapa", limits=("-", "-")):
    return Number("libri", "f", "b2", extractor, "cosine", "op", metric, "1.0", *limits)


def cited(texts):
    return set(",".join(CITED.findall(" ".join(texts))).split(",")) - {""}


def words(said):
    return " ".join(said)


def one(section, configured):
    return {"version": "1", "config": {section: {"mine": configured}}}


def trained(recipe):
    return {"recipe": recipe, "train": {"speech": "anonymised"}}


@pytest.mark.parametrize(
    ("section", "configured", "known", "others"),
    [
        *(("corpora", {kind: {}}, known, set()) for kind, known in CORPORA.items()),
        *(("backends", {"type": kind}, known, set()) for kind, known in BACKENDS.items()),
        *(("extractors", {feature: {}}, known, set()) for feature, known in FEATURES.items()),
        *(("extractors", trained(one), known, {"speechbrain"}) for one, known in NETWORKS.items()),
    ],
)
def test_what_a_run_uses_is_said_and_cited(section, configured, known, others):
    said = methods([], one(section, configured))
    assert known in words(said) and cited(said) == {*ALWAYS, *others, *cited([known])}


def test_where_trials_were_given_and_networks_learnt_is_said():
    given = {"vctk": {}, "protocol": {"given": {}}}
    assert "Trial lists were given" in words(methods([], one("corpora", given)))
    said = words(methods([], one("attacks", {"scores": "{anonymiser}/{condition}.tsv"})))
    assert said.endswith("Scores of mine were made elsewhere")
    recipe, known = next(iter(NETWORKS.items()))
    said = words(methods([], one("extractors", trained(recipe))))
    assert f"{known} trained on anonymised speech" in said
    others = {"vctk": {}, "use": "train"}
    config = {"corpora": {"mine": others, "idle": others}}
    assert "trained on" not in words(methods([], {"version": "1", "config": config}))
    for learning in ({"train": {"corpus": "mine"}}, {"units": {"corpus": "mine", "encoder": "x"}}):
        attacked = {"version": "1", "config": config | {"extractors": {"net": learning}}}
        assert f"trained on mine ({CORPORA['vctk']})" in words(methods([], attacked))
        assert "idle" not in words(methods([], attacked)), "nobody learns from it"


@pytest.mark.parametrize("program", ANONYMISERS)
def test_an_anonymiser_of_ours_is_said_and_cited(program):
    known = ANONYMISERS[program]
    for configured in (
        {"command": f"python {{scripts}}/{program} --x"},
        {"function": f"{{scripts}}/voiceprivacy/anonymise/functions/{program}:f"},
    ):
        said = methods([], one("anonymisers", configured))
        assert f"mine ({known})" in words(said)
        assert cited(said) == {*ALWAYS, *cited([known])}
    for others in (program, f"lab/{program}", f"lab/my_{program}", f"{{resources}}/{program}"):
        for configured in ({"command": f"python {others}"}, {"function": f"{others}:f"}):
            said = methods([], one("anonymisers", configured))
            assert known not in words(said) and cited(said) == {*ALWAYS}


def test_what_is_the_user_s_own_is_named_and_cites_nothing():
    config = {
        "anonymisers": {"mine": {"command": "python /secret/place.py"}},
        "extractors": {"net": {"model": "/secret/model"}, "cmd": {"package": "dvector"}},
        "backends": {"theirs": {"command": "y"}},
    }
    said = methods([], {"version": "1", "config": config})
    assert cited(said) == set(ALWAYS) and "/secret" not in words(said)
    assert all(name in words(said) for name in ("mine", "net", "cmd (dvector)", "theirs"))


@pytest.mark.parametrize(("names", "known"), [*METRICS_SAID, *UTILITY])
def test_a_metric_is_said_and_cited_where_the_run_has_it(names, known):
    for name in names:
        said = methods([number(name)], {"version": "1"})
        assert known in words(said) and cited(said) == {*ALWAYS, *cited([known])}


def test_intervals_are_spoken_of_where_there_are_some():
    provenance = {"version": "1", "config": {"report": {"bootstrap": 1000}}}
    with_limits = [number("eer_percent", limits=("0", "2"))]
    assert "bootstrap of 1000 draws or more" in words(methods(with_limits, provenance))
    assert "bootstrap" not in words(methods([number("eer_percent")], provenance))
    of_utility = [number("estoi", "-", ("0", "2"))]
    assert "bootstrap" not in words(methods(of_utility, provenance))


def test_every_citation_has_its_entry_and_no_entry_is_never_cited():
    tables = (CORPORA, ANONYMISERS, BACKENDS, FEATURES, NETWORKS)
    known = set().union(*(cited(table.values()) for table in tables))
    known |= cited(said for _, said in (*METRICS_SAID, *UTILITY))
    entries = read_citations()
    assert entries.keys() == known | {"snakemake", "speechbrain", "snijders", "efron"}
    for bibtex in entries.values():
        assert all(f"{field} = {{" in bibtex for field in ("author", "year", "title"))


def test_the_files_cite_what_the_paragraph_cites(tmp_path):
    provenance = one("corpora", {"vctk": {}}) | {"git_commit": "0123456789abcdef"}
    provenance["git_state"] = "with uncommitted changes"
    said = methods([number("dece_bit"), number("deid_percent")], provenance)
    write_methods(tmp_path, said)
    tex, bib = ((tmp_path / f"methods.{kind}").read_text() for kind in ("tex", "bib"))
    keys = set(",".join(re.findall(r"\\cite\{(.*?)\}", tex)).split(","))
    assert keys == set(re.findall(r"^@\w+\{(\w+),", bib, flags=re.MULTILINE))
    assert keys == {"snakemake", "vctk", "zebra", "noe2020", "noe2022"}
    text = (tmp_path / "methods.md").read_text()
    assert "(commit 0123456789ab, with uncommitted changes)" in text
    assert "similarity matrices [@noe2020; @noe2022]" in text
    assert set(re.findall(r"@(\w+)", text)) == keys


def test_numbers_have_the_names_and_texts_of_the_comparison(tmp_path):
    systems = compare(made_up.metrics())
    write_numbers(tmp_path / "numbers.tex", systems)
    text = (tmp_path / "numbers.tex").read_text()
    assert r"{voiceprivacy@libri/f/b2/op/ecapa/cosine/eer_percent}{30.0}" in text
    assert r"{voiceprivacy@libri/f/b2/op/ecapa/cosine/eer_percent/interval}{[29.0, 31.0]}" in text
    names = re.findall(r"@namedef\{(.*?)\}", text)
    assert len(names) == len(set(names)) > 50
