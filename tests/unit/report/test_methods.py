"""What an author writes of a run: what it used is said and cited, and nothing else."""

import re

import pytest
from support import made_up

from voiceprivacy import corpus_kinds, kinds
from voiceprivacy.report import methods as paper
from voiceprivacy.report.comparison import compare
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import CONVERSIONS

CITED = {name: corpus_kinds.corpus_kind(name).cited for name in kinds.names()}


def number(metric, extractor="ecapa", limits=("-", "-")):
    return Number("libri", "f", "b2", extractor, "cosine", "op", metric, "1.0", *limits)


def cited(text):
    return set(",".join(paper.CITED.findall(text)).split(",")) - {""}


def said_of(config, numbers=()):
    """What is written of a run, and whom it cites besides Snakemake."""
    text = " ".join(paper.methods(numbers, {"version": "1", "config": config}))
    assert "snakemake" in cited(text)
    return text, cited(text) - {"snakemake"}


def trained(recipe):
    return {"recipe": recipe, "train": {"speech": "anonymised"}}


@pytest.mark.parametrize(
    ("section", "configured", "known", "others"),
    [
        *(("corpora", {kind: {}}, known, set()) for kind, known in CITED.items()),
        *(("backends", {"type": kind}, known, set()) for kind, known in paper.BACKENDS.items()),
        *(("extractors", {feature: {}}, known, set()) for feature, known in paper.FEATURES.items()),
        *(
            ("extractors", trained(one), known, {"speechbrain"})
            for one, known in paper.NETWORKS.items()
        ),
    ],
)
def test_what_a_run_uses_is_said_and_cited(section, configured, known, others):
    text, keys = said_of({section: {"mine": configured}})
    assert known in text and keys == {*others, *cited(known)}


def test_the_evaluation_of_2026_is_said():
    config = {"plan": "june", "backends": {"mine": {"type": "cosine"}, "b": {"type": "plda"}}}
    text, _ = said_of(config)
    assert text.count("the plan of June 2026") == 1


def test_where_trials_were_given_and_networks_learnt_is_said():
    given, _ = said_of({"corpora": {"mine": {"vctk": {}, "protocol": {"given": {}}}}})
    assert "given" in given
    scored, _ = said_of({"attacks": {"theirs": {"scores": "{anonymiser}/{condition}.tsv"}}})
    assert "theirs" in scored
    recipe, known = next(iter(paper.NETWORKS.items()))
    assert f"{known} trained on anonymised" in said_of({"extractors": {"a": trained(recipe)}})[0]
    mixed = {"train": {"corpus": "mine", "speech": ["original", "b2", "others"]}}
    text, _ = said_of({"backends": {"ours": {"type": "plda", "model": CONVERSIONS}}})
    assert "on what other anonymisers make of speech" in text
    text, _ = said_of({"backends": {"mix": {"type": "plda"} | mixed}})
    assert "speech of mine: unprotected, by b2 and by every other anonymiser" in text
    others = {"vctk": {}, "use": "train"}
    config = {"corpora": {"mine": others, "idle": others}}
    assert "trained on" not in said_of(config)[0]
    for learning in ({"train": {"corpus": "mine"}}, {"units": {"corpus": "mine", "encoder": "x"}}):
        text, _ = said_of(config | {"extractors": {"net": learning}})
        assert f"trained on mine ({CITED['vctk']})" in text
        assert "idle" not in text, "nobody learns from it"


@pytest.mark.parametrize("program", paper.ANONYMISERS)
def test_an_anonymiser_of_ours_is_said_and_cited_and_no_other_of_its_name(program):
    known = paper.ANONYMISERS[program]
    for path in (program, f"lab/{program}", f"lab/my_{program}", f"{{resources}}/{program}"):
        for configured in ({"command": f"python {path}"}, {"function": f"{path}:f"}):
            text, keys = said_of({"anonymisers": {"mine": configured}})
            assert known not in text and not keys
    of_ours = {"function": f"{{scripts}}/voiceprivacy/anonymise/functions/{program}:f"}
    for configured in ({"command": f"python {{scripts}}/{program} --x"}, of_ours):
        text, keys = said_of({"anonymisers": {"mine": configured}})
        assert f"mine ({known})" in text and keys == cited(known)


def test_what_is_the_user_s_own_is_named_and_cites_nothing():
    config = {
        "anonymisers": {"mine": {"command": "python /secret/place.py"}},
        "extractors": {"net": {"model": "/secret/model"}, "cmd": {"package": "dvector"}},
        "backends": {"theirs": {"command": "y"}},
    }
    text, keys = said_of(config)
    assert not keys and "/secret" not in text
    assert all(name in text for name in ("mine", "net", "cmd (dvector)", "theirs"))


@pytest.mark.parametrize(("names", "known"), [*paper.METRICS_SAID, *paper.UTILITY])
def test_a_metric_is_said_and_cited_where_the_run_has_it(names, known):
    for name in names:
        text, keys = said_of({}, [number(name)])
        assert known in text and keys == cited(known)


def test_intervals_are_spoken_of_where_there_are_some():
    config = {"report": {"bootstrap": 1000}}
    with_limits = number("eer_percent", limits=("0", "2"))
    assert "bootstrap of 1000" in said_of(config, [with_limits])[0]
    for other in (number("eer_percent"), number("estoi", "-", ("0", "2"))):
        assert "bootstrap" not in said_of(config, [other])[0]


def test_every_citation_has_its_entry_and_no_entry_is_never_cited():
    said = [said for _, said in (*paper.METRICS_SAID, *paper.UTILITY)]
    for table in (CITED, paper.ANONYMISERS, paper.BACKENDS, paper.FEATURES, paper.NETWORKS):
        said += table.values()
    entries = paper.read_citations()
    always = {"snakemake", "speechbrain", "snijders", "efron"}
    assert entries.keys() == cited(" ".join(said)) | always
    for bibtex in entries.values():
        assert all(f"{field} = {{" in bibtex for field in ("author", "year", "title"))


def test_the_files_cite_what_the_paragraph_cites(tmp_path):
    provenance = {"version": "1", "config": {"corpora": {"mine": {"vctk": {}}}}}
    provenance |= {"git_commit": "0123456789abcdef", "git_state": "with uncommitted changes"}
    paper.write_methods(
        tmp_path, paper.methods([number("dece_bit"), number("deid_percent")], provenance)
    )
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
    paper.write_numbers(tmp_path / "numbers.tex", systems)
    text = (tmp_path / "numbers.tex").read_text()
    assert r"{voiceprivacy@libri/f/b2/op/ecapa/cosine/eer_percent}{30.0}" in text
    assert r"{voiceprivacy@libri/f/b2/op/ecapa/cosine/eer_percent/interval}{[29.0, 31.0]}" in text
    names = re.findall(r"@namedef\{(.*?)\}", text)
    assert len(names) == len(set(names)) > 50
