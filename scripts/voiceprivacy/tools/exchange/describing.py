"""What a run says of its lists and attackers, as records.

Conventions
-----------
* A trial list of a corpus is the protocol CORPUS_LIST, and an extractor with a back-end is the
  attacker EXTRACTOR_BACKEND, if nobody says otherwise. An attacker's revision is made of its
  options and weights, so that another one under the same name has another revision. Commands
  are not told: two of them under one name have one revision.
* Options and paths are those that a mailed page has: no seed, no command, no path of the machine.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import read_enrolments, read_manifest, read_speakers, read_trials
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import Number as RunNumber
from voiceprivacy.report.sections import Utility as Measured
from voiceprivacy.tools.exchange.evidence import Listed, digest
from voiceprivacy.tools.exchange.records import Attacker, NotReported, Protocol
from voiceprivacy.tools.exchange.repository import read_record, write_record
from voiceprivacy.vocabulary import FUSED, LEARNT_FROM, ORIGINAL, TRAINED_ON, Attack, NumberKey

TO_BE_SAID = NotReported("nobody has filled it in yet")
REVISION_LETTERS = 8


class Names(NamedTuple):
    """How a run's things are called in the repository, and who measured.

    ``revision`` is that of its systems. ``systems`` is {anonymiser: name}, ``protocols``
    {CORPUS/LIST: name}, ``attackers`` {EXTRACTOR/BACKEND: NAME@REVISION}; what is not there has its
    usual name.
    """

    laboratory: str
    revision: str
    systems: Mapping[str, str] = {}
    protocols: Mapping[str, str] = {}
    attackers: Mapping[str, str] = {}


class Run(NamedTuple):
    """A finished run, as far as records are made of it."""

    folder: Path
    plan: Plan
    provenance: Mapping[str, Any]
    numbers: Mapping[NumberKey, RunNumber]
    utility: Sequence[Measured]
    refused: Mapping[str, Mapping[str, str]]
    """{corpus: {EXTRACTOR/BACKEND: why the run's own checks refuse it}}"""


# Protocols.


def listed_of(run: Run, attack: Attack) -> Listed:
    """The lists of an attack, and who speaks in them."""
    stem = run.folder / "trials" / attack.corpus / attack.trials
    lists = {}
    for name, path in (("trials", f"{stem}.tsv"), ("release", f"{stem}.release.tsv")):
        if Path(path).exists():
            lists[name] = {(one.enrolment, one.trial): one.label for one in read_trials(path)}
    used: set[str] = set()
    for pairs in lists.values():
        for pair in pairs:
            used.update(pair)
    speakers = read_speakers(f"{stem}.speakers.tsv")
    return Listed(lists, {name: who for name, who in speakers.items() if name in used})


def protocol_of(
    run: Run, repository: Path, names: Names, attack: Attack, listed: Listed, *, public: bool
) -> Protocol:
    """The protocol of a list: the repository's, or a new one.

    Raises
    ------
    BadInput : the repository's has other lists
    """
    trial_list = f"{attack.corpus}/{attack.trials}"
    name = names.protocols.get(trial_list, f"{attack.corpus}_{attack.trials}")
    enrolments = run.folder / "trials" / attack.corpus / f"{attack.trials}.enrolments.tsv"
    hashes = listed.hashes()
    if enrolments.exists():
        models = read_enrolments(enrolments)
        hashes["enrolments"] = digest(f"{one} {' '.join(models[one])}" for one in models)
    path = repository / "protocols" / f"{name}.json"
    if path.exists():
        _, known = read_record(path, repository)
        if known.sha256 != hashes:
            raise BadInput(
                f"{path}: {name} is of other lists than {trial_list} of this run:"
                " name yours with --protocol-name"
            )
        return known
    protocol = Protocol(
        name,
        title=f"{attack.corpus}, list {attack.trials}",
        public=public,
        data=_data(run, attack.corpus),
        fingerprint=_fingerprint(run, attack.corpus),
        sha256=hashes,
        counts=listed.counts(),
        weights=_weights(run, attack),
    )
    write_record(repository, protocol)
    return protocol


def _fingerprint(run: Run, corpus: str) -> str:
    lines = []
    for part in ("enrolment", "trial"):
        manifest = run.folder / "audio" / corpus / part / ORIGINAL / "manifest.tsv"
        for one in read_manifest(manifest):
            lines.append(f"{one.utterance} {one.speaker} {one.duration_s:.3f}")
    return digest(lines)


def _data(run: Run, corpus: str) -> tuple[str, ...] | NotReported:
    """What a corpus is made of, where its kind says so."""
    source = run.provenance["config"]["corpora"].get(corpus, {})
    if "librispeech" in source:
        return tuple(f"LibriSpeech {subset}" for subset in source["librispeech"]["subsets"])
    return ("VCTK",) if "vctk" in source else TO_BE_SAID


def _weights(run: Run, attack: Attack) -> dict[str, float]:
    averages = run.provenance["config"].get("report", {}).get("averages", {})
    weights = {}
    for name, corpora in averages.items():
        own = corpora.get(attack.corpus, {})
        if attack.trials in own:
            weights[name] = own[attack.trials]
    return weights


# Attackers.


def attacker_of(run: Run, names: Names, attack: Attack) -> Attacker:
    """Who attacks: by the config and the weights of the run."""
    config = run.provenance["config"]
    bases = [name.partition(TRAINED_ON)[0] for name in (attack.extractor, attack.backend)]
    is_adapted = TRAINED_ON in f"{attack.extractor}{attack.backend}"
    extractor = config.get("extractors", {}).get(bases[0], {})
    learnt = _learnt(run, bases)
    weights = _model_weights(run, extractor)
    told = reduced(run.provenance)["config"]
    options = [told.get("extractors", {}).get(bases[0]), told.get("backends", {}).get(bases[1])]
    identity = json.dumps([options, weights], sort_keys=True)
    revision = sha256(identity.encode())[:REVISION_LETTERS]
    usual = f"{'_'.join(bases)}@{revision}"
    name, _, revision = names.attackers.get("/".join(bases), usual).partition("@")
    return Attacker(
        name,
        revision,
        title=" + ".join(bases),
        paper=TO_BE_SAID,
        code=TO_BE_SAID,
        licence=TO_BE_SAID,
        year=None,
        weights=weights,
        training_data=learnt,
        adaptation="learns from speech of the system that it attacks" if is_adapted else None,
        readings=TO_BE_SAID,
    )


def _learnt(run: Run, bases: Sequence[str]) -> tuple[str, ...] | NotReported:
    """What the extractor and the back-end of an attacker learnt from, in a protocol's words."""
    config = run.provenance["config"]
    if bases[0] == FUSED:
        return TO_BE_SAID
    extractor = config["extractors"].get(bases[0], {})
    learnt: list[str] = []
    sources = [str(extractor.get("model"))]
    sources += [name for name in LEARNT_FROM if extractor.get("package") == name]
    for source in sources:
        learnt += LEARNT_FROM.get(source, ())
    for options in (extractor, config.get("backends", {}).get(bases[1], {})):
        corpus = options.get("train", {}).get("corpus")
        data = _data(run, corpus) if corpus else ()
        if isinstance(data, NotReported):
            return data
        learnt += data
    return tuple(dict.fromkeys(learnt)) or TO_BE_SAID


def _model_weights(run: Run, extractor: Mapping[str, Any]) -> dict[str, str] | NotReported:
    model = str(extractor.get("model"))
    if "revision" in extractor:
        return NotReported(f"revision {extractor['revision']} of {model}")
    if "train" in extractor:
        return NotReported("it is trained in the run")
    if "model" not in extractor:
        return NotReported("it is no folder of a model")
    hashes = run.provenance.get("sha256", {})
    return {Path(path).name: own for path, own in hashes.items() if path.startswith(f"{model}/")}
