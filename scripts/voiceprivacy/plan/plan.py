"""What a config asks for: which speech, which attacks, which files.

A plan is made of a config that ``configuration.check`` has completed. Its parts answer in names and
in paths under results/; the rules only put wildcards into these answers.
"""

from typing import Any

from voiceprivacy.plan.attackers import Attackers, instances, training_corpora
from voiceprivacy.plan.given import Given, given_scores
from voiceprivacy.plan.outputs import Averages, Outputs, Utility, replicates
from voiceprivacy.plan.speech import Speech


class Plan:
    """The parts of one run, from its completed config."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        report, anonymisers = config["report"], config["anonymisers"]
        extractors = instances(config["extractors"], anonymisers)
        backends = instances(config["backends"], anonymisers)
        files = {name: given_scores(entry["scores"]) for name, entry in config["attacks"].items()}

        self.n_replicates = replicates(report["bootstrap"], n_anonymisers=len(anonymisers))
        self.speech = Speech(
            config["corpora"],
            anonymisers,
            training=training_corpora(extractors, backends),
            seed=config["seed"],
            attacker_draw=config["attacker_draw"],
        )
        self.attackers = Attackers(extractors, backends, self.speech)
        self.given = Given(
            config["attacks"],
            files,
            self.speech,
            n_replicates=self.n_replicates,
            cece=report["cece"],
        )
        self.averages = Averages(report["averages"], self.attackers, self.given)
        self.outputs = Outputs(
            self.speech,
            self.attackers,
            self.given,
            self.averages,
            n_replicates=self.n_replicates,
        )
        self.utility = Utility(
            config["utility"],
            self.speech,
            pitch=report["pitch_correlation"],
            listen=report["listen"],
        )
