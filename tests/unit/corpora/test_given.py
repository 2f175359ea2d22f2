"""The protocol given: trial lists as they lie there, and every mistake in them."""

import re

from support import calls
from support.trees import edit, kaldi, messages, prepare_list, write_lines

from voiceprivacy.corpora import checks
from voiceprivacy.corpora.parts import list_names
from voiceprivacy.corpora.protocols.given import across_genders
from voiceprivacy.inout import enrolments, trial_lists
from voiceprivacy.plan import configuration


def few(name, count):
    return f"trial list {name}: has {count} speakers: with fewer than 10 numbers are rough"


def test_a_challenge_directory_is_read_as_it_is(tmp_path):
    kaldi(tmp_path / "enrolls", men=["m1", "m2"])
    kaldi(tmp_path / "trials_f")
    kaldi(tmp_path / "trials_m", women=[], men=["m1", "m2"])
    trial = [str(tmp_path / folder) for folder in ("trials_f", "trials_m")]
    source = {"kaldi": {"enrolment": str(tmp_path / "enrolls"), "trial": trial}}
    for folder in ("trials_f", "trials_m"):
        text = (tmp_path / folder / "wav.scp").read_text()
        (tmp_path / folder / "wav.scp").write_text(text.replace(" wav/", " enrolls/wav/"))
        (tmp_path / folder / "enrolls").unlink()
    protocol = {"given": {"f": str(tmp_path / "trials_f"), "m": str(tmp_path / "trials_m")}}
    assert list_names(protocol) == ["f", "m"]
    assert messages(source, protocol) == [few("f", 2), few("m", 2)]

    listed, enrolled = prepare_list(tmp_path, source, protocol, "m")
    assert enrolments.read_enrolments(enrolled) == {"m1": ["m1-0", "m1-1"], "m2": ["m2-0", "m2-1"]}
    trials = [" ".join(trial) for trial in trial_lists.read_trials(listed)]
    assert trials == (tmp_path / "trials_m" / "trials").read_text().splitlines()

    write_lines(tmp_path / "plan_2.txt", trials[1:])
    by_file = {"given": {"m": {"list": str(tmp_path / "plan_2.txt")}}}
    listed, _ = prepare_list(tmp_path, source, by_file, "m")
    assert [" ".join(trial) for trial in trial_lists.read_trials(listed)] == trials[1:]


def test_without_enrolls_all_of_the_enrolment_directory_enrols(tmp_path):
    kaldi(tmp_path / "enrolls", enrolled=3, tried=0)
    kaldi(tmp_path / "trials", enrolled=0, tried=2)
    for folder in ("enrolls", "trials"):
        (tmp_path / folder / "enrolls").unlink()
        for table in ("wav.scp", "utt2spk", "trials"):
            path = tmp_path / folder / table
            lines = path.read_text().splitlines()
            write_lines(path, [re.sub(r"(w\d)-(\d)", rf"\1-{folder}\2", line) for line in lines])
        for path in (tmp_path / folder / "wav").glob("*.wav"):
            path.rename(path.with_name(path.name.replace("-", f"-{folder}")))
    directories = {"enrolment": str(tmp_path / "enrolls"), "trial": [str(tmp_path / "trials")]}
    protocol = {"given": {"f": str(tmp_path / "trials")}}
    _, enrolled = prepare_list(tmp_path, {"kaldi": directories}, protocol, "f")
    expected = {who: [f"{who}-enrolls{number}" for number in range(3)] for who in ("w1", "w2")}
    assert enrolments.read_enrolments(enrolled) == expected
    [error] = checks.examine({"kaldi": str(tmp_path / "trials")}, protocol, 16000).findings.errors()
    assert str(error) == f"{tmp_path}/trials/enrolls: not found"


def test_a_list_whose_utterances_cannot_be_compared_with_each_other_is_refused_at_once(tmp_path):
    """Linkage and similarity would stop the run after hours; given scores need neither."""
    source, protocol = kaldi(tmp_path)
    trials = (tmp_path / "trials").read_text().splitlines()
    tried = sorted({line.split()[1] for line in trials})
    first = [next(name for name in tried if name.startswith(who)) for who in ("w1", "w2")]
    own = [name for name in tried if name.startswith("w1")]
    for kept, said in ((first, "no speaker is tried with two"), (own, "only one speaker is tried")):
        write_lines(tmp_path / "trials", [line for line in trials if line.split()[1] in kept])
        for pieces in ({}, {"segments": {"seconds": 0.1}}):
            cut = source | pieces
            [error] = checks.examine(cut, protocol, 16000).findings.errors()
            assert str(error).startswith(f"trial list all: {said}")
            assert not checks.examine(cut, protocol, 16000, compared=False).findings.errors()
    words = calls.flags(source=source, protocol=protocol, checks=tmp_path / "c.tsv")
    assert "only one speaker is tried" in calls.refused("validate_corpus", *words)
    calls.succeeds("validate_corpus", "--not-compared", *words)


def test_women_and_men_in_one_list_are_said_unless_it_is_called_mixed(tmp_path):
    source, protocol = kaldi(tmp_path, women=["w1"], men=["m1"])
    assert any("all: holds women and men" in finding for finding in messages(source, protocol))
    assert messages(source, {"given": {"mixed": str(tmp_path)}}) == [few("mixed", 2)]
    of_women = messages(source, {"given": {"f": str(tmp_path)}})
    (error,) = [error for error in of_women if "genders" in error]
    assert error.startswith(f"{tmp_path}/trials:3: speaker 'm1' is m in a list of f")


def test_audio_that_no_list_uses_is_checked_too(tmp_path):
    source, protocol = kaldi(tmp_path)
    edit(tmp_path / "trials", "w1 w1-3 target\n", "")
    edit(tmp_path / "trials", "w2 w1-3 nontarget\n", "")
    edit(tmp_path / "wav.scp", "w1-3 wav/w1-3.wav", "w1-3 wav/lost.wav")
    assert f"{tmp_path}/wav/lost.wav: not found (utterance 'w1-3')" in messages(source, protocol)


def test_counts_that_differ_from_the_published_ones_are_said(tmp_path):
    source, _ = kaldi(tmp_path / "libri_dev_trials_f")
    protocol = {"given": {"f": str(tmp_path / "libri_dev_trials_f")}}
    said = [finding for finding in messages(source, protocol) if "published" in finding]
    counts = [re.findall(r"\d+", finding.partition("_f has ")[2]) for finding in said]
    assert counts == [["2", "15"], ["4", "1018"], ["4", "704"], ["4", "14566"]]


def test_what_is_wrong_with_an_id_is_said_once_and_a_list_without_a_file_is_named(tmp_path):
    source, protocol = kaldi(tmp_path)
    (tmp_path / "trials").write_text((tmp_path / "trials").read_text().replace("w1-3", "w1-9"))
    assert len([finding for finding in messages(source, protocol) if "w1-9" in finding]) == 1
    protocol["given"]["more"] = str(tmp_path / "more")
    assert f"{tmp_path}/more/trials: not found" in messages(source, protocol)


def test_a_speaker_without_gender_is_an_error_in_lists_per_gender_only(tmp_path):
    source, protocol = kaldi(tmp_path)
    edit(tmp_path / "spk2gender", "w2 f\n", "")
    assert messages(source, protocol) == [few("all", 2)]
    per_gender = {"given": {"f_common": str(tmp_path)}}
    one, *others = messages(source, per_gender)
    assert one.startswith(f"{tmp_path}/trials:3: speaker 'w2' is neither f nor m")
    assert others == [few("f_common", 2)]


def test_a_list_of_women_and_men_is_parted_by_gender(tmp_path):
    source, _ = kaldi(tmp_path, women=["w1", "w2"], men=["m1", "m2"])
    lists = {f"all_{gender}": {"directory": str(tmp_path), "gender": gender} for gender in "fm"}
    assert messages(source, {"given": lists}) == [few("all_f", 2), few("all_m", 2)]
    trials = trial_lists.read_trials(prepare_list(tmp_path, source, {"given": lists}, "all_m")[0])
    assert {trial.enrolment for trial in trials} == {"m1", "m2"}
    assert {trial.trial.partition("-")[0] for trial in trials} == {"m1", "m2"}
    assert len(trials) == 8


def test_given_lists_are_parted_only_where_the_corpus_says_so(tmp_path):
    given = {"f": str(tmp_path), "all": str(tmp_path)}

    def completed_lists(**fields):
        corpus = {"kaldi": str(tmp_path), "protocol": {"given": given}, **fields}
        return configuration.check({"corpora": {"c": corpus}})["corpora"]["c"]["protocol"]["given"]

    assert completed_lists() == given
    lists = {f"all_{gender}": {"directory": str(tmp_path), "gender": gender} for gender in "fm"}
    assert completed_lists(gender="separate") == {"f": str(tmp_path), **lists}


def test_a_list_with_repeats_is_read_as_the_scorer_of_2026_reads_it(tmp_path):
    source, _ = kaldi(tmp_path / "data", men=["m1", "m2"])
    true = (tmp_path / "data" / "trials").read_text().splitlines()
    own = "w1 w1-2 target"
    assert own in true
    lines = [
        f"{own.rpartition(' ')[0]} nontarget",
        *true,
        own,
        "w1 nobody target",
        "x9 w1-2 target",
    ]
    write_lines(tmp_path / "data" / "trials", lines)
    options = {"directory": str(tmp_path / "data"), "repeats": "last"}
    as_scored = {"given": {"mixed": options}}
    [said, _] = messages(source, as_scored)
    counts = ("repeat a pair: 2,", "contradict the one before: 1,", "that is there: 2;")
    assert all(count in said for count in counts)
    listed, _ = prepare_list(tmp_path, source, as_scored, "mixed")
    trials = [" ".join(trial) for trial in trial_lists.read_trials(listed)]
    assert sorted(trials) == sorted(true)
    wrong = messages(source, {"given": {"mixed": str(tmp_path / "data")}})
    assert any("occurs twice" in one for one in wrong)


def test_trials_across_genders_are_drawn_by_the_rule_of_september():
    women, men = [f"w{n}" for n in range(6)], [f"m{n}" for n in range(5)]
    speakers, trials = {"f": women, "m": men}, []
    for own in (women, men):
        for index, speaker in enumerate(own):
            for other in own[: 4 if index else 2]:  # 1 to 3 nontargets of each utterance
                label = "target" if speaker == other else "nontarget"
                trials.append(trial_lists.Trial(other, f"{speaker}-0", label))
    genders = {trial.trial: trial.trial[0].replace("w", "f") for trial in trials}
    drawn = across_genders(trials, speakers, genders, seed=3)
    whom = {}
    for trial in drawn:
        assert (trial.label, genders[trial.trial]) == (
            "nontarget",
            "m" if trial.enrolment in women else "f",
        )
        whom.setdefault(trial.trial, []).append(trial.enrolment)
    assert {len(names) for names in whom.values()} == {3}  # 2.9 and 2.6 on average
    assert all(len({*names}) == len(names) for names in whom.values())
    assert [trial.enrolment[0] for trial in drawn] == ["m"] * 18 + ["w"] * 15
    assert drawn != across_genders(trials, speakers, genders, seed=4)
    fewer = [trial for trial in trials if trial.trial != "w1-0"]
    again = across_genders(fewer, speakers, genders, seed=3)
    assert again == [trial for trial in drawn if trial.trial != "w1-0"]
