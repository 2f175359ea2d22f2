"""Who attacks: extractors and back-ends of the run."""

import functools
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import yaml

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.placeholders import ours
from voiceprivacy.inout.tables import whole_number_in
from voiceprivacy.inout.yaml_files import compose
from voiceprivacy.models.hub import speaker_files, speaker_settings
from voiceprivacy.models.pinned import is_pinned
from voiceprivacy.plan.speech import Speech, sandbox_arguments
from voiceprivacy.vocabulary import (
    FEATURES,
    HISTOGRAMS,
    ORIGINAL,
    OTHERS,
    TRAINED_ON,
    TRAINED_WITHOUT,
    WORDS,
    Attack,
    TrialList,
    draws_of,
)

PACKAGE_DIMENSIONS = {"resemblyzer": 256, "campplus": 192, "dvector": 256, "whisper": 512}


def instances(entries: dict[str, dict], anonymisers: dict[str, dict]) -> dict[str, dict]:
    """Extractors or back-ends by the names that they have in a run.

    One that is trained on protected speech becomes one for each anonymiser, and so does one that is
    trained on that of the others. Each entry says its name in the config (``base``), the only
    anonymiser that it is tried on (``against``, or None), the same if it learns from its speech
    (``on``, or None), and the systems that it learns from (``heard``).

    Parameters
    ----------
    entries, anonymisers : sections of a completed config
    """
    first_draws = list(draws_of(anonymisers))  # attackers learn from these alone
    competing = [name for name in first_draws if not anonymisers[name]["control"]]
    named = {}
    for name, options in entries.items():
        train = options.get("train", {})
        speech = train.get("speech", [])
        listed = speech if isinstance(speech, list) else [speech]
        is_informed = speech == "anonymised"
        if not is_informed and OTHERS not in listed:
            named[name] = {**options, "base": name, "against": None, "on": None, "heard": listed}
            continue
        wanted = train.get("anonymisers", first_draws if is_informed else competing)
        for one in [one for one in first_draws if one in wanted]:
            word = TRAINED_ON if is_informed else TRAINED_WITHOUT
            named[f"{name}{word}{one}"] = {
                **options,
                "base": name,
                "against": one,
                "on": one if is_informed else None,
                "heard": [one] if is_informed else _heard_without(one, listed, competing),
            }
    return named


def _heard_without(anonymiser: str, speech: list[str], competing: list[str]) -> list[str]:
    """The systems of a list of speech that has the word others, but the anonymiser itself."""
    heard: list[str] = []
    for name in speech:
        heard += competing if name == OTHERS else [name]
    return [name for name in dict.fromkeys(heard) if name != anonymiser]


def training_corpora(extractors: dict[str, dict], backends: dict[str, dict]) -> list[str]:
    """Corpora that an extractor or a back-end of a run is trained on."""
    corpora = []
    for options in (*extractors.values(), *backends.values()):
        # Units have a codebook, which is trained too, and words weights if they name a corpus.
        for field in ("train", "units", WORDS):
            if "corpus" in options.get(field, {}):
                corpora.append(options[field]["corpus"])
    return list(dict.fromkeys(corpora))


class Attackers:
    """The extractors and back-ends of a run, and what they attack.

    Parameters
    ----------
    extractors, backends : as ``instances`` names them
    speech : the corpora and anonymisers that are attacked
    """

    def __init__(
        self,
        extractors: dict[str, dict],
        backends: dict[str, dict],
        speech: Speech,
    ) -> None:
        self.extractors = extractors
        self.backends = backends
        self.speech = speech
        self.layout = speech.layout

    # Attacks.

    def attacks(self) -> list[Attack]:
        """Every attacker on every trial list."""
        return self._attacks_on(self.speech.all_trial_lists())

    def rank_attacks(self) -> list[Attack]:
        """Every attacker on every sampled gallery."""
        return self._attacks_on(self.speech.all_galleries())

    def _attacks_on(self, lists: list[TrialList]) -> list[Attack]:
        return [
            Attack(trial_list.corpus, trial_list.trials, extractor, backend)
            for trial_list, extractor, backend in product(lists, self.extractors, self.backends)
            if self.applies(backend, extractor)
        ]

    def applies(self, backend: str, extractor: str) -> bool:
        """Whether a back-end compares what an extractor gives.

        It compares the extractors that it names. A back-end that names none compares histograms if
        it is made for them, else embeddings; words by cosine only.
        """
        options, compared = self.backends[backend], self.extractors[extractor]
        # An extractor and a back-end that are made for two anonymisers make no attacker of either.
        if len({compared["against"], options["against"]} - {None}) > 1:
            return False
        if "extractors" in options:
            return compared["base"] in options["extractors"]
        if WORDS in compared:
            return options["type"] == "cosine"
        is_histogram = any(kind in compared for kind in HISTOGRAMS)
        return (options["type"] == "jensen_shannon") == is_histogram

    def attacked(self, extractor: str, backend: str) -> str | None:
        """The only anonymiser that an attacker is tried on; None for one of all systems."""
        return self.extractors[extractor]["against"] or self.backends[backend]["against"]

    def informed(self, extractor: str, backend: str) -> str | None:
        """The anonymiser that a semi-informed attacker was trained on; None for other attackers."""
        return self.extractors[extractor]["on"] or self.backends[backend]["on"]

    def systems(self, extractor: str, backend: str) -> list[str]:
        """The systems that an attacker is tried on.

        They are unprotected speech, and all anonymisers or all draws of the one that it is made
        for. Words of transcripts are the same in protected speech: they are tried once.
        """
        if self.feature(extractor) == WORDS and not self.recogniser(extractor):
            return [ORIGINAL]
        attacked = self.attacked(extractor, backend)
        if attacked is None:
            return [ORIGINAL, *self.speech.anonymisers]
        return [ORIGINAL, *draws_of(self.speech.anonymisers)[attacked]]

    # Extractors.

    def extractors_with(self, field: str) -> list[str]:
        """Extractors whose entry has a field."""
        return [name for name, options in self.extractors.items() if field in options]

    def feature(self, extractor: str) -> str | None:
        """Which of FEATURES an extractor is; None for a network."""
        return next((name for name in FEATURES if name in self.extractors[extractor]), None)

    def histograms(self) -> list[str]:
        """Extractors that are histograms."""
        return [name for name in self.extractors if self.feature(name) in HISTOGRAMS]

    def networks(self) -> list[str]:
        """Extractors that are networks."""
        return [name for name in self.extractors if not self.feature(name)]

    def extraction(self, extractor: str, corpus: str, part: str, anonymiser: str) -> list[str]:
        """Arguments of extract_embeddings: a model and switches, a package, a command or a file."""
        options = self.extractors[extractor]
        if "package" in options:
            on_gpu = ["--device", "cuda"] if options["device"] == "cuda" else []
            return ["--package", options["package"], *on_gpu]
        if "command" in options:
            return ["--command", options["command"], *sandbox_arguments(options)]
        if "embeddings" in options:
            return ["--ready", self.ready(extractor, corpus, part, anonymiser)]
        switches = [f"--{name}" for name in ("trust", "loudness", "trim", "vad") if options[name]]
        switches += ["--preparation", options["preparation"]] if "preparation" in options else []
        folder = self.model_folder(extractor)
        assert folder is not None  # a histogram has no embeddings to extract
        return ["--model", folder, "--device", options["device"], *switches]

    def embeds_both_parts(self, extractor: str) -> bool:
        """Whether one job may embed what enrols and what is tried: a model is loaded once."""
        return "package" in self.extractors[extractor] or bool(self.model_folder(extractor))

    def ready(self, extractor: str, corpus: str, part: str, anonymiser: str) -> str:
        """The file of ready-made embeddings of one part."""
        path = self.extractors[extractor]["embeddings"]
        path = path.replace("{corpus}", corpus).replace("{part}", part)
        return path.replace("{anonymiser}", anonymiser)

    def model_folder(self, extractor: str) -> str | None:
        """Where an extractor's SpeechBrain folder lies: the user's, or one that a rule makes."""
        options = self.extractors[extractor]
        is_made = "train" in options or "revision" in options
        if is_made:
            return self.layout.path(f"models/{extractor}")
        return ours(options["model"]) if "model" in options else None

    def model_files(self, extractor: str) -> list[str]:
        """The files of an extractor that embeddings depend on."""
        folder = self.model_folder(extractor)
        return (
            [self.layout.mark(f"{folder}/{name}") for name in speaker_files(folder)]
            if folder
            else []
        )

    def encoder(self, extractor: str) -> str | None:
        """The folder of the encoder that units or words are made of; None for MFCC or terms."""
        options = self.extractors[extractor]
        folder = (options.get("units") or options.get(WORDS) or {}).get("encoder")
        return ours(folder) if folder else None

    def recogniser(self, extractor: str) -> str | None:
        """What hears the words of an extractor; None where transcripts have them."""
        model = self.extractors[extractor].get(WORDS, {}).get("recogniser")
        return model if model is None or is_pinned(model) else ours(model)

    def training_transcripts(self, extractor: str) -> str | None:
        """Transcripts that words are weighted by; None where no corpus is named."""
        corpus = self.extractors[extractor].get(WORDS, {}).get("corpus")
        return self.layout.speech(corpus, "train", ORIGINAL, "transcripts") if corpus else None

    # Training.

    def training_encoder(self, extractor: str) -> str | None:
        """The folder of the encoder that a trained extractor listens through.

        It is the user's, or one that a rule fetches. None where ``start`` has it, or there is none.
        """
        options = self.extractors[extractor]
        encoder = options.get("encoder")
        if isinstance(encoder, dict):
            return self.layout.path(f"encoders/{options['base']}")
        return ours(encoder) if encoder else None

    def fetched_encoders(self) -> dict[str, dict[str, str]]:
        """Encoders that come from the hub: model and revision by the entry's name in the config."""
        fetched = {}
        for options in self.extractors.values():
            if isinstance(options.get("encoder"), dict):
                fetched[options["base"]] = options["encoder"]
        return fetched

    def training_manifest(self, options: dict[str, Any]) -> str:
        """Manifest of the speech that an entry is trained on, with the true speakers."""
        system = options["on"] or ORIGINAL
        return self.layout.speech(options["train"]["corpus"], "train", system, "manifest")

    def fewest_utterances(self) -> dict[str, int]:
        """Utterances that some speaker of a corpus must have, of those that speakers are learnt
        from: {corpus: number}.

        PLDA sees how a speaker varies in two, or in two versions of one.
        """
        fewest: dict[str, int] = {}
        for options in (*self.extractors.values(), *self.backends.values()):
            if "train" not in options or options.get("type") == "procrustes":
                continue
            is_plda = options.get("type") in ("plda", "speechbrain_plda")
            is_of_one = is_plda and _n_versions(options) == 1
            corpus, needed = options["train"]["corpus"], 2 if is_of_one else 1
            fewest[corpus] = max(fewest.get(corpus, 1), needed)
        return fewest

    def least_speech(self) -> dict[str, list[int]]:
        """What PLDA must have of a corpus in all: {corpus: [speakers, utterances]}.

        LDA keeps fewer dimensions than there are speakers. Without shrinkage there are as many
        utterances as dimensions, where these are known before the embeddings are there.
        """
        least: dict[str, list[int]] = {}
        for backend, extractor in self.trained():
            options = self.backends[backend]
            if options["type"] != "plda":
                continue
            dimensions = 0 if options["shrinkage"] else self.dimensions(extractor) or 0
            n_utterances = math.ceil(dimensions / _n_versions(options))
            needed = [options.get("lda_dim", 1) + 1, n_utterances]
            known = least.get(options["train"]["corpus"], [0, 0])
            least[options["train"]["corpus"]] = list(map(max, known, needed))
        return least

    def beyond_dimensions(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """What back-ends ask for, and embeddings cannot have: the keys, and what is wrong."""
        for backend, extractor in self.trained():
            options, dimensions = self.backends[backend], self.dimensions(extractor)
            field = "rank" if options["type"] == "speechbrain_plda" else "lda_dim"
            wanted = options.get(field, 0) if options["type"] != "procrustes" else 0
            if dimensions and wanted > dimensions:
                has = f"embeddings of '{self.extractors[extractor]['base']}' have {dimensions}"
                remedy = f"write {dimensions} or less, or name the extractors: that it compares"
                words = f"{wanted} dimensions, and {has}: {remedy}"
                yield ("backends", options["base"], field), words

    def trained(self) -> list[tuple[str, str]]:
        """Trained back-ends with each extractor that they compare."""
        trained = [name for name, options in self.backends.items() if "train" in options]
        return [pair for pair in product(trained, self.extractors) if self.applies(*pair)]

    def dimensions(self, extractor: str) -> int | None:
        """Dimensions of an extractor's embeddings; None where nothing says them beforehand."""
        options = self.extractors[extractor]
        if "package" in options:
            return PACKAGE_DIMENSIONS[options["package"]]
        if "train" in options:
            return _dimensions_in(ours(recipe_file(options["recipe"])))
        if "model" in options and "revision" not in options:
            return _dimensions_in(str(speaker_settings(ours(options["model"]))))
        return None

    def learnt_corpora(self, anonymiser: str) -> list[str]:
        """Corpora of which attackers learn what an anonymiser makes."""
        learners = (*self.extractors.values(), *self.backends.values())
        corpora = [one["train"]["corpus"] for one in learners if anonymiser in one["heard"]]
        return list(dict.fromkeys(corpora))

    def training_embeddings(self, backend: str, extractor: str) -> list[str]:
        """Embeddings that a back-end is trained on: of the same utterances by each system."""
        options = self.backends[backend]
        corpus, heard = options["train"]["corpus"], options["heard"]
        return [self.layout.embeddings(corpus, "train", system, extractor) for system in heard]

    def original_embeddings(self, backend: str, extractor: str) -> str | None:
        """Embeddings of the same utterances unprotected, where a back-end learns from both."""
        options = self.backends[backend]
        is_plda = options["type"] == "plda" and options["unprotected"] and options["on"]
        if options["type"] != "procrustes" and not is_plda:
            return None
        return self.layout.embeddings(options["train"]["corpus"], "train", ORIGINAL, extractor)

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
        options = self.extractors[extractor]
        start = options.get("start")
        instance = f"{start}{TRAINED_ON}{options['on']}"
        for name in (instance, start):
            if name in self.extractors:
                return name
        return None

    def backend_file(self, backend: str, extractor: str) -> str | None:
        """The file of a trained back-end, the user's or one that a rule makes; cosine has none."""
        options = self.backends[backend]
        if "model" in options:
            return ours(options["model"]).replace("{extractor}", self.extractors[extractor]["base"])
        made = self.layout.path(f"backends/{backend}/{extractor}.npz")
        return made if "train" in options else None

    # What is known of training on protected speech.

    def learnt(self, extractor: str, backend: str) -> list[str]:
        """What each part that learnt from protected speech finds in speakers held out: files."""
        files = []
        if self.extractors[extractor]["on"]:
            files.append(self.layout.path(f"models/{extractor}/held_out.json"))
        if self.backends[backend]["on"]:
            files.append(self.layout.path(f"backends/{backend}/{extractor}.held_out.json"))
        return files


def _n_versions(options: dict[str, Any]) -> int:
    """How many versions of each utterance a trained entry learns from."""
    return len(options["heard"]) + bool(options.get("unprotected") and options["on"])


@functools.cache  # every attacker is asked for, and some files are large
def _dimensions_in(path: str) -> int | None:
    """The dimensions that SpeechBrain's hyperparameters give an embedding; None if none are found.

    What is wrong with the file is said by whoever loads it.
    """
    try:
        fields = _fields(compose(path))
    except BadInput:
        return None
    value = _fields(fields.get("embedding_model")).get("lin_neurons")
    if value is not None and value.tag == "!ref":
        value = fields.get(str(value.value).strip("<>"))
    text = getattr(value, "value", None)
    return whole_number_in(text) if isinstance(text, str) else None


def _fields(node: Any) -> dict[str, Any]:
    """The nodes of a mapping by their keys; none of anything else."""
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {str(key.value): value for key, value in pairs}


def recipe_file(recipe: str) -> str:
    """The file of a training recipe: one of ours by its word, or a path that ends in .yaml."""
    return recipe if recipe.endswith(".yaml") else ours(f"{{resources}}/recipes/{recipe}.yaml")
