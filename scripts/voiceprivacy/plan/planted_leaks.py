"""Who has to find a planted leak: attackers who learnt from protected speech, corpus by corpus."""

from collections.abc import Iterator

from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.rows import LearntAttacker
from voiceprivacy.vocabulary import OF_TEXT


class PlantedLeaks:
    """The files of planted leaks, which are in the speech of the system that was learnt from."""

    def __init__(self, plan: Plan) -> None:
        self.attackers = plan.attackers
        self.speech = plan.speech
        self.layout = plan.layout

    def attackers_of(self, corpus: str, system: str) -> list[LearntAttacker]:
        """Attackers of a system's voices who learnt from it, on the trial lists of a corpus."""
        if not (corpus in self.speech.evaluated and self.speech.trial_lists(corpus)):
            return []
        return list(self._attackers_of(corpus, system))

    def _attackers_of(self, corpus: str, system: str) -> Iterator[LearntAttacker]:
        for extractor in self.attackers.extractors:
            for backend in self.attackers.backends:
                if not self._learns_from(system, extractor, backend):
                    continue
                yield {
                    "attacker": f"{extractor}/{backend}",
                    "held_out": self.attackers.learnt(extractor, backend),
                    "trains_extractor": bool(self.attackers.extractors[extractor]["on"]),
                    "planted_leak": self.evidence(corpus, extractor, backend),
                }

    def _learns_from(self, system: str, extractor: str, backend: str) -> bool:
        attackers = self.attackers
        return bool(
            attackers.applies(backend, extractor)
            and attackers.informed(extractor, backend)
            and attackers.feature(extractor) not in OF_TEXT
            and system in attackers.systems(extractor, backend)
        )

    def evidence(self, corpus: str, extractor: str, backend: str) -> str | None:
        """What a back-end finds of it; None for one that did not learn from protected speech."""
        if not self.attackers.backends[backend]["on"]:
            return None
        return self.layout.path(f"planted_leaks/{corpus}/{extractor}/{backend}.json")

    def enrolment(self, corpus: str, extractor: str, backend: str) -> str:
        """Protected embeddings that enrol."""
        return self._embeddings(corpus, "enrolment", extractor, backend)

    def trial(self, corpus: str, extractor: str, backend: str) -> str:
        """Protected embeddings that are tried."""
        return self._embeddings(corpus, "trial", extractor, backend)

    def _embeddings(self, corpus, part, extractor, backend):
        system = self.attackers.backends[backend]["on"]
        return self.layout.embeddings(corpus, part, system, extractor)

    def enrolments(self, corpus: str) -> list[str]:
        """Who is enrolled by what, of each trial list."""
        lists = self.speech.trial_lists(corpus)
        return [self.layout.trials(corpus, trials, "enrolments") for trials in lists]
