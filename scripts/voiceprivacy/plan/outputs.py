"""What a run makes: metrics, intervals, comparisons, figures, and what papers take on request."""

from itertools import product

from voiceprivacy.plan.attackers import Attackers
from voiceprivacy.plan.others_scores import Given
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import (
    ACROSS_CORPORA,
    GIVEN,
    MEAN,
    ORIGINAL,
    Attack,
    TrialList,
    all_averages,
    average_folder,
)

PICTURES = [
    "ece",
    "bayes_error",
    "normalised_bayes_error",
    "det",
    "roc",
    "tippett",
    "scores",
    "llrs",
    "calibration",
]
TABLES = ["challenge", "2", "3", "4"]
OF_ANY_RUN = TABLES[:1]  # the others compare protected speech with the original
# Of each pair of anonymisers that is compared: fewer could not show a difference among many pairs.
REPLICATES_PER_PAIR = 40


def replicates(wanted: int, *, n_anonymisers: int) -> int:
    """Replicates of the intervals: at least what the config wants; 0 for none."""
    n_pairs = n_anonymisers * (n_anonymisers - 1) // 2
    return max(wanted, REPLICATES_PER_PAIR * n_pairs) if wanted else 0


class Averages:
    """Averages over trial lists of several corpora.

    As an Attack, an average is a list of the corpus ACROSS_CORPORA.

    Parameters
    ----------
    averages : ``report.averages`` of a completed config
    """

    def __init__(self, averages: dict[str, dict], attackers: Attackers, given: Given) -> None:
        self.attackers = attackers
        self.given = given
        attacks = (*attackers.attacks(), *given.attacks())
        tried = dict.fromkeys(TrialList(attack.corpus, attack.trials) for attack in attacks)
        self.weights = {
            average_folder(name): weights for name, weights in all_averages(averages, tried).items()
        }
        """{name as in paths: {(corpus, trials): weight}}"""

    def attacks(self) -> list[Attack]:
        """Every attacker with intervals on all lists of an average."""
        attacks = self.attackers.attacks()
        resampled = self.given.resampled()
        attacks += [attack for attack in self.given.attacks() if attack.extractor in resampled]
        tried: dict[tuple[str, str], set] = {}
        for attack in attacks:
            lists = tried.setdefault((attack.extractor, attack.backend), set())
            lists.add((attack.corpus, attack.trials))
        averaged = []
        for name, weights in self.weights.items():
            for (extractor, backend), lists in tried.items():
                if weights.keys() <= lists and self._has_systems(extractor, backend, weights):
                    averaged.append(Attack(ACROSS_CORPORA, name, extractor, backend))
        return averaged

    def _has_systems(self, extractor, backend, lists):
        return backend != GIVEN or bool(self.given.everywhere(extractor, list(lists)))


class Outputs:
    """The results of a run, as paths.

    Parameters
    ----------
    n_replicates : replicates of the intervals; 0 for none
    """

    def __init__(
        self,
        speech: Speech,
        attackers: Attackers,
        given: Given,
        averages: Averages,
        *,
        n_replicates: int,
    ) -> None:
        self.speech = speech
        self.attackers = attackers
        self.given = given
        self.layout = speech.layout
        self.averages = averages
        self.n_replicates = n_replicates

    # Numbers and their intervals.

    def families(self, anonymiser: str) -> list[str]:
        """The metrics that a system gets."""
        if anonymiser == ORIGINAL:
            return ["verification", "zebra", "ranks"]
        calibration = ["calibration"] if anonymiser in self.speech.repeated else []
        return ["verification", "zebra", "normalised", "similarity", "ranks", *calibration]

    def _families_under(self, attack, anonymiser):
        has_ranks = self.speech.has_gallery(attack.corpus)
        return [name for name in self.families(anonymiser) if has_ranks or name != "ranks"]

    def metrics(self) -> list[str]:
        """Every metrics file of our own attackers."""
        return [self.layout.metrics(*measured) for measured in self._measured()]

    def _measured(self):
        """(family, attack, system) of every metrics file of our own attackers."""
        for attack in self.attackers.attacks():
            for system in self.attackers.systems(attack.extractor, attack.backend):
                yield from product(self._families_under(attack, system), [attack], [system])
        for attack in self.attackers.rank_attacks():
            systems = self.attackers.systems(attack.extractor, attack.backend)
            yield from product(["ranks"], [attack], systems)

    def intervals(self) -> list[str]:
        """Every file of intervals of our own attackers."""
        if not self.n_replicates:
            return []
        return [
            self.layout.metrics(family, attack, system, "intervals.json")
            for family, attack, system in self._measured()
        ]

    def inference(self) -> dict[str, dict[str, dict[str, list[str]]]]:
        """Whose speech is tried for what it tells of people, by each network.

        Returns
        -------
        {extractor of the config: {corpus: {extractor: systems}}} : those that are trained on
            protected speech are several extractors of one name in the config
        """
        tried: dict[str, dict[str, dict[str, list[str]]]] = {}
        for attack in self.attackers.attacks():
            if self.attackers.feature(attack.extractor):
                continue  # no network
            base = self.attackers.extractors[attack.extractor]["base"]
            extractors = tried.setdefault(base, {}).setdefault(attack.corpus, {})
            known = extractors.setdefault(attack.extractor, [])
            systems = self.attackers.systems(attack.extractor, attack.backend)
            known += [system for system in systems if system not in known]
        return tried

    def embedded_by(self) -> dict[str, str]:
        """The first network that is tried on all systems of a corpus: {corpus: extractor}."""
        wanted = {ORIGINAL, *self.speech.anonymisers}
        first: dict[str, str] = {}
        for corpora in self.inference().values():
            for corpus, extractors in corpora.items():
                for extractor, systems in extractors.items():
                    if wanted <= set(systems):
                        first.setdefault(corpus, extractor)
        return first

    # Comparisons.

    def compared_lists(self, corpus: str) -> list[str]:
        """On what anonymisers are compared: the trial lists of a corpus, the mean of several."""
        lists = self.speech.trial_lists(corpus)
        return [*lists, MEAN] if len(lists) > 1 else lists

    def compared_intervals(self, attack: Attack) -> list[str]:
        """The intervals behind a comparison of all systems.

        ``attack`` may be on a list, on the mean of a corpus or on an average.
        """
        lists = [TrialList(attack.corpus, attack.trials)]
        if attack.corpus == ACROSS_CORPORA:
            lists = list(self.averages.weights[attack.trials])
        if attack.backend == GIVEN:
            if attack.corpus == ACROSS_CORPORA:
                return self.given.averaged_intervals(attack.extractor, lists)
            return self.given.compared_intervals(attack)
        if attack.trials == MEAN:
            lists = [
                TrialList(attack.corpus, trials)
                for trials in self.speech.trial_lists(attack.corpus)
            ]
        systems = self.attackers.systems(attack.extractor, attack.backend)
        paths = []
        for trial_list in self.speech.all_trial_lists():
            if trial_list in lists:
                for system in systems:
                    paths += self._intervals_on(trial_list, system, attack)
        return paths

    def _intervals_on(self, trial_list, system, attack):
        """Intervals of one system on one of the lists that an attack is averaged over."""
        on_list = Attack(*trial_list, attack.extractor, attack.backend)
        return [
            self.layout.metrics(family, on_list, system, "intervals.json")
            for family in self._families_under(on_list, system)
        ]

    def compared(self) -> list[Attack]:
        """Every attack under which anonymisers are compared."""
        if not self.n_replicates:
            return []
        attacks: dict[Attack, None] = {}  # as an ordered set: lists share their mean
        for attack in self.attackers.attacks():
            lists = self.compared_lists(attack.corpus)
            attacks |= dict.fromkeys(attack._replace(trials=trials) for trials in lists)
        attacks |= dict.fromkeys((*self.given.compared(), *self.averages.attacks()))
        return list(attacks)

    def compared_strongest(self) -> dict[TrialList, list[Attack]]:
        """Where the strongest attacks are compared, and of which attackers.

        They are compared on the list of a corpus or the mean over its lists, and on averages; by
        attackers that tried all of those lists.
        """
        if not self.n_replicates:
            return {}
        tried: dict[str, dict[tuple[str, str], set[str]]] = {}
        for attack in (*self.attackers.attacks(), *self.given.compared()):
            if attack.trials != MEAN:
                attackers = tried.setdefault(attack.corpus, {})
                attackers.setdefault((attack.extractor, attack.backend), set()).add(attack.trials)
        compared = {}
        for corpus, attackers in tried.items():
            lists = set().union(*attackers.values())
            trial_list = TrialList(corpus, MEAN if len(lists) > 1 else min(lists))
            compared[trial_list] = [
                Attack(*trial_list, extractor, backend)
                for (extractor, backend), lists_tried in attackers.items()
                if lists_tried == lists
            ]
        for attack in self.averages.attacks():
            compared.setdefault(TrialList(attack.corpus, attack.trials), []).append(attack)
        return {
            trial_list: attacks
            for trial_list, attacks in compared.items()
            if any(map(self.compared_intervals, attacks))  # others need not attack on every list
        }

    def strongest_intervals(self, corpus: str, trials: str) -> list[str]:
        """The intervals behind a comparison of strongest attacks: equal error rates of all."""
        attacks = self.compared_strongest()[TrialList(corpus, trials)]
        paths = []
        for attack in attacks:
            paths += self.compared_intervals(attack)
        folder = self.layout.path("metrics/verification/")
        return [path for path in paths if path.startswith(folder)]

    def comparisons(self) -> list[str]:
        """The files of all comparisons: under each attacker, and under the strongest attacks."""
        compared = map("/".join, self.compared())
        strongest = [f"{corpus}/{trials}/strongest" for corpus, trials in self.compared_strongest()]
        return [self.layout.path(f"comparisons/{name}.tsv") for name in (*compared, *strongest)]

    # Pictures and tables.

    def layouts(self) -> list[str]:
        """Pictures of all sets and systems under one attacker, made on request.

        They are paths below results/paper.
        """
        layouts = []
        attacks = self.attackers.attacks()
        for attacker in dict.fromkeys((attack.extractor, attack.backend) for attack in attacks):
            if self.attackers.systems(*attacker) != [ORIGINAL]:
                layouts += [
                    f"all_matrices/{'/'.join(attacker)}",
                    f"all_profiles/{'/'.join(attacker)}",
                ]
        ranked = [f"{attack.corpus}/{attack.trials}" for attack in self.attackers.rank_attacks()]
        layouts += [f"rank_features/{gallery}" for gallery in dict.fromkeys(ranked)]
        layouts += [
            f"features/{corpus}/{name}"
            for corpus, name in product(self.speech.attacked, self.attackers.histograms())
        ]
        return layouts

    def papers(self) -> list[str]:
        """Pictures and tables that are made on request, of every attack."""
        pictures = product(self.attackers.attacks(), PICTURES, ("pdf", "png", "svg"))
        is_protected = any(system != ORIGINAL for _, _, system in self._measured())
        named = TABLES if is_protected or self.given.attacks() else OF_ANY_RUN
        tables = product(named, ("md", "tsv", "tex"))
        files = [
            *(f"{kind}/{'/'.join(one)}.{ending}" for one, kind, ending in pictures),
            *(f"tables/{table}.{ending}" for table, ending in tables),
            *(f"{path}.svg" for path in self.layouts()),
        ]
        return [self.layout.path(f"paper/{file}") for file in files]

    def used_files(self) -> list[str]:
        """What a reviewer may compare besides the config: the lists and the attackers' models."""
        lists = self.speech.trials()
        lists += [
            self.layout.path(f"samples/{corpus}/{gallery}.tsv")
            for corpus, gallery in self.speech.all_galleries()
        ]
        models = []
        for name in self.attackers.networks():
            models += self.attackers.model_files(name)
        return lists + models if lists else []
