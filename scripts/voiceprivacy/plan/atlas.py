"""The disclosure atlas: which channels give a speaker away, and who listens to each of them.

A channel is an attacker like all others: an extractor with a back-end. ``atlas: true`` adds those
that a config lacks.

Conventions
-----------
* Each channel but the voice is told by the key of an extractor's entry (CHANNELS). The voice is
  the first extractor that is a network.
* A channel is heard by the first of the config's back-ends that compares its extractor. One that
  learnt from the speech of the anonymiser under attack comes before.
* Words of transcripts are the same in protected speech, so those of unprotected speech stand for
  them. A recogniser hears those of protected speech itself.
"""

from functools import cached_property
from itertools import product
from typing import Any

from voiceprivacy.corpus_kinds import why_no_transcripts
from voiceprivacy.inout.placeholders import expand
from voiceprivacy.plan.attackers import Attackers
from voiceprivacy.plan.rows import Heard
from voiceprivacy.plan.speech import first_training_corpus
from voiceprivacy.vocabulary import (
    EVALUATION,
    FREE,
    HISTOGRAMS,
    OF_TEXT,
    ORIGINAL,
    WORDS,
    Attack,
    TrialList,
)

VOICE = "voice"
CHANNELS = {  # channel: the key of its extractor
    "pitch": "f0",
    "contour": "contour",
    "phones": "units",
    "timing": "timing",
    "background": "background",
    "style": "style",
    "words": WORDS,
}
LEARNT = "phones"  # its codebook


def added(config: dict[str, Any]) -> list[str]:
    """The channels that a completed config gets attackers of: those of its atlas, and timing.

    Timing is attacked wherever an anonymiser may change how long speech lasts: a rate of speech
    can be the speaker's own.
    """
    anonymisers = config["anonymisers"].values()
    is_free = any(options.get("lengths") == FREE for options in anonymisers)
    channels = wanted(config)
    if is_free and config["extractors"] and "timing" not in channels:
        channels.append("timing")
    return channels


def wanted(config: dict[str, Any]) -> list[str]:
    """The channels besides the voice that a completed config asks for; none without an atlas.

    Of ``true`` these are all that the corpora allow: phones need a corpus to learn from, style and
    words need the transcripts of all that is attacked.
    """
    if config["atlas"] is False:
        return []
    if config["atlas"] is not True:
        named = config["atlas"]["channels"]
        return [channel for channel in CHANNELS if channel in named]
    possible = list(CHANNELS)
    if not first_training_corpus(config):
        possible.remove(LEARNT)
    corpora = config["corpora"].values()
    attacked = [expand(corpus) for corpus in corpora if corpus["use"] == EVALUATION]
    if any(map(why_no_transcripts, attacked)):
        possible = [channel for channel in possible if channel not in OF_TEXT]
    return possible


def with_channels(config: dict[str, Any]) -> dict[str, Any]:
    """A config with the extractors and back-ends of the channels (``added``) that it lacks."""
    extractors = config["extractors"]
    learnt_from = first_training_corpus(config)
    for channel in added(config):
        key = CHANNELS[channel]
        if any(key in options for options in extractors.values()):
            continue
        if channel == LEARNT and not learnt_from:
            continue  # a contradiction, which configuration tells
        extractors.setdefault(channel, {key: {"corpus": learnt_from} if channel == LEARNT else {}})
    kinds = set().union(*extractors.values())
    if kinds.intersection(HISTOGRAMS):
        _add_backend(config["backends"], "jensen_shannon")
    if WORDS in kinds:
        _add_backend(config["backends"], "cosine")
    return config


def _add_backend(backends, kind):
    """A back-end of a type, unless there is one that compares whatever it can."""
    for options in backends.values():
        if options["type"] == kind and "extractors" not in options:
            return
    name = f"{kind}_of_channels" if kind in backends else kind
    backends.setdefault(name, {"type": kind})


class Atlas:
    """Who hears which channel in the speech of each system of a run.

    Parameters
    ----------
    config : completed
    attackers : of the run
    """

    def __init__(self, config: dict[str, Any], attackers: Attackers) -> None:
        self.attackers = attackers
        self.layout = attackers.layout
        self.is_wanted = bool(config["atlas"])
        self.channels = wanted(config)

    @cached_property
    def heard(self) -> list[Heard]:
        """Every channel of each system and condition; none without an atlas."""
        heard: list[Heard] = []
        speech = self.attackers.speech
        for anonymiser in (ORIGINAL, *speech.anonymisers) if self.is_wanted else ():
            for condition in speech.conditions(anonymiser):
                if condition != "p0p1":  # of linking sessions there is no gallery of originals
                    heard += self._heard(anonymiser, condition)
        return heard

    def lists(self) -> list[TrialList]:
        """The trial lists and galleries that there is an atlas of."""
        speech = self.attackers.speech
        lists = [trials for trials in speech.all_trial_lists() if speech.has_gallery(trials.corpus)]
        return [*lists, *speech.all_galleries()] if self.heard else []

    def speakers(self, corpus: str, trials: str) -> list[str]:
        """Rank disclosure of every speaker by every channel of a list, as ``heard`` has them."""
        files = []
        for one in self.heard:
            folder = Attack(corpus, trials, one.extractor, one.backend).path(one.heard_in)
            files.append(self.layout.path(f"curves/rank_speakers/{folder}.tsv"))
        return files

    def _heard(self, anonymiser, condition):
        """Every channel of a system under a condition, in the order of the channels."""
        heard = {}
        for extractor, options in self.attackers.extractors.items():
            channel = self._channel(extractor)
            attacker = self._attacker(options["base"], anonymiser)
            if channel in heard or channel not in (VOICE, *self.channels) or attacker is None:
                continue
            is_tried = anonymiser in self.attackers.systems(*attacker)
            source = (anonymiser, condition) if is_tried else (ORIGINAL, "oo")
            heard[channel] = Heard(anonymiser, condition, channel, *source, *attacker)
        return [heard[channel] for channel in (VOICE, *CHANNELS) if channel in heard]

    def _channel(self, extractor):
        feature = self.attackers.feature(extractor)
        return next((name for name, key in CHANNELS.items() if key == feature), VOICE)

    def _attacker(self, base, anonymiser):
        """(extractor, back-end) that hears an extractor of the config in the speech of a system."""
        attackers = self.attackers
        instances = [name for name, each in attackers.extractors.items() if each["base"] == base]
        pairs = product(instances, attackers.backends)
        heard = [pair for pair in pairs if attackers.applies(pair[1], pair[0])]
        if attackers.feature(instances[0]) == WORDS:
            return next(iter(heard), None)
        tried = [pair for pair in heard if attackers.attacked(*pair) in (None, anonymiser)]
        tried.sort(key=lambda pair: attackers.informed(*pair) is None)  # who knows more comes first
        return next(iter(tried), None)
