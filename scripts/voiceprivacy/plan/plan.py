"""What is shown besides privacy: utility (pitch correlation, measures of one's own), clips, published numbers."""

from voiceprivacy.plan.attackers import Attackers
from voiceprivacy.plan.averages import all_averages, folder_of
from voiceprivacy.plan.given import Given, given_scores
from voiceprivacy.plan.outputs import Outputs
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import ACROSS_CORPORA, GIVEN, SECOND_RUN, Attack

# Comparisons of anonymisers on averages over several corpora: which there are, and of which lists.


class Averages:
    """The part of a plan that is about averages; as an Attack, an average is a list of the corpus ACROSS_CORPORA."""

    def averages(self):
        """Every average over lists of several corpora: {name as in paths: {(corpus, trials): weight}}."""
        tried = dict.fromkeys(attack[:2] for attack in (*self.attacks(), *self.given_attacks()))
        found = all_averages(self.config["report"]["averages"], tried)
        return {folder_of(name): weights for name, weights in found.items()}

    def average_attacks(self):
        """Every attacker with intervals on all lists of an average."""
        resampled = self.given_resampled()
        tried = {}
        for attack in (
            *self.attacks(),
            *(of for of in self.given_attacks() if of.extractor in resampled),
        ):
            tried.setdefault((attack.extractor, attack.backend), set()).add(
                (attack.corpus, attack.trials)
            )
        return [
            Attack(ACROSS_CORPORA, name, *attacker)
            for name, weights in self.averages().items()
            for attacker, lists in tried.items()
            if weights.keys() <= lists
            and (GIVEN not in attacker or self.given_everywhere(attacker[0], weights))
        ]


PITCH = "pitch_correlation"


class Utility:
    """The part of a plan that is about utility, and what else the page adds."""

    def measures(self, corpus):
        """Every table of measures of a corpus: pitch of anonymisers, measures of the config of the original too."""
        folder = f"results/utility/{corpus}/trial"
        pitch = self.anonymisers if self.config["report"]["pitch_correlation"] else []
        found = [f"{folder}/{name}/{PITCH}.tsv" for name in pitch]
        systems = ["original", *self.anonymisers]
        return found + [
            f"{folder}/{name}/{of}.tsv" for name in systems for of in self.config["utility"]
        ]

    def measure_options(self):
        """How the measures are read: {name: {better, weight}}."""
        keys = ("better", "weight")
        found = {
            name: {key: entry[key] for key in keys if key in entry}
            for name, entry in self.config["utility"].items()
        }
        return {PITCH: {"better": "higher"}, **found}

    def listened(self):
        """Clips to listen to of every corpus with trial lists."""
        corpora = (
            [name for name in self.evaluated if self.trial_lists(name)]
            if self.config["report"]["listen"]
            else []
        )
        return [f"results/report/listen/{corpus}.json" for corpus in corpora]

    def given_lists(self):
        """(corpus, trial list) of the lists that lie in Kaldi directories: only those can be published sets."""
        return [
            (corpus, trials)
            for corpus, trials in self.all_trial_lists()
            if "given" in self.corpora[corpus].get("protocol", {})
        ]

    def utility(self):
        """The table of means of every corpus of which something is measured."""
        return [
            f"results/metrics/utility/{corpus}.tsv"
            for corpus in self.evaluated
            if self.measures(corpus)
        ]


# What a config asks for: which speech, which attacks, which files. The rules only put wildcards into these answers.
#
# A plan is made of a config that ``configuration.check`` has completed, and answers in names and in paths under results/.


class Plan(Speech, Attackers, Given, Averages, Utility, Outputs):
    """The answers for one config (dict, completed)."""

    def __init__(self, config):
        self.config = config
        self.corpora = config["corpora"]
        self.anonymisers = config["anonymisers"]
        self.extractors = self._instances(config["extractors"])
        self.backends = self._instances(config["backends"])
        self.given = {
            name: given_scores(entry["scores"]) for name, entry in config["attacks"].items()
        }
        self.evaluated = [
            name for name, entry in self.corpora.items() if entry["use"] == "evaluation"
        ]
        self.repeated = [name for name, entry in self.anonymisers.items() if entry["runs"] == 2]
        self.protected = [*self.anonymisers, *[f"{name}{SECOND_RUN}" for name in self.repeated]]
