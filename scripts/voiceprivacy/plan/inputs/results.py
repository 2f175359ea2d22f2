"""What rules ask about results: of attacks, ours and given ones, of utility, and of papers."""

import json
from collections.abc import Callable
from itertools import chain, product
from typing import Any

from voiceprivacy.inout.placeholders import paths_behind
from voiceprivacy.plan.inputs.wildcards import Ask, Entries, option, options
from voiceprivacy.plan.measures import UNSAID
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import sandbox_arguments
from voiceprivacy.running.fingerprints import code
from voiceprivacy.vocabulary import (
    ACROSS_CORPORA,
    CHOSEN_BY,
    GIVEN,
    ORIGINAL,
    WITHIN_RELEASE,
    Attack,
)

TO_CHECK = 5  # minutes, after those of measures


def attack_of(wildcards: Any) -> Attack:
    """The attack of a job."""
    return Attack(*[wildcards[name] for name in Attack._fields])


class AttackInputs:
    """What rules ask about the scores of attacks: our own, and those that somebody else made."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.inference = plan.outputs.inference()

    # Scores of a system.

    def under(self, own: Callable[[str], list[str]]) -> Ask:
        """Return a function of wildcards: the conditions that a system is attacked under.

        Parameters
        ----------
        own : says those of our own attacks
        """

        def conditions(wildcards: Any) -> list[str]:
            attack = attack_of(wildcards)
            if attack.backend == GIVEN:
                return self.plan.given.systems(attack)[wildcards.anonymiser]
            return own(wildcards.anonymiser)

        return conditions

    def files(self, pattern: str, own: Callable[[str], list[str]]) -> Ask:
        """Return an input function: the file of a system under each of them."""
        under = self.under(own)
        return lambda wildcards: [
            pattern.format(condition=condition, **wildcards) for condition in under(wildcards)
        ]

    # Which trials they are of, and who speaks.

    def lists(self, corpus: str, trials: str) -> list[Any]:
        """The lists that scores must be of, as arguments: others' may be of lists of their own."""
        release = option("--release", self.plan.speech.release_file(corpus, trials))
        return option("--trials", self.plan.speech.list_file(corpus, trials)) + release

    def calibration_lists(self, corpus: str, trials: str) -> list[Any]:
        """The list of both runs of an anonymiser."""
        path = self.plan.speech.list_file(corpus, trials)
        return option("--train-trials", path) + option("--test-trials", path)

    def given_list(self, corpus: str, trials: str, condition: str) -> str | None:
        """The list of ours that given scores must be of."""
        speech = self.plan.speech
        file = speech.release_file if condition in WITHIN_RELEASE else speech.list_file
        return file(corpus, trials)

    def given_key(self, extractor: str, corpus: str, trials: str, condition: str) -> str | None:
        """The key of their files, or that list."""
        key = self.plan.given.key(extractor, corpus, trials)
        return key or self.given_list(corpus, trials, condition)

    def _speakers(self, wildcards):
        """The file that says who speaks in the trials of a list."""
        attack = attack_of(wildcards)
        if attack.backend == GIVEN:
            return self.plan.given.speakers(attack)
        return self.plan.layout.trials(attack.corpus, attack.trials, "speakers")

    def speakers(self, wildcards: Any) -> str | list[str]:
        """The file that says who speaks, or the fingerprint of the user's own.

        Nothing where the config wants no intervals.
        """
        if not self.plan.n_replicates:
            return []
        name = wildcards.extractor
        if wildcards.backend == GIVEN and "speakers" in self.plan.given.entries[name]:
            return self.plan.sources.file("attacks", name)
        return self._speakers(wildcards)

    def speakers_argument(self, wildcards: Any) -> list[Any]:
        """The file as an argument, where there are intervals."""
        return ["--speakers", self._speakers(wildcards)] if self.plan.n_replicates else []

    # What is assessed.

    def intervals(self, pattern: str, *families: str) -> dict[str, str]:
        """Outputs of families of metrics besides numbers; none if the config wants no intervals.

        Parameters
        ----------
        pattern : path of metrics with {family} and without ending
        """
        files = {}
        for family in families if self.plan.n_replicates else ():
            path = pattern.replace("{family}", family)
            files[f"{family}_intervals"] = f"{path}.intervals.json"
            files[f"{family}_replicates"] = f"{path}.bootstrap.npz"
        return files

    def normalised_argument(self, wildcards: Any, input: Any, output: Any) -> list[Any]:
        """Metrics in proportion to those of original speech."""
        original = options(input, "verification_original", "zebra_original")
        return original + options(output, "normalised")

    def ranks_argument(self, wildcards: Any, input: Any, output: Any) -> list[Any]:
        """Ranks of one anonymiser."""
        conditions = self.plan.speech.conditions(wildcards.anonymiser)
        ranks = options(output, "ranks", "rank_curves", "rank_speakers", "rank_examples")
        return ["--templates", *input.templates, "--label", *conditions, *ranks]

    def inferred(self, extractor: str) -> list[str]:
        """Embeddings of both parts of all systems, by all extractors of one name in the config."""
        files = []
        for corpus, extractors in self.inference[extractor].items():
            for name, systems in extractors.items():
                for system, part in product(systems, ("enrolment", "trial")):
                    files.append(self.plan.layout.embeddings(corpus, part, system, name))
        return files

    def inference_plan(self, extractor: str) -> dict[str, dict[str, list[str]]]:
        """Which systems each of these extractors is tried on: {corpus: {extractor: systems}}."""
        return self.inference[extractor]

    def tried_on(self, pattern: str) -> Ask:
        """Return an input function: a file of every corpus that an extractor is tried on."""
        return lambda wildcards: [
            pattern.format(corpus=corpus) for corpus in self.inference[wildcards.extractor]
        ]

    # Comparisons.

    def compared_intervals(self, wildcards: Any) -> list[str]:
        """Intervals of all systems that are compared."""
        return self.plan.outputs.compared_intervals(attack_of(wildcards))

    def replicates(self, intervals: Ask) -> Ask:
        """Return an input function: the files of replicates beside files of intervals."""
        mark, ending = self.plan.layout.mark, ".intervals.json"
        return lambda wildcards: [
            mark(f"{path.removesuffix(ending)}.bootstrap.npz") for path in intervals(wildcards)
        ]

    def weights_argument(self, wildcards: Any) -> list[str]:
        """Weights of the lists of an average over several corpora; others need none."""
        if wildcards.corpus != ACROSS_CORPORA:
            return []
        weights = self.plan.averages.weights[wildcards.trials]
        texts = [f"{corpus}/{trials}={weight}" for (corpus, trials), weight in weights.items()]
        return ["--weights", *texts]

    # Papers.

    def _systems(self, wildcards):
        """(system, condition) of all that an attacker is tried on."""
        tried = self.plan.attackers.systems(wildcards.extractor, wildcards.backend)
        for system in tried:
            yield from product([system], self.plan.speech.conditions(system))

    def all_labels(self, wildcards: Any) -> list[str]:
        """SYSTEM/CONDITION of all that an attacker is tried on."""
        return list(map("/".join, self._systems(wildcards)))

    def all_scores(self, wildcards: Any) -> list[str]:
        """The scores of them on a list."""
        attack = attack_of(wildcards)
        return [
            self.plan.layout.scores(attack, system, condition)
            for system, condition in self._systems(wildcards)
        ]

    def anonymisers(self, wildcards: Any) -> list[str]:
        """The anonymisers that an attacker is tried on."""
        systems = self.plan.attackers.systems(wildcards.extractor, wildcards.backend)
        return [system for system in systems if system != ORIGINAL]

    def ranked(self, pattern: str) -> Ask:
        """Return a function of wildcards: the pattern for every attacker on a sampled gallery."""
        attacks = self.plan.attackers.rank_attacks()
        return lambda wildcards: [
            pattern.format(**attack._asdict())
            for attack in attacks
            if attack[:2] == (wildcards.corpus, wildcards.trials)
        ]

    def on_all_sets(self, pattern: str, systems: Ask) -> Ask:
        """Return an input function: curves of all sets of the first system, then of the next."""

        def files(wildcards: Any) -> list[str]:
            tried = product(systems(wildcards), self.plan.speech.all_trial_lists())
            return [
                pattern.format(anonymiser=system, **trial_list._asdict(), **wildcards)
                for system, trial_list in tried
            ]

        return files


class UtilityInputs:
    """What rules ask about measures of utility: of one, or of those that one job makes."""

    def __init__(self, plan: Plan) -> None:
        self.speech = plan.speech
        self.utility = plan.utility
        self.sources = plan.sources
        self.seed = plan.config["report"]["seed"]
        self.together = plan.utility.together()
        self.entries = Entries(plan.utility.entries.__getitem__, "measure")

    def _measures(self, wildcards):
        """The measures of a job: the one that it is named after, or all that are made together."""
        return [wildcards.measure] if wildcards.get("measure") else self.together

    def _fields(self, wildcards, name):
        return [self.utility.entries[measure][name] for measure in self._measures(wildcards)]

    def most(self, name: str) -> Ask:
        """Return a resource: the largest of a field of the entries of a job."""
        return lambda wildcards: max(self._fields(wildcards, name))

    def memory(self, wildcards: Any, attempt: int) -> int:
        """Megabytes of a job, which has more each time that it is tried again."""
        return max(self._fields(wildcards, "mem_mb")) * attempt

    def runtime(self, wildcards: Any) -> int:
        """Minutes of a job: those of its measures, and some to check what they wrote."""
        return sum(self._fields(wildcards, "runtime")) + TO_CHECK

    def threads(self, wildcards: Any) -> int:
        """Threads of a job."""
        return max(map(self.utility.threads, self._measures(wildcards)))

    def _all(self, wildcards, answer):
        """What is answered of each measure of a job, without repetition."""
        answers = map(answer, self._measures(wildcards))
        return list(dict.fromkeys(chain.from_iterable(answers)))

    def files(self, wildcards: Any) -> list[str]:
        """Fingerprints of the files that entries name."""
        return self._all(wildcards, lambda measure: self.sources.file("utility", measure))

    def models(self, wildcards: Any) -> list[str]:
        """Models that a rule fetches."""
        return self._all(wildcards, self.utility.model_stamp)

    def transcripts(self, wildcards: Any) -> list[str]:
        """What was said, where a measure reads it."""
        corpus = wildcards.corpus
        return self._all(wildcards, lambda measure: self.utility.transcripts(measure, corpus))

    def asked(self, wildcards: Any) -> list[dict[str, Any]]:
        """What is asked of each measure: how it is called, and how many utterances it hears."""
        measures = []
        for name in self._measures(wildcards):
            called = self.utility.call(name, wildcards.corpus, wildcards.anonymiser)
            entry_of_measure = self.utility.entries[name]
            chosen = {
                key: entry_of_measure[key]
                for key in CHOSEN_BY
                if entry_of_measure.get(key) not in UNSAID
            }
            measures.append(called | chosen | ({"seed": self.seed} if chosen else {}))
        return measures

    def asked_in_json(self, wildcards: Any) -> str:
        """The same for a command line."""
        return json.dumps(self.asked(wildcards))

    def code(self, wildcards: Any) -> str:
        """Fingerprint of our modules behind the job and its measures, and of paths in options."""
        modules = self._all(wildcards, self.utility.modules)
        return code("measure_utility", *modules) + paths_behind(self.asked(wildcards))

    def sandbox(self, wildcards: Any) -> list[str]:
        """The box of a command; those of ours that are made together have none."""
        return sandbox_arguments(self.utility.entries[self._measures(wildcards)[0]])

    def voices(self, corpus: str) -> list[str]:
        """Embeddings of the trials of all systems, and of the original speech that enrols."""
        embeddings, name = self.speech.layout.embeddings, self.utility.voice_extractor(corpus)
        systems = (ORIGINAL, *self.speech.anonymisers)
        trials = [embeddings(corpus, "trial", system, name) for system in systems]
        return [*trials, embeddings(corpus, "enrolment", ORIGINAL, name)]
