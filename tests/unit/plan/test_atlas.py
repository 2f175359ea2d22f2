"""Which channels a config gets, whose attackers hear them, and what it cannot have."""

import pytest
from support.plans import voices

from voiceprivacy.plan.defaults import complete
from voiceprivacy.plan.plan import Plan

SPOKEN = voices(6, 5, protocol={"enrol_trial": {"enrolment_utterances": 2, "lists": ["f"]}})
LEARNT = voices(6, 5, first=6, use="train")


def config(*, corpora=None, **options):
    entries = {"corpora": {"demo": SPOKEN} | (corpora or {})}
    entries |= {"anonymisers": {"b2": {"command": "python mine.py"}}} | options
    entries["extractors"] = {"net": {"command": "python net.py"}} | options.get("extractors", {})
    return complete(entries)


def heard(completed):
    """{(anonymiser, condition): {channel: its Heard}}."""
    systems = {}
    for one in Plan(completed).atlas.heard:
        systems.setdefault((one.anonymiser, one.condition), {})[one.channel] = one
    return systems


def test_true_adds_all_channels_that_the_corpora_allow_and_keeps_what_there_is():
    assert list(config()["extractors"]) == ["net"] and Plan(config()).atlas.lists() == []
    without = ["net", "pitch", "contour", "timing", "background", "style", "words"]
    assert list(config(atlas=True)["extractors"]) == without
    with_phones = config(atlas=True, corpora={"train": LEARNT})
    assert with_phones["extractors"]["phones"]["units"] == {"corpus": "train"}
    cut = config(atlas=True, corpora={"demo": SPOKEN | {"segments": {"seconds": 2}}})
    assert not {"style", "words"} & cut["extractors"].keys()
    own = {"extractors": {"f": {"f0": {}}}, "backends": {"js": {"type": "jensen_shannon"}}}
    completed = config(atlas={"channels": ["pitch"]}, **own)
    assert list(completed["extractors"]) == ["net", "f"]
    assert completed["backends"].keys() == {"js"}
    one = {"js": {"type": "jensen_shannon", "extractors": ["net"]}}
    completed = config(atlas={"channels": ["pitch"]}, backends=one)
    assert completed["backends"].keys() == {"js", "jensen_shannon"}


@pytest.mark.parametrize(
    ("options", "extractors"),
    [
        ({}, ["net", "timing"]),
        ({"extractors": {"when": {"timing": {}}}}, ["net", "when"]),
        ({"atlas": {"channels": ["timing", "pitch"]}}, ["net", "pitch", "timing"]),
    ],
    ids=["added", "there already", "of the atlas"],
)
def test_timing_is_attacked_where_lengths_are_free(options, extractors):
    free = {"anonymisers": {"read": {"command": "python read.py", "lengths": "free"}}}
    completed = config(**free, **options)
    assert list(completed["extractors"]) == extractors
    plan = Plan(completed)
    assert {(name, "jensen_shannon") for name in extractors[1:]} <= {
        (attack.extractor, attack.backend) for attack in plan.attackers.attacks()
    }
    assert plan.speech.anonymiser_call("read", "demo", "trial")["lengths"] == "free"
    assert plan.atlas.is_wanted == ("atlas" in options)


def test_every_system_is_heard_by_each_channel_and_words_in_unprotected_speech():
    systems = heard(config(atlas={"channels": ["words", "timing"]}))
    assert list(systems) == [("original", "oo"), ("b2", "op"), ("b2", "pp")]
    protected = systems["b2", "pp"]
    assert list(protected) == ["voice", "timing", "words"]
    assert protected["voice"][3:] == ("b2", "pp", "net", "cosine")
    assert protected["timing"][3:] == ("b2", "pp", "timing", "jensen_shannon")
    assert protected["words"][3:] == ("original", "oo", "words", "cosine")
    # An attacker that learnt from an anonymiser hears its voice.
    systems = heard(config(atlas=True, corpora={"train": LEARNT}))
    assert systems["original", "oo"]["voice"].backend == "cosine"
    assert systems["b2", "op"]["voice"].backend == "semi_on_b2"
    more = {"anonymisers": {name: {"command": "x"} for name in ("b2", "b3")}}
    mixed = {"type": "plda", "train": {"corpus": "train", "speech": ["others"]}}
    systems = heard(config(atlas=True, corpora={"train": LEARNT}, backends={"mix": mixed}, **more))
    assert systems["b2", "op"]["voice"].backend == "semi_on_b2"
