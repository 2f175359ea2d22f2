"""Comparisons of anonymisers on averages over several corpora: which there are, and of which lists."""

from voiceprivacy.averages import ACROSS, all_averages, folder_of
from voiceprivacy.plan.attackers import Attack
from voiceprivacy.plan.given import GIVEN


class Averages:
    """The part of a plan that is about averages; as an Attack, an average is a list of the corpus ACROSS."""

    def averages(self):
        """Every average over lists of several corpora: {name as in paths: {(corpus, trials): weight}}."""
        tried = dict.fromkeys(attack[:2] for attack in (*self.attacks(), *self.given_attacks()))
        found = all_averages(self.config["report"]["averages"], tried)
        return {folder_of(name): weights for name, weights in found.items()}

    def average_attacks(self):
        """Every attacker with intervals on all lists of an average."""
        resampled = self.given_resampled()
        tried = {}
        for attack in (*self.attacks(), *(of for of in self.given_attacks() if of.extractor in resampled)):
            tried.setdefault((attack.extractor, attack.backend), set()).add((attack.corpus, attack.trials))
        return [
            Attack(ACROSS, name, *attacker)
            for name, weights in self.averages().items()
            for attacker, lists in tried.items()
            if weights.keys() <= lists and (GIVEN not in attacker or self.given_everywhere(attacker[0], weights))
        ]
