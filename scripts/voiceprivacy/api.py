"""What one imports: ``import voiceprivacy``, or ``from voiceprivacy import verification, zebra``.

Arrays, DataFrames or dicts in, named tuples out; nothing is read and nothing is written. Numbers
and intervals are those of the commands and of a run.

Conventions
-----------
* Trials are a table with the columns ``enrolment``, ``trial``, ``label`` and ``score``, a row for
  each: a pandas DataFrame, or {column: array}.
* A label is target or nontarget; 1 or 0, True or False say the same.
* Scores are higher where the speaker is more likely the same.
* ``speakers`` is {id of an enrolment or trial: speaker}, a dict or a pandas Series, or a DataFrame
  with the columns id and speaker. It gives intervals, which draw speakers.
* Distances, and trials that compare a recording with itself, give a warning.
* A number that is undefined is nan.
* Results print in one line, are tables in a notebook, and ``result.frame()`` is a DataFrame.
"""

import contextlib
import html
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from voiceprivacy.catalogue import shown_once
from voiceprivacy.catalogue.shown import mark_of, marks_explained, shown
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.inout.ids import namer_of_sessions
from voiceprivacy.inout.score_tables import check_condition
from voiceprivacy.inout.scored_trials import ScoredTrials, warning_of_itself
from voiceprivacy.inout.trial_lists import Trial, label_of
from voiceprivacy.privacy import Floats, Scores
from voiceprivacy.privacy.matrices import ranks as _ranks
from voiceprivacy.privacy.matrices import similarity as _similarity
from voiceprivacy.privacy.rows import ScoreMatrix
from voiceprivacy.privacy.scores import verification as _verification
from voiceprivacy.privacy.scores import zebra as _zebra
from voiceprivacy.privacy.scores.profiles import PROFILES
from voiceprivacy.privacy.scores.samples import SpeakerTrials, n_speakers
from voiceprivacy.privacy.scores.score_files import arrange, warning_of_reversed
from voiceprivacy.privacy.uncertainty import bootstrap
from voiceprivacy.privacy.uncertainty.bootstrap import Interval
from voiceprivacy.privacy.uncertainty.corrections import CORRECTIONS
from voiceprivacy.privacy.verdict.score_table import ScoreTable
from voiceprivacy.privacy.verdict.verdict import Thresholds, verdict_of
from voiceprivacy.report.terminal import lines_of_set
from voiceprivacy.report.verdict import judged_of
from voiceprivacy.vocabulary import LABELS, N_REPLICATES, ORIGINAL, P_TARGET, UNDEFINED


class Trials(Protocol):
    """A table of trials, by the names of its columns: a pandas DataFrame, or a dict of arrays."""

    def __getitem__(self, column: str, /) -> Any: ...


class Speakers(Protocol):
    """{id: speaker}: a dict, a pandas Series, or a DataFrame with the columns id and speaker."""

    def items(self) -> Iterable[tuple[Any, Any]]:
        """Each id with its speaker."""


COLUMNS = ("enrolment", "trial", "label", "score")
SET, LIST, ATTACKER = "scores", "all", "these scores"  # what the verdict calls them
MOST_REPLICATES = 1_000_000  # as in a config
ROWS = ("metric", "value", "ci_low", "ci_high")


# Results.


def _rows(result: Any) -> Iterator[tuple[str, Any, float, float]]:
    """The numbers of a result with their intervals (ROWS): its fields, or its ``metrics``."""
    intervals = getattr(result, "intervals", {})
    for name, value in _numbers(result).items():
        if isinstance(value, str | int | float):
            interval = intervals.get(name)
            limits = (interval.ci_low, interval.ci_high) if interval else (np.nan, np.nan)
            yield name, value, *limits


def _numbers(result: Any) -> dict[str, Any]:
    """All fields of a result, with what is in its ``metrics``."""
    fields = result._asdict()
    return fields | fields.get("metrics", {})


def _all_numbers(results: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    return {label: _numbers(result) for label, result in results.items()}


def _in_one_line(result: Any, *headline: str) -> str:
    """The class, and the numbers of its headline with intervals where they are known."""
    numbers, intervals = _numbers(result), getattr(result, "intervals", {})
    words = []
    for name in headline:
        text, interval = _text(numbers[name]), intervals.get(name)
        if interval and not np.isnan(interval.ci_low):
            limits = (interval.ci_low, interval.ci_high)
            text = shown(numbers[name], limits, interval.unbiased).text(_text, _mark(result, name))
        words.append(f"{name}={text}")
    return f"{type(result).__name__}({', '.join(words)})"


def _mark(result: Any, name: str) -> str:
    """The dagger if a number of a result is in doubt, or its interval; else nothing."""
    numbers, interval = _numbers(result), getattr(result, "intervals", {}).get(name)
    has_interval = interval is not None and not np.isnan(interval.ci_low)
    return mark_of(name, numbers, has_interval=has_interval)


def _text(cell: float | str) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _in_html(result: Any) -> str:
    """A table of the numbers, each once, for notebooks."""
    lines = ["".join(f"<th>{column}</th>" for column in ROWS)]
    once = shown_once(_numbers(result))
    marked: list[str] = []
    for row in _rows(result):
        if row[0] in once:
            texts = [*map(_text, row)]
            texts[-1] += _mark(result, row[0])
            marked.append(texts[-1])
            lines.append("".join(f"<td>{html.escape(text)}</td>" for text in texts))
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in marks_explained(marked))
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>{notes}"


def _printed(*headline: str) -> Any:
    """What makes results print in one line, with the numbers of a headline, and in notebooks."""

    def printed(kind: Any) -> Any:
        kind.__repr__ = lambda result: _in_one_line(result, *headline)
        kind._repr_html_ = _in_html
        return kind

    return printed


def _in_frame(result: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(_rows(result), columns=ROWS)


@_printed("eer_percent", "cllr_min_bit", "linkability", "n_target", "n_nontarget")
class Verification(NamedTuple):
    """Metrics of voiceprivacy.privacy.scores.verification.assess, and their intervals."""

    eer_percent: float
    eer_rocch_percent: float
    eer_speechbrain_percent: float
    cllr_bit: float
    cllr_min_bit: float
    cllr_cal_bit: float
    min_dcf: float
    linkability: float
    linkability_vpc: float
    n_target: int
    n_nontarget: int
    intervals: dict[str, Interval]

    def frame(self) -> Any:
        """A pandas DataFrame of all numbers: metric, value, ci_low, ci_high."""
        return _in_frame(self)


@_printed("dece_bit", "worst_case_log10", "tag", "n_target", "n_nontarget")
class Zebra(NamedTuple):
    """Metrics of voiceprivacy.privacy.scores.zebra.assess, its profile, and intervals.

    The EER tells which intervals are too short.
    """

    dece_bit: float
    worst_case_log10: float
    worst_case_floor_log10: float
    worst_case_ceiling_log10: float
    tag: str
    tag_ceiling: str
    ddcf: float
    n_target: int
    n_nontarget: int
    profile: dict[str, Floats]
    intervals: dict[str, Interval]
    eer_percent: float = np.nan

    def frame(self) -> Any:
        """A pandas DataFrame of all numbers: metric, value, ci_low, ci_high."""
        return _in_frame(self)


@_printed("cece_linear_bit", "cece_isotonic_bit", "cece_isotonic_interpolated_bit")
class Calibration(NamedTuple):
    """What a calibration of one run is worth on another: C_ECE, all metrics, ECE profiles."""

    cece_linear_bit: float
    cece_isotonic_bit: float
    cece_isotonic_interpolated_bit: float
    metrics: dict[str, Any]
    profiles: dict[str, Floats]

    def frame(self) -> Any:
        """A pandas DataFrame of all numbers: metric, value, ci_low, ci_high."""
        return _in_frame(self)


@_printed("disclosure_bit", "identification_rate_percent")
class Ranks(NamedTuple):
    """Similarity-rank disclosure: the headline, all metrics, histogram p (N,) and model gamma."""

    disclosure_bit: float
    identification_rate_percent: float
    metrics: dict[str, float]
    p: Floats
    gamma: Floats

    def frame(self) -> Any:
        """A pandas DataFrame of all numbers: metric, value, ci_low, ci_high."""
        return _in_frame(self)


@_printed("deid_percent", "gvd_db")
class Similarity(NamedTuple):
    """De-identification, gain of voice distinctiveness, and matrices {oo, op, pp: (S, S)}."""

    deid_percent: float
    gvd_db: float
    speakers: list[str]
    matrices: dict[str, np.ma.MaskedArray]
    notes: list[str]

    def frame(self) -> Any:
        """A pandas DataFrame of all numbers: metric, value, ci_low, ci_high."""
        return _in_frame(self)


class Verdict(NamedTuple):
    """What ``voiceprivacy verdict`` says of one set of trials.

    ``text`` are its lines, ``states`` {system: open, low or unclear}, ``better`` pairs (safer, less
    safe), ``facts`` the set's part of verdict.json.
    """

    text: str
    states: dict[str, str]
    better: list[tuple[str, str]]
    facts: dict[str, Any]

    def __repr__(self) -> str:
        return f"Verdict({', '.join(f'{name}: {state}' for name, state in self.states.items())})"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


Result = Zebra | Calibration | Ranks | Similarity


# Functions.


def verification(
    trials: Trials | None = None,
    *arrays: Any,
    target: ArrayLike | None = None,
    nontarget: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    speakers: Speakers | None = None,
    p_target: float = P_TARGET,
    n_replicates: int = N_REPLICATES,
    seed: int = 0,
) -> Verification:
    """How well an attacker still tells speakers apart: EER, Cllr, linkability.

    Parameters
    ----------
    trials : table, or instead of it
    target, nontarget : array (T,), array (N,), or
    scores, labels : array (T + N,) each
        A label is 1, True or target; 0, False or nontarget.
    speakers : {id: speaker}, optional
        With a table: intervals are made.
    p_target : prior of min_dcf
    n_replicates, seed : of the intervals; 0 for none

    Raises
    ------
    BadInput : arrays without names, a column is missing, no score of a class, a score that is NaN,
        a trial twice, or whose label its speakers contradict, a prior that is not between 0 and 1,
        less than no replicates
    """
    named = {"target": target, "nontarget": nontarget, "scores": scores, "labels": labels}
    values, arranged = _given(trials, arrays, speakers, **named)
    _warn(warning_of_reversed(**values))
    _warn(_verification.warning_of_ties(**values))
    metrics = _verification.assess(**values, p_target=p_target)
    measure = _verification.resampled_metrics(**values)
    limits = _intervals(metrics, arranged, measure, n_replicates, seed)
    return Verification(**_plain(metrics), intervals=limits)


def zebra(
    trials: Trials | None = None,
    *arrays: Any,
    target: ArrayLike | None = None,
    nontarget: ArrayLike | None = None,
    scores: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    speakers: Speakers | None = None,
    n_replicates: int = N_REPLICATES,
    seed: int = 0,
) -> Zebra:
    """How much scores disclose, on average and at worst (Nautsch et al. 2020).

    Parameters and errors are those of ``verification``.
    """
    named = {"target": target, "nontarget": nontarget, "scores": scores, "labels": labels}
    values, arranged = _given(trials, arrays, speakers, **named)
    _warn(warning_of_reversed(**values))
    metrics, profile = _zebra.assess(**values)  # type: ignore[arg-type]
    limits = _intervals(metrics, arranged, _zebra.sample_metrics, n_replicates, seed)
    errors = float(_verification.eer_percent(**values))  # type: ignore[arg-type]
    return Zebra(**_plain(metrics), profile=profile, intervals=limits, eer_percent=errors)


def calibration(*, train: Trials, test: Trials, laplace: bool = True) -> Calibration:
    """What an attacker gains who calibrates one run's scores with another's (Noe et al. 2022).

    Parameters
    ----------
    train, test : table, or {"target": array (T,), "nontarget": array (N,)}
        Scores of two runs of one anonymiser.
    laplace : whether isotonic calibration follows Laplace's rule; without it LLRs can be infinite

    Raises
    ------
    BadInput : as ``verification``
    """
    if not isinstance(laplace, bool | np.bool_):
        raise BadInput(f"laplace={laplace!r}: expected True or False")
    metrics, profiles = _zebra.assess_calibration(
        train=_classes(train), test=_classes(test), laplace=bool(laplace)
    )
    numbers = _plain(metrics)
    return Calibration(
        numbers["cece_linear_bit"],
        numbers["cece_isotonic_bit"],
        numbers["cece_isotonic_interpolated_bit"],
        numbers,
        profiles,
    )


def ranks(
    scores: ArrayLike,
    *,
    test_speakers: ArrayLike,
    template_speakers: ArrayLike,
    fit: str = "auto",
    ties: str = "shared",
) -> Ranks:
    """How many bits of identity the rank of the true template discloses (Bäckström et al. 2025).

    Parameters
    ----------
    scores : array (R, C)
        Of R test utterances against the templates of C speakers.
    test_speakers, template_speakers : array (R,), array (C,)
    fit, ties : see voiceprivacy.privacy.matrices.ranks.assess

    Raises
    ------
    BadInput : shapes that do not go together, a score that is NaN, two templates of one speaker,
        an utterance whose speaker has none, another fit or ties
    """
    _refuse_others(_ranks.FITS, "fit", fit)
    _refuse_others(_ranks.TIES, "ties", ties)
    assessed = _ranks.assess(_matrix(scores, test_speakers, template_speakers), fit=fit, ties=ties)
    numbers = _plain(assessed.metrics)
    return Ranks(
        numbers["disclosure_bit"],
        numbers["identification_rate_percent"],
        numbers,
        assessed.p,
        assessed.gamma,
    )


def similarity(
    *,
    oo: ArrayLike,
    op: ArrayLike,
    pp: ArrayLike,
    speakers: ArrayLike,
    definition: str = "geometric",
    pairs: str = "all",
) -> Similarity:
    """De-identification and gain of voice distinctiveness (Noe et al. 2020, 2022).

    Parameters
    ----------
    oo, op, pp : array (R, R)
        Scores of R utterances against themselves: original against original, original (rows)
        against protected (columns), protected against protected.
    speakers : array (R,)
        Who speaks each utterance.
    definition, pairs : see voiceprivacy.privacy.matrices.similarity

    Raises
    ------
    BadInput : shapes that do not go together, a score that is NaN, one speaker only, no speaker
        with two utterances, another definition or pairs
    """
    _refuse_others(_similarity.DEFINITIONS, "definition", definition)
    _refuse_others(_similarity.PAIRS, "pairs", pairs)
    matrices = {}
    for name, scores in {"oo": oo, "op": op, "pp": pp}.items():
        matrix = _matrix(scores, speakers, speakers, same=True)
        compared = _similarity.compare(matrix, pairs=pairs)
        matrices[name] = _similarity.similarities(compared, definition=definition)
    assessed = _similarity.assess(**matrices)
    metrics = _plain(assessed.metrics)
    values = {name: matrix.values for name, matrix in matrices.items()}
    return Similarity(
        metrics["deid_percent"],
        metrics["gvd_db"],
        speakers=matrices["oo"].speakers.tolist(),
        matrices=values,
        notes=assessed.notes,
    )


def trial_scores(
    trials: Trials,
    *,
    enrolment: Mapping[str, ArrayLike],
    trial: Mapping[str, ArrayLike],
    enrolments: Mapping[str, list[str]] | None = None,
    backend: str = "cosine",
    protected: Collection[str] = (),
) -> Any:
    """The trials with a column ``score``, from embeddings.

    Parameters
    ----------
    trials : table of enrolment, trial, label
    enrolment, trial : {utterance: array (D,)}
        Embeddings of each side; one is protected speech under OP, both under PP.
    enrolments : {enrolment: [utterance, ...]}, optional
        Without it an enrolment id is an utterance id.
    backend : cosine, jensen_shannon (histograms), vpc2026_june or vpc2026_september (the cosines of
        that challenge), or the npz of a trained one
    protected : enrolment, trial or both: the speech that a Procrustes back-end rotates back

    Returns
    -------
    DataFrame, if ``trials`` is one; else {column: list}

    Raises
    ------
    BadInput : an enrolment or an embedding is missing, or the embeddings do not fit each other
    """
    from voiceprivacy.attack.backends import backends

    if not isinstance(backend, str | PathLike):
        raise BadInput(f"backend={backend!r}: expected cosine, jensen_shannon or an npz")
    columns = _columns(trials, COLUMNS[:3])
    labels = [_label(word, f"label of row {n}") for n, word in enumerate(columns["label"])]
    texts = [[str(name) for name in columns[side]] for side in ("enrolment", "trial")]
    listed = [Trial(*row) for row in zip(*texts, labels, strict=True)]
    if not listed:
        raise BadInput("trials: there is no trial")
    sides = {}
    for side, vectors in (("enrolment", enrolment), ("trial", trial)):
        _refuse_no_mapping(vectors, side, "{utterance: array}")
        rows = [_floats(vector, f"{side} '{name}'") for name, vector in vectors.items()]
        if len({row.shape for row in rows}) != 1 or rows[0].ndim != 1:
            raise BadInput(f"{side}: expected arrays of one length, an utterance each")
        ids = np.array([str(name) for name in vectors])
        sides[side] = Embeddings(ids, np.stack(rows)), f"{side} embeddings"
    galleries = backends.galleries_of(sides, backend=backend, protected=protected)
    lists = None
    if enrolments is not None:
        _refuse_no_mapping(enrolments, "enrolments", "{enrolment: [utterance, ...]}")
        names = {
            str(name): [*map(str, _values(ids, f"enrolments of '{name}'"))]
            for name, ids in enrolments.items()
        }
        lists = backends.Lookup(names, path="enrolments", kind="enrolment")
    scores = backends.score_trials(
        backends.scorer(backend), listed, **galleries, enrolments=lists
    ).tolist()
    if hasattr(trials, "assign"):
        return trials.assign(score=scores)
    return columns | {"score": scores}


def verdict(
    attacks: Mapping[str, Mapping[str, Trials]],
    speakers: Speakers,
    *,
    thresholds: Mapping[str, float] | None = None,
    recording: str | None = None,
) -> Verdict:
    """How much of the speakers' identity one attacker's scores give away in every system.

    Parameters
    ----------
    attacks : {system: {condition: table of trials}}
        Of ``original``, which is unprotected speech, the condition oo; of each protected system op,
        pp, rr, or several of them.
    speakers : {id: speaker}
    thresholds : those that are not the defaults of a config's section ``verdict``
    recording : pattern whose first group, in an id, names the session or channel

    Raises
    ------
    BadInput : as ``verification``; no protected system; a condition that a system has not; no
        condition of a system; a threshold that is none
    """
    _refuse_no_mapping(attacks, "attacks", "{system: {condition: table of trials}}")
    given: Any = {} if thresholds is None else thresholds
    _refuse_no_mapping(given, "thresholds", "{name: number}")
    if not {*attacks} - {ORIGINAL}:
        raise BadInput("attacks: expected a protected system")
    table = ScoreTable(_names(speakers), namer_of_sessions(recording))
    for name, number in given.items():
        _refuse_others(Thresholds._fields, "thresholds", name)
        if not _number(number) >= 0:  # NaN is not
            raise BadInput(f"thresholds: {name} is {number!r}, not a number from 0 on")
    for system, conditions in attacks.items():
        of_system = f"attacks: system '{system}'"
        _refuse_no_mapping(conditions, of_system, "{condition: table of trials}")
        if not len(conditions):
            raise BadInput(f"{of_system} has no condition: give op, pp or rr")
        for condition, trials in conditions.items():
            check_condition(system, condition, "attacks")
            scored = _scored(trials)
            _arranged(scored, table.speaker_of)  # refuses labels that speakers contradict
            of_attack = table.scores.setdefault(LIST, {}).setdefault(system, {})
            of_attack[ATTACKER, condition] = scored.by_names()
    facts = verdict_of(table, thresholds=Thresholds(**given))
    return Verdict(
        "\n".join(lines_of_set(judged_of(SET, facts))),
        {name: own["state"] for name, own in facts["systems"].items()},
        [(safer, other) for safer, other in facts["better"]],
        facts,
    )


def plot(shown: Mapping[str, Any] | Result, *, picture: str | None = None) -> Any:
    """Draw results, or scores, as a run draws them.

    Parameters
    ----------
    shown : a result of zebra, calibration, ranks or similarity; {label: result} of one kind; or
        {label: table of trials} with ``picture``
    picture : for trials
        ece, bayes_error, normalised_bayes_error, det, roc, tippett, scores, llrs or calibration

    Returns
    -------
    matplotlib Figure : ``figure.savefig("picture.pdf")``

    Raises
    ------
    BadInput : a result that has no picture, another ``picture``
    """
    from voiceprivacy.report.plots import evidence, speakers, systems
    from voiceprivacy.report.plots.ranks import ranks_picture

    if not isinstance(shown, Mapping):
        shown = {SET: shown}
    if picture is not None:
        _refuse_others(PROFILES, "picture", picture)
        curves = {label: PROFILES[picture](**_classes(trials)) for label, trials in shown.items()}
        return systems.conventional_picture(picture, curves)
    kinds = {type(result) for result in shown.values()}
    if kinds == {Similarity} and len(shown) == 1:
        ((label, result),) = shown.items()
        return speakers.similarity_picture(**result.matrices, speakers=result.speakers, title=label)
    if kinds == {Zebra}:
        profiles = {label: result.profile for label, result in shown.items()}
        return evidence.profiles_picture(curves=profiles, metrics=_all_numbers(shown))
    if kinds == {Calibration}:
        profiles = {label: result.profiles for label, result in shown.items()}
        return evidence.calibration_picture(curves=profiles, metrics=_all_numbers(shown))
    if kinds == {Ranks}:
        curves = {label: {"p": one.p, "gamma": one.gamma} for label, one in shown.items()}
        return ranks_picture(curves=curves, metrics=_all_numbers(shown))
    raise BadInput(
        "plot: expected results of zebra, calibration or ranks, one of similarity, or tables of"
        " trials with picture=..."
    )


def _refuse_others(known: Collection[str], name: str, word: str) -> None:
    """Refuse (BadInput) an argument that is none of the known words."""
    if not isinstance(word, str) or word not in known:
        raise BadInput(f"{name}={word!r}: expected one of {', '.join(known)}")


def _refuse_no_mapping(value: Any, name: str, expected: str) -> None:
    """Refuse (BadInput) an argument that is no dict, nor anything like one."""
    if not isinstance(value, Mapping):
        raise BadInput(f"{name}: expected {expected}")


# Tables of trials.


def _given(
    trials: Trials | None,
    arrays: tuple[Any, ...],
    speakers: Speakers | None,
    **named: ArrayLike | None,
) -> tuple[dict[str, Scores], SpeakerTrials | None]:
    """Scores of both classes, and the trials of speakers where these are known."""
    if arrays:
        raise BadInput(
            "two arrays without names do not say which holds the targets, or the labels: write"
            " target=..., nontarget=..., or scores=..., labels=..."
        )
    given = {name: values for name, values in named.items() if values is not None}
    if trials is not None and not given:
        if speakers is None:
            return _classes(trials), None
        scored = _scored(trials)
        return scored.classes, _arranged(scored, _names(speakers))
    if trials is not None or {*given} not in ({*LABELS}, {"scores", "labels"}):
        raise BadInput(
            "give a table of trials, or target=..., nontarget=..., or scores=..., labels=..."
        )
    if speakers is not None:
        raise BadInput("speakers=... needs a table of trials, whose ids it names")
    return _classes(_by_label(**given) if "labels" in given else given), None


def _by_label(scores: ArrayLike, labels: ArrayLike) -> dict[str, Scores]:
    """The scores of either class."""
    values, words = np.array(_values(scores, "scores")), _values(labels, "labels")
    if len(values) != len(words):
        raise BadInput(f"there are {len(values)} scores, and {len(words)} labels")
    classes = np.array([_label(word, f"labels[{n}]") for n, word in enumerate(words)])
    return {label: values[classes == label] for label in LABELS}


def _classes(trials: Trials) -> dict[str, Scores]:
    """The scores of either class, of a table or of {target, nontarget: array}."""
    if not isinstance(trials, Mapping) or not {*trials} >= {*LABELS}:
        return _scored(trials).classes
    scores = {}
    for label in LABELS:
        values = scores[label] = _floats(trials[label], label)
        if values.ndim != 1 or not len(values):
            raise BadInput(f"{label}: expected an array of scores, not the shape {values.shape}")
        if np.isnan(values).any():
            raise BadInput(f"{label}: NaN is no score")
    return scores


def _floats(values: ArrayLike, name: str) -> Floats:
    """Numbers as an array; BadInput for anything else."""
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name}: expected an array of numbers") from None


def _scored(trials: Trials) -> ScoredTrials:
    """The trials of a table."""
    columns = _columns(trials, COLUMNS).values()
    scored: dict[tuple[str, str], tuple[Trial, float]] = {}
    for enrolment, trial, word, score in zip(*columns, strict=True):
        where = f"trial '{enrolment} {trial}'"
        label = _label(word, where)
        number = _number(score)
        if np.isnan(number):
            raise BadInput(f"{where}: {score!r} is no score")
        pair = str(enrolment), str(trial)
        if "nan" in pair and float in {type(enrolment), type(trial)}:  # pandas reads NA so
            raise BadInput(f"{where}: NaN is no id: read the table with keep_default_na=False")
        if pair in scored:
            raise BadInput(f"{where} occurs twice")
        scored[pair] = Trial(*pair, label), number
    arrays = ScoredTrials.of(scored.values())
    _warn(warning_of_itself(arrays))
    for label, values in arrays.classes.items():
        if not len(values):
            raise BadInput(f"trials: no {label} trials")
    return arrays


def _warn(warning: str | None) -> None:
    if warning:
        warnings.warn(f"trials: {warning}", stacklevel=3)


def _columns(trials: Trials, names: Sequence[str]) -> dict[str, list[Any]]:
    """The columns of a table, which are of one length."""
    columns = {}
    for name in names:
        try:
            column = trials[name]
        except (KeyError, IndexError, TypeError):
            raise BadInput(f"trials: no column {name}; expected {', '.join(names)}") from None
        columns[name] = _values(column, f"trials: column {name}")
    if len({len(column) for column in columns.values()}) != 1:
        raise BadInput("trials: columns of different lengths")
    return columns


def _number(value: Any) -> float:
    """A number as a float; NaN for what is none, or has more digits than a float."""
    with contextlib.suppress(OverflowError):
        return float(value) if isinstance(value, Real) else np.nan
    return np.nan


def _values(values: Any, name: str) -> list[Any]:
    """The values of an array (N,) as Python has them; BadInput for anything else."""
    with contextlib.suppress(ValueError):  # lists of different lengths
        array = np.asarray(values)
        if array.ndim == 1:
            return array.tolist()
    raise BadInput(f"{name}: expected a list of values")


def _label(word: Any, where: str) -> str:
    label = label_of(word)
    if label is None:
        raise BadInput(f"{where}: label {word!r} is none of target, nontarget, 1, 0")
    return label


def _names(speakers: Speakers) -> dict[str, str]:
    """{id: speaker} as text: a DataFrame reads ids of digits as numbers."""
    table: Any = speakers
    try:
        if hasattr(table, "columns"):
            table = table.set_index("id")["speaker"]
        known = table.items()
    except (AttributeError, KeyError):
        raise BadInput(
            "speakers: expected a table with the columns id and speaker, or {id: speaker}"
        ) from None
    names: dict[str, str] = {}
    for name, speaker in known:
        if names.setdefault(str(name), str(speaker)) != str(speaker):
            raise BadInput(f"speakers: '{name}' has two speakers, {names[str(name)]} and {speaker}")
    return names


def _arranged(scored: ScoredTrials, speaker_of: Mapping[str, str]) -> SpeakerTrials:
    """``arrange``, which says how to read ids that have lost zeros."""
    asked = {*scored.enrolments, *scored.trials}
    shorter = {name.lstrip("0") for name in speaker_of}
    for missing in sorted(asked - speaker_of.keys()):
        if missing.lstrip("0") in shorter:
            raise BadInput(
                f"speakers: no '{missing}', only with other zeros before it: read both tables with"
                ' pandas.read_csv(..., dtype={"enrolment": str, "trial": str, "id": str})'
            )
    return arrange(scored, speaker_of)


def _matrix(
    scores: ArrayLike, row_speakers: ArrayLike, column_speakers: ArrayLike, *, same: bool = False
) -> ScoreMatrix:
    """Scores of rows against columns, which are the ``same`` utterances or others."""
    values = _floats(scores, "scores")
    rows, columns = (
        np.array(_values(names, "speakers")).astype(str)
        for names in (row_speakers, column_speakers)
    )
    if values.shape != (len(rows), len(columns)):
        raise BadInput(
            f"scores have the shape {values.shape}, and the speakers {(len(rows), len(columns))}"
        )
    if np.isnan(values).any():
        raise BadInput("scores: NaN is no score")
    tests = np.array([f"row {row}" for row in range(len(rows))])
    kind = "row" if same else "column"
    templates = np.array([f"{kind} {column}" for column in range(len(columns))])
    return ScoreMatrix(tests, templates, rows, columns, values, tests, templates)


def _plain(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers of Python, nan for what is undefined and for limits that do not exist."""
    plain = {}
    for name, value in numbers.items():
        number = value.item() if isinstance(value, np.generic) else value
        plain[name] = np.nan if number is None or number == UNDEFINED else number
    return plain


def _intervals(metrics, trials, measure, n_replicates, seed):
    is_count = isinstance(n_replicates, Integral) and not isinstance(n_replicates, bool)
    if not is_count or not 0 <= n_replicates <= MOST_REPLICATES:
        raise BadInput(f"n_replicates: {n_replicates} is no whole number from 0 to a million")
    if trials is None or not n_replicates:
        return {}
    own = {"corrections": CORRECTIONS}
    drawn = bootstrap.resample_scores(trials, measure, n_replicates=n_replicates, seed=seed, **own)
    limits = bootstrap.intervals(metrics, drawn, n_speakers=n_speakers(trials), **own)
    return {name: Interval(**_plain(fields)) for name, fields in limits.items()}
