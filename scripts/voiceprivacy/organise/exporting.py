"""Records and scores of a finished run, for a repository that laboratories share.

Conventions
-----------
* A trial list of a corpus is the protocol CORPUS_LIST, and an extractor with a back-end is the
  attacker EXTRACTOR_BACKEND, if nobody says otherwise. An attacker's revision is made of its
  options and weights, so that another one under the same name has another revision. Commands
  are not told: two of them under one name have one revision.
* What is there of a system, an attacker or a protocol stays. A protocol must have the run's lists.
* A laboratory writes over its own results, and never over another's.
* Numbers are computed again from the scores, by the format's draws. They must be those of the run.
* No record holds a seed of the run, a command, an option, or a path of the machine.
* Scores of a corpus that is not public stay where they are. Such results are of tier A.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import number_in, read_speakers
from voiceprivacy.organise.evidence import (
    SEED,
    Listed,
    Scores,
    difference,
    digest,
    number_of,
    recomputed,
    write_listed,
    write_scored,
)
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.organise.records import (
    SCORES,
    TRIALS,
    Attacker,
    NotReported,
    Number,
    Protocol,
    Result,
    ResultKey,
    System,
    Utility,
    beside,
    described,
    path_of,
    read_record,
    write_record,
)
from voiceprivacy.report.mailed import reduced
from voiceprivacy.vocabulary import (
    ABSENT,
    FUSED,
    LEARNT_FROM,
    ORIGINAL,
    TRAINED_ON,
    UNDEFINED,
    Attack,
    NumberKey,
    TrialList,
)

TO_BE_SAID = NotReported("nobody has filled it in yet")
REVISION_LETTERS = 8
CONDITIONS = ("op", "pp", "rr")  # of a system that an attacker is tried on; oo comes with them
OF_DRAWS = ("dece_null95_bit",)  # metrics whose value depends on the draws


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


def export(
    run: FinishedRun,
    repository: Path,
    names: Names,
    *,
    anonymiser: str | None = None,
    attacker: str | None = None,
    public: bool = False,
) -> list[Path]:
    """Write the records of a run into a repository.

    Parameters
    ----------
    anonymiser : whose results; None for all of the run
    attacker : EXTRACTOR/BACKEND, or EXTRACTOR; None for all
    public : whether everybody can have the corpora; asked where a protocol is not there yet

    Returns
    -------
    paths of the results

    Raises
    ------
    BadInput : the run has nothing of it, a protocol has other lists, an attacker of this name is
        another one, or scores and numbers of the run are not the same
    """
    paths = []
    for attack, system in run.attacks():
        named, bases = f"{attack.extractor}/{attack.backend}", _bases(attack)
        is_meant = attacker in (None, named, attack.extractor, bases[0], "/".join(bases))
        if is_meant and anonymiser in (None, system):
            paths.append(_export_one(run, repository, names, attack, system, public=public))
    if not paths:
        known = ", ".join(run.config.get("anonymisers", {})) or "none"
        told = f"no attack of {attacker or 'anybody'} on {anonymiser or 'an anonymiser'}"
        raise BadInput(f"{run.folder}: has {told}; its anonymisers: {known}")
    return paths


def _bases(attack: Attack) -> list[str]:
    return [name.partition(TRAINED_ON)[0] for name in (attack.extractor, attack.backend)]


def _export_one(
    run: FinishedRun, repository: Path, names: Names, attack: Attack, system: str, *, public: bool
) -> Path:
    listed = _listed_of(run, attack)
    protocol = _protocol_of(run, repository, names, attack, listed, public=public)
    who = _attacker_of(run, names, attack)
    _keep_or_write(repository, who, same=("weights", "training_data"))
    name = names.systems.get(system, system)
    known = {"name": name, "revision": names.revision, "title": name, "year": None}
    _keep_or_write(repository, described(System, TO_BE_SAID, **known))
    key = ResultKey(name, names.revision, protocol.name, who.name, who.revision)
    _refuse_anothers(repository, key, names.laboratory)
    tried = [name for name in run.plan.speech.scored(system) if name in CONDITIONS]
    scores = {condition: run.scores(attack, system, condition) for condition in ("oo", *tried)}
    conditions = _numbers(run, attack, system, scores, listed)
    digest_of_scores = None
    if protocol.public:
        lists = repository / beside(protocol, TRIALS)
        if not lists.exists():
            write_listed(lists, listed)
        digest_of_scores = write_scored(repository / beside(key, SCORES), scores, listed)
    told = reduced(run.provenance)
    fails = (attack.corpus, f"{attack.extractor}/{attack.backend}", system) in run.refused
    versions = {"voiceprivacy": told.get("version"), "python": told.get("python")}
    result = Result(
        *key,
        tier="B" if digest_of_scores else "A",
        laboratory=names.laboratory,
        date=told.get("created"),
        source=None,
        conditions=conditions,
        draws=run.plan.n_replicates,
        utility=tuple(_utility(run, attack, system, told["config"].get("utility") or {})),
        controls={"refused": "fails" if fails else None},
        versions={one: text for one, text in versions.items() if text} | told.get("packages", {}),
        provenance=dict(told["sha256"]),
        scores=digest_of_scores,
    )
    return write_record(repository, result)


def _keep_or_write(
    repository: Path, record: System | Attacker, *, same: Sequence[str] = ()
) -> None:
    """Write a record that is not there yet; one that is must say the same in some fields."""
    path = repository / path_of(record)
    if not path.exists():
        write_record(repository, record)
        return
    known = read_record(path, repository)
    for field in same:
        if getattr(known, field) != getattr(record, field):
            raise BadInput(
                f"{path}: has other {field.replace('_', ' ')} than the attacker of this run:"
                " name yours with --attacker-name"
            )


def _refuse_anothers(repository: Path, key: ResultKey, laboratory: str) -> None:
    """Refuse to write over what another laboratory measured."""
    path = repository / path_of(key)
    if path.exists() and (known := read_record(path, repository)).laboratory != laboratory:
        raise BadInput(
            f"{path}: is of {known.laboratory}. Their attacker is called so, too: name yours"
            " with --attacker-name; if it is the same one, their result stays"
        )


# Protocols.


def _listed_of(run: FinishedRun, attack: Attack) -> Listed:
    """The lists of an attack, and who speaks in them."""
    listed, lists, used = TrialList(attack.corpus, attack.trials), {}, set()
    for name, ending in (("trials", ".tsv"), ("release", ".release.tsv")):
        if run.trial_file(listed, ending).exists():
            trials = run.trials(listed, ending)
            lists[name] = {(one.enrolment, one.trial): one.label for one in trials}
            used |= {one.enrolment for one in trials} | {one.trial for one in trials}
    speakers = read_speakers(run.trial_file(listed, ".speakers.tsv"))
    return Listed(lists, {name: who for name, who in speakers.items() if name in used})


def _protocol_of(
    run: FinishedRun,
    repository: Path,
    names: Names,
    attack: Attack,
    listed: Listed,
    *,
    public: bool,
) -> Protocol:
    """The protocol of a list: the repository's, or a new one.

    Raises
    ------
    BadInput : the repository's has other lists
    """
    trial_list = f"{attack.corpus}/{attack.trials}"
    name = names.protocols.get(trial_list, f"{attack.corpus}_{attack.trials}")
    hashes = listed.hashes()
    models = run.enrolments(TrialList(attack.corpus, attack.trials))
    if models is not None:
        hashes["enrolments"] = digest(f"{one} {' '.join(models[one])}" for one in models)
    averages = run.config.get("report", {}).get("averages", {})
    weights = {name: corpora.get(attack.corpus, {}) for name, corpora in averages.items()}
    spoken = []
    for part in ("enrolment", "trial"):
        for line in run.utterances(attack.corpus, part):
            spoken.append(f"{line.utterance} {line.speaker} {line.duration_s:.3f}")
    protocol = Protocol(
        name,
        title=f"{attack.corpus}, list {attack.trials}",
        public=public,
        data=_data(run, attack.corpus),
        fingerprint=digest(spoken),
        sha256=hashes,
        counts=listed.counts(),
        weights={name: own[attack.trials] for name, own in weights.items() if attack.trials in own},
    )
    path = repository / path_of(protocol)
    if not path.exists():
        write_record(repository, protocol)
        return protocol
    known = read_record(path, repository)
    if known.sha256 != hashes:
        raise BadInput(
            f"{path}: {name} is of other lists than {trial_list} of this run:"
            " name yours with --protocol-name"
        )
    return known


def _data(run: FinishedRun, corpus: str) -> tuple[str, ...] | NotReported:
    """What a corpus is made of, where its kind says so."""
    source = run.config["corpora"].get(corpus, {})
    if "librispeech" in source:
        return tuple(f"LibriSpeech {subset}" for subset in source["librispeech"]["subsets"])
    return ("VCTK",) if "vctk" in source else TO_BE_SAID


# Attackers.


def _attacker_of(run: FinishedRun, names: Names, attack: Attack) -> Attacker:
    """Who attacks: by the config and the weights of the run."""
    bases = _bases(attack)
    is_adapted = TRAINED_ON in f"{attack.extractor}{attack.backend}"
    weights = _weights(run, run.config.get("extractors", {}).get(bases[0], {}))
    told = reduced(run.provenance)["config"]
    options = [told.get("extractors", {}).get(bases[0]), told.get("backends", {}).get(bases[1])]
    identity = json.dumps([options, weights], sort_keys=True)
    revision = sha256(identity.encode())[:REVISION_LETTERS]
    usual = f"{'_'.join(bases)}@{revision}"
    name, _, revision = names.attackers.get("/".join(bases), usual).partition("@")
    return described(
        Attacker,
        TO_BE_SAID,
        name=name,
        revision=revision,
        title=" + ".join(bases),
        year=None,
        weights=weights,
        training_data=_learnt(run, bases),
        adaptation="learns from speech of the system that it attacks" if is_adapted else None,
    )


def _learnt(run: FinishedRun, bases: Sequence[str]) -> tuple[str, ...] | NotReported:
    """What the extractor and the back-end of an attacker learnt from, in a protocol's words."""
    if bases[0] == FUSED:
        return TO_BE_SAID
    extractor = run.config["extractors"].get(bases[0], {})
    learnt: list[str] = []
    sources = [str(extractor.get("model"))]
    sources += [name for name in LEARNT_FROM if extractor.get("package") == name]
    for source in sources:
        learnt += LEARNT_FROM.get(source, ())
    for options in (extractor, run.config.get("backends", {}).get(bases[1], {})):
        corpus = options.get("train", {}).get("corpus")
        data = _data(run, corpus) if corpus else ()
        if isinstance(data, NotReported):
            return data
        learnt += data
    return tuple(dict.fromkeys(learnt)) or TO_BE_SAID


def _weights(run: FinishedRun, extractor: Mapping[str, Any]) -> dict[str, str] | NotReported:
    model = str(extractor.get("model"))
    if "revision" in extractor:
        return NotReported(f"revision {extractor['revision']} of {model}")
    if "train" in extractor:
        return NotReported("it is trained in the run")
    if "model" not in extractor:
        return NotReported("it is no folder of a model")
    hashes = run.provenance.get("sha256", {})
    return {Path(path).name: own for path, own in hashes.items() if path.startswith(f"{model}/")}


# Numbers.


def _numbers(
    run: FinishedRun, attack: Attack, system: str, scores: Scores, listed: Listed
) -> dict[str, dict[str, Number]]:
    """Condition -> metric -> number, computed again, and compared with those of the run."""
    known = {number.key: number for number in run.numbers}
    corpus, trials, extractor, backend = attack
    conditions = {}
    for condition, own in scores.items():
        speech = ORIGINAL if condition == "oo" else system
        path = run.score_file(attack, system, condition)
        draws = run.plan.n_replicates
        conditions[condition] = recomputed(condition, own, listed, draws=draws, path=path)
        for metric, number in conditions[condition].items():
            key = NumberKey(corpus, trials, speech, extractor, backend, condition, metric)
            if key in known:  # within the release only evidence for the verdict is kept
                _compare(run, known[key], number, path)
    return conditions


def _compare(run: FinishedRun, known: Any, number: Number, path: Path) -> None:
    """Refuse a number that is not the run's; other draws make other intervals."""
    own = _number(known)
    has_our_draws = run.config["report"]["seed"] == SEED
    if not has_our_draws:
        if known.metric in OF_DRAWS:
            return
        number = number._replace(low=own.low, high=own.high)
    if wrong := difference(number, own):
        told = f"{wrong} of {known.metric} under {known.condition} is {getattr(own, wrong)}"
        again = f"and {getattr(number, wrong)} from {path}: run it again"
        raise BadInput(f"{run.folder / 'metrics.tsv'}: {told}, {again}")


def _number(line: Any) -> Number:
    """The number of a line of metrics or of utility."""
    limits = {field: getattr(line, field) for field in ("ci_low", "ci_high")}
    value = UNDEFINED if line.value == UNDEFINED else number_in(line.value)
    return number_of(value, {} if ABSENT in limits.values() else limits)


def _utility(
    run: FinishedRun, attack: Attack, system: str, measures: Mapping[str, Any]
) -> Iterator[Utility]:
    """Measures of a list, or of the whole trial part where they were not taken by lists."""
    own = [one for one in run.utility if one.corpus == attack.corpus and one.anonymiser == system]
    of_list = [one for one in own if one.trials == attack.trials]
    for one in of_list or [one for one in own if one.trials == ABSENT]:
        number = _number(one)
        options = measures.get(one.measure)
        known = options if isinstance(options, dict) else {}
        model, revision = (
            text if isinstance(text := known.get(field), str) else None
            for field in ("model", "revision")
        )
        said = (model, revision, one.measure, None)
        yield Utility(one.metric, *number[:3], *said, number.not_reported)
