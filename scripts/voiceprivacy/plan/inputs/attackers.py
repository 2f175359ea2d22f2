"""What rules ask of attackers: what they learn from, their embeddings, and scores of systems."""

from typing import Any

from voiceprivacy.inout.placeholders import ours, paths_behind
from voiceprivacy.plan.attackers import recipe_file
from voiceprivacy.plan.inputs.wildcards import Ask, Entries, option
from voiceprivacy.plan.plan import Plan
from voiceprivacy.plan.speech import environment_file
from voiceprivacy.running.fingerprints import code
from voiceprivacy.vocabulary import CONDITIONS, ENGLISH, OF_TEXT, ORIGINAL

TO_CHECK = 15  # minutes, after a command's own
HOURS_OF_NETWORK = 240  # minutes for each part
BATCH_OF_ENCODER_MB = 16000  # all layers of a large encoder
OF_FILES = ("units", *OF_TEXT)  # features of more than the speech
NETWORK = "model"
# What the job imports inside a function, by the key of an entry: see fingerprints.
LATE_MODULES = {
    "embeddings": [],
    "command": [],
    "package": ["packages"],
    NETWORK: ["networks", "ecapa_ssl"],
}
LOADERS = 8  # threads that load speech beside a GPU


class AttackerInputs:
    """What rules ask about the extractors and back-ends of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.attackers = plan.attackers
        self.speech = plan.speech
        self.layout = plan.layout
        self.sources = plan.sources
        self.evaluation = plan.config.get("plan")  # of 2026: june or september
        self.cece = plan.config["report"]["cece"]
        self.extractors = Entries(plan.attackers.extractors.__getitem__, "extractor")
        self.backends = Entries(plan.attackers.backends.__getitem__, "backend")
        self.encoders = Entries(plan.attackers.fetched_encoders().__getitem__, "extractor")

    # Training of extractors.

    def files(self, wildcards: Any) -> list[str]:
        """Fingerprint of the user's files behind an extractor."""
        return self._files(wildcards.extractor)

    def _files(self, extractor):
        return self.sources.file("extractors", self.attackers.extractors[extractor]["base"])

    def _model(self, extractor):
        """What a model is: the files that a rule makes, or the fingerprint of the user's."""
        options = self.attackers.extractors[extractor]
        is_made = "train" in options or "revision" in options
        made = self.attackers.model_files(extractor) if is_made else []
        return made if "train" in options else [*made, *self._files(extractor)]

    def encoder_files(self, wildcards: Any) -> str | list[str]:
        """The encoder of a training that a rule fetches; a user's has its fingerprint."""
        is_fetched = isinstance(self.extractors.of_job(wildcards).get("encoder"), dict)
        encoder = self.attackers.training_encoder(wildcards.extractor)
        return self.layout.mark(f"{encoder}/config.json") if is_fetched else []

    def start_files(self, wildcards: Any) -> list[str]:
        """The model where training starts, if it is another extractor of the config."""
        start = self.attackers.start_extractor(wildcards.extractor)
        return self._model(start) if start else []

    def training_memory(self, wildcards: Any, attempt: int) -> int:
        """Megabytes of a training, which has more each time that it is tried again."""
        has_encoder = "encoder" in self.extractors.of_job(wildcards)
        return (BATCH_OF_ENCODER_MB if has_encoder else 8000) * attempt

    def training_threads(self, wildcards: Any) -> int:
        """One, so that a machine's cores change no weights; beside a GPU, some that load speech."""
        return LOADERS if self.extractors.gpus(wildcards) else 1

    def recipe(self, wildcards: Any) -> str:
        """The file of a training's recipe."""
        return recipe_file(self.extractors.of_job(wildcards)["recipe"])

    def units_manifest(self, wildcards: Any) -> str:
        """Manifest of the speech that a codebook is made of."""
        corpus = self.extractors.of_job(wildcards)["units"]["corpus"]
        return self.layout.speech(corpus, "train", ORIGINAL, "manifest")

    # Embeddings.

    def model(self, wildcards: Any) -> list[str]:
        """What embeddings depend on: a model that a rule makes, or the user's files."""
        if "embeddings" in self.extractors.of_job(wildcards):
            embedded = f"{wildcards.corpus}/{wildcards.part}/{wildcards.anonymiser}"
            return self.sources.file("extractors", wildcards.extractor, embedded)
        return self._model(wildcards.extractor)

    def extraction(self, wildcards: Any) -> list[str]:
        """How a job extracts embeddings, as arguments."""
        part = wildcards.get("part", "")  # none in a job of both parts: of a model nothing differs
        return self.attackers.extraction(
            wildcards.extractor, wildcards.corpus, part, wildcards.anonymiser
        )

    def extraction_code(self, wildcards: Any) -> str:
        """Fingerprint of our modules, and of paths in a command."""
        options = self.extractors.of_job(wildcards)
        kind = next((kind for kind in LATE_MODULES if kind in options), NETWORK)
        modules = [f"voiceprivacy/attack/extractors/{name}" for name in LATE_MODULES[kind]]
        return code("extract_embeddings", *modules) + paths_behind(self.extraction(wildcards))

    def extraction_runtime(self, wildcards: Any) -> int:
        """Minutes of a job: those of a command and some to spare, or four hours for each part."""
        options = self.extractors.of_job(wildcards)
        if "command" in options:
            return options["runtime"] + TO_CHECK
        return HOURS_OF_NETWORK * (1 if wildcards.get("part") else 2)

    # Features, which no network makes.

    def feature_memory(self, wildcards: Any, attempt: int) -> int:
        """Megabytes of a job; an encoder or a recogniser takes more than MFCC or terms."""
        return (8000 if self._has_network(wildcards.extractor) else 4000) * attempt

    def feature_runtime(self, wildcards: Any) -> int:
        """Minutes of a job, likewise."""
        return 1440 if self._has_network(wildcards.extractor) else 120

    def _has_network(self, extractor):
        return self.attackers.encoder(extractor) or self.attackers.recogniser(extractor)

    def feature_files(self, wildcards: Any) -> list[str]:
        """What a feature depends on besides the speech."""
        if self.attackers.feature(wildcards.extractor) not in OF_FILES:
            return []
        words = self.feature_arguments(wildcards)
        files: list[str] = [word for word in words if word.startswith(f"{self.layout.root}/")]
        return [*files, *self.files(wildcards)]

    def feature_arguments(self, wildcards: Any) -> list[str]:
        """Which feature a job extracts, as arguments."""
        extractor, feature = wildcards.extractor, self.attackers.feature(wildcards.extractor)
        encoder = option("--encoder", self.attackers.encoder(extractor))
        if feature == "units":
            codebook = self.layout.path(f"models/{extractor}/codebook.npz")
            return ["--codebook", codebook, *encoder]
        if feature not in OF_FILES:
            return [f"--{feature}"]
        path = self.layout.speech(wildcards.corpus, wildcards.part, ORIGINAL, "transcripts")
        said = ["--transcripts", path]
        if feature == "style":
            dictionary = self.extractors.of_job(wildcards)["style"].get("dictionary", "")
            return said + option("--dictionary", ours(dictionary))
        if recogniser := self.attackers.recogniser(extractor):
            language = self.speech.corpora[wildcards.corpus].get("language", ENGLISH)
            said = ["--recogniser", recogniser, "--language", language]
        weights = option("--training-transcripts", self.attackers.training_transcripts(extractor))
        return [*said, "--words", *weights, *encoder]

    def feature_environment(self, wildcards: Any) -> str:
        """The environment of a feature: text needs no network unless one hears or reads it."""
        if self.attackers.recogniser(wildcards.extractor):
            return environment_file("neural")
        is_text = self.attackers.feature(wildcards.extractor) in OF_TEXT
        needs_network = self.attackers.encoder(wildcards.extractor) or not is_text
        return environment_file("torch" if needs_network else "evaluate")

    # Back-ends.

    def backend_environment(self, wildcards: Any) -> str:
        """The environment of a back-end's training."""
        is_speechbrains = self.backends.of_job(wildcards)["type"] == "speechbrain_plda"
        return environment_file("torch" if is_speechbrains else "evaluate")

    def backend_options(self, wildcards: Any) -> list[Any]:
        """What a back-end is and how it is trained, as arguments."""
        options = self.backends.of_job(wildcards)
        original = self.attackers.original_embeddings(wildcards.backend, wildcards.extractor)
        if options["type"] == "procrustes":
            return ["--type", "procrustes", "--original", original]
        if options["type"] == "speechbrain_plda":
            return ["--type", "speechbrain_plda", "--rank", options["rank"]]
        words = ["--length-norm", options["length_norm"], "--shrinkage", options["shrinkage"]]
        words += option("--lda-dim", options.get("lda_dim")) + option("--original", original)
        return words if options["centre"] else [*words, "--no-centre"]

    def backend(self, wildcards: Any) -> list[str]:
        """What a back-end is: the file that a rule makes, or the fingerprint of the user's."""
        backend, extractor = wildcards.backend, wildcards.extractor
        if "model" in self.backends.of_job(wildcards):
            return self.sources.file("backends", backend, extractor)
        made = self.attackers.backend_file(backend, extractor)
        return [made] if made else []

    def backend_argument(self, wildcards: Any) -> str:
        """The file of a trained back-end, or the type of one that is not trained.

        By a plan of 2026 its own cosine.
        """
        file = self.attackers.backend_file(wildcards.backend, wildcards.extractor)
        kind = self.backends.of_job(wildcards)["type"]
        return file or (
            f"vpc2026_{self.evaluation}" if kind == "cosine" and self.evaluation else kind
        )

    # Scores.

    def _compared(self, part, wildcards):
        """Embeddings of a part by whose speech they are: {original, run0 or run1: file}."""
        is_second_run = self.speech.first_run(wildcards.anonymiser)
        conditions = self.cece if is_second_run else self.speech.conditions(wildcards.anonymiser)
        systems = self.speech.spoken(part, wildcards.anonymiser, conditions)
        return {whose: self._embeddings(wildcards, part, name) for whose, name in systems.items()}

    def compared(self, part: str) -> Ask:
        """Return an input function: the embeddings that the conditions of a system compare."""
        return lambda wildcards: list(self._compared(part, wildcards).values())

    def compared_arguments(self, part: str) -> Ask:
        """Return a parameter: the same as WHOSE=FILE."""
        return lambda wildcards: [
            f"{whose}={file}" for whose, file in self._compared(part, wildcards).items()
        ]

    def enrolment(self, wildcards: Any) -> str:
        """Embeddings that enrol under one condition."""
        system, _ = self.speech.of_condition(wildcards.condition, wildcards.anonymiser)
        return self._embeddings(wildcards, "enrolment", system)

    def trial(self, wildcards: Any) -> str:
        """Embeddings that are tried under one condition."""
        _, system = self.speech.of_condition(wildcards.condition, wildcards.anonymiser)
        return self._embeddings(wildcards, "trial", system)

    def protected_sides(self, wildcards: Any) -> list[str]:
        """The sides of a condition that are protected speech, where the back-end needs them."""
        if self.backends.of_job(wildcards)["type"] != "procrustes":
            return []
        sides = CONDITIONS[wildcards.condition]._asdict().items()
        return ["--protected", *(side for side, speech in sides if speech != ORIGINAL)]

    def _embeddings(self, wildcards, part, system):
        return self.layout.embeddings(wildcards.corpus, part, system, wildcards.extractor)
