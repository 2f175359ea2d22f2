"""Attacks whose scores somebody else made: which files there are, and what is made of them."""

from collections.abc import Iterable
from typing import Any

from voiceprivacy.plan.sources import ScoreFile
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import GIVEN, MEAN, SECOND_RUN, Attack, TrialList


class Given:
    """The attacks of a run whose scores somebody else made.

    Parameters
    ----------
    entries : the section ``attacks`` of a completed config
    files : the files of each attack, as ``given_scores`` finds them
    speech : the corpora of the run, whose speakers are known
    n_replicates : replicates of intervals; 0 for none
    cece : conditions that C_ECE is measured under
    """

    def __init__(
        self,
        entries: dict[str, dict[str, Any]],
        files: dict[str, dict[ScoreFile, str]],
        speech: Speech,
        *,
        n_replicates: int = 0,
        cece: tuple[str, ...] = ("op",),
    ) -> None:
        self.entries = entries
        self.files = files
        self.speech = speech
        self.n_replicates = n_replicates
        self.cece = cece

    def attacks(self) -> list[Attack]:
        """The attacks by trial list."""
        attacks = [
            Attack(scored.corpus, scored.trials, name, GIVEN)
            for name, files in self.files.items()
            for scored in files
        ]
        return list(dict.fromkeys(attacks))

    def systems(self, attack: Attack) -> dict[str, list[str]]:
        """The systems that an attack has scores of: {anonymiser: [condition, ...]}.

        Second runs are not among them.
        """
        systems: dict[str, list[str]] = {}
        for scored in self.files[attack.extractor]:
            is_of_attack = (scored.corpus, scored.trials) == (attack.corpus, attack.trials)
            is_second = scored.anonymiser.endswith(SECOND_RUN)
            if is_of_attack and scored.condition != "p0p1" and not is_second:
                systems.setdefault(scored.anonymiser, []).append(scored.condition)
        return systems

    def file(self, attack: Attack, anonymiser: str, condition: str) -> str:
        """The file of one condition's scores."""
        scored = ScoreFile(attack.corpus, attack.trials, anonymiser, condition)
        return self.files[attack.extractor][scored]

    def speakers(self, attack: Attack) -> str | None:
        """The file that says who speaks in an attack's trials: the user's, else our list's.

        None if neither is there.
        """
        path = self.entries[attack.extractor].get("speakers")
        if path:
            return path.replace("{corpus}", attack.corpus).replace("{trials}", attack.trials)
        known = (attack.corpus, attack.trials) in self.speech.all_trial_lists()
        return f"results/trials/{attack.corpus}/{attack.trials}.speakers.tsv" if known else None

    def calibrated(self, attack: Attack) -> list[str]:
        """The anonymisers of which an attack has the scores of two runs, which C_ECE needs."""
        return [name for name in self.systems(attack) if self._has_both_runs(attack, name)]

    def _has_both_runs(self, attack: Attack, anonymiser: str) -> bool:
        needed = [
            ScoreFile(attack.corpus, attack.trials, f"{anonymiser}{run}", condition)
            for run in ("", SECOND_RUN)
            for condition in self.cece
        ]
        return all(scored in self.files[attack.extractor] for scored in needed)

    def names(self, field: str) -> list[str]:
        """All corpora, trial lists or anonymisers (a field of ScoreFile) of these attacks."""
        return [getattr(scored, field) for files in self.files.values() for scored in files]

    # Outputs.

    def metrics(self) -> list[str]:
        """Every metrics file."""
        return [
            f"results/metrics/{family}/{attack.path(system)}.json"
            for attack in self.attacks()
            for system in self.systems(attack)
            for family in self._families(attack, system)
        ]

    def resampled(self) -> list[str]:
        """Names of the attacks whose scores get intervals: all their speakers are known."""
        if not self.n_replicates:
            return []
        return [name for name in self.files if all(map(self.speakers, self._attacks_of(name)))]

    def intervals(self) -> list[str]:
        """Every file of intervals."""
        return [
            path
            for name in self.resampled()
            for attack in self._attacks_of(name)
            for path in self._intervals(attack, self.systems(attack))
        ]

    def compared(self) -> list[Attack]:
        """Attacks on which anonymisers are compared: each list, and the mean of several."""
        compared = []
        for name in self.resampled():
            for corpus in dict.fromkeys(attack.corpus for attack in self._attacks_of(name)):
                lists = [attack.trials for attack in self._on_corpus(name, corpus)]
                lists += [MEAN] * (len(lists) > 1)
                compared += [Attack(corpus, trials, name, GIVEN) for trials in lists]
        return compared

    def compared_intervals(self, attack: Attack) -> list[str]:
        """The intervals behind such a comparison; ``attack`` may be on the mean of a corpus."""
        attacks = [attack]
        if attack.trials == MEAN:
            attacks = self._on_corpus(attack.extractor, attack.corpus)
        return [path for one in attacks for path in self._intervals(one, self.systems(one))]

    def averaged_intervals(self, name: str, lists: list[TrialList]) -> list[str]:
        """The intervals behind a comparison on an average over lists of several corpora."""
        systems = self.everywhere(name, lists)
        attacks = [Attack(*place, name, GIVEN) for place in lists]
        return [path for attack in attacks for path in self._intervals(attack, systems)]

    def everywhere(self, name: str, lists: list[TrialList]) -> list[str]:
        """The systems that an attack tried under the same conditions on each of ``lists``."""
        tried = [self.systems(Attack(*place, name, GIVEN)).items() for place in lists]
        return [
            system
            for system, conditions in tried[0]
            if all((system, conditions) in others for others in tried)
        ]

    def _attacks_of(self, name: str) -> list[Attack]:
        return [attack for attack in self.attacks() if attack.extractor == name]

    def _on_corpus(self, name: str, corpus: str) -> list[Attack]:
        return [attack for attack in self._attacks_of(name) if attack.corpus == corpus]

    def _intervals(self, attack: Attack, systems: Iterable[str]) -> list[str]:
        return [
            f"results/metrics/{family}/{attack.path(system)}.intervals.json"
            for system in systems
            for family in self._families(attack, system)
        ]

    def _families(self, attack: Attack, system: str) -> list[str]:
        calibration = ["calibration"] * (system in self.calibrated(attack))
        return ["verification", "zebra", *calibration]
