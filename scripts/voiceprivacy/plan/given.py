"""Attacks whose scores somebody else made: which files there are, and what is made of them."""

import re
from glob import glob

from voiceprivacy.vocabulary import ACROSS_CORPORA, CONDITIONS, GIVEN, MEAN, SECOND_RUN, Attack

NAME = "[a-z][a-z0-9_]*"


def given_scores(template):
    """Score files that match a path with {corpus}, {trials}, {anonymiser} and {condition}: {(those four): path}.

    Without {corpus} or {trials} they are ``scores`` and ``all``. Names and conditions that cannot be ones do not match.
    """
    names = {"corpus": "scores", "trials": "all"}
    pattern, star = re.escape(template), template
    for field in ("corpus", "trials", "anonymiser", "condition"):
        values = "|".join(CONDITIONS) if field == "condition" else NAME
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P<{field}>{values})", 1)
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P={field})")
        star = star.replace(f"{{{field}}}", "*")
    found = {}
    for path in sorted(glob(star)):
        if match := re.fullmatch(pattern, path):
            fields = names | match.groupdict()
            found[
                Attack(fields["corpus"], fields["trials"], "", GIVEN),
                fields["anonymiser"],
                fields["condition"],
            ] = path
    return found


class Given:
    """The part of a plan that is about scores that somebody else made."""

    def given_attacks(self):
        """Attacks whose scores somebody else made, by trial list."""
        return list(
            dict.fromkeys(
                of._replace(extractor=name)
                for name, files in self.given.items()
                for of, _, _ in files
            )
        )

    def given_systems(self, attack):
        """The systems that such an attack has scores of: {anonymiser: [condition, ...]}; second runs not."""
        systems = {}
        for of, anonymiser, condition in self.given[attack.extractor]:
            if of == attack._replace(extractor="") and condition in ("oo", "op", "pp"):
                systems.setdefault(anonymiser, []).append(condition)
        return {name: of for name, of in systems.items() if not name.endswith(SECOND_RUN)}

    def given_file(self, attack, anonymiser, condition):
        """The file of one condition's scores."""
        return self.given[attack.extractor][attack._replace(extractor=""), anonymiser, condition]

    def given_speakers(self, attack):
        """The file that says who speaks in such an attack's trials, the user's or that of our list; None if neither."""
        path = self.config["attacks"][attack.extractor].get("speakers")
        if path:
            return path.replace("{corpus}", attack.corpus).replace("{trials}", attack.trials)
        known = (attack.corpus, attack.trials) in self.all_trial_lists()
        return f"results/trials/{attack.corpus}/{attack.trials}.speakers.tsv" if known else None

    def given_resampled(self):
        """Names of the attacks whose scores get intervals: the speakers of all their trials are known."""
        names = [
            name for name in self.given if all(map(self.given_speakers, self._given_attacks(name)))
        ]
        return names if self.n_replicates() else []

    def given_intervals(self):
        """Every file of intervals of such attacks."""
        attacks = [
            attack for name in self.given_resampled() for attack in self._given_attacks(name)
        ]
        return [
            path
            for attack in attacks
            for path in self._given_intervals(attack, self.given_systems(attack))
        ]

    def given_compared(self):
        """Such attacks on which anonymisers are compared: each list, and the mean where there are several."""
        compared = []
        for name in self.given_resampled():
            for corpus in dict.fromkeys(attack.corpus for attack in self._given_attacks(name)):
                lists = self._given_lists(name, corpus)
                trials = [attack.trials for attack in lists] + [MEAN] * (len(lists) > 1)
                compared += [Attack(corpus, of, name, GIVEN) for of in trials]
        return compared

    def given_compared_intervals(self, attack):
        """The intervals behind such a comparison; ``attack`` may be on the mean or on an average."""
        if attack.corpus == ACROSS_CORPORA:
            lists = self.averages()[attack.trials]
            systems = self.given_everywhere(attack.extractor, lists)
            return [
                path
                for of in lists
                for path in self._given_intervals(Attack(*of, *attack[2:]), systems)
            ]
        lists = (
            self._given_lists(attack.extractor, attack.corpus)
            if attack.trials == MEAN
            else [attack]
        )
        return [path for of in lists for path in self._given_intervals(of, self.given_systems(of))]

    def given_everywhere(self, name, lists):
        """The systems that such an attack tried under the same conditions on each (corpus, trials) of ``lists``."""
        tried = [self.given_systems(Attack(*of, name, GIVEN)).items() for of in lists]
        return [
            system for system, of in tried[0] if all((system, of) in others for others in tried)
        ]

    def given_figures(self):
        """Pictures of such attacks, below the folder of figures."""
        figures = []
        for attack in self.given_attacks():
            figures.append(f"zebra/{attack.corpus}/{attack.trials}/{attack.extractor}/{GIVEN}")
            figures += [
                f"calibration/{attack.path(name)}" for name in self.given_calibrated(attack)
            ]
        return figures

    def _given_attacks(self, name):
        return [attack for attack in self.given_attacks() if attack.extractor == name]

    def _given_lists(self, name, corpus):
        return [attack for attack in self._given_attacks(name) if attack.corpus == corpus]

    def _given_intervals(self, attack, systems):
        return [
            f"results/metrics/{family}/{attack.path(system)}.intervals.json"
            for system in systems
            for family in self._given_families(attack, system)
        ]

    def given_calibrated(self, attack):
        """The anonymisers of which such an attack has the scores of two runs that C_ECE needs."""
        place, found = attack._replace(extractor=""), self.given[attack.extractor]
        runs, conditions = ("", SECOND_RUN), self.config["report"]["cece"]
        return [
            name
            for name in self.given_systems(attack)
            if all(
                (place, f"{name}{run}", condition) in found
                for run in runs
                for condition in conditions
            )
        ]

    def given_metrics(self):
        """Every metrics file of such attacks."""
        paths = []
        for attack in self.given_attacks():
            for system in self.given_systems(attack):
                families = self._given_families(attack, system)
                paths += [
                    f"results/metrics/{family}/{attack.path(system)}.json" for family in families
                ]
        return paths

    def _given_families(self, attack, system):
        return ["verification", "zebra"] + ["calibration"] * (
            system in self.given_calibrated(attack)
        )

    def given_names(self, field):
        """All corpora or trial lists (a field of Attack) that such attacks have, or all anonymisers."""
        if field == "anonymiser":
            return [anonymiser for files in self.given.values() for _, anonymiser, _ in files]
        return [getattr(attack, field) for attack in self.given_attacks()]
