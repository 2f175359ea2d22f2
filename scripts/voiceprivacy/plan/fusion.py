"""Attackers that are fused: who they are, and whose speech their fusion learns from.

A back-end ``{type: fusion, of: [a/b, c/d], train: {corpus: ...}}`` names attackers as
extractor/back-end, by their names in the config. Its scores lie below ``fused`` instead of an
extractor's name.

Who trains a fusion
-------------------
* Where no fused attacker learnt from the fusion's corpus, all of its speakers train the fusion.
* Else the corpus is split by speakers, once for the whole run. A quarter of each gender is held
  out for fusions (attack/backends/fusion.held_out). All attackers that learn from this corpus learn
  from the others, whether they are fused or not.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

from voiceprivacy.vocabulary import HISTOGRAMS, ORIGINAL, TRAINED_ON, WORDS

TYPE = "fusion"
Entries = Mapping[str, Mapping[str, Any]]


class Part(NamedTuple):
    """An attacker of a run that is fused."""

    extractor: str
    backend: str


class Fusion(NamedTuple):
    """Attackers that are fused in a run.

    ``on`` is the anonymiser that they or their fusion learnt from; None for original speech.
    ``speech`` says what the fusion itself learns from: original or anonymised.
    """

    parts: tuple[Part, ...]
    corpus: str
    speech: str
    base: str
    on: str | None

    def systems(self) -> list[str]:
        """Whose training speech the fusion learns from: original, and perhaps an anonymiser's."""
        is_informed = self.speech == "anonymised" and self.on is not None
        return [ORIGINAL, str(self.on)] if is_informed else [ORIGINAL]


def is_fusion(options: Mapping[str, Any]) -> bool:
    """Whether an entry of the config's back-ends fuses attackers."""
    return options["type"] == TYPE


def single(backends: Entries) -> dict[str, Any]:
    """The back-ends of a config that compare embeddings: all but fusions."""
    return {name: options for name, options in backends.items() if not is_fusion(options)}


def compares(backend: Mapping[str, Any], name: str, extractor: Mapping[str, Any]) -> bool:
    """Whether a back-end compares what an extractor gives, called ``name`` in the config.

    It compares the extractors that it names. A back-end that names none compares histograms if it
    is made for them, else embeddings; words by cosine only.
    """
    if "extractors" in backend:
        return name in backend["extractors"]
    if WORDS in extractor:
        return backend["type"] == "cosine"
    is_histogram = any(kind in extractor for kind in HISTOGRAMS)
    return (backend["type"] == "jensen_shannon") == is_histogram


def choices(extractors: Entries, backends: Entries) -> list[str]:
    """Every attacker of a config that can be fused, as extractor/back-end.

    Words are tried on unprotected speech only, so they cannot be.
    """
    spoken = [name for name in extractors if WORDS not in extractors[name]]
    return [
        f"{extractor}/{backend}"
        for extractor, backend in product(spoken, single(backends))
        if compares(backends[backend], extractor, extractors[extractor])
    ]


def fusions(
    backends: Entries, extractors: Entries, instances: Entries, anonymisers: Iterable[str]
) -> dict[str, Fusion]:
    """The fusions of a run by the names that they have in it.

    A fusion is one for each anonymiser if it learns from protected speech, or if an attacker that
    it fuses does.

    Parameters
    ----------
    backends : of the config
    extractors, instances : extractors and back-ends of the run (attackers.instances)
    anonymisers : whose protected speech is learnt from
    """
    every = [*extractors.values(), *instances.values()]
    informed = {options["base"] for options in every if options["on"]}
    named = {}
    for name, options in backends.items():
        if not is_fusion(options):
            continue
        train, names = options["train"], "/".join(options["of"]).split("/")
        is_informed = train["speech"] == "anonymised" or bool(informed.intersection(names))
        for anonymiser in anonymisers if is_informed else (None,):
            parts = _parts(options["of"], extractors, instances, anonymiser)
            instance = f"{name}{TRAINED_ON}{anonymiser}" if anonymiser else name
            named[instance] = Fusion(parts, train["corpus"], train["speech"], name, anonymiser)
    return named


def _parts(names, extractors, backends, anonymiser):
    """The attackers of the run behind names of the config; wrong names are the config's matter."""
    parts = []
    for name in names:
        extractor, _, backend = name.partition("/")
        part = Part(
            _instance(extractor, extractors, anonymiser), _instance(backend, backends, anonymiser)
        )
        if part.extractor in extractors and part.backend in backends:
            parts.append(part)
    return tuple(parts)


def _instance(name, entries, anonymiser):
    instance = f"{name}{TRAINED_ON}{anonymiser}"
    return instance if instance in entries else name


def split_corpora(
    fused: Mapping[str, Fusion], extractors: Entries, backends: Entries
) -> frozenset[str]:
    """Corpora that a fusion and an attacker that it fuses both learn from."""
    shared = set()
    for fusion in fused.values():
        for part in fusion.parts:
            learnt = _learnt_from(part.extractor, extractors) | _corpora(backends[part.backend])
            shared |= learnt & {fusion.corpus}
    return frozenset(shared)


def _learnt_from(extractor, extractors):
    """The corpora of an extractor, and of those whose weights its training started from."""
    corpora, seen = set(), set()
    while extractor in extractors and extractor not in seen:
        seen.add(extractor)
        options = extractors[extractor]
        corpora |= _corpora(options)
        start = options.get("start", "")
        extractor = _instance(start, extractors, options["on"])
    return corpora


def _corpora(options):
    return {options[field]["corpus"] for field in ("train", "units") if field in options}


def has_fusion(config: Mapping[str, Any]) -> bool:
    """Whether a config fuses attackers."""
    return any(is_fusion(options) for options in config["backends"].values())


def unknown(config: Mapping[str, Any]) -> Iterator[tuple[str, int, str, list[str]]]:
    """Attackers that fusions name and a config lacks: (fusion, position, name, all choices)."""
    known = choices(config["extractors"], config["backends"])
    for name, options in config["backends"].items():
        for position, attacker in enumerate(options["of"] if is_fusion(options) else ()):
            if attacker not in known:
                yield name, position, attacker, known
