"""What a run will take: the sums by hand, and the words."""

from voiceprivacy import configuration
from voiceprivacy.corpora.checks import Examination, Size
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.estimate import SECONDS_PER_SECOND, Step, estimate, text

CONFIG = {
    "corpora": {"a": {"kaldi": "/"}, "b": {"synthetic": {"speakers": 1, "utterances": 1}, "use": "train"}},
    "anonymisers": {"b2": {"command": "python {scripts}/anonymise_mcadams.py", "runs": 2}, "mine": {"audio": "x"}},
    "extractors": {"ecapa": {"model": "speechbrain/ecapa", "revision": "0123456789"}},
    "backends": {"cosine": {"type": "cosine"}},
}


def examined(enrolment_s=1800, trial_s=1800, trials=1000):
    parts = {"enrolment": Size(100, enrolment_s), "trial": Size(100, trial_s)}
    empty = Examination(Findings(), {"train": Size(0, 0)}, {}, {})
    return {"a": Examination(Findings(), parts, {"all": trials}, {}), "b": empty}


def steps(**sizes):
    return {step.what: step for step in estimate(configuration.complete(CONFIG), examined(**sizes))}


def test_protected_speech_is_counted_for_every_anonymiser_and_run():
    protected = steps()["protected speech"]
    assert protected.bytes == 3 * 3600 * 16000 * 1.15
    assert protected.seconds == 2 * 3600 * SECONDS_PER_SECOND["mcadams"]


def test_speech_that_is_used_where_it_lies_takes_no_disk():
    assert steps()["prepared speech"].bytes == 0


def test_every_system_is_heard_and_every_condition_scored():
    assert steps()["embeddings"].seconds == 4 * 3600 * SECONDS_PER_SECOND["ecapa"]
    conditions = 1 + 3 + 2
    assert steps()["scores"].bytes == steps(trials=500)["scores"].bytes * 2 == conditions * 1000 * 65


def test_the_table_has_readable_units_and_a_sum():
    table = text([Step("one", 2.5e9, 7200), Step("other", 2e6, 30)])
    lines = [" ".join(line.split()) for line in table.splitlines()]
    assert lines[1:4] == ["one 2 GB 2 h", "other 2 MB 30 s", "all 3 GB 2 h"]
    assert lines[4].startswith("free on this disk")
