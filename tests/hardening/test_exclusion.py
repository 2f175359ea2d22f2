"""Utterances left out: of every part, list and condition alike, counted, never silently."""

import pytest
from support import world
from support.calls import flags, succeeds
from support.runs import make_kaldi_directory, snakemake, write_config
from support.spoilers import write

from voiceprivacy.corpora import checks
from voiceprivacy.inout import tables

GIVEN = {"given": {"all": "data"}}
ENROL_TRIAL = {"enrol_trial": {"enrolment_utterances": 2, "lists": ["mixed"]}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    world.build(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spoil(*names):
    for name in names:
        write("no audio")(world.Path("data", "wav", f"{name}.wav"))


def examine(protocol=GIVEN, **source):
    examined = checks.examine({"kaldi": "data", **source}, protocol, 16000)
    return examined, [str(error) for error in examined.findings.errors()]


def test_bad_audio_stops_by_default(folder):
    spoil("anna-0", "carl-3")
    examined, errors = examine()
    assert [error.partition(":")[0] for error in errors] == [
        "data/wav/anna-0.wav",
        "data/wav/carl-3.wav",
    ]
    assert examined.excluded == {}


def test_what_is_excluded_is_named_and_counted(folder):
    spoil("anna-0", "carl-3")
    examined, errors = examine(on_bad_audio="exclude")
    assert errors == []
    assert list(examined.excluded) == ["anna-0", "carl-3"]
    levels = [(finding.level, finding.file) for finding in examined.findings]
    assert levels[:2] == [("excluded", "data/wav/anna-0.wav"), ("excluded", "data/wav/carl-3.wav")]
    said = "2 utterances are excluded from everything (1 of 8 of enrolment, 1 of 8 of trial)"
    assert said in [finding.what for finding in examined.findings]
    assert (examined.parts["enrolment"].utterances, examined.parts["trial"].utterances) == (7, 7)
    assert examined.lists == {"all": 28}


@pytest.mark.parametrize("protocol", [ENROL_TRIAL], ids=["enrol_trial"])
def test_every_part_and_list_loses_it_and_nothing_else_changes(folder, protocol):
    before = make_lists(folder / "before", {"kaldi": "data"}, protocol)
    lost = {
        next(iter(before[2]["anna"])),
        next(trial.trial for trial in before[1] if trial.trial.startswith("carl")),
    }
    spoil(*lost)
    after = make_lists(folder / "after", {"kaldi": "data", "on_bad_audio": "exclude"}, protocol)
    assert after[0] == before[0] - lost
    assert after[1] == [trial for trial in before[1] if trial.trial not in lost]
    assert after[2] == {
        speaker: [name for name in names if name not in lost]
        for speaker, names in before[2].items()
    }


def make_lists(out, source, protocol):
    """Run the three commands of the workflow: ids in both manifests, trials, enrolments."""
    out.mkdir()
    corpus = {"source": source, "protocol": protocol}
    succeeds(
        "validate_corpus",
        *flags(**corpus, checks=out / "checks.tsv", excluded=out / "excluded.tsv"),
    )
    for part in ("enrolment", "trial"):
        where = {
            "manifest": out / f"{part}.tsv",
            "audio_dir": out / part,
            "excluded": out / "excluded.tsv",
        }
        succeeds("prepare_part", *flags(**corpus, part=part, **where))
    (name,) = ["all"] if "given" in protocol else ["mixed"]
    files = {"enrolment": out / "enrolment.tsv", "trial": out / "trial.tsv"}
    files |= {"output_trials": out / "trials.tsv", "output_enrolments": out / "enrolments.tsv"}
    succeeds("list_trials", *flags(**corpus, trials=name, **files))
    ids = {
        recording.utterance
        for part in ("enrolment", "trial")
        for recording in tables.read_manifest(out / f"{part}.tsv")
    }
    return (
        ids,
        tables.read_trials(out / "trials.tsv"),
        tables.read_enrolments(out / "enrolments.tsv"),
    )


def test_a_run_keeps_it_from_every_anonymiser_and_list(tmp_path):
    make_kaldi_directory(tmp_path / "data" / "tiny")
    write("no audio")(tmp_path / "data/tiny/wav/emil-4.wav")
    corpora = {"tiny": {"kaldi": "data/tiny", "on_bad_audio": "exclude", "exclude": ["anna-0"]}}
    functions = {"reversed": {"function": "{resources}/plugins/reversed.py:anonymise"}}
    write_config(tmp_path, corpora=corpora, anonymisers=functions, extractors={}, backends={})
    audio, lists = "results/audio/tiny", "results/trials/tiny/all"
    goals = [
        f"{audio}/{part}/{name}/manifest.tsv"
        for part in ("enrolment", "trial")
        for name in functions
    ]
    config = tmp_path / "config.yaml"
    done = snakemake(tmp_path, f"{lists}.tsv", *goals, "--cores", "2", "--configfile", config)
    assert done.returncode == 0, done.stderr
    for goal in goals:
        assert not {"emil-4", "anna-0"} & {
            recording.utterance for recording in tables.read_manifest(tmp_path / goal)
        }
    assert "emil-4" not in {trial.trial for trial in tables.read_trials(tmp_path / f"{lists}.tsv")}
    assert tables.read_enrolments(tmp_path / f"{lists}.enrolments.tsv")["anna"] == ["anna-1"]
    findings = tables.read_table(tmp_path / "results/checks/tiny.tsv", tables.FINDINGS)
    assert [row["what"].partition("'")[2] for row in findings if row["level"] == "excluded"] == [
        "anna-0')",
        "emil-4')",
    ]


def test_utterances_are_excluded_by_name_too(folder):
    examined, errors = examine(exclude=["anna-0"])
    assert errors == []
    assert examined.excluded == {"anna-0": "named in exclude"}
    _, errors = examine(exclude=["nobody"])
    assert errors == ["exclude: utterance 'nobody' is not one of the corpus"]


def test_a_bad_utterance_that_is_named_is_no_error(folder):
    spoil("anna-0")
    assert examine(exclude=["anna-0"])[1] == []


@pytest.mark.parametrize(
    ("names", "part"), [(("anna-0", "anna-1"), "enrolment"), (("anna-2", "anna-3"), "trial")]
)
def test_a_speaker_who_loses_all_utterances_of_a_part_is_an_error(folder, names, part):
    spoil(*names)
    _, errors = examine(on_bad_audio="exclude")
    lost = f"audio: speaker 'anna' loses all utterances of {part}"
    expected = f"{lost}: mend them, or exclude all of this speaker's"
    assert expected in errors


def test_a_speaker_is_left_out_by_naming_all_utterances(folder):
    assert examine(exclude=[f"anna-{number}" for number in range(4)])[1] == []


def test_a_list_that_loses_all_targets_is_an_error(folder):
    trials = "anna anna-2 target\nanna berta-2 nontarget\nberta anna-3 nontarget\n"
    (folder / "data" / "trials").write_text(trials)
    spoil("anna-2")
    _, errors = examine(on_bad_audio="exclude")
    assert "trial list all: has no target trial" in errors


def test_a_training_corpus_is_read_whole_where_it_may_lose_utterances(folder):
    content = bytearray((folder / "libri/dev/11/100/11-100-0000.flac").read_bytes())
    content[len(content) // 2 :] = bytes(len(content) // 2)
    (folder / "libri/dev/11/100/11-100-0000.flac").write_bytes(content)
    source = {"librispeech": {"root": "libri", "subsets": ["dev"]}, "on_bad_audio": "exclude"}
    examined = checks.examine(source, {}, 16000)
    assert list(examined.excluded) == ["11-100-0000"]
    assert examined.parts["train"].utterances == 3


def test_pieces_of_an_excluded_utterance_are_not_made(folder):
    spoil("anna-2")
    source = {"segments": {"seconds": 0.15}, "on_bad_audio": "exclude"}
    examined, errors = examine(**source)
    assert errors == []
    assert examined.parts["trial"].utterances == 7 * 2
