"""Who attacks: extractors and back-ends, what they are trained on, the trials they are tried on."""

from collections.abc import Iterable
from itertools import product
from typing import Any

from voiceprivacy.inout.files import RESOURCES, ours
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import ORIGINAL, TRAINED_ON, Attack, TrialList

MODEL_FILES = ["hyperparams.yaml", "embedding_model.ckpt"]
# Extractors that are no network: their features are histograms.
HISTOGRAMS = ["f0", "units", "style"]


def instances(entries: dict[str, dict], anonymisers: Iterable[str]) -> dict[str, dict]:
    """Extractors or back-ends by the names that they have in a run.

    One that is trained on protected speech becomes one for each anonymiser. Each entry says its
    name in the config (``base``) and the anonymiser that it was trained on (``on``, or None).
    """
    named = {}
    for name, entry in entries.items():
        if entry.get("train", {}).get("speech") == "anonymised":
            for anonymiser in anonymisers:
                instance = {**entry, "on": anonymiser, "base": name}
                named[f"{name}{TRAINED_ON}{anonymiser}"] = instance
        else:
            named[name] = {**entry, "on": None, "base": name}
    return named


def training_corpora(extractors: dict[str, dict], backends: dict[str, dict]) -> list[str]:
    """Corpora that an extractor or a back-end of a run is trained on."""
    corpora = [
        entry[field]["corpus"]
        for entry in (*extractors.values(), *backends.values())
        for field in ("train", "units")
        if field in entry
    ]
    return list(dict.fromkeys(corpora))


class Attackers:
    """The extractors and back-ends of a run, and what they attack.

    Parameters
    ----------
    extractors, backends : as ``instances`` names them
    speech : the corpora and anonymisers that are attacked
    """

    def __init__(
        self, extractors: dict[str, dict], backends: dict[str, dict], speech: Speech
    ) -> None:
        self.extractors = extractors
        self.backends = backends
        self.speech = speech

    # Attacks.

    def attacks(self) -> list[Attack]:
        """Every attacker on every trial list."""
        return self._attacks_on(self.speech.all_trial_lists())

    def rank_attacks(self) -> list[Attack]:
        """Every attacker on every sampled gallery."""
        return self._attacks_on(self.speech.all_galleries())

    def _attacks_on(self, lists: list[TrialList]) -> list[Attack]:
        return [
            Attack(place.corpus, place.trials, extractor, backend)
            for place, extractor, backend in product(lists, self.extractors, self.backends)
            if self.applies(backend, extractor)
        ]

    def applies(self, backend: str, extractor: str) -> bool:
        """Whether a back-end compares what an extractor gives.

        It compares the extractors that it names. A back-end that names none compares histograms
        if it is made for them, else embeddings.
        """
        entry = self.backends[backend]
        if "extractors" in entry:
            chosen = self.extractors[extractor]["base"] in entry["extractors"]
        else:
            chosen = (entry["type"] == "jensen_shannon") == bool(self.feature(extractor))
        trained_on = {self.extractors[extractor]["on"], entry["on"]} - {None}
        return chosen and len(trained_on) < 2

    def attacked(self, extractor: str, backend: str) -> str | None:
        """The anonymiser that an attacker was trained on; None for one of original speech."""
        return self.extractors[extractor]["on"] or self.backends[backend]["on"]

    def systems(self, extractor: str, backend: str) -> list[str]:
        """The systems that an attacker is tried on.

        They are unprotected speech, and all anonymisers or the one that he was trained on.
        """
        attacked = self.attacked(extractor, backend)
        return [ORIGINAL, *([attacked] if attacked else self.speech.anonymisers)]

    # Extractors.

    def extractors_with(self, field: str) -> list[str]:
        """Extractors whose entry has a field."""
        return [name for name, entry in self.extractors.items() if field in entry]

    def feature(self, extractor: str) -> str | None:
        """Which of HISTOGRAMS an extractor is; None for a network."""
        return next((name for name in HISTOGRAMS if name in self.extractors[extractor]), None)

    def networks(self) -> list[str]:
        """Extractors that are networks."""
        return [name for name in self.extractors if not self.feature(name)]

    def extraction(self, extractor: str, corpus: str, part: str, anonymiser: str) -> list[str]:
        """Arguments of extract_embeddings: a model and switches, a command, or a ready file."""
        entry = self.extractors[extractor]
        if "command" in entry:
            return ["--command", entry["command"], *(["--sandbox"] if entry["sandbox"] else [])]
        if "embeddings" in entry:
            return ["--ready", self.ready(extractor, corpus, part, anonymiser)]
        switches = [f"--{name}" for name in ("trust", "loudness", "trim", "vad") if entry[name]]
        folder = self.model_folder(extractor)
        assert folder is not None  # a histogram has no embeddings to extract
        return ["--model", folder, "--device", entry["device"], *switches]

    def ready(self, extractor: str, corpus: str, part: str, anonymiser: str) -> str:
        """The file of ready-made embeddings of one part."""
        path = self.extractors[extractor]["embeddings"]
        path = path.replace("{corpus}", corpus).replace("{part}", part)
        return path.replace("{anonymiser}", anonymiser)

    def model_folder(self, extractor: str) -> str | None:
        """Where an extractor's SpeechBrain folder lies: the user's, or one that a rule makes."""
        entry = self.extractors[extractor]
        is_made = "train" in entry or "revision" in entry
        if is_made:
            return f"results/models/{extractor}"
        return ours(entry["model"]) if "model" in entry else None

    def model_files(self, extractor: str) -> list[str]:
        """The files of an extractor that embeddings depend on."""
        folder = self.model_folder(extractor)
        return [f"{folder}/{name}" for name in MODEL_FILES] if folder else []

    def encoder(self, extractor: str) -> str | None:
        """The folder of the self-supervised encoder that units are made of; None for MFCC."""
        folder = self.extractors[extractor].get("units", {}).get("encoder")
        return ours(folder) if folder else None

    # Training.

    def training_manifest(self, entry: dict[str, Any]) -> str:
        """Manifest of the speech that an entry is trained on, with the true speakers."""
        system = entry["on"] or ORIGINAL
        return f"results/audio/{entry['train']['corpus']}/train/{system}/manifest.tsv"

    def training_embeddings(self, backend: str, extractor: str) -> str:
        """Embeddings that a back-end is trained on."""
        entry = self.backends[backend]
        system = entry["on"] or ORIGINAL
        return f"results/embeddings/{entry['train']['corpus']}/train/{system}/{extractor}.npz"

    def start(self, extractor: str) -> str | None:
        """The folder of the model where training starts; None for random weights.

        An entry names another extractor of the config, or a folder. Of another one that is
        trained on protected speech too, the instance of the same anonymiser is taken.
        """
        other = self.start_extractor(extractor)
        if other:
            return self.model_folder(other)
        start = self.extractors[extractor].get("start")
        return ours(start) if start else None

    def start_extractor(self, extractor: str) -> str | None:
        """The other extractor of the run where training starts; None for a folder, or for none."""
        entry = self.extractors[extractor]
        names = (f"{entry.get('start')}{TRAINED_ON}{entry['on']}", entry.get("start"))
        return next((name for name in names if name in self.extractors), None)

    def backend_file(self, backend: str, extractor: str) -> str | None:
        """The file of a trained back-end; cosine has none."""
        trained = "train" in self.backends[backend]
        return f"results/backends/{backend}/{extractor}.npz" if trained else None


def recipe_file(recipe: str) -> str:
    """The file of a training recipe: one of ours by its word, or a path that ends in .yaml."""
    return recipe if recipe.endswith(".yaml") else f"{RESOURCES}/recipes/{recipe}.yaml"
