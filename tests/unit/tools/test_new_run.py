"""new_run: which protected file is whose, what is left out and why, a config that checks accept."""

import os
import shlex
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile
from support.calls import refused, succeeds
from support.plans import voices
from support.trees import write_lines

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.errors import BadInput
from voiceprivacy.inout import tables, writing
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import new_config
from voiceprivacy.tools.new_config import name_of, write_config
from voiceprivacy.tools.new_run import examine, limit_of, split_speakers
from voiceprivacy.tools.new_run_words import summary

SPEAKERS = ("anna", "bert", "carl", "dora")
FORM = "{speaker}/{number:03d}.wav"


def write(path, *, seconds=0.5, sample_rate=16000):
    path.parent.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(list("/".join(path.parts[-3:]).encode()))
    soundfile.write(path, draw.normal(scale=0.1, size=round(seconds * sample_rate)), sample_rate)


def tree(root, form=FORM, *, speakers=SPEAKERS, utterances=5, **audio):
    for speaker, number in product(speakers, range(utterances)):
        write(root / form.format(speaker=speaker, number=number), **audio)
    return root


@pytest.fixture
def speech(tmp_path):
    return tree(tmp_path / "speech")


@pytest.fixture
def new_run(tmp_path):
    """Call the command in the test's folder; what it said."""

    return lambda *words: succeeds("new_run", "--original", "speech", *words, cwd=tmp_path)


def config_in(folder, name="my.yaml"):
    return configuration.check(configuration.read(folder / name))


def test_the_config_passes_the_checks_and_names_what_the_run_needs(tmp_path, speech, new_run):
    tree(tmp_path / "flat", "{speaker}_{number:03d}.flac", sample_rate=22050)
    tree(tmp_path / "same")
    (tmp_path / "genders.tsv").write_text("speaker\tgender\nanna\tf\ndora\tf\nbert\tm\ncarl\tm\n")
    folders = ("--protected", "flat=flat", "--protected", "same=same")
    said = new_run(*folders, "--speakers", "genders.tsv", "--config", "my.yaml")
    assert "20 of 20 audio files look like {speaker}/{utterance}.wav\n  4 speakers, 5" in said
    assert "anna/000.wav   speaker anna   utterance anna-000" in said
    assert "a list of women and a list of men" in said
    config = config_in(tmp_path)
    protocol = {"enrolment_utterances": 2, "lists": ["f", "m"]}
    assert config["corpora"]["speech"]["protocol"]["enrol_trial"] == protocol
    flat, same = config["anonymisers"]["flat"], config["anonymisers"]["same"]
    assert flat["audio"] == str(tmp_path / "my.flat")
    assert (flat["resample"], flat["env"]) == (True, "torch")
    assert (same["audio"], same["resample"]) == (str(tmp_path / "same"), False)
    listed = (tmp_path / "my.flat" / "wav.scp").read_text()
    assert f"anna-000 {tmp_path}/flat/anna_000.flac\n" in listed
    succeeds("validate", "--config", "my.yaml", cwd=tmp_path)


@pytest.mark.parametrize("installed", [{"resemblyzer"}, {"resemblyzer", "campplus"}, set()])
def test_encoders_get_the_back_end_that_knows_other_anonymisers(
    tmp_path, speech, monkeypatch, installed
):
    monkeypatch.setattr("voiceprivacy.plan.defaults.is_installed", installed.__contains__)
    write_config(tmp_path / "my.yaml", examine(speech, {}))
    ready = config_in(tmp_path, "my.yaml")["backends"].get("conversions", {"extractors": []})
    assert {*ready["extractors"]} == installed


def test_an_attacker_learns_from_others_whom_the_run_protects(tmp_path, speech, new_run):
    tree(tmp_path / "others", speakers=("emil", "fay"), utterances=2)
    function = "def anonymise(samples, rate, *, seed):\n    return -samples\n"
    (tmp_path / "mine.py").write_text(function)
    name = "my $HOME 'x'.yaml"
    said = new_run("--train", "others", "--method", "mine.py:anonymise", "--config", name)
    assert "train the semi-informed attacker: 2 other speakers, 4 utterances" in said
    assert shlex.split(said.splitlines()[-1])[-1] == name, "the next command can be pasted"
    config = config_in(tmp_path, name)
    assert config["anonymisers"]["mine"]["function"] == f"{tmp_path}/mine.py:anonymise"
    assert config["corpora"]["speech_train"]["use"] == "train"
    assert config["backends"]["semi"]["train"]["corpus"] == "speech_train"
    plan = Plan(config)
    assert len(plan.speech.evaluated) == 1 and "semi_on_mine" in plan.attackers.backends


def test_training_speech_in_a_protected_folder_is_found_with_the_rest(tmp_path, speech):
    layout, few = "{speaker}_{number:03d}_anon.wav", {"speakers": ("emil", "fay"), "utterances": 2}
    others = tree(tmp_path / "others", **few)
    made = tree(tmp_path / "made", layout)
    run = examine(speech, {"mine": made}, train=others)
    assert len(run.protected["mine"].files) == 20  # those of the others are not there
    assert "mine has no protected version of all of them" in "\n".join(summary(run, [made]))
    write_config(tmp_path / "alone.yaml", run)
    assert "semi" not in config_in(tmp_path, "alone.yaml")["backends"]
    (tmp_path / "m.py").write_text("def anonymise(samples, rate):\n    return -samples\n")
    methods = {"other": f"{tmp_path}/m.py:anonymise"}
    write_config(tmp_path / "both.yaml", run._replace(methods=methods))
    semi = config_in(tmp_path, "both.yaml")["backends"]["semi"]
    assert semi["train"]["anonymisers"] == ["other"]
    tree(made, layout, **few)
    run = examine(speech, {"mine": made}, train=others)
    assert {"emil-000", "fay-001"} <= run.protected["mine"].files.keys()
    assert "no protected version" not in "\n".join(summary(run, [made]))
    write_config(tmp_path / "my.yaml", run)
    assert config_in(tmp_path)["corpora"]["speech_train"]["folder"]["root"] == str(others)
    assert "emil-000 " in (tmp_path / "my.mine" / "wav.scp").read_text()


def test_who_is_evaluated_does_not_train(tmp_path, speech):
    others = tree(tmp_path / "others", "{speaker}/x{number}.wav", speakers=("anna", "fay"))
    made = tree(tmp_path / "made")
    with pytest.raises(BadInput, match="speaker 'anna' is evaluated, too"):
        examine(speech, {"mine": made}, train=others)
    alone = tree(tmp_path / "alone", speakers=("fay",))
    with pytest.raises(BadInput, match=r"alone: of 5 utterances"):
        examine(speech, {"mine": made}, pattern="{speaker}/{utterance}.wav", train=alone)


def test_validate_says_where_no_transcripts_were_given(tmp_path, speech, new_run, monkeypatch):
    monkeypatch.setattr(new_config, "is_installed", lambda model: False)
    tree(tmp_path / "flat")
    write_transcripts(tmp_path / "said.tsv")
    mine = ("--protected", "flat=flat")
    asks = "words: no transcripts were given"
    lines = (tmp_path / "said.tsv").read_text().splitlines()
    write_lines(tmp_path / "some.tsv", lines[:-3])
    for name, words in (("with", ("--transcripts", "said.tsv")), ("without", ())):
        said = new_run(*mine, *words, "--config", f"{name}.yaml")
        assert "have no transcript" not in said
        checked = succeeds("validate", "--config", f"{name}.yaml", cwd=tmp_path)
        assert (asks in said) == (asks in checked) == (name == "without")
    said = new_run(*mine, "--transcripts", "some.tsv", "--config", "some.yaml")
    assert "words: 3 of 20 utterances have no transcript, such as 'dora-002'" in said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["utterance,words", "a,hello"], "said.tsv:1: expected the columns utterance text"),
        (["utterance,text", "a,well, hello"], "said.tsv:2: expected 2 columns, found 3"),
        (["utterance\ttext", "a.wav\thello"], "said.tsv: has no utterance of these, such as"),
    ],
)
def test_transcripts_that_are_none_are_refused_before_a_config_is_written(tmp_path, rows, said):
    made = tree(tmp_path / "made")
    write_lines(tmp_path / "said.tsv", rows)
    with pytest.raises(BadInput, match=said):
        examine(tree(tmp_path / "speech"), {"mine": made}, transcripts=tmp_path / "said.tsv")


def write_transcripts(path):
    names = [f"{name}-{number:03d}" for name, number in product(SPEAKERS, range(5))]
    tables.write_table(path, ["utterance", "text"], [(name, "so it is") for name in names])
    return path


def test_what_has_no_usable_protected_version_is_left_out_for_all_and_named(tmp_path, speech):
    good, bad = tree(tmp_path / "good"), tree(tmp_path / "bad")
    (bad / "anna" / "003.wav").rename(bad / "anna" / "last.wav")
    write(bad / "bert" / "002.wav", seconds=2)
    write(bad / "bert" / "001.wav", seconds=1)
    (bad / "carl" / "000.wav").write_text("no audio")
    run = examine(speech, {"good": good, "bad": bad})
    assert run.protected["bad"].unmatched == ["anna/last.wav"]
    left_out = dict(run.left_out)
    assert left_out.pop("anna-003") == "bad has no protected version"
    assert "lasts 1.00 s, the original 0.50 s: twice as long" in left_out.pop("bert-001")
    assert left_out.pop("bert-002").count("bert/002.wav: lasts 2.00 s, the original 0.50 s")
    assert "cannot be read as audio" in left_out.pop("carl-000")
    # with two enrolment utterances bert, who has three left, would be tried with one
    assert (left_out, run.enrolment_utterances, len(run.utterances)) == ({}, 1, 16)
    free = examine(speech, {"good": good, "bad": bad}, free_lengths=True)
    assert free.left_out.keys() == {"anna-003", "carl-000"}
    write_config(tmp_path / "my.yaml", free)
    assert {one["lengths"] for one in config_in(tmp_path)["anonymisers"].values()} == {"free"}
    write_config(tmp_path / "my.yaml", run)
    taken = (tmp_path / "my.utterances.txt").read_text().split()
    assert len(taken) == 16 and "anna-003" not in taken
    assert "bad has no protected version" in (tmp_path / "my.left_out.tsv").read_text()
    assert config_in(tmp_path)["corpora"]["speech"]["left_out"] == 4


def test_what_is_too_short_for_the_attacker_of_the_config_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr("voiceprivacy.plan.defaults.is_installed", lambda model: False)
    speech = tree(tmp_path / "speech", seconds=0.3)
    write(speech / "anna" / "000.wav", seconds=0.1)
    left_out = examine(speech, {"copy": speech}).left_out
    assert "lasts 0.100 s, and extractor 'ecapa_small' needs 0.245 s" in left_out["anna-000"]


def test_speakers_with_too_few_utterances_are_left_out_or_fewer_enrol_and_some_need_three(tmp_path):
    speech = tree(tmp_path / "speech", speakers=many(10))
    tree(speech, speakers=["few"], utterances=1)
    run = examine(speech, {"copy": speech})
    assert run.left_out == {"few-000": "speaker 'few' has only 1"}
    assert run.enrolment_utterances == 2
    tree(speech, speakers=[f"t{n}" for n in range(5)], utterances=2)
    run = examine(speech, {"copy": speech})
    assert run.enrolment_utterances == 1 and set(run.left_out) == {"few-000"}
    speech = tree(tmp_path / "two", utterances=2)
    write(speech / "anna" / "002.wav", seconds=0.01)
    said = r"no speaker has three utterances: .*\(left out: 'anna-002': .*: lasts 10 ms"
    with pytest.raises(BadInput, match=said):
        examine(speech, {"copy": speech})


@pytest.mark.parametrize(("utterances", "enrolled"), [(7, 3), (4, 1)])
def test_more_utterances_of_a_speaker_are_tried_than_enrol(tmp_path, utterances, enrolled):
    speech = tree(tmp_path / "speech", utterances=utterances)
    run = examine(speech, {"copy": speech})
    assert run.enrolment_utterances == enrolled and len(run.utterances) == 4 * utterances
    write_config(tmp_path / "my.yaml", run)
    assert "1 utterances" not in (tmp_path / "my.yaml").read_text()
    corpora = config_in(tmp_path)["corpora"]
    assert not checks.examine_entry("speech", corpora).findings.errors()
    corpora["speech"]["protocol"]["enrol_trial"]["enrolment_utterances"] = utterances - 1
    [error] = checks.examine_entry("speech", corpora).findings.errors()
    assert str(error).startswith("trial list mixed: no speaker is tried with two utterances")


@pytest.fixture
def few_to_split(monkeypatch):
    """Ten speakers are enough to train attackers on some of them."""
    monkeypatch.setattr("voiceprivacy.tools.new_run.FEWEST_TO_SPLIT", 10)


def test_attackers_enrol_and_learn_from_a_second_draw(tmp_path, few_to_split, new_run):
    audio = {"speakers": many(10), "seconds": 0.3}
    tree(tmp_path / "speech", **audio)
    first = tree(tmp_path / "first", **audio)
    second = tree(tmp_path / "second", "{speaker}_{number:03d}.wav", **audio)
    (second / "s00_000.wav").unlink()
    mine = ("--protected", "mine=first")
    said = new_run(*mine, "--again", "mine=second", "--config", "my.yaml")
    assert "s00-000: the second draw of mine has no protected version" in said
    plan = Plan(config_in(tmp_path))
    for part, folder in (("trial", first), ("enrolment", second), ("train", second)):
        corpus = "speech_train" if part == "train" else "speech"
        [audio] = plan.speech.anonymiser_call("mine", corpus, part)["audio"]
        lines = [line.split() for line in (Path(audio) / "wav.scp").read_text().splitlines()]
        assert len(lines) == 49
        assert all(Path(path).is_relative_to(folder) for _, path in lines)
    succeeds("validate", "--config", "my.yaml", cwd=tmp_path)


def test_of_a_large_corpus_some_utterances_of_each_speaker_are_tried(
    tmp_path, few_to_split, monkeypatch
):
    monkeypatch.setattr("voiceprivacy.tools.new_run.ENOUGH_UTTERANCES", 66)
    speech = tree(tmp_path / "speech", speakers=many(10), utterances=12, seconds=0.05)
    run = examine(speech, {"copy": speech})
    assert len(run.utterances) == 6 * 12 and len(run.training) == 4 * 12
    training = {utterance.speaker for utterance in run.training}
    assert training.isdisjoint(utterance.speaker for utterance in run.utterances)
    [path, *_] = write_config(tmp_path / "my.yaml", run)
    config = config_in(tmp_path)
    assert config["backends"]["semi"]["unprotected"] is True
    corpora = config["corpora"]
    assert corpora["speech"]["limit"] == {"utterances": 11}
    assert "limit" not in corpora["speech_train"], "of 48 all are taken"
    assert any("at most 11 of each speaker are tried" in line for line in summary(run, [path]))


def listed(utterance, speaker, gender="-"):
    return Listed(utterance, speaker, gender, "", None, "speech", "-")


@pytest.mark.parametrize(
    ("speakers", "utterances", "limit"),
    [(30, 50, 33), (30, 33, None), (4, 250, None), (4, 251, 250), (200, 20, 10), (200, 10, None)],
)
def test_a_limit_leaves_enough_of_each_speaker(speakers, utterances, limit):
    numbers = product(range(speakers), range(utterances))
    said = [listed(f"{number}-{speaker}", f"{speaker}") for speaker, number in numbers]
    assert limit_of(said) == limit


def test_speakers_without_gender_are_left_out_where_others_have_one(tmp_path, speech):
    genders = tmp_path / "genders.tsv"
    genders.write_text("speaker\tgender\nanna\tf\ndora\tf\nbert\tm\n")
    run = examine(speech, {"copy": speech}, speakers=genders)
    assert run.lists == ["f"] and {one.speaker for one in run.utterances} == {"anna", "dora"}
    assert run.left_out["carl-000"] == "speaker 'carl' has no gender"
    assert run.left_out["bert-000"] == "speaker 'bert' is the only one of this gender"
    genders.write_text("speaker\tgender\nAnna\tf\n")
    with pytest.raises(BadInput, match=r"genders.tsv: has none of the speakers, .* 'anna'"):
        examine(speech, {"copy": speech}, speakers=genders)


MADE = ("--protected", "a=made")


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    """A folder of what can be taken by mistake."""
    folder = tmp_path_factory.mktemp("mistakes")
    speech = tree(folder / "speech")
    tree(folder / "made")
    tree(folder / "other", "{speaker}/x{number:03d}y.wav")
    for name in ("one", "two"):
        tree(folder / "twice" / name, "{speaker}_{number:03d}.wav")
    shutil.copy(speech / "bert/002.wav", tree(folder / "single") / "bert/002.wav")
    (folder / "mine.py").touch()
    (folder / "old.yaml").write_text("mine: 1\n")
    shutil.copytree(speech, folder / "copy")
    for name in ("more", "copy"):
        tree(folder / name, speakers=("emil", "fay"), utterances=2)
    return folder


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--protected", "made"], "--protected made: expected NAME=DIR"),
        ([*MADE, *MADE], "a name occurs twice"),
        ([*MADE, "--again", "a=other", "--again", "a=copy"], "a name occurs twice"),
        (["--protected", "a=nowhere"], "nowhere: not found"),
        (["--protected", "a=other"], "no protected file has the name of an original"),
        (["--protected", "a=twice"], "utterance 'anna-000' has several files"),
        ([*MADE, "--pattern", "{speaker}.wav"], "{speaker}.wav: has no {utterance}"),
        ([*MADE, "--pattern", "x/{speaker}/{utterance}.wav"], "no file below it looks like"),
        ([*MADE, "--config", "old.yaml"], "old.yaml: is there already"),
        ([*MADE, "--config", "a{b}/my.yaml"], "a{b}/my.yaml: has { or }"),
        ([*MADE, "--transcripts", "none.tsv"], "none.tsv: not found"),
        (["--protected", "a=speech"], "speech: is the folder of the originals, too"),
        ([*MADE, "--again", "a=made"], "made: is the folder of a, too"),
        ([*MADE, "--again", "x=other"], "--again x: there is no --protected x"),
        (["--protected", "a=copy", "--train", "more"], "is its original, as 20 of 24 files"),
        (["--protected", "a=single"], "bert/002.wav: is its original, as 1 of 20 files of a"),
        ([*MADE, "--train", "mine.py"], "mine.py: is no folder, zip or tar"),
        (["--method", "mine.py"], "expected NAME=FILE.py:FUNCTION"),
        (["--method", "lost.py:f"], "lost.py not found"),
        (["--method", "a=mine.py:f", "--method", "a=mine.py:g"], "a name occurs twice"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(mistaken, arguments, words):
    config = [] if "--config" in arguments else ["--config", "my.yaml"]
    said = refused("new_run", "--original", "speech", *arguments, *config, cwd=mistaken)
    assert said.count("\n") == 1 and words in said
    assert not list(mistaken.glob("my.*")) and (mistaken / "old.yaml").read_text() == "mine: 1\n"


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("test-other", "test_other"),
        ("2024", "speech_2024"),
        ("äö", "speech"),
        # What a config keeps for itself.
        ("original", "speech_original"),
        ("digits_run1", "speech_digits"),
        ("digits_run1_run1", "speech_digits"),
        ("a" * 55 + "_run1_of_many", "a" * 55),
        ("mics on-site", "mics_of_site"),
    ],
)
def test_any_folder_gives_a_name_that_a_config_can_have(folder, name):
    assert name_of(folder) == name
    assert configuration.problems({"corpora": {name: voices(2, 4)}}) == []


# A semi-informed attacker learns from some of the speakers, where there are enough.


def many(n_speakers):
    return tuple(f"s{number:02d}" for number in range(n_speakers))


def test_few_speakers_are_all_evaluated_and_of_many_each_gender_keeps_two(tmp_path, few_to_split):
    root = tree(tmp_path / "speech", speakers=many(9), seconds=0.1)
    run = examine(root, {"mine": root})
    assert run.training == [] and len({one.speaker for one in run.utterances}) == 9
    write_config(tmp_path / "my.yaml", run)
    config = config_in(tmp_path)
    assert "semi" not in config["backends"] and list(config["corpora"]) == ["speech"]
    said = [listed(f"{name}-1", name, "f" if name > "s02" else "m") for name in many(43)]
    evaluated, training = split_speakers(said)
    assert sum(one.gender == "m" for one in evaluated) == 2
    assert sum(one.gender == "f" for one in training) == 16


@pytest.mark.parametrize(
    ("form", "speakers", "is_shown"),
    [
        (FORM, ("BIO01F", "BIO02M", "BIO03F", "BIO04M"), True),
        ("{speaker}_{number:03d}.wav", ("p1_m", "p2_f", "p3_m", "p4_f"), True),
        (FORM, ("BIO01F", "BIO02F", "BIO03F", "BIO04F"), False),
        (FORM, ("BIO01F", "BIO02M", "BIO03", "BIO04M"), False),
        (FORM, SPEAKERS, False),
    ],
)
def test_a_sex_that_names_show_is_offered_as_a_table(tmp_path, new_run, form, speakers, is_shown):
    for folder in ("speech", "made"):
        tree(tmp_path / folder, form, speakers=speakers)
    pattern = form.replace("{number:03d}", "{utterance}")
    words = (*MADE, "--config", "my.yaml", "--pattern", pattern)
    said = new_run(*words)
    table = tmp_path / "my.sexes.tsv"
    assert table.exists() == is_shown == ("--speakers my.sexes.tsv --overwrite" in said)
    if is_shown:
        said = new_run(*words, "--speakers", table, "--overwrite")
        assert "a list of women and a list of men" in said


@pytest.mark.parametrize(
    ("where", "words"), [("speech", []), ("speech", ["--preview"]), ("made", [])]
)
def test_names_that_are_not_utf8_are_refused(tmp_path, speech, where, words):
    tree(tmp_path / "made")
    odd = tree(tmp_path / where / "new", "{number:03d}.wav", speakers=["x"])
    odd.rename(tmp_path / where / os.fsdecode(b"jos\xe9"))
    made = ("--protected", f"mine={tmp_path}/made", "--original", speech)
    said = refused("new_run", *made, "--config", "my.yaml", *words, cwd=tmp_path)
    line = f"error: {tmp_path}/{where}/jos\\xe9: its name is not UTF-8"
    assert said.startswith(line) and said.count("\n") == 1
    assert not list(tmp_path.glob("*my*"))


@pytest.mark.parametrize("transcripts", [None, "said.tsv"])
def test_whisper_hears_words_where_it_is_installed(tmp_path, speech, monkeypatch, transcripts):
    if transcripts:
        transcripts = write_transcripts(tmp_path / transcripts)
    made = tree(tmp_path / "made")
    run = examine(speech, {"mine": made}, transcripts=transcripts)
    written = {}
    for is_there in (False, True):
        monkeypatch.setattr(new_config, "is_installed", lambda model, there=is_there: there)
        path, *_ = write_config(tmp_path / f"{is_there}.yaml", run)
        written[is_there] = configuration.read(path)
        assert configuration.problems(written[is_there]) == []
    measure = "whisper" if transcripts else "words_kept"
    assert "utility" not in written[False]
    assert written[True]["utility"] == {measure: {"type": measure, "model": "base"}}


@pytest.mark.parametrize("fails", ["names.tsv", "my.yaml"])
def test_what_fails_at_the_end_leaves_nothing(tmp_path, monkeypatch, fails):
    speech = tree(tmp_path / "speech", "{speaker} x/{number:03d}.wav")
    run = examine(speech, {"mine": tree(tmp_path / "made", "{speaker} x/{number:03d}.wav")})
    whole = writing.whole_or_absent

    def fail(path):
        if str(path).endswith(fails):
            raise BadInput(f"{path}: the disk is full")
        return whole(path)

    for module in (new_config, tables):
        monkeypatch.setattr(module, "whole_or_absent", fail)
    with pytest.raises(BadInput, match=f"^{tmp_path}/my.*: the disk is full"):
        write_config(tmp_path / "my.yaml", run)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "speech"]


@pytest.mark.parametrize("how", [["--preview"], ["--config", "my.yaml"]])
def test_the_first_the_middle_and_the_last_pair_are_shown(tmp_path, new_run, how):
    speakers = ("p225", "p226", "p227")
    tree(tmp_path / "speech", "{speaker}_{number:03d}.wav", speakers=speakers, utterances=4)
    for index, one in enumerate(speakers):
        form = f"{{speaker}}_{{number:03d}}_to_{speakers[index - 2]}.wav"
        tree(tmp_path / "made", form, speakers=[one], utterances=4)
    said = new_run("--protected", "mine=made", *how)
    assert f"mine: 12 of 12 found below {tmp_path}/made" in said
    assert [line.strip() for line in said.splitlines() if "<-" in line] == [
        "p225_000.wav  <-  made/p225_000_to_p226.wav",
        "p226_002.wav  <-  made/p226_002_to_p227.wav",
        "p227_003.wav  <-  made/p227_003_to_p225.wav",
    ]
    assert (tmp_path / "my.yaml").exists() == ("--config" in how)
