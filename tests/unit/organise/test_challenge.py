"""The challenge's files of a run: names, layout, every digit, and read again as they lie."""

import os
import tarfile
import zipfile
from itertools import product

import pytest
from support.calls import refused, succeeds
from support.challenges import write_challenge

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.scored_trials import read_scored_trials, write_scores
from voiceprivacy.inout.trial_lists import Trial
from voiceprivacy.organise import challenge
from voiceprivacy.organise.challenge import Exported
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.scores_given import ScoreFile, given_scores
from voiceprivacy.provenance.record import outputs_of
from voiceprivacy.report.metrics import Number, write_metrics
from voiceprivacy.tools.challenge import Challenge, prepare

EERS = {"oo": 8.7612, "op": 30.0, "pp": 12.91049}
MADE = 1_711_709_100  # 29 March 2024, 10:45 UTC
TRIALS = [Trial("anna", "anna-1", "target"), Trial("anna", "berta-1", "nontarget")]
# As the file that the challenge publishes of B2, with other numbers.
EXPECTED = """\
---- Time: 29-03-24_10:45 ----

---- SER results ----
   dataset split       ser   UAR ACC_sad ACC_neu ACC_ang ACC_hap
                            mean    mean    mean    mean    mean
0  IEMOCAP   dev      anon  53.5   32.25    40.0    50.0    60.0
1  IEMOCAP   dev  original  71.0   32.25    40.0    50.0    60.0
2  IEMOCAP  test      anon  53.5   32.25    40.0    50.0    60.0
3  IEMOCAP  test  original  71.0   32.25    40.0    50.0    60.0

---- ASV_eval results ----
  dataset split gender enrollment     trial    EER
0   libri   dev      f   original  original  8.761
3   libri   dev      m   original  original  8.761
6   libri  test      f   original  original  8.761
9   libri  test      m   original  original  8.761

---- ASR results ----
  dataset split       asr     WER
0   libri   dev  original   1.844
4   libri   dev      anon  10.442
1   libri  test  original   1.844
5   libri  test      anon  10.442

---- Time: 29-03-24_10:45 ----

---- ASV_eval^anon results ----
   dataset split gender enrollment trial    EER
2    libri   dev      f       anon  anon  12.91
5    libri   dev      m       anon  anon  12.91
8    libri  test      f       anon  anon  12.91
11   libri  test      m       anon  anon  12.91
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    return finished(tmp_path, monkeypatch, "2024")


def finished(tmp_path, monkeypatch, year, track=""):
    monkeypatch.setenv("TZ", "UTC")
    data = write_challenge(tmp_path / "a challenge" / "data", year, languages=("de",))
    config = configuration.check(prepare(Challenge(year, data, "_mine", track)).config)
    results = tmp_path / "results"
    numbers = []
    for attack in Plan(config).attackers.attacks():
        for condition, eer in EERS.items():
            system = "original" if condition == "oo" else "mine"
            path = results / "scores" / attack.path(system) / f"{condition}.tsv"
            write_scores(path, TRIALS, [0.1 + 0.2, -1.0])
            key = (attack.corpus, attack.trials, system, attack.extractor, attack.backend)
            numbers.append(Number(*key, condition, "eer_speechbrain_percent", str(eer)))
    recalls = {"uar_angry": 50.0, "uar_happy": 60.0, "uar_neutral": 40.0, "uar_sad": 32.25}
    measured = {
        ("original", "libri"): {"wer": 1.8441},
        ("mine", "libri"): {"wer": 10.4417},
        ("original", "iemocap"): recalls | {"uar": 71.0},
        ("mine", "iemocap"): recalls | {"uar": 53.5},
    }
    for ((system, corpus), means), split in product(measured.items(), ("dev", "test")):
        key = (f"{corpus}_{split}", "-", system, "-", "-", "-")
        numbers += [Number(*key, f"{name}_percent", str(mean)) for name, mean in means.items()]
    write_metrics(results / "metrics.tsv", sorted(numbers))
    os.utime(results / "metrics.tsv", (MADE, MADE))
    write_json(results / "provenance.json", {"config": config, "outputs": {}, "sha256": {}})
    return FinishedRun(results)


def test_summary_scores_and_eers_lie_as_the_challenge_s_with_every_digit(run):
    exp = run.folder / "exp"
    summary = exp / "results_summary"
    left = exp / "asv_orig" / "libri_dev_enrolls-libri_dev_trials_f_not_mine"
    left.mkdir(parents=True)
    (left / "scores").write_text("anna anna-1 0.5\n")
    path = Exported(run, "mine", "_mine").write()
    assert path == run.folder / "result_for_rank_mine" and path.read_text() == EXPECTED
    first, second = EXPECTED.split("\n---- Time", 1)
    assert (summary / "eval_orig_mine" / "results_orig.txt").read_text() == first
    assert (summary / "eval_anon_mine" / "results_anon.txt").read_text() == f"---- Time{second}"
    compared = "libri_test_enrolls_mine-libri_test_trials_f_mine"
    for attacker in ("asv_orig", "asv_anon_mine"):
        own = exp / attacker
        scores = (own / compared / "scores").read_text()
        assert scores == "anna anna-1 0.30000000000000004\nanna berta-1 -1.0\n"
        assert float((own / compared / "EER").read_text()) == pytest.approx(0.1291049)
        assert (own / "results_mine.csv").read_text().splitlines()[:4] == [
            ",dataset,split,gender,enrollment,trial,EER",
            "0,libri,dev,f,original,original,8.761",
            "1,libri,dev,f,original,anon,30.0",
            "2,libri,dev,f,anon,anon,12.91",
        ]
    with zipfile.ZipFile(summary / "result_for_submission_mine.zip") as archive:
        names = {name.removeprefix("exp/") for name in archive.namelist()}
        assert archive.read("exp/results_summary/result_for_rank_mine").decode() == EXPECTED
    assert not [name for name in names if "not_mine" in name], "of another system"
    own = "libri_dev_enrolls-libri_dev_trials_f/EER"
    assert f"asv_anon_mine/{own}" in names and f"asv_orig/{own}" not in names
    assert {f"asv_anon_mine/{compared}/scores", f"asv_orig/{compared}/EER"} <= names
    assert {
        f"{one}/results_mine.csv" for one in ("asr", "ser", "asv_orig", "asv_anon_mine")
    } <= names


def test_a_tree_of_the_challenge_is_read_as_it_lies(run, tmp_path):
    Exported(run, "mine", "_mine").write()
    tree = run.folder / "exp" / "asv_anon_mine"
    files = given_scores(str(tree))
    lists = [(corpus, sex) for corpus in ("libri_dev", "libri_test") for sex in "fm"]
    systems = {"oo": "original", "op": "mine", "pp": "mine"}
    named = product(lists, systems.items())
    assert files.keys() == {ScoreFile(*own, system, name) for own, (name, system) in named}
    key = tmp_path / "trials"
    key.write_text("anna anna-1 target\nanna berta-1 nontarget\n")
    scored = read_scored_trials(files[ScoreFile("libri_test", "f", "mine", "pp")], key=key)
    assert (scored.named(0), scored.scores[0]) == (TRIALS[0], 0.1 + 0.2)
    theirs = {"scores": str(tree), "key": str(key)}
    assert list(configuration.problems({"attacks": {"theirs": theirs}})) == []
    theirs["scores"] += "/nowhere"
    [problem] = configuration.problems({"attacks": {"theirs": theirs}})
    assert problem.what.startswith(f"{tree / 'nowhere'}: not found")
    with pytest.raises(BadInput, match=r"exp/asv_orig.*name the folder of one attacker"):
        given_scores(str(tree.parent))


ROOT, TRACK_1 = "", "exp/results_summary/track1/"


@pytest.mark.parametrize(("year", "track", "below"), [("2024", "", ROOT), ("2026", "1", TRACK_1)])
def test_the_upload_holds_all_protected_directories(tmp_path, monkeypatch, year, track, below):
    run, data = finished(tmp_path, monkeypatch, year, track), tmp_path / "a challenge" / "data"
    least = {name: min(n_bytes, 6) for name, n_bytes in challenge.SENT_2026.least_bytes.items()}
    monkeypatch.setattr(challenge, "SENT_2026", challenge.SENT_2026._replace(least_bytes=least))
    words = ["--suffix", "_mine", "--data", data, "--upload", tmp_path / "sent.tar.gz"]
    list_outputs(run)
    said = refused("export_challenge", *words, cwd=tmp_path)
    assert "libri_dev_enrolls_mine: has no wav inside" in said and "IEMOCAP_dev_mine" in said
    small = ["libri_test_enrolls_mine", "train-clean-360_mine"]
    for folder in data.glob("*_mine"):
        (folder / "wav" / "a.wav").write_bytes(b"speech"[: 5 if folder.name in small else 6])
    if year == "2026":
        told = refused("export_challenge", *words, cwd=tmp_path).partition("error: ")[2].split("; ")
        assert [one.partition(f"{data}/")[2].partition(": has 5 bytes")[0] for one in told] == small
        assert " 6" in told[0] and not (tmp_path / "sent.tar.gz").exists()
        for name in small:
            (data / name / "text").write_text("t")
    (data / "IEMOCAP_dev_mine").rename(data / "IEMOCAP_dev_other")
    linked = data / "train-clean-360_mine" / "wav"
    linked.rename(tmp_path / "of another disk")
    linked.symlink_to(tmp_path / "of another disk")
    sent = succeeds("export_challenge", *words, cwd=tmp_path)
    assert f"missing: {data}/IEMOCAP_dev_mine" in sent
    assert f" submission{'_track1' * (year == '2026')}_mine.tar.gz" in sent
    with tarfile.open(tmp_path / "sent.tar.gz") as archive:
        names = archive.getnames()
    files = {"result_for_rank_mine", "result_for_submission_mine.zip"}
    assert {f"{below}{name}" for name in files} <= {*names}
    assert "data/train-clean-360_mine/wav/a.wav" in names
    assert not any("other" in name for name in names)
    if below:
        assert all((run.folder / below / name).is_file() for name in files)
        with zipfile.ZipFile(run.folder / below / "result_for_submission_mine.zip") as zipped:
            assert f"{TRACK_1}eval_anon_mine/results_anon.txt" in zipped.namelist()
    assert (run.folder / "result_for_rank_mine").read_text().count("ASV_eval") == 2
    succeeds("verify", run.folder, cwd=tmp_path)


def list_outputs(run):
    """Write the provenance with all that the run has made."""
    made = {name: sha256_of(path) for name, path in outputs_of(run.folder).items()}
    write_json(run.folder / "provenance.json", run.provenance | {"outputs": made})


def test_other_systems_and_other_runs_are_refused(run, tmp_path):
    list_outputs(run)
    said = {"_theirs": "theirs: results has mine", "_mine --data .": "--upload, --data"}
    for words, reason in said.items():
        assert reason in refused("export_challenge", "--suffix", *words.split(), cwd=tmp_path)


def test_how_track_2_is_sent_in_is_not_known(tmp_path, monkeypatch):
    run = finished(tmp_path, monkeypatch, "2026", "de")
    list_outputs(run)
    assert "track 2" in refused("export_challenge", "--suffix", "_mine", cwd=tmp_path)
    assert Exported(run, "mine", "_mine").write().is_file(), "as voiceprivacy vpc leaves them"
