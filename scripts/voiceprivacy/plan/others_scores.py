"""Attacks whose scores somebody else made: the section ``attacks`` of a config."""

from collections.abc import Iterable
from typing import Any

from voiceprivacy.inout.placeholders import ours
from voiceprivacy.plan.scores_given import ScoreFile
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
        self.layout = speech.layout
        self.n_replicates = n_replicates
        self.cece = cece

    def attacks(self) -> list[Attack]:
        """The attacks by trial list."""
        attacks: dict[Attack, None] = {}  # one for the files of all its systems
        for name, files in self.files.items():
            for scored in files:
                attacks[Attack(scored.corpus, scored.trials, name, GIVEN)] = None
        return list(attacks)

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

    def file(
        self, extractor: str, corpus: str, trials: str, anonymiser: str, condition: str
    ) -> str:
        """The file of one condition's scores."""
        return self.files[extractor][ScoreFile(corpus, trials, anonymiser, condition)]

    def key(self, extractor: str, corpus: str, trials: str) -> str | None:
        """The key of an attack's score files, if they are in Kaldi's format."""
        key = self.entries[extractor].get("key")
        return ours(key.replace("{corpus}", corpus).replace("{trials}", trials)) if key else None

    def speakers(self, attack: Attack) -> str | None:
        """The file that says who speaks in an attack's trials: the user's, else our list's.

        None if neither is there.
        """
        path = self.entries[attack.extractor].get("speakers")
        if path:
            path = path.replace("{corpus}", attack.corpus).replace("{trials}", attack.trials)
            return self.layout.mark(ours(path))
        return self.speech.beside_list(attack.corpus, attack.trials, "speakers")

    def calibrated(self, attack: Attack) -> list[str]:
        """The anonymisers of which an attack has the scores of two runs, which C_ECE needs."""
        return [name for name in self.systems(attack) if self._has_both_runs(attack, name)]

    def _has_both_runs(self, attack: Attack, anonymiser: str) -> bool:
        files = self.files[attack.extractor]
        for run in (anonymiser, f"{anonymiser}{SECOND_RUN}"):
            for condition in self.cece:
                if ScoreFile(attack.corpus, attack.trials, run, condition) not in files:
                    return False
        return True

    def names(self, field: str) -> list[str]:
        """All corpora, trial lists or anonymisers (a field of ScoreFile) of these attacks."""
        scored: list[ScoreFile] = []
        for files in self.files.values():
            scored += files
        return [getattr(file, field) for file in scored]

    # Outputs.

    def metrics(self) -> list[str]:
        """Every metrics file."""
        paths = []
        for attack in self.attacks():
            paths += self._of_families(attack, self.systems(attack), ending="json")
        return paths

    def resampled(self) -> list[str]:
        """Names of the attacks whose scores get intervals: all their speakers are known."""
        if not self.n_replicates:
            return []
        return [name for name in self.files if all(map(self.speakers, self._attacks_of(name)))]

    def intervals(self) -> list[str]:
        """Every file of intervals."""
        paths = []
        for name in self.resampled():
            for attack in self._attacks_of(name):
                paths += self._intervals(attack, self.systems(attack))
        return paths

    def compared(self) -> list[Attack]:
        """Attacks on which anonymisers are compared: each list, and the mean of several.

        There is a mean where a system was tried on all of them.
        """
        compared = []
        for name in self.resampled():
            corpora = dict.fromkeys(attack.corpus for attack in self._attacks_of(name))
            for corpus in corpora:
                lists = self._lists_of(name, corpus)
                compared += [Attack(*trial_list, name, GIVEN) for trial_list in lists]
                if len(lists) > 1 and self.everywhere(name, lists):
                    compared.append(Attack(corpus, MEAN, name, GIVEN))
        return compared

    def compared_intervals(self, attack: Attack) -> list[str]:
        """The intervals behind such a comparison; ``attack`` may be on the mean of a corpus."""
        name, lists = attack.extractor, [TrialList(attack.corpus, attack.trials)]
        if attack.trials == MEAN:
            lists = self._lists_of(name, attack.corpus)
        return self.averaged_intervals(name, lists)

    def averaged_intervals(self, name: str, lists: list[TrialList]) -> list[str]:
        """The intervals behind a comparison on an average over lists of several corpora."""
        systems = self.everywhere(name, lists)
        paths = []
        for trial_list in lists:
            paths += self._intervals(Attack(*trial_list, name, GIVEN), systems)
        return paths

    def everywhere(self, name: str, lists: list[TrialList]) -> list[str]:
        """The systems that an attack tried under the same conditions on each of ``lists``."""
        # {system: conditions} of each list; means over lists need the same numbers in all of them.
        first, *others = (self.systems(Attack(*trial_list, name, GIVEN)) for trial_list in lists)
        everywhere = []
        for system, conditions in first.items():
            if all(systems.get(system) == conditions for systems in others):
                everywhere.append(system)
        return everywhere

    def _attacks_of(self, name: str) -> list[Attack]:
        return [attack for attack in self.attacks() if attack.extractor == name]

    def _lists_of(self, name: str, corpus: str) -> list[TrialList]:
        attacks = self._attacks_of(name)
        return [TrialList(corpus, attack.trials) for attack in attacks if attack.corpus == corpus]

    def _intervals(self, attack: Attack, systems: Iterable[str]) -> list[str]:
        return self._of_families(attack, systems, ending="intervals.json")

    def _of_families(self, attack: Attack, systems: Iterable[str], *, ending: str) -> list[str]:
        """The files of all families of metrics that the scores of some systems allow."""
        calibrated = self.calibrated(attack)
        paths = []
        for system in systems:
            families = ["verification", "zebra"]
            if system in calibrated:
                families.append("calibration")
            for family in families:
                paths.append(self.layout.metrics(family, attack, system, ending))
        return paths
