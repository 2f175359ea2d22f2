"""Who attacks, and what: extractors and back-ends, what they are trained on, and the trials they are tried on."""

from itertools import product
from pathlib import Path

from voiceprivacy.inout.files import RESOURCES, ours
from voiceprivacy.vocabulary import CONDITIONS, SECOND_RUN, TRAINED_ON, Attack

MODEL_FILES = ["hyperparams.yaml", "embedding_model.ckpt"]
ENCODER_FILES = ["hyperparams.yaml", "latent_extractor.ckpt", "latent_encoder.ckpt"]
HUB_ENCODER_FILES = [
    "config.json",
    "preprocessor_config.json",
]  # of an encoder of the Hugging Face hub, and one of
HUB_ENCODER_WEIGHTS = ["model.safetensors", "pytorch_model.bin"]
HISTOGRAMS = [
    "f0",
    "units",
    "style",
]  # extractors that are no network: their features are histograms


class Attackers:
    """The part of a plan that is about extractors, back-ends and attacks."""

    def _instances(self, entries):
        """Entries trained on protected speech become one for each anonymiser, with its name under ``on``."""
        instances = {}
        for name, entry in entries.items():
            if entry.get("train", {}).get("speech") == "anonymised":
                instances |= {
                    f"{name}{TRAINED_ON}{of}": {**entry, "on": of, "base": name}
                    for of in self.anonymisers
                }
            else:
                instances[name] = {**entry, "on": None, "base": name}
        return instances

    def attacked(self, extractor, backend):
        """The anonymiser that an attacker was trained on; None for one trained on original speech."""
        return self.extractors[extractor]["on"] or self.backends[backend]["on"]

    def training_manifest(self, entry):
        """Manifest of the speech that an extractor or back-end (its entry) is trained on, with the true speakers."""
        return f"results/audio/{entry['train']['corpus']}/train/{entry['on'] or 'original'}/manifest.tsv"

    def training_embeddings(self, backend, extractor):
        """Embeddings that a back-end is trained on."""
        entry = self.backends[backend]
        return f"results/embeddings/{entry['train']['corpus']}/train/{entry['on'] or 'original'}/{extractor}.npz"

    def start(self, extractor):
        """Where training starts: another extractor of the config (its own instance on that anonymiser), or a folder."""
        entry = self.extractors[extractor]
        own = f"{entry.get('start')}{TRAINED_ON}{entry['on']}"
        found = next((name for name in (own, entry.get("start")) if name in self.extractors), None)
        if found:
            return self.model_folder(found)
        return ours(entry["start"]) if "start" in entry else None

    def extraction(self, extractor, corpus, part, anonymiser):
        """The arguments of extract_embeddings that say how: a model with its switches, a command, or a ready file."""
        entry = self.extractors[extractor]
        if "command" in entry:
            return ["--command", entry["command"], *(["--sandbox"] if entry["sandbox"] else [])]
        if "embeddings" in entry:
            return ["--ready", self.ready(extractor, corpus, part, anonymiser)]
        switches = [f"--{name}" for name in ("trust", "loudness", "trim", "vad") if entry[name]]
        return ["--model", self.model_folder(extractor), "--device", entry["device"], *switches]

    def ready(self, extractor, corpus, part, anonymiser):
        """The file of ready-made embeddings of one part."""
        path = self.extractors[extractor]["embeddings"]
        return (
            path.replace("{corpus}", corpus)
            .replace("{part}", part)
            .replace("{anonymiser}", anonymiser)
        )

    def model_folder(self, extractor):
        """Where an extractor's SpeechBrain folder lies: the user's, or one that a rule makes."""
        entry = self.extractors[extractor]
        made = "train" in entry or "revision" in entry
        if "model" not in entry and not made:
            return None
        return f"results/models/{extractor}" if made else ours(entry["model"])

    def model_files(self, extractor):
        """The files of an extractor that embeddings depend on."""
        folder = self.model_folder(extractor)
        return [f"{folder}/{name}" for name in MODEL_FILES] if folder else []

    def encoder(self, extractor):
        """The folder of the self-supervised encoder whose frames an extractor's units are; None for MFCC."""
        folder = self.extractors[extractor]["units"].get("encoder")
        return folder and ours(folder)

    def encoder_files(self, extractor):
        """The files of that encoder."""
        folder = self.encoder(extractor)
        return [f"{folder}/{name}" for name in _files_of_encoder(folder)] if folder else []

    def extractors_with(self, field):
        """Extractors whose entry has a field."""
        return [name for name, entry in self.extractors.items() if field in entry]

    def feature(self, extractor):
        """Which of HISTOGRAMS an extractor is; None for a network."""
        return next((name for name in HISTOGRAMS if name in self.extractors[extractor]), None)

    def networks(self):
        """Extractors that are networks."""
        return [name for name in self.extractors if not self.feature(name)]

    def applies(self, backend, extractor):
        """Whether a back-end compares what an extractor gives: those it names, else histograms or else embeddings."""
        entry = self.backends[backend]
        default = (entry["type"] == "jensen_shannon") == bool(self.feature(extractor))
        chosen = (
            self.extractors[extractor]["base"] in entry["extractors"]
            if "extractors" in entry
            else default
        )
        trained_on = {self.extractors[extractor]["on"], entry["on"]} - {None}
        return chosen and len(trained_on) < 2

    def backend_file(self, backend, extractor):
        """The file of a trained back-end; cosine has none."""
        trained = "train" in self.backends[backend]
        return f"results/backends/{backend}/{extractor}.npz" if trained else None

    def speech(self, condition, anonymiser):
        """Whose speech enrols and whose is tried: (original, b2) for op."""
        names = {"original": "original", "run0": anonymiser, "run1": f"{anonymiser}{SECOND_RUN}"}
        enrolment, trial = CONDITIONS[condition]
        return names[enrolment], names[trial]

    def conditions(self, anonymiser):
        """The conditions that a system's scores are assessed under."""
        if anonymiser == "original":
            return ["oo"]
        return ["op", "pp", "p0p1"] if anonymiser in self.repeated else ["op", "pp"]

    def attacks(self):
        """Every attacker on every trial list."""
        return self._attacks_on(self.all_trial_lists())

    def rank_attacks(self):
        """Every attacker on every sampled gallery."""
        return self._attacks_on(self.all_galleries())

    def _attacks_on(self, lists):
        return [
            Attack(corpus, trials, extractor, backend)
            for (corpus, trials), extractor, backend in product(
                lists, self.extractors, self.backends
            )
            if self.applies(backend, extractor)
        ]

    def systems(self, extractor, backend):
        """The systems that an attacker is tried on: unprotected speech, and all anonymisers or that of his training."""
        attacked = self.attacked(extractor, backend)
        return ["original", *([attacked] if attacked else self.anonymisers)]


def recipe_file(recipe):
    """The file of a training recipe: one of ours by its word, or a path that ends in .yaml."""
    return recipe if recipe.endswith(".yaml") else f"{RESOURCES}/recipes/{recipe}.yaml"


def _files_of_encoder(folder):
    if not Path(folder, HUB_ENCODER_FILES[0]).exists():
        return ENCODER_FILES
    weights = [name for name in HUB_ENCODER_WEIGHTS if Path(folder, name).exists()]
    return [*HUB_ENCODER_FILES, *(weights or HUB_ENCODER_WEIGHTS)[:1]]
