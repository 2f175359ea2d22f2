"""What a config asks for: which speech, which attacks, which files.

A plan is made of a config that ``configuration.check`` has completed. Its parts answer in names and
in paths under results/; the rules only put wildcards into these answers.
"""

import atexit
import gc
import os
import shlex
from collections.abc import Iterator
from glob import escape as glob_escape
from glob import glob
from itertools import chain, product
from typing import Any

from voiceprivacy import corpus_kinds
from voiceprivacy.corpus_kinds import data_directory
from voiceprivacy.inout.placeholders import expand, ours
from voiceprivacy.kinds import A_FOLDER, FILE, Named
from voiceprivacy.layout import HERE, Layout
from voiceprivacy.models.hub import speaker_files
from voiceprivacy.models.pinned import is_pinned
from voiceprivacy.plan.atlas import Atlas
from voiceprivacy.plan.attackers import (
    Attackers,
    instances,
    recipe_file,
    training_corpora,
)
from voiceprivacy.plan.defaults import resolved
from voiceprivacy.plan.measures import Utility, shipped
from voiceprivacy.plan.named_files import (
    MEASURE_SETTINGS,
    encoder_files,
    hub_encoder_files,
    text_encoder_files,
)
from voiceprivacy.plan.others_scores import Given
from voiceprivacy.plan.outputs import Averages, Outputs, replicates
from voiceprivacy.plan.program_files import imported_files
from voiceprivacy.plan.scores_given import given_scores
from voiceprivacy.plan.sources import Sources, files_in_words
from voiceprivacy.plan.speech import Speech, environment_file
from voiceprivacy.vocabulary import (
    AUDIO_ENDINGS,
    ORIGINAL,
    SECOND_RUN,
    WORDS,
    draws_of,
)


def keep_all_objects() -> None:
    """Tell Python's garbage collector that planning makes objects that stay.

    Measured: ``snakemake -n`` of 17,000 jobs takes 22 s instead of 32 s, of the demo 1.7 s instead
    of 2.1 s.
    """
    gc.set_threshold(1_000_000)  # else millions of living objects are searched again and again
    atexit.register(gc.freeze)  # else they are all searched once more when Python ends


class Plan:
    """The parts of one run, from its completed config.

    Parameters
    ----------
    config : completed
    layout : where the run's files lie
    """

    def __init__(self, config: dict[str, Any], layout: Layout = HERE) -> None:
        self.layout = layout
        self.config = config = resolved(config)
        report, anonymisers = config["report"], config["anonymisers"]
        extractors = instances(config["extractors"], anonymisers)
        backends = instances(config["backends"], anonymisers)
        files = {
            name: given_scores(options["scores"]) for name, options in config["attacks"].items()
        }

        compared = {one.anonymiser.removesuffix(SECOND_RUN) for one in chain(*files.values())}
        n_anonymisers = len(compared.union(draws_of(anonymisers)) - {ORIGINAL})
        self.n_replicates = replicates(report["bootstrap"], n_anonymisers=n_anonymisers)
        self.speech = Speech(
            config["corpora"],
            anonymisers,
            training=dict.fromkeys(training_corpora(extractors, backends)),
            seed=config.get("seed"),
            attacker_draw=config["attacker_draw"],
            layout=layout,
        )
        self.attackers = Attackers(extractors, backends, self.speech)
        self.atlas = Atlas(config, self.attackers)
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
            listen=report["listen"],
            embedded_by=self.outputs.embedded_by(),
        )
        self.named = list(_named_paths(self))
        self.sources = Sources(self.named, layout)


# Files and folders that a config names, section by section.


def _named_paths(plan: Plan) -> Iterator[Named]:
    config = plan.config | {"utility": plan.utility.entries}
    readers = {
        "corpora": _of_corpus,
        "anonymisers": _of_anonymiser,
        "extractors": _of_extractor,
        "backends": _of_backend,
        "attacks": _of_attack,
        "utility": _of_measure,
    }
    for section, named_by in readers.items():
        for name, options in config[section].items():
            yield from named_by(plan, name, options)
            for path in options.get("inputs", ()):
                yield Named((section, name, "inputs"), ours(path))
            for path in _in_command(plan, options):
                yield from _program((section, name, "command"), path)
            if "env" in options:  # Snakemake itself looks for changes of environments
                path = environment_file(options["env"])
                yield Named((section, name, "env"), path, FILE, endings=())
    if "expected" in config:
        yield Named(("expected",), ours(config["expected"]), FILE)
    if "tags" in config["report"]:
        yield Named(("report", "tags"), ours(config["report"]["tags"]), FILE)


def _program(keys, path):
    """A file that is run or read, and what it imports if it is a program in Python."""
    for file in (path, *imported_files(path)):
        yield Named(keys, file, FILE)


def _in_command(plan, options):
    """Files that a command of an entry names, or options of a command or function."""
    if "container" in options:  # its words name files of the image
        return []
    texts = [expand(options["command"])] if "command" in options else []
    texts += [shlex.quote(text) for text in _texts_in(expand(options.get("options", {})))]
    texts = list(map(ours, texts))
    filled = []
    for corpus in plan.config["corpora"]:
        filled += [text.replace("{corpus}", corpus) for text in texts]
    return files_in_words(dict.fromkeys(filled), plan.layout.root)


def _texts_in(value: Any) -> list[str]:
    """All single values of an option, however deep."""
    if not isinstance(value, dict | list):
        return [str(value)]
    inner = value.values() if isinstance(value, dict) else value
    return list(chain.from_iterable(map(_texts_in, inner)))


def _of_corpus(plan, name, options):
    key = plan.speech.corpus_kind(name)
    keys, root = ("corpora", name), None
    may_lack = options["on_bad_audio"] == "exclude"
    for named in corpus_kinds.corpus_kind(key).files(options[key]):
        root = root or named.root
        yield named._replace(keys=(*keys, key, *named.keys), may_lack=may_lack)
    for trials, given in options.get("protocol", {}).get("given", {}).items():
        keys_of_list = (*keys, "protocol", "given", trials)
        if isinstance(given, dict) and "list" in given:
            files = given["list"]
            for file in files if isinstance(files, list) else [files]:
                yield Named(keys_of_list, ours(file), FILE)
        else:
            directory = ours(given["directory"] if isinstance(given, dict) else given)
            for named in data_directory(directory, root):
                yield named._replace(keys=keys_of_list, may_lack=may_lack)


def _of_anonymiser(plan, name, options):
    keys = ("anonymisers", name)
    if "function" in options:
        yield from _program((*keys, "function"), ours(options["function"].rpartition(":")[0]))
    if "container" in options:
        yield Named((*keys, "container"), ours(options["container"]), FILE)
    if "audio" in options:
        learnt = [(corpus, "train") for corpus in plan.attackers.learnt_corpora(name)]
        needed = [*_attacked_parts(plan), *learnt]
        # Clips and measures are made of every evaluated corpus, attacked or not.
        heard = [(corpus, "trial") for corpus in plan.speech.evaluated]
        for corpus, part in dict.fromkeys([*needed, *heard]):
            for folder in plan.speech.anonymiser_call(name, corpus, part)["audio"]:
                path, is_needed = ours(folder), (corpus, part) in needed
                yield Named(
                    (*keys, "audio"), path, A_FOLDER, endings=AUDIO_ENDINGS, needed=is_needed
                )


def _of_extractor(plan, name, options):
    keys = ("extractors", name)
    if "model" in options and "revision" not in options:  # a revision is fetched from the hub
        yield from _of_model(
            (*keys, "model"), options["model"], speaker_files(ours(options["model"]))
        )
    for feature, files in (("units", encoder_files), (WORDS, text_encoder_files)):
        if encoder := options.get(feature, {}).get("encoder"):
            yield from _of_model((*keys, feature, "encoder"), encoder, files(ours(encoder)))
    encoder = options.get("encoder")
    if isinstance(encoder, str):  # others are fetched from the hub
        yield from _of_model((*keys, "encoder"), encoder, hub_encoder_files(ours(encoder)))
    recogniser = options.get(WORDS, {}).get("recogniser")
    if recogniser and not is_pinned(recogniser):
        yield from _of_model((*keys, WORDS, "recogniser"), recogniser, ["model.bin"])
    if "dictionary" in options.get("style", {}):
        yield Named((*keys, "style", "dictionary"), ours(options["style"]["dictionary"]), FILE)
    if "recipe" in options:
        yield Named((*keys, "recipe"), ours(recipe_file(options["recipe"])), FILE)
    # Another extractor of the config is a source of its own.
    if options.get("start", name) not in plan.config["extractors"]:
        yield from _of_model(
            (*keys, "start"), options["start"], speaker_files(ours(options["start"]))
        )
    if "embeddings" in options:
        for corpus, part, system in embedded(plan, name):
            path = plan.attackers.ready(name, corpus, part, system)
            member = f"{corpus}/{part}/{system}"
            yield Named((*keys, "embeddings"), ours(path), FILE, member=member)


def _of_backend(plan, name, options):
    for extractor in plan.attackers.extractors if "model" in options else ():
        if plan.attackers.applies(name, extractor):
            path = plan.attackers.backend_file(name, extractor)
            yield Named(("backends", name, "model"), path, FILE, member=extractor)


def embedded(plan: Plan, extractor: str) -> list[tuple[str, str, str]]:
    """(corpus, part, system) of the speech of which embeddings are compared or trained on."""
    systems = (ORIGINAL, *plan.speech.protected)
    parts = [(*part, system) for system, part in product(systems, _attacked_parts(plan))]
    for name, options in plan.attackers.backends.items():
        if "train" in options and plan.attackers.applies(name, extractor):
            corpus = options["train"]["corpus"]
            parts += [(corpus, "train", system) for system in options["heard"]]
            if plan.attackers.original_embeddings(name, extractor):
                parts.append((corpus, "train", ORIGINAL))
    return [*dict.fromkeys(parts)]


def _of_model(keys, folder, names):
    """A model's folder, and the files that it must hold."""
    yield Named(keys, ours(folder), A_FOLDER)
    for name in names:
        yield Named(keys, f"{ours(folder)}/{name}", FILE)


def _of_measure(plan, name, options):
    keys = ("utility", name)
    if plan.utility.has_folder(name):
        model = ours(options["model"])
        for folder in sorted(glob(glob_escape(model).replace("{fold}", "*"))) or [model]:
            # Not Path.exists: a name that is too long is an error to it.
            settings = [name for name in MEASURE_SETTINGS if os.path.exists(f"{folder}/{name}")]
            yield from _of_model((*keys, "model"), folder, settings or MEASURE_SETTINGS[:1])
    kind = shipped(options)
    # A corpus that is not there is named as a mistake elsewhere.
    corpora = filter(plan.speech.corpora.get, plan.utility.corpora(name))
    for corpus, system in product(corpora, plan.utility.systems(name)) if kind else ():
        filled = plan.utility.call(name, corpus, system)["options"]
        for named in kind.files(filled):
            yield named._replace(keys=(*keys, *named.keys))


def _of_attack(plan, name, options):
    for scored, path in plan.given.files[name].items():
        yield Named(("attacks", name, "scores"), path, FILE, member="/".join(scored))
    for attack in plan.given.attacks():
        for field in ("key", "speakers"):
            if field in options and attack.extractor == name:
                path = options[field].replace("{corpus}", attack.corpus)
                path = path.replace("{trials}", attack.trials)
                yield Named(("attacks", name, field), ours(path), FILE)


def _attacked_parts(plan):
    """(corpus, part) of the speech that is attacked."""
    attacks = (*plan.attackers.attacks(), *plan.attackers.rank_attacks())
    corpora = dict.fromkeys(attack.corpus for attack in attacks)
    return list(product(corpora, ("enrolment", "trial")))
