"""Records and scores of a finished run, for a repository that laboratories share.

Conventions
-----------
* What is there of a system, an attacker or a protocol stays. A protocol must have the run's lists.
* A laboratory writes over its own results, and never over another's.
* Numbers are computed again from the scores, by the format's draws. They must be those of the run.
* No record holds a seed of the run, a command, an option, or a path of the machine.
* Scores of a corpus that is not public stay where they are. Such results are of tier A.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import (
    number_in,
    read_scored_trials,
)
from voiceprivacy.plan.plan import Plan
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.sections import read_utility
from voiceprivacy.tools.exchange.describing import (
    TO_BE_SAID,
    Names,
    Run,
    attacker_of,
    listed_of,
    protocol_of,
)
from voiceprivacy.tools.exchange.evidence import (
    SEED,
    Listed,
    Scores,
    difference,
    number_of,
    recomputed,
    write_listed,
    write_scored,
)
from voiceprivacy.tools.exchange.records import (
    Attacker,
    Number,
    Result,
    ResultKey,
    System,
    Utility,
)
from voiceprivacy.tools.exchange.repository import (
    SCORES,
    TRIALS,
    path_of,
    read_record,
    write_record,
)
from voiceprivacy.tools.submission import without_variables
from voiceprivacy.vocabulary import (
    ABSENT,
    ORIGINAL,
    TRAINED_ON,
    UNDEFINED,
    Attack,
    NumberKey,
)

CONDITIONS = ("op", "pp", "rr")  # of a system that an attacker is tried on; oo comes with them
OF_DRAWS = ("dece_null95_bit",)  # metrics whose value depends on the draws


def read_run(folder: Path) -> Run:
    """Read a finished run.

    Raises
    ------
    BadInput : it is not finished, or damaged
    """
    provenance = read_provenance(folder / "provenance.json")
    numbers = {number.key: number for number in read_metrics(folder / "metrics.tsv")}
    refused: dict[str, dict[str, str]] = {}
    if (folder / "verdict.json").exists():
        for corpus, verdict in read_json(folder / "verdict.json")["sets"].items():
            for warning in verdict["warnings"]:
                if warning["code"] == "failing_attack":
                    own = refused.setdefault(corpus, {})
                    own[f"{warning['attack']} on {warning['system']}"] = "fails"
    tables = sorted((folder / "metrics" / "utility").glob("*.tsv"))
    plan = Plan(without_variables(provenance["config"]))
    return Run(folder, plan, provenance, numbers, read_utility(tables), refused)


def export(
    run: Run,
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
    for attack, system in _chosen(run, anonymiser, attacker):
        paths.append(_export_one(run, repository, names, attack, system, public=public))
    if not paths:
        known = ", ".join(run.provenance["config"].get("anonymisers", {})) or "none"
        told = f"no attack of {attacker or 'anybody'} on {anonymiser or 'an anonymiser'}"
        raise BadInput(f"{run.folder}: has {told}; its anonymisers: {known}")
    return paths


def _chosen(run: Run, anonymiser: str | None, attacker: str | None) -> Iterator[tuple[Attack, str]]:
    attackers = run.plan.attackers
    for attack in attackers.attacks():
        named = f"{attack.extractor}/{attack.backend}"
        bases = [name.partition(TRAINED_ON)[0] for name in (attack.extractor, attack.backend)]
        if attacker not in (None, named, attack.extractor, bases[0], "/".join(bases)):
            continue
        for system in attackers.systems(attack.extractor, attack.backend):
            if system != ORIGINAL and anonymiser in (None, system):
                yield attack, system


def _export_one(
    run: Run, repository: Path, names: Names, attack: Attack, system: str, *, public: bool
) -> Path:
    listed = listed_of(run, attack)
    protocol = protocol_of(run, repository, names, attack, listed, public=public)
    who = attacker_of(run, names, attack)
    _keep_or_write(repository, who, same=("weights", "training_data"))
    name = names.systems.get(system, system)
    _keep_or_write(repository, _blank(name, names.revision))
    key = ResultKey(name, names.revision, protocol.name, who.name, who.revision)
    _refuse_anothers(repository, key, names.laboratory)
    scores = _scores(run, attack, system)
    conditions = _numbers(run, attack, system, scores, listed)
    digest_of_scores = None
    if protocol.public:
        lists = repository / "protocols" / f"{protocol.name}{TRIALS}"
        if not lists.exists():
            write_listed(lists, listed)
        path = repository / "results" / f"{key.path}{SCORES}"
        digest_of_scores = write_scored(path, scores, listed)
    told = reduced(run.provenance)
    result = Result(
        *key,
        tier="B" if digest_of_scores else "A",
        laboratory=names.laboratory,
        date=told.get("created"),
        source=None,
        conditions=conditions,
        draws=run.plan.n_replicates,
        utility=tuple(_utility(run, attack, system, told)),
        controls={"refused": _refused(run, attack, system)},
        versions=_versions(told),
        provenance=_hashes(told),
        scores=digest_of_scores,
    )
    return write_record(repository, result)


def _blank(name: str, revision: str) -> System:
    """A system of which a run knows no more than its name."""
    return System(
        name,
        revision,
        title=name,
        paper=TO_BE_SAID,
        code=TO_BE_SAID,
        licence=TO_BE_SAID,
        year=None,
        training_data=TO_BE_SAID,
        level=TO_BE_SAID,
        real_time_factor=TO_BE_SAID,
    )


def _refused(run: Run, attack: Attack, system: str) -> str | None:
    """Why the run's verdict does not trust an attack on a system; None if it does."""
    return run.refused.get(attack.corpus, {}).get(f"{_named(attack)} on {system}")


def _named(attack: Attack) -> str:
    return f"{attack.extractor}/{attack.backend}"


def _keep_or_write(
    repository: Path, record: System | Attacker, *, same: Sequence[str] = ()
) -> None:
    """Write a record that is not there yet; one that is must say the same in some fields."""
    path = repository / path_of(record)
    if not path.exists():
        write_record(repository, record)
        return
    _, known = read_record(path, repository)
    for field in same:
        if getattr(known, field) != getattr(record, field):
            raise BadInput(
                f"{path}: has other {field.replace('_', ' ')} than the attacker of this run:"
                " name yours with --attacker-name"
            )


def _refuse_anothers(repository: Path, key: ResultKey, laboratory: str) -> None:
    """Refuse to write over what another laboratory measured."""
    path = repository / "results" / f"{key.path}.json"
    if path.exists():
        _, known = read_record(path, repository)
        if known.laboratory != laboratory:
            raise BadInput(
                f"{path}: is of {known.laboratory}. Their attacker is called so, too: name yours"
                " with --attacker-name; if it is the same one, their result stays"
            )


# Numbers.


def _scores(run: Run, attack: Attack, system: str) -> Scores:
    """The scores of unprotected speech, and of a system under each condition."""
    tried = [name for name in run.plan.speech.scored(system) if name in CONDITIONS]
    scores: Scores = {}
    for condition in ("oo", *tried):
        speech = ORIGINAL if condition == "oo" else system
        path = run.folder / "scores" / attack.path(speech) / f"{condition}.tsv"
        own = {}
        for scored in read_scored_trials(path).values():
            own.update({(trial.enrolment, trial.trial): score for trial, score in scored})
        scores[condition] = own
    return scores


def _numbers(
    run: Run, attack: Attack, system: str, scores: Scores, listed: Listed
) -> dict[str, dict[str, Number]]:
    """Condition -> metric -> number, computed again, and compared with those of the run."""
    conditions = {}
    for condition, own in scores.items():
        speech = ORIGINAL if condition == "oo" else system
        path = run.folder / "scores" / attack.path(speech) / f"{condition}.tsv"
        draws = run.plan.n_replicates
        conditions[condition] = recomputed(condition, own, listed, draws=draws, path=path)
        for metric, number in conditions[condition].items():
            key = NumberKey(
                attack.corpus,
                attack.trials,
                speech,
                attack.extractor,
                attack.backend,
                condition,
                metric,
            )
            _compare(run, key, number, path)
    return conditions


def _compare(run: Run, key: NumberKey, number: Number, path: Path) -> None:
    """Refuse a number that is not the run's; other draws make other intervals."""
    known = run.numbers.get(key)
    if known is None:
        return  # within the release, where only evidence for the verdict is kept
    own = _number(known.value, known.ci_low, known.ci_high)
    has_our_draws = run.provenance["config"]["report"]["seed"] == SEED
    if not has_our_draws and key.metric in OF_DRAWS:
        return
    wrong = difference(
        number if has_our_draws else number._replace(low=own.low, high=own.high), own
    )
    if wrong:
        table = run.folder / "metrics.tsv"
        told = f"{wrong} of {key.metric} under {key.condition} is {getattr(own, wrong)}"
        raise BadInput(f"{table}: {told}, and {getattr(number, wrong)} from {path}: run it again")


def _number(value: str, low: str, high: str) -> Number:
    limits = {"ci_low": low, "ci_high": high}
    if ABSENT in (low, high):
        limits = {}
    if value == UNDEFINED:
        return number_of(value, {})
    return number_of(number_in(value), limits)


def _utility(run: Run, attack: Attack, system: str, told: Mapping[str, Any]) -> Iterator[Utility]:
    """Measures of a list, or of the whole trial part where they were not taken by lists."""
    own = [one for one in run.utility if one.corpus == attack.corpus and one.anonymiser == system]
    of_list = [one for one in own if one.trials == attack.trials]
    measures = told["config"].get("utility") or {}
    for one in of_list or [one for one in own if one.trials == ABSENT]:
        number = _number(one.value, one.ci_low, one.ci_high)
        options = measures.get(one.measure)
        options = options if isinstance(options, dict) else {}
        model, revision = options.get("model"), options.get("revision")
        yield Utility(
            one.metric,
            number.value,
            number.low,
            number.high,
            model=model if isinstance(model, str) else None,
            revision=revision if isinstance(revision, str) else None,
            definition=one.measure,
            data=None,
            not_reported=number.not_reported,
        )


def _versions(told: Mapping[str, Any]) -> dict[str, str]:
    versions = {"voiceprivacy": told["version"]} if "version" in told else {}
    if "python" in told:
        versions["python"] = told["python"]
    return versions | told.get("packages", {})


def _hashes(told: Mapping[str, Any]) -> dict[str, str]:
    """SHA-256 of the lists and models of the run."""
    return dict(told["sha256"])
