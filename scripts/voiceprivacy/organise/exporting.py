"""Records and scores of a finished run, for a repository that laboratories share.

Conventions
-----------
* A trial list of a corpus is the protocol CORPUS_LIST, and an extractor with a back-end is the
  attacker EXTRACTOR_BACKEND, if nobody says otherwise. An attacker's revision is made of its
  options and weights, so that another one under the same name has another revision. Commands
  are not told: two of them under one name have one revision.
* What is there of a system, an attacker or a protocol stays. A protocol must have the run's lists.
* A laboratory writes over its own results, and never over another's. The same result of another
  laboratory is a replication, and lies beside it.
* Numbers are computed again from the scores, and must be those of the run. Intervals are by the
  format's draws, whatever those of the run are.
* No record holds a seed of the run, a command, an option, or a path of the machine.
* Scores of a corpus that is not public stay where they are. Such results are of tier A.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voiceprivacy import corpus_kinds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import sha256
from voiceprivacy.inout.enrolments import read_enrolments, read_speakers
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.organise.recomputed import (
    MOST_DRAWS,
    Listed,
    Scores,
    difference,
    digest,
    number_and,
    recomputed,
    write_listed,
    write_scored,
)
from voiceprivacy.organise.records import (
    LAYOUT,
    SCORES,
    TRIALS,
    Number,
    Record,
    path_of,
    read_record,
    record_path,
    write_record,
)
from voiceprivacy.report.mailed import reduced
from voiceprivacy.vocabulary import (
    ABSENT,
    LEARNT_FROM,
    ORIGINAL,
    PLANS_OF_2026,
    TRAINED_ON,
    TRAINED_WITHOUT,
    Attack,
    NumberKey,
    TrialList,
    name_parts,
)

TO_BE_SAID = {"not_reported": "not filled in yet"}
OF_BOTH = ("paper", "code", "licence", "training_data")  # which a run does not know of everything
OF_SYSTEMS = (*OF_BOTH, "level", "real_time_factor")
REVISION_LETTERS = 8
CONDITIONS = ("op", "pp", "rr")  # of a system that an attacker is tried on; oo comes with them
ADAPTATION = {
    TRAINED_ON: "learns from speech of the system that it attacks",
    TRAINED_WITHOUT: "none: learns from speech of other systems than the one that it attacks",
}
OF_DRAWS = "dece_null95_bit"  # whose value depends on the draws, as intervals do
P_TARGET = 0.01  # of min DCF in the format


class Names(NamedTuple):
    """How a run's things are called in the repository, and who measured.

    ``revision`` is that of its systems, {anonymiser: name}. ``protocols`` are {CORPUS/LIST: name},
    ``attackers`` {EXTRACTOR/BACKEND: NAME@REVISION}; what is not there has its usual name.
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
    """Write the records of a run into a repository; the paths of the results.

    Parameters
    ----------
    anonymiser : whose results; None for all of the run but controls
    attacker : EXTRACTOR/BACKEND, or EXTRACTOR; None for all
    public : whether everybody can have the corpora; asked where a protocol is not there yet
    """
    laboratory = names.laboratory
    if not (laboratory.strip() and laboratory.isprintable()):  # before files are written
        raise BadInput(f"--laboratory {laboratory!r}: is no name")
    attacks = list(run.attacks())
    known_names = (
        {system for _, system in attacks},
        {"/".join(attack[:2]) for attack, _ in attacks},
        {"/".join(_bases(attack)) for attack, _ in attacks},
    )
    for kind, given, known in zip(Names._fields[2:], names[2:], known_names, strict=True):
        for name in given.keys() - known:
            has = f"{run.folder} has {', '.join(sorted(known))}"
            raise BadInput(f"--{kind[:-1]}-name {name}=...: {has}")
    entries = run.config.get("anonymisers", {})
    controls = {name for name, options in entries.items() if options.get("control")}
    paths: list[Path] = []
    for attack, system in attacks:
        bases = _bases(attack)
        is_asked = system not in controls if anonymiser is None else system == anonymiser
        if is_asked and attacker in (None, bases[0], "/".join(bases)):
            paths.append(_export_one(run, repository, names, attack, system, paths, public=public))
    if not paths:
        lacks = f"no attack of {attacker or 'any attacker'} on {anonymiser or 'an anonymiser'}"
        systems, _, attackers = (", ".join(sorted(known)) or "none" for known in known_names)
        has = f"its anonymisers: {systems}; its attackers: {attackers}"
        others = "scores that others made (attacks:) are not exported"
        raise BadInput(f"{run.folder}: has {lacks}; {has}; {others}")
    return paths


def _bases(attack: Attack) -> list[str]:
    return [name_parts(name)[0] for name in (attack.extractor, attack.backend)]


def _export_one(
    run: FinishedRun,
    repository: Path,
    names: Names,
    attack: Attack,
    system: str,
    made: Sequence[Path],
    *,
    public: bool,
) -> Path:
    listed = _listed_of(run, attack)
    protocol = _protocol_of(run, names, attack, listed, public=public)
    who = _attacker_of(run, names, attack)
    name = names.systems.get(system, system)
    known = {"name": name, "revision": names.revision, "title": name}
    for kind, record in (("protocol", protocol), ("attacker", who), ("system", known)):
        record_path(repository, kind, record)  # all names are checked before files are written
    protocol = _keep_or_write(repository, "protocol", protocol, "sha256")
    _keep_or_write(repository, "attacker", who, "weights", "training_data")
    _keep_or_write(repository, "system", dict.fromkeys(OF_SYSTEMS, TO_BE_SAID) | known)
    told = reduced(run.provenance)
    fails = (attack.corpus, f"{attack.extractor}/{attack.backend}", system) in run.refused
    tried = [one for one in run.plan.speech.scored(system) if one in CONDITIONS]
    scores = {condition: run.scores(attack, system, condition) for condition in ("oo", *tried)}
    versions = {"python": told.get("python"), "voiceprivacy": told.get("version")}
    versions |= told.get("packages", {})
    result = {
        "system": name,
        "revision": names.revision,
        "protocol": protocol["name"],
        "attacker": who["name"],
        "attacker_revision": who["revision"],
        "tier": "B" if protocol["public"] else "A",
        "laboratory": names.laboratory,
        "date": told.get("created"),
        "conditions": _numbers(run, attack, system, scores, listed),
        "draws": min(run.plan.n_replicates, MOST_DRAWS),
        "utility": list(_utility(run, attack, system, told["config"].get("utility") or {})),
        "controls": {"refused": "fails" if fails else None},
        "versions": {one: text for one, text in versions.items() if text},
        "provenance": told["sha256"],
    }
    result |= _replication(result, repository)
    path = repository / path_of(result)
    if path in made:
        raise BadInput(f"{path}: two attacks of this run are called so: name one otherwise")
    if protocol["public"]:
        lists = repository / LAYOUT["protocol"].format(**protocol).replace(".json", TRIALS)
        if not lists.exists():
            write_listed(lists, listed)
        result["scores"] = write_scored(repository / path_of(result, SCORES), scores, listed)
    path.unlink(missing_ok=True)  # one's own is replaced; no command writes over what it has read
    return write_record(repository, "replication" if "replication" in result else "result", result)


def _replication(result: Record, repository: Path) -> dict[str, str]:
    """What a result has besides if another laboratory has measured the same: {} or its name."""
    laboratory = result["laboratory"]
    if _laboratory_of(repository / path_of(result), repository) in (None, laboratory):
        return {}
    named = {"replication": _as_name(laboratory)}
    path = repository / path_of(result | named)
    if (other := _laboratory_of(path, repository)) not in (None, laboratory):
        raise BadInput(
            f"{path}: is of {other}: name your laboratory so that its letters and digits differ"
            " (--laboratory)"
        )
    return named


def _laboratory_of(path: Path, repository: Path) -> str | None:
    """Who measured the result of a file; None where there is no file."""
    return read_record(path, repository)[1]["laboratory"] if path.exists() else None


def _as_name(laboratory: str) -> str:
    """A laboratory's name in the small letters, digits and _ of a file's name."""
    name = re.sub(r"[^a-z0-9]+", "_", laboratory.lower()).strip("_")
    return name if name[:1].isalpha() else f"laboratory_{name or digest([laboratory])[:8]}"


def _keep_or_write(repository: Path, kind: str, record: Record, *same: str) -> Record:
    """The record that is there, which must say the same in some fields, or this one, written."""
    path = repository / LAYOUT[kind].format(**record)
    if not path.exists():
        write_record(repository, kind, record)
    _, known = read_record(path, repository)
    if others := [field for field in same if known.get(field) != record[field]]:
        told = f"has other {others[0].replace('_', ' ')} than the {kind} of this run"
        raise BadInput(f"{path}: {told}: name yours with --{kind}-name")
    return known


def _listed_of(run: FinishedRun, attack: Attack) -> Listed:
    """The lists of an attack, and who speaks in them."""
    listed, lists, used = TrialList(attack.corpus, attack.trials), {}, set()
    for name, ending in (("trials", ".tsv"), ("release", ".release.tsv")):
        if (path := run.trial_file(listed, ending)).exists():
            trials = read_trials(path)
            lists[name] = {(one.enrolment, one.trial): one.label for one in trials}
            used |= {one.enrolment for one in trials} | {one.trial for one in trials}
    speakers = read_speakers(run.trial_file(listed, ".speakers.tsv"))
    return Listed(lists, {name: who for name, who in speakers.items() if name in used})


def _protocol_of(
    run: FinishedRun, names: Names, attack: Attack, listed: Listed, *, public: bool
) -> Record:
    """What the repository is to say of a list."""
    trial_list = f"{attack.corpus}/{attack.trials}"
    hashes = listed.hashes()
    path = run.trial_file(TrialList(attack.corpus, attack.trials), ".enrolments.tsv")
    if path.exists():  # else utterances enrol themselves
        models = read_enrolments(path)
        hashes["enrolments"] = digest(f"{one} {' '.join(models[one])}" for one in models)
    return {
        "name": names.protocols.get(trial_list, trial_list.replace("/", "_")),
        "title": f"{attack.corpus}, list {attack.trials}",
        "public": public,
        "data": _data(run, attack.corpus),
        "sha256": hashes,
        "counts": listed.counts(),
    }


def _data(run: FinishedRun, corpus: str) -> Any:
    """What a corpus is made of, where its kind says so."""
    return corpus_kinds.published_in(run.config["corpora"].get(corpus, {})) or TO_BE_SAID


def _attacker_of(run: FinishedRun, names: Names, attack: Attack) -> Record:
    """Who attacks: by the config and the weights of the run."""
    bases = _bases(attack)
    learnt = {name_parts(name)[1] for name in (attack.extractor, attack.backend)}
    extractor, backend = (
        run.config.get(section, {}).get(name, {})
        for section, name in zip(("extractors", "backends"), bases, strict=True)
    )
    weights = _weights(run, extractor)
    told = reduced(run.provenance)["config"]
    options = [told.get("extractors", {}).get(bases[0]), told.get("backends", {}).get(bases[1])]
    plan = [told["plan"]] if "plan" in told else []  # of 2026, which compares otherwise
    identity = json.dumps([options, weights, *plan], sort_keys=True)
    usual = f"{'_'.join(bases)}@{sha256(identity.encode())[:REVISION_LETTERS]}"
    name, _, revision = names.attackers.get("/".join(bases), usual).partition("@")
    return dict.fromkeys(OF_BOTH, TO_BE_SAID) | {
        "name": name,
        "revision": revision,
        "title": ", ".join([" + ".join(bases), *(PLANS_OF_2026[one] for one in plan)]),
        "weights": weights,
        "training_data": _learnt(run, extractor, backend),
        "adaptation": next((said for word, said in ADAPTATION.items() if word in learnt), None),
    }


def _learnt(run: FinishedRun, *parts: Mapping[str, Any]) -> Any:
    """What an extractor and a back-end learnt from, in a protocol's words."""
    learnt: list[str] = []
    for part in parts:
        learnt += LEARNT_FROM.get(str(part.get("model")), ())
        learnt += LEARNT_FROM.get(str(part.get("package")), ())
        if corpus := part.get("train", {}).get("corpus"):
            data = _data(run, corpus)
            if data == TO_BE_SAID:
                return data
            learnt += data
    return list(dict.fromkeys(learnt)) or TO_BE_SAID


def _weights(run: FinishedRun, extractor: Mapping[str, Any]) -> dict[str, str]:
    model = str(extractor.get("model"))
    if "revision" in extractor:
        return {"not_reported": f"revision {extractor['revision']} of {model}"}
    if "train" in extractor or "model" not in extractor:
        why = "trained in the run" if "train" in extractor else "no folder of a model"
        return {"not_reported": f"it is {why}"}
    hashes = run.provenance.get("sha256", {})
    return {Path(path).name: own for path, own in hashes.items() if path.startswith(f"{model}/")}


def _numbers(
    run: FinishedRun, attack: Attack, system: str, scores: Scores, listed: Listed
) -> dict[str, dict[str, Number]]:
    """Condition -> metric -> number, computed again, and compared with those of the run."""
    known = {number.key: number for number in run.numbers}
    corpus, trials, extractor, backend = attack
    conditions, draws = {}, min(run.plan.n_replicates, MOST_DRAWS)
    own_prior = run.config["report"].get("p_target", P_TARGET) != P_TARGET
    for condition, own in scores.items():
        speech = ORIGINAL if condition == "oo" else system
        path = run.score_file(attack, system, condition)
        conditions[condition] = recomputed(condition, own, listed, draws=draws, path=path)
        for metric, number in conditions[condition].items():
            key = NumberKey(corpus, trials, speech, extractor, backend, condition, metric)
            # Of rr a run keeps evidence only.
            if key not in known or metric == OF_DRAWS or (metric == "min_dcf" and own_prior):
                continue
            stated = _number(known[key])
            if difference(number._replace(low=stated.low, high=stated.high), stated):
                raise BadInput(
                    f"{run.folder / 'metrics.tsv'}: {metric} under {condition} is {stated.value},"
                    f" and {number.value} from {path}: run it again"
                )
    return conditions


def _number(line: Any) -> Number:
    """The number of a line of metrics or of utility."""
    limits = {field: getattr(line, field) for field in ("ci_low", "ci_high")}
    return number_and(line.value, {} if ABSENT in limits.values() else limits)


def _utility(
    run: FinishedRun, attack: Attack, system: str, measures: Mapping[str, Any]
) -> Iterator[Record]:
    """Measures of a list, or of the whole trial part where they were not taken by lists."""
    own = [one for one in run.utility if one.corpus == attack.corpus and one.anonymiser == system]
    of_list = [one for one in own if one.trials == attack.trials]
    for one in of_list or [one for one in own if one.trials == ABSENT]:
        value, low, high, because = _number(one)
        line: Record = {"metric": one.metric, "definition": one.measure, "low": low, "high": high}
        line["value"] = {"not_reported": because} if because else value
        known = measures.get(one.measure)
        named = known if isinstance(known, dict) else {}
        for field in ("model", "revision"):
            line[field] = named[field] if isinstance(named.get(field), str) else None
        yield line
