"""A challenge's directories and a suffix become a config that runs on this machine."""

import shutil

import pytest
import yaml
from support.calls import here, refused
from support.challenges import write_challenge

from voiceprivacy.errors import BadInput
from voiceprivacy.jobs import vpc
from voiceprivacy.models.hub import SPEAKER_MODEL
from voiceprivacy.plan import configuration
from voiceprivacy.plan.defaults import strongest_extractors
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import challenge as challenges
from voiceprivacy.tools.challenge import Challenge, prepare, tracks_in

COSINE, SEMI = (
    {f"{name}/{end}" for name in strongest_extractors()} for end in ("cosine", "semi_on_mine")
)
PLDA = "semi-informed attack: PLDA (semi) that learns from train-clean-360_mine"


@pytest.fixture
def data(tmp_path):
    return tmp_path / "a challenge" / "data"


def model(folder):
    folder.mkdir()
    for name in SPEAKER_MODEL.needed:
        (folder / name).touch()
    return folder


def plan_of(prepared):
    return Plan(configuration.check(prepared.config))


def attackers(prepared):
    return {f"{one.extractor}/{one.backend}" for one in plan_of(prepared).attackers.attacks()}


OLDER = ("xvector/plda", "xvector/semi_on_mine", "libri_dev", "libri_test", "vctk_dev", "vctk_test")
NEWER = (*COSINE, *SEMI, "libri_dev", "libri_test")


@pytest.mark.parametrize(
    ("year", "track", "expected"),
    [("2020", "", OLDER), ("2022", "", OLDER), ("2024", "", NEWER), ("2026", "1", NEWER)],
)
def test_all_that_a_year_has_is_evaluated_without_a_gpu(data, year, track, expected):
    write_challenge(data, year)
    prepared = prepare(Challenge(year, data, "_mine", track))
    config = prepared.config
    sets = {name for name, corpus in config["corpora"].items() if "protocol" in corpus}
    assert attackers(prepared) | sets == {*expected}
    assert (prepared.missing, config["seed"]) == ([], 0)
    there = {"libri_dev_enrolls", "libri_dev_enrolls_mine", "train-clean-360_mine"}
    assert there <= {*prepared.present}
    assert any(note.startswith(PLDA) for note in prepared.notes)


def test_with_a_gpu_the_attackers_are_the_challenge_s(data):
    write_challenge(data, "2024")
    prepared = prepare(Challenge("2024", data, "_mine", gpu=True))
    assert attackers(prepared) == {"ecapa/cosine", "semi_on_mine/cosine"}
    assert prepared.config["utility"]["wer"]["device"] == "cuda"
    given = model(data.parent / "asv_orig")
    prepared = prepare(Challenge("2024", data, "_mine", attacker=given, gpu=True))
    assert prepared.config["extractors"]["ecapa"]["model"] == str(given)
    extraction = plan_of(prepared).attackers.extraction("ecapa", "libri_dev", "trial", "mine")
    assert extraction[-2:] == ["--preparation", "vpc2024"]
    assert attackers(prepared) == {"ecapa/cosine", "semi_on_mine/cosine"}
    without = prepare(Challenge("2024", data, "_mine", attacker=given))
    assert attackers(without) == {"ecapa/cosine", "ecapa/semi_on_mine"}


def test_what_is_missing_is_named_and_left_out(data):
    write_challenge(data, "2022")
    missing = ["libri_dev_trials_m_mine", "vctk_test_enrolls_mine", "train-clean-360_mine"]
    for name in missing:
        shutil.rmtree(data / name)
    prepared = prepare(Challenge("2022", data, "_mine"))
    lists = {(one.corpus, one.trials) for one in plan_of(prepared).attackers.attacks()}
    assert {trials for corpus, trials in lists if corpus == "libri_dev"} == {"f"}
    assert "vctk_test" not in prepared.config["corpora"]
    assert sorted(prepared.missing) == sorted(missing)
    assert prepared.config["report"]["averages"] == {}
    for said in ("average test is left out", "no semi-informed attack"):
        assert any(note.startswith(said) for note in prepared.notes)
    with pytest.raises(BadInput, match="no set of 2022 is there with its version _other"):
        prepare(Challenge("2022", data, "_other"))


def test_utility_is_measured_by_models_that_are_given_which_are_named_if_in_vain(data):
    write_challenge(data, "2024")
    without = prepare(Challenge("2024", data, "_mine"))
    assert {"iemocap_dev", "iemocap_test"}.isdisjoint(without.config["corpora"])
    assert plan_of(without).utility.not_measured().keys() >= {"wer", "uar"}
    for number in range(1, 6):
        model(data.parent / f"fold_{number}")
    listener = model(data.parent / "asr")
    own = Challenge("2024", data, "_mine", recogniser=listener, emotion=data.parent)
    plan = plan_of(prepare(own))
    assert plan.utility.not_measured().keys().isdisjoint({"wer", "uar"})
    assert plan.utility.corpora("uar") == ["iemocap_dev", "iemocap_test"]
    call = plan.utility.call("uar", "iemocap_dev", "mine")
    assert call["options"]["labels"] == str(data / "IEMOCAP_dev")
    shutil.rmtree(data / "IEMOCAP_dev")
    shutil.rmtree(data / "IEMOCAP_test_mine")
    notes = prepare(Challenge("2024", data, "_mine", emotion=data.parent)).notes
    assert notes[-1].startswith("uar is not measured: no IEMOCAP_dev or IEMOCAP_test")
    earlier = data.parent / "of 2022"
    write_challenge(earlier, "2022")
    own = Challenge("2022", earlier, "_mine", recogniser=data.parent, emotion=data.parent)
    unused = [note.split()[0] for note in prepare(own).notes if note.startswith("--")]
    assert unused == ["--recogniser", "--emotion"]


@pytest.mark.parametrize("name", ['in "quotes"', "back\\slash", "été #1: x"])
def test_a_folder_of_any_name_is_written_into_the_preset(tmp_path, name):
    write_challenge(tmp_path / name, "2024")
    corpora = prepare(Challenge("2024", tmp_path / name, "_mine")).config["corpora"]
    enrolment = f"{tmp_path / name}/libri_dev_enrolls"
    assert corpora["libri_dev"]["kaldi"]["enrolment"] == enrolment


def test_languages_of_2026_are_runs_of_their_own(data):
    write_challenge(data, "2026", languages=("de", "ja"))
    assert tracks_in(data) == ["1", "de", "ja"]
    german = prepare(Challenge("2026", data, "_mine", "de"))
    assert attackers(german) == COSINE | SEMI
    assert german.config["corpora"]["train"]["kaldi"] == str(data / "train_german")
    japanese = prepare(Challenge("2026", data, "_mine", "ja"))
    assert attackers(japanese) == COSINE
    assert {corpus["language"] for corpus in japanese.config["corpora"].values()} == {"ja"}
    assert not japanese.missing


@pytest.mark.parametrize("plan", ["", "june", "september"])
def test_lists_of_september_have_trials_across_genders(data, plan):
    write_challenge(data, "2026")
    path = data / "libri_test_trials_mixed" / "trials"
    women = [
        line
        for line in path.read_text().splitlines()
        if line[0] in "abc" and line.split()[1][0] in "abc"
    ]
    path.write_text("".join(f"{line}\n" for line in women))  # as in June: none across genders
    prepared = prepare(Challenge("2026", data, "_mine", "1", plan=plan))
    assert prepared.config["plan"] == (plan or "september")
    lists = {
        name: prepared.config["corpora"][name]["protocol"]["given"]["mixed"]
        for name in ("libri_dev", "libri_test")
    }
    own = {"list": str(path), "cross_gender": 0}
    directories = {name: str(data / f"{name}_trials_mixed") for name in lists}
    assert lists == directories | ({} if plan == "june" else {"libri_test": own})
    written = data.parent / "vpc2026_mine.yaml"
    challenges.write(written, Challenge("2026", data, "_mine", "1", plan=plan), prepared)
    words = ["--year", "2026", "--data", "data", "--suffix", "_mine", "--dry-run", "--plan"]
    other = "september" if plan == "june" else "june"
    assert "--overwrite" in refused("vpc", *words, other, cwd=data.parent)
    noted = [note for note in prepared.notes if "own cross-gender list, seed 0" in note]
    assert len(noted) == (plan != "june")


def test_the_command_writes_a_config_that_can_be_edited_and_plans_it(data, monkeypatch):
    write_challenge(data, "2024")
    monkeypatch.setattr(challenges, "has_gpu", lambda: False)
    planned = []
    monkeypatch.setattr(vpc, "carried_out", lambda options: planned.append(options) or 0)

    def call(*more):
        words = ["--year", "2024", "--data", "data", "--suffix", "_mine", "--dry-run"]
        finished = here("vpc", *words, *more, cwd=data.parent)
        assert (finished.returncode, finished.stderr) == (0, "")
        return finished.stdout

    said = call()
    assert "present: libri_dev_trials_f, libri_dev_trials_f_mine" in said
    path = data.parent / "vpc2024_mine.yaml"
    text = path.read_text()
    assert all(f"# {line}\n" in text for line in said.splitlines()[:-1])
    assert yaml.safe_load(text)["anonymisers"] == {"mine": {"audio": f"{data}/{{set}}_mine"}}
    path.write_text(f"{text}\n# edited\n")
    assert "is run as it is" in call() and path.read_text().endswith("# edited\n")
    call("--overwrite")
    assert not path.read_text().endswith("# edited\n")
    assert [options.dryrun for options in planned] == [True, True, True]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("--year 2024 --data nowhere --suffix _mine", "nowhere: not found"),
        ("--year 2024 --data . --suffix _", "--suffix '_': expected"),
        ("--year 2024 --data . --suffix _mine/ --dry-run", "--suffix '_mine/'"),
        ("--year 2024 --data . --suffix _mine --tracks 1", "--tracks 1: 2024 has one track"),
        ("--year 2026 --data . --suffix _mine --tracks 3", "--tracks 3: expected some of 1, en"),
        ("--year 2026 --data . --suffix _mine", ".: no trial list of 2026 is there"),
        ("--year 2024 --data . --suffix _mine --attacker a", "a: not found"),
        ("--year 2024 --data . --suffix _mine --plan june", "--plan: is of 2026"),
        ("--year 2026 --data . --suffix _mine --zero-shot", "--zero-shot: needs --attacker"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, words, error):
    said = refused("vpc", *words.split(), cwd=tmp_path)
    assert said.startswith(f"error: {error}") and said.count("\n") == 1
