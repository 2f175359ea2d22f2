"""new_run: which protected file is whose, what is left out and why, a config that checks accept."""

import os
import shlex
import shutil
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml
from support.calls import here

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.listing import Listed
from voiceprivacy.inout import files, tables
from voiceprivacy.inout.files import BadInput
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import new_config
from voiceprivacy.tools.new_config import name_of, summary, write_config
from voiceprivacy.tools.new_run import examine, limit_of, split_speakers

SPEAKERS = ("anna", "bert", "carl", "dora")


def write(path, *, seconds=0.5, sample_rate=16000, channels=1):
    path.parent.mkdir(parents=True, exist_ok=True)
    draw = np.random.default_rng(list("/".join(path.parts[-3:]).encode()))
    soundfile.write(
        path, draw.normal(scale=0.1, size=(round(seconds * sample_rate), channels)), sample_rate
    )


def tree(root, form, *, speakers=SPEAKERS, utterances=5, **audio):
    for speaker in speakers:
        for number in range(utterances):
            write(root / form.format(speaker=speaker, number=number), **audio)
    return root


@pytest.fixture
def speech(tmp_path):
    return tree(tmp_path / "speech", "{speaker}/{number:03d}.wav")


def test_the_config_passes_the_checks_and_names_what_the_run_needs(tmp_path, speech):
    tree(tmp_path / "flat", "{speaker}_{number:03d}.flac", sample_rate=22050)
    tree(tmp_path / "same", "{speaker}/{number:03d}.wav")
    (tmp_path / "genders.tsv").write_text("speaker\tgender\nanna\tf\ndora\tf\nbert\tm\ncarl\tm\n")
    finished = here(
        "new_run",
        *("--original", "speech", "--protected", "flat=flat", "--protected", "same=same"),
        *("--speakers", "genders.tsv", "--config", "my.yaml"),
        cwd=tmp_path,
    )
    assert finished.returncode == 0, finished.stderr
    assert (
        "20 of 20 audio files look like {speaker}/{utterance}.wav\n  4 speakers, 5"
        in finished.stdout
    )
    assert "anna/000.wav   speaker anna   utterance anna-000" in finished.stdout
    assert "a list of women and a list of men" in finished.stdout
    config = configuration.check(configuration.read(tmp_path / "my.yaml"))
    assert config["corpora"]["speech"]["protocol"]["enrol_trial"] == {
        "enrolment_utterances": 2,
        "lists": ["f", "m"],
    }
    flat, same = config["anonymisers"]["flat"], config["anonymisers"]["same"]
    assert (flat["audio"], flat["resample"], flat["env"]) == (
        str(tmp_path / "my.flat"),
        True,
        "torch",
    )
    assert (same["audio"], same["resample"]) == (str(tmp_path / "same"), False)
    assert (
        f"anna-000 {tmp_path}/flat/anna_000.flac\n"
        in (tmp_path / "my.flat" / "wav.scp").read_text()
    )
    checked = here("validate", "--config", "my.yaml", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout


def test_an_attacker_learns_from_other_speakers_and_the_run_protects_all_of_them(tmp_path, speech):
    tree(tmp_path / "others", "{speaker}/{number:03d}.wav", speakers=("emil", "fay"), utterances=2)
    (tmp_path / "mine.py").write_text(
        "def anonymise(samples, rate, *, seed):\n    return -samples\n"
    )
    words = ["--original", "speech", "--train", "others", "--method", "mine.py:anonymise"]
    finished = here("new_run", *words, "--config", "my.yaml", cwd=tmp_path)
    assert finished.returncode == 0, finished.stderr
    assert "train the semi-informed attacker: 2 other speakers, 4 utterances" in finished.stdout
    config = configuration.check(configuration.read(tmp_path / "my.yaml"))
    assert config["anonymisers"]["mine"]["function"] == f"{tmp_path}/mine.py:anonymise"
    assert config["corpora"]["speech_train"]["use"] == "train"
    assert config["backends"]["semi"]["train"]["corpus"] == "speech_train"
    plan = Plan(config)
    assert len(plan.speech.evaluated) == 1 and "semi_on_mine" in plan.attackers.backends
    for wrong, said in (
        (["--method", "mine.py"], "expected NAME=FILE.py:FUNCTION"),
        (["--method", "lost.py:f"], "lost.py not found"),
        (["--method", "a=mine.py:f", "--method", "a=mine.py:g"], "a name occurs twice"),
    ):
        refused = here(
            "new_run", "--original", "speech", *wrong, "--config", "b.yaml", cwd=tmp_path
        )
        assert refused.returncode == 2 and said in refused.stderr


def test_training_speech_in_a_protected_folder_is_found_with_the_rest(tmp_path, speech):
    layout = "{speaker}_{number:03d}_anon.wav"
    others = tree(
        tmp_path / "others", "{speaker}/{number:03d}.wav", speakers=("emil", "fay"), utterances=2
    )
    made = tree(tmp_path / "made", layout)
    run = examine(speech, {"mine": made}, train=others)
    assert len(run.protected["mine"].files) == 20  # those of the others are not there
    assert "mine has no protected version of all of them" in "\n".join(summary(run, [made]))
    tree(made, layout, speakers=("emil", "fay"), utterances=2)
    run = examine(speech, {"mine": made}, train=others)
    assert {"emil-000", "fay-001"} <= run.protected["mine"].files.keys()
    assert "no protected version" not in "\n".join(summary(run, [made]))
    write_config(tmp_path / "my.yaml", run)
    config = configuration.check(configuration.read(tmp_path / "my.yaml"))
    assert config["corpora"]["speech_train"]["folder"]["root"] == str(others)
    if not run.protected["mine"].plain:
        assert "emil-000 " in (tmp_path / "my.mine" / "wav.scp").read_text()


def test_who_is_evaluated_does_not_train(tmp_path, speech):
    others = tree(tmp_path / "others", "{speaker}/x{number}.wav", speakers=("anna", "fay"))
    made = tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
    with pytest.raises(BadInput, match="speaker 'anna' is evaluated, too"):
        examine(speech, {"mine": made}, train=others)
    alone = tree(tmp_path / "alone", "{speaker}/{number:03d}.wav", speakers=("fay",))
    with pytest.raises(BadInput, match=r"alone: of 5 utterances .* too few are left"):
        examine(speech, {"mine": made}, pattern="{speaker}/{utterance}.wav", train=alone)


def test_transcripts_are_written_into_the_config_and_validate_says_where_there_are_none(
    tmp_path, speech, monkeypatch
):
    monkeypatch.setattr(new_config, "is_installed", lambda model: False)
    tree(tmp_path / "flat", "{speaker}/{number:03d}.wav")
    names = [f"{speaker}-{number:03d}" for speaker in SPEAKERS for number in range(5)]
    said = "".join(f"{name}\tso it is\n" for name in names)
    (tmp_path / "said.tsv").write_text(f"utterance\ttext\n{said}")
    words = ["new_run", "--original", "speech", "--protected", "flat=flat"]
    given = here(*words, "--transcripts", "said.tsv", "--config", "with.yaml", cwd=tmp_path)
    without = here(*words, "--config", "without.yaml", cwd=tmp_path)
    assert given.returncode == without.returncode == 0, given.stderr + without.stderr
    asks = "words: no transcripts were given"
    assert asks in without.stdout and asks not in given.stdout
    corpora = configuration.read(tmp_path / "with.yaml")["corpora"]
    assert Path(corpora["speech"]["folder"]["transcripts"]).name == "said.tsv"
    configs = ("with.yaml", "without.yaml")
    checked = [here("validate", "--config", config, cwd=tmp_path) for config in configs]
    assert [result.returncode for result in checked] == [0, 0]
    assert [asks in result.stdout for result in checked] == [False, True]
    wrong = here(*words, "--transcripts", "none.tsv", "--config", "w.yaml", cwd=tmp_path)
    assert wrong.returncode == 2 and "none.tsv" in wrong.stderr
    assert not (tmp_path / "w.yaml").exists()


def test_what_has_no_usable_protected_version_is_left_out_for_all_and_named(tmp_path, speech):
    tree(tmp_path / "good", "{speaker}/{number:03d}.wav")
    bad = tree(tmp_path / "bad", "{speaker}/{number:03d}.wav", utterances=5)
    (bad / "anna" / "003.wav").unlink()
    write(bad / "bert" / "002.wav", seconds=2)
    write(bad / "bert" / "001.wav", seconds=1)
    (bad / "carl" / "000.wav").write_text("no audio")
    run = examine(speech, {"good": tmp_path / "good", "bad": bad})
    left_out = dict(run.left_out)
    assert left_out.pop("anna-003") == "bad has no protected version"
    twice = "lasts 1.00 s, the original 0.50 s: twice as long (does its header name another"
    assert twice in left_out.pop("bert-001")
    assert left_out.pop("bert-002").endswith("bert/002.wav: lasts 2.00 s, the original 0.50 s")
    assert "cannot be read as audio" in left_out.pop("carl-000")
    # with two enrolment utterances bert, who has three left, would be tried with one
    assert (left_out, run.enrolment_utterances, len(run.utterances)) == ({}, 1, 16)
    write_config(tmp_path / "my.yaml", run)
    taken = (tmp_path / "my.utterances.txt").read_text().split()
    assert len(taken) == 16 and "anna-003" not in taken
    assert "bad has no protected version" in (tmp_path / "my.left_out.tsv").read_text()
    assert configuration.problems(yaml.safe_load((tmp_path / "my.yaml").read_text())) == []


def test_speakers_with_too_few_utterances_are_left_out_and_fewer_enrol_where_many_have_few(
    tmp_path,
):
    speech = tree(
        tmp_path / "speech", "{speaker}/{number:03d}.wav", speakers=[f"s{n}" for n in range(20)]
    )
    tree(speech, "{speaker}/{number:03d}.wav", speakers=["few"], utterances=1)
    run = examine(speech, {"copy": speech})
    assert run.left_out == {"few-000": "speaker 'few' has only 1"}
    assert run.enrolment_utterances == 2
    tree(speech, "{speaker}/{number:03d}.wav", speakers=[f"t{n}" for n in range(10)], utterances=2)
    run = examine(speech, {"copy": speech})
    assert run.enrolment_utterances == 1 and set(run.left_out) == {"few-000"}


@pytest.mark.parametrize(("utterances", "enrolled"), [(7, 3), (4, 1)])
def test_more_utterances_of_a_speaker_are_tried_than_enrol(tmp_path, utterances, enrolled):
    speech = tree(tmp_path / "speech", "{speaker}/{number:03d}.wav", utterances=utterances)
    run = examine(speech, {"copy": speech})
    assert run.enrolment_utterances == enrolled and len(run.utterances) == 4 * utterances
    write_config(tmp_path / "my.yaml", run)
    corpora = configuration.check(yaml.safe_load((tmp_path / "my.yaml").read_text()))["corpora"]
    assert not checks.examine_entry("speech", corpora).findings.errors()
    corpora["speech"]["protocol"]["enrol_trial"]["enrolment_utterances"] = utterances - 1
    [error] = checks.examine_entry("speech", corpora).findings.errors()
    assert str(error).startswith("trial list mixed: no speaker is tried with two utterances")


def test_where_nobody_has_three_utterances_there_is_nothing_to_compare(tmp_path):
    speech = tree(tmp_path / "speech", "{speaker}/{number:03d}.wav", utterances=2)
    with pytest.raises(BadInput, match="no speaker has three utterances"):
        examine(speech, {"copy": speech})


def test_attackers_enrol_and_learn_from_a_second_draw(tmp_path):
    names = many(40)
    form = "{speaker}/{number:03d}.wav"
    root = tree(tmp_path / "speech", form, speakers=names, seconds=0.1)
    first = tree(tmp_path / "first", form, speakers=names, seconds=0.1)
    second = tree(tmp_path / "second", "{speaker}_{number:03d}.wav", speakers=names, seconds=0.1)
    (second / "s00_000.wav").unlink()
    folders = ("--protected", "mine=first", "--again", "mine=second", "--config", "my.yaml")
    made = here("new_run", "--original", root, *folders, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "s00-000: the second draw of mine has no protected version" in made.stdout
    plan = Plan(configuration.check(configuration.read(tmp_path / "my.yaml")))
    for part, folder in (("trial", first), ("enrolment", second), ("train", second)):
        corpus = "speech_train" if part == "train" else "speech"
        [audio] = plan.speech.anonymiser_call("mine", corpus, part)["audio"]
        lines = [line.split() for line in (Path(audio) / "wav.scp").read_text().splitlines()]
        assert len(lines) == 199
        assert all(Path(path).is_relative_to(folder) for _, path in lines)
    checked = here("validate", "--config", "my.yaml", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout
    for again, words in (
        ("mine=first", "first: is the folder of mine, too; the second draw of mine"),
        ("x=first", "--again x: there is no --protected x"),
    ):
        wrong = ("--protected", "mine=first", "--again", again, "--config", "other.yaml")
        assert words in here("new_run", "--original", root, *wrong, cwd=tmp_path).stderr


def test_of_a_large_corpus_some_utterances_of_each_speaker_are_tried(tmp_path):
    said = [f"s{number:02d}" for number in range(40)]
    speech = tree(
        tmp_path / "speech",
        "{speaker}/{number:03d}.wav",
        speakers=said,
        utterances=45,
        seconds=0.03,
    )
    run = examine(speech, {"copy": speech})
    assert len(run.utterances) == 24 * 45 and len(run.training) == 16 * 45
    training = {utterance.speaker for utterance in run.training}
    assert training.isdisjoint(utterance.speaker for utterance in run.utterances)
    [path, *_] = write_config(tmp_path / "my.yaml", run)
    config = configuration.check(yaml.safe_load(path.read_text()))
    assert config["backends"]["semi"]["unprotected"] is True
    corpora = config["corpora"]
    assert corpora["speech"]["limit"] == {"utterances": 41}
    assert "limit" not in corpora["speech_train"], "of 720 all are taken"
    assert any("at most 41 of each speaker are tried" in line for line in summary(run, [path]))


@pytest.mark.parametrize(
    ("speakers", "utterances", "limit"),
    [(30, 500, 33), (30, 33, None), (4, 250, None), (4, 251, 250), (500, 500, 10), (500, 10, None)],
)
def test_a_limit_leaves_enough_of_each_speaker(speakers, utterances, limit):
    said = [
        Listed(f"{number}-{speaker}", f"{speaker}", "-", "", None, "speech", "-")
        for speaker, number in product(range(speakers), range(utterances))
    ]
    assert limit_of(said) == limit


def test_speakers_without_gender_are_left_out_where_others_have_one(tmp_path, speech):
    (tmp_path / "genders.tsv").write_text("speaker\tgender\nanna\tf\ndora\tf\nbert\tm\n")
    run = examine(speech, {"copy": speech}, speakers=tmp_path / "genders.tsv")
    assert run.lists == ["f"] and {utterance.speaker for utterance in run.utterances} == {
        "anna",
        "dora",
    }
    assert {run.left_out["carl-000"], run.left_out["bert-000"]} == {
        "speaker 'carl' has no gender",
        "speaker 'bert' is the only one of this gender",
    }
    (tmp_path / "genders.tsv").write_text("speaker\tgender\nAnna\tf\n")
    with pytest.raises(
        BadInput, match=r"genders.tsv: has none of the speakers, who are called such as 'anna'"
    ):
        examine(speech, {"copy": speech}, speakers=tmp_path / "genders.tsv")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--protected", "made"], "--protected made: expected NAME=DIR"),
        (["--protected", "a=made", "--protected", "a=made"], "a name occurs twice"),
        (["--protected", "a=nowhere"], "nowhere: not found"),
        (["--protected", "a=other"], "no protected file has the name of an original"),
        (["--protected", "a=twice"], "utterance 'anna-000' has several files"),
        (
            ["--protected", "a=made", "--pattern", "{speaker}.wav"],
            "{speaker}.wav: has no {utterance}",
        ),
        (
            ["--protected", "a=made", "--pattern", "x/{speaker}/{utterance}.wav"],
            "no file below it looks like",
        ),
        (["--protected", "a=made", "--config", "old.yaml"], "old.yaml: is there already"),
        (["--protected", "a=speech"], "speech: is the folder of the originals, too"),
        (["--protected", "a=copy"], "copy: every file of a is a copy of the original"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(tmp_path, speech, arguments, words):
    tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
    tree(tmp_path / "other", "{speaker}/x{number:03d}y.wav")
    for folder in ("one", "two"):
        tree(tmp_path / "twice" / folder, "{speaker}_{number:03d}.wav")
    (tmp_path / "old.yaml").write_text("mine: 1\n")
    (tmp_path / "link").symlink_to("speech")
    shutil.copytree(speech, tmp_path / "copy")
    shutil.copytree(speech, tmp_path / "linked", copy_function=os.link)
    config = [] if "--config" in arguments else ["--config", "my.yaml"]
    finished = here("new_run", "--original", "speech", *arguments, *config, cwd=tmp_path)
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1 and words in finished.stderr
    assert not list(tmp_path.glob("my*")) and (tmp_path / "old.yaml").read_text() == "mine: 1\n"


def test_single_copies_of_originals_are_told_and_kept_because_they_are_released(tmp_path, speech):
    tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
    shutil.copy(speech / "bert" / "002.wav", tmp_path / "made" / "bert" / "002.wav")
    folders = ("--original", "speech", "--protected", "mine=made", "--config", "my.yaml")
    made = here("new_run", *folders, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert "warning: 1 file is its original or nearly so, such as that of 'bert-002'" in made.stdout
    assert "left out" not in made.stdout


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("test-other", "test_other"),
        ("2024", "speech_2024"),
        ("äö", "speech"),
        # What a config keeps for itself.
        ("original", "speech_original"),
        ("digits_run1", "speech_digits"),
        ("mics on-site", "mics_of_site"),
    ],
)
def test_any_folder_gives_a_name_that_a_config_can_have(folder, name):
    assert name_of(folder) == name
    assert (
        configuration.problems({"corpora": {name: {"synthetic": {"speakers": 2, "utterances": 4}}}})
        == []
    )


# A semi-informed attacker learns from some of the speakers, where there are enough.


def many(n_speakers):
    return tuple(f"s{number:02d}" for number in range(n_speakers))


def test_few_speakers_are_all_evaluated_and_nobody_learns_from_protected_speech(tmp_path):
    names = many(39)
    root = tree(tmp_path / "speech", "{speaker}/{number:03d}.wav", speakers=names, seconds=0.1)
    run = examine(root, {"mine": root})
    assert run.training == [] and len({one.speaker for one in run.utterances}) == 39
    write_config(tmp_path / "my.yaml", run)
    config = configuration.check(yaml.safe_load((tmp_path / "my.yaml").read_text()))
    assert list(config["backends"]) == ["cosine"] and list(config["corpora"]) == ["speech"]


def test_each_gender_is_split_and_keeps_two_speakers():
    said = []
    for name in many(43):
        gender = "f" if name > "s02" else "m"
        said.append(Listed(f"{name}-1", name, gender, "", None, "speech", "-"))
    evaluated, training = split_speakers(said)
    assert sum(one.gender == "m" for one in evaluated) == 2
    assert sum(one.gender == "f" for one in training) == 16


@pytest.mark.parametrize(
    ("form", "speakers", "is_shown"),
    [
        ("{speaker}/{number:03d}.wav", ("BIO01F", "BIO02M", "BIO03F", "BIO04M"), True),
        ("{speaker}_{number:03d}.wav", ("p1_m", "p2_f", "p3_m", "p4_f"), True),
        ("{speaker}/{number:03d}.wav", ("BIO01F", "BIO02F", "BIO03F", "BIO04F"), False),
        ("{speaker}/{number:03d}.wav", ("BIO01F", "BIO02M", "BIO03", "BIO04M"), False),
        ("{speaker}/{number:03d}.wav", SPEAKERS, False),
    ],
)
def test_a_sex_that_names_show_is_offered_as_a_table(tmp_path, form, speakers, is_shown):
    for folder in ("speech", "made"):
        tree(tmp_path / folder, form, speakers=speakers)
    words = ("--original", "speech", "--protected", "mine=made", "--config", "my.yaml")
    words += ("--pattern", form.replace("{number:03d}", "{utterance}"))
    said = here("new_run", *words, cwd=tmp_path).stdout
    table = tmp_path / "my.sexes.tsv"
    assert table.exists() == is_shown == ("--speakers my.sexes.tsv --overwrite" in said)
    if is_shown:
        again = here("new_run", *words, "--speakers", table, "--overwrite", cwd=tmp_path)
        assert "a list of women and a list of men" in again.stdout


@pytest.mark.parametrize("where", ["speech", "made"])
def test_names_that_are_not_utf8_are_refused_and_nothing_is_written(tmp_path, speech, where):
    made = tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
    odd = tree(tmp_path / where / "new", "{number:03d}.wav", speakers=["x"])
    odd.rename(tmp_path / where / os.fsdecode(b"jos\xe9"))
    words = ("--original", speech, "--protected", f"mine={made}", "--config", "my.yaml")
    for further in ([], ["--preview"]) if where == "speech" else ([],):
        finished = here("new_run", *words, *further, cwd=tmp_path)
        assert finished.returncode == 2 and not finished.stdout
        line = f"error: {tmp_path}/{where}/jos\\xe9: its name is not UTF-8: rename it (convmv"
        assert finished.stderr.startswith(line) and finished.stderr.count("\n") == 1
    assert not list(tmp_path.glob("*my*"))


@pytest.mark.parametrize("transcripts", [None, "said.tsv"])
def test_words_are_heard_by_whisper_where_it_is_installed(
    tmp_path, speech, monkeypatch, transcripts
):
    if transcripts:
        lines = [f"{name}-{number:03d}\tone two\n" for name in SPEAKERS for number in range(5)]
        (tmp_path / "said.tsv").write_text("".join(["utterance\ttext\n", *lines]))
        transcripts = tmp_path / transcripts
    made = tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
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
    whole = files.whole_or_absent

    def fail(path):
        if str(path).endswith(fails):
            raise BadInput(f"{path}: the disk is full")
        return whole(path)

    for module in (new_config, tables):
        monkeypatch.setattr(module, "whole_or_absent", fail)
    with pytest.raises(BadInput, match=f"^{tmp_path}/my.*: the disk is full"):
        write_config(tmp_path / "my.yaml", run)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made", "speech"]


def test_the_next_command_can_be_pasted(tmp_path, speech):
    made = tree(tmp_path / "made", "{speaker}/{number:03d}.wav")
    words = ("--original", speech, "--protected", f"mine={made}", "--config")
    finished = here("new_run", *words, "my $HOME 'x'.yaml", cwd=tmp_path)
    next_line = finished.stdout.splitlines()[-1]
    assert shlex.split(next_line)[-1] == "my $HOME 'x'.yaml"
