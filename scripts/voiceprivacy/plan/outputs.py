"""What a run makes: metrics, intervals, comparisons, figures, and what papers take on request."""

from voiceprivacy.vocabulary import ACROSS_CORPORA, GIVEN, MEAN, Attack

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
RESAMPLED = [
    "verification",
    "zebra",
    "normalised",
    "similarity",
    "ranks",
    "calibration",
]  # families with intervals
REPLICATES_PER_PAIR = (
    40  # of anonymisers that are compared: fewer could not show a difference among so many
)


class Outputs:
    """The part of a plan that is about results."""

    def families(self, anonymiser):
        """The metrics that a system gets."""
        if anonymiser == "original":
            return ["verification", "zebra", "ranks"]
        calibration = ["calibration"] if anonymiser in self.repeated else []
        return ["verification", "zebra", "normalised", "similarity", "ranks", *calibration]

    def _families_on(self, corpus, anonymiser):
        return [
            family
            for family in self.families(anonymiser)
            if family != "ranks" or self.has_gallery(corpus)
        ]

    def metrics(self):
        """Every metrics file of the run."""
        return [
            f"results/metrics/{family}/{attack.path(system)}.json"
            for attack in self.attacks()
            for system in self.systems(attack.extractor, attack.backend)
            for family in self._families_on(attack.corpus, system)
        ] + [
            f"results/metrics/ranks/{attack.path(system)}.json"
            for attack in self.rank_attacks()
            for system in self.systems(attack.extractor, attack.backend)
        ]

    def n_replicates(self):
        """Replicates of the intervals; 0 for none."""
        pairs = len(self.anonymisers) * (len(self.anonymisers) - 1) // 2
        wanted = self.config["report"]["bootstrap"]
        return max(wanted, REPLICATES_PER_PAIR * pairs) if wanted else 0

    def intervals(self):
        """Every file of intervals of the run."""
        of_families = tuple(f"results/metrics/{family}/" for family in RESAMPLED)
        metrics = (
            [path for path in self.metrics() if path.startswith(of_families)]
            if self.n_replicates()
            else []
        )
        return [path.removesuffix("json") + "intervals.json" for path in metrics]

    def compared_lists(self, corpus):
        """The trial lists of a corpus, and their mean where there are several: on what anonymisers are compared."""
        lists = list(self.trial_lists(corpus))
        return [*lists, MEAN] if len(lists) > 1 else lists

    def compared_intervals(self, attack):
        """The intervals behind a comparison of all systems; ``attack`` may be on the mean or on an average."""
        if attack.backend == GIVEN:
            return self.given_compared_intervals(attack)
        if attack.corpus == ACROSS_CORPORA:
            lists = self.averages()[attack.trials]
        else:
            of_corpus = (
                self.trial_lists(attack.corpus) if attack.trials == MEAN else [attack.trials]
            )
            lists = [(attack.corpus, trials) for trials in of_corpus]
        return [
            f"results/metrics/{family}/{attack._replace(corpus=corpus, trials=trials).path(system)}.intervals.json"
            for corpus, trials in self.all_trial_lists()
            if (corpus, trials) in lists
            for system in self.systems(attack.extractor, attack.backend)
            for family in self._families_on(corpus, system)
            if family in RESAMPLED
        ]

    def comparisons(self):
        """Every comparison of anonymisers, under one attacker and under the strongest attack on each."""
        found = {
            f"results/comparisons/{attack.corpus}/{trials}/{attack.extractor}/{attack.backend}.tsv": None
            for attack in self.attacks()
            for trials in self.compared_lists(attack.corpus)
        }
        found |= {
            f"results/comparisons/{of.corpus}/{of.trials}/{of.extractor}/{of.backend}.tsv": None
            for of in (*self.given_compared(), *self.average_attacks())
        }
        found |= {
            f"results/comparisons/{'/'.join(place)}/strongest.tsv": None
            for place in self.compared_strongest()
        }
        return list(found) if self.n_replicates() else []

    def compared_strongest(self):
        """Where the strongest attacks are compared, as the report's answers want it: {(corpus, trials): [Attack, ...]}.

        On the list of a corpus or the mean over its lists, and on averages; by attackers that tried all of those lists.
        """
        tried = {}
        for attack in (*self.attacks(), *self.given_compared()):
            if attack.trials != MEAN:
                of_corpus = tried.setdefault(attack.corpus, {})
                of_corpus.setdefault((attack.extractor, attack.backend), set()).add(attack.trials)
        found = {}
        for corpus, attackers in tried.items():
            lists = set().union(*attackers.values())
            trials = MEAN if len(lists) > 1 else min(lists)
            complete = [attacker for attacker, of in attackers.items() if of == lists]
            found[corpus, trials] = [Attack(corpus, trials, *attacker) for attacker in complete]
        for attack in self.average_attacks():
            found.setdefault(attack[:2], []).append(attack)
        return {
            place: attacks for place, attacks in found.items() if attacks and self.n_replicates()
        }

    def strongest_intervals(self, corpus, trials):
        """The intervals behind a comparison of strongest attacks: the equal error rates of all attackers."""
        attacks = self.compared_strongest()[corpus, trials]
        paths = [path for attack in attacks for path in self.compared_intervals(attack)]
        return [path for path in paths if path.startswith("results/metrics/verification/")]

    def figures(self):
        """Every figure of the report, as svg."""
        figures = [figure for attack in self.attacks() for figure in self._of(attack)]
        figures += [figure for attack in self.rank_attacks() for figure in self._ranks(attack)]
        figures += dict.fromkeys(
            f"rank_lengths/{attack.corpus}/{self.galleries(attack.corpus)[attack.trials][0]}"
            f"/{attack.extractor}/{attack.backend}"
            for attack in self.rank_attacks()
            if len(self.galleries(attack.corpus))
            > len(self.corpora[attack.corpus]["protocol"]["rank_sampling"]["lists"])
        )
        attackers = dict.fromkeys((attack.extractor, attack.backend) for attack in self.attacks())
        figures += [
            f"distinctiveness/{'/'.join(attacker)}"
            for attacker in attackers
            if self._protected(*attacker)
        ]
        figures += [
            f"calibration/{attack.path(name)}"
            for attack in self.attacks()
            for name in self._protected(attack.extractor, attack.backend)
            if name in self.repeated
        ]
        tried = {attack.extractor for attack in (*self.attacks(), *self.rank_attacks())}
        figures += [
            f"training/{name}/loss" for name in self.extractors_with("train") if name in tried
        ]
        return [
            f"results/report/figures/{figure}.svg" for figure in [*figures, *self.given_figures()]
        ]

    def _of(self, attack):
        one_each = f"{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
        protected = self._protected(attack.extractor, attack.backend)
        per_system = [
            f"{kind}/{attack.path(name)}"
            for kind in ("similarity", "zoo", "speakers")
            for name in protected
        ]
        ranks = self._ranks(attack) if self.has_gallery(attack.corpus) else []
        return [f"zebra/{one_each}", *ranks, *per_system]

    def _ranks(self, attack):
        one_each = f"{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
        return [f"ranks/{one_each}", f"rank_speakers/{one_each}"]

    def layouts(self):
        """Pictures of all sets and systems under one attacker, made on request: paths below results/paper."""
        attackers = dict.fromkeys((attack.extractor, attack.backend) for attack in self.attacks())
        shown = [attacker for attacker in attackers if self._protected(*attacker)]
        histograms = [name for name in self.extractors if self.feature(name)]
        return [
            *(
                f"{kind}/{'/'.join(attacker)}"
                for attacker in shown
                for kind in ("all_matrices", "all_profiles")
            ),
            *(f"features/{corpus}/{name}" for corpus in self.evaluated for name in histograms),
        ]

    def papers(self):
        """Pictures and tables that are made on request: paths without ending."""
        pictures = [
            f"results/paper/{picture}/{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}"
            for attack in self.attacks()
            for picture in PICTURES
        ]
        return pictures, [f"results/paper/tables/{table}" for table in TABLES]

    def _protected(self, extractor, backend):
        return [name for name in self.systems(extractor, backend) if name != "original"]

    def used_files(self):
        """What a reviewer may want to compare besides the config: the trial lists and the attackers' models."""
        lists = [
            f"results/trials/{corpus}/{trials}.tsv" for corpus, trials in self.all_trial_lists()
        ]
        lists += [
            f"results/samples/{corpus}/{gallery}.tsv" for corpus, gallery in self.all_galleries()
        ]
        return lists + [
            file for name in self.networks() if lists for file in self.model_files(name)
        ]
