"""What a config asks for: which speech, which attacks, which files. The rules only put wildcards into these answers.

A plan is made of a config that ``configuration.check`` has completed, and answers in names and in paths under results/.
"""

from voiceprivacy.plan.attackers import CONDITIONS, MODEL_FILES, Attack, Attackers, recipe_file
from voiceprivacy.plan.averages import Averages
from voiceprivacy.plan.given import GIVEN, Given, given_scores
from voiceprivacy.plan.outputs import PICTURES, RESAMPLED, TABLES, Outputs
from voiceprivacy.plan.speech import PARTS, RUN1, Speech, environment_file
from voiceprivacy.plan.utility import PITCH, Utility

__all__ = [
    "CONDITIONS",
    "GIVEN",
    "MODEL_FILES",
    "PARTS",
    "PICTURES",
    "PITCH",
    "RESAMPLED",
    "TABLES",
    "Attack",
    "Plan",
    "environment_file",
    "given_scores",
    "recipe_file",
]


class Plan(Speech, Attackers, Given, Averages, Utility, Outputs):
    """The answers for one config (dict, completed)."""

    def __init__(self, config):
        self.config = config
        self.corpora = config["corpora"]
        self.anonymisers = config["anonymisers"]
        self.extractors = self._instances(config["extractors"])
        self.backends = self._instances(config["backends"])
        self.given = {name: given_scores(entry["scores"]) for name, entry in config["attacks"].items()}
        self.evaluated = [name for name, entry in self.corpora.items() if entry["use"] == "evaluation"]
        self.repeated = [name for name, entry in self.anonymisers.items() if entry["runs"] == 2]
        self.protected = [*self.anonymisers, *[f"{name}{RUN1}" for name in self.repeated]]
