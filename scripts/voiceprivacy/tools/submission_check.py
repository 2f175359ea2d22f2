"""Whether a submission is complete: every trial of every set scored once, and all the speech there.

A finding is a line of text that begins with the file in the submission, and the line where there
is one.
"""

import json
import math
import shutil
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import soundfile

from voiceprivacy.corpora.listing import Findings, Listed, list_utterances
from voiceprivacy.corpora.parts import excludes, limited, list_trials, split
from voiceprivacy.inout.arrays import UNREADABLE
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Trial, number_in, read_manifest, read_trials
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import submission
from voiceprivacy.tools.submission import Submission
from voiceprivacy.vocabulary import ORIGINAL, TrialList

SHOWN = 5  # findings of one kind in one file
MORE_LINES = 10_000  # that a file may have than there are trials, until the rest is not read
MOST_OF_ABOUT = 1000  # lines of what a submission says of itself
ENROLMENT_AND_TRIAL = ("enrolment", "trial")
Pair = tuple[str, str]  # (enrolment, trial)


def plan_of(config: dict, anonymiser: str) -> Plan:
    """The Plan of a config for one anonymiser.

    The anonymiser need not be in the config: the organisers' config has none.
    """
    options = config.get("anonymisers") or {}
    own = options.get(anonymiser, {"audio": "."}) if isinstance(options, dict) else {}
    if isinstance(own, dict) and "audio" in own:
        own = {**own, "audio": "."}  # speech that lies with the participant
    return Plan(configuration.check({**config, "anonymisers": {anonymiser: own}, "report": {}}))


def anonymiser_of(submitted: Submission) -> str | None:
    """Whose a submission is, as it says itself; None where it does not."""
    if submission.ABOUT not in submitted.names:
        return None
    lines = islice(submitted.lines(submission.ABOUT), MOST_OF_ABOUT)
    try:
        about = json.loads("\n".join(lines))
    except (ValueError, RecursionError):  # no JSON, or numbers of thousands of digits
        return None
    name = about.get("anonymiser") if isinstance(about, dict) else None
    return name if isinstance(name, str) else None


def check(
    submitted: Submission,
    plan: Plan,
    anonymiser: str,
    *,
    results: str | Path | None = None,
    with_audio: bool = False,
) -> Iterator[str]:
    """Check a submission against what a plan expects.

    Parameters
    ----------
    submitted : voiceprivacy.tools.submission.Submission
    plan : voiceprivacy.plan.plan.Plan
    anonymiser : str
    results : path, optional
        Folder of a finished run whose trial lists and manifests are the expected ones; without it
        they are made from the corpora themselves.
    with_audio : bool
        Whether every utterance's protected speech must be there.

    Yields
    ------
    str : findings
    """
    for name in submitted.unsafe:
        why = "leads out of the submission, is a link or no plain file, is there twice"
        yield f"{name}: {why}, is packed unusually or unpacks without end: not read"
    for name in (submission.SUMMARY, submission.RANK):
        if name not in submitted.names:
            yield f"{name}: missing"
    expected = _Expected(plan, Path(results) if results else None)
    yield from _check_sets(submitted, plan, anonymiser, expected)
    if with_audio:
        for corpus in plan.speech.attacked:
            for part, utterances in expected.utterances(corpus).items():
                yield from _check_audio(submitted, corpus, part, utterances)


class _Parts(NamedTuple):
    """The utterances of a corpus's parts, and what they were listed from."""

    enrolment: list[Listed]
    trial: list[Listed]
    source: dict
    protocol: dict
    findings: Findings


class _Expected:
    """Trials and utterances of a plan, from a finished run or from the corpora themselves."""

    def __init__(self, plan: Plan, results: Path | None) -> None:
        self.plan = plan
        self.results = results

    def trials(self, trial_list: TrialList) -> dict[Pair, str]:
        """{(enrolment, trial): label}"""
        if self.results:
            folder = self.results / "trials" / trial_list.corpus
            listed = read_trials(folder / f"{trial_list.trials}.tsv")
        else:
            listed = self._list_trials(trial_list)
        return {(trial.enrolment, trial.trial): trial.label for trial in listed}

    def _list_trials(self, trial_list: TrialList) -> list[Trial]:
        parts = self._parts(trial_list.corpus)
        listed, _ = list_trials(
            parts.source,
            parts.protocol,
            trial_list.trials,
            parts.enrolment,
            parts.trial,
            parts.findings,
        )
        parts.findings.refuse_errors()
        return listed

    def utterances(self, corpus: str) -> dict[str, list[str]]:
        """{part: ids}"""
        by_part = {}
        parts = None if self.results else self._parts(corpus)
        for part in ENROLMENT_AND_TRIAL:
            if self.results:
                folder = self.results / "audio" / corpus / part / ORIGINAL
                listed = read_manifest(folder / "manifest.tsv")
            else:
                listed = getattr(parts, part)
            by_part[part] = [utterance.utterance for utterance in listed]
        return by_part

    def _parts(self, corpus: str) -> _Parts:
        options = self.plan.speech.corpora[corpus]
        source, findings = self.plan.speech.source(corpus), Findings()
        if "segments" in source or excludes(source):
            raise BadInput(
                f"corpora.{corpus}: what is cut or excluded is known after a run only: "
                "give its folder by --results"
            )
        chosen = options["protocol"]
        utterances = list_utterances(source, findings)
        parts = split(source, chosen, utterances, findings)
        enrolment, trial = limited(source, *parts)
        findings.refuse_errors()
        return _Parts(enrolment, trial, source, chosen, findings)


# Trial lists and scores.


def _check_sets(submitted, plan, anonymiser, expected):
    """Findings in the lists and scores of all attacks on an anonymiser."""
    known = set()
    lists: dict[TrialList, dict[Pair, str]] = {}
    for attack in plan.attackers.attacks():
        if anonymiser not in plan.attackers.systems(attack.extractor, attack.backend):
            continue
        trial_list = TrialList(attack.corpus, attack.trials)
        if trial_list not in lists:
            lists[trial_list] = expected.trials(trial_list)
            yield from _check_list(submitted, trial_list, lists[trial_list])
        # Scores of unprotected speech show whether the attacker is the one that is asked for.
        for system in (ORIGINAL, anonymiser):
            for condition in plan.speech.conditions(system):
                name = submission.scores_name(attack, condition)
                known.add(name)
                yield from _check_scores(submitted, name, lists[trial_list])
    for name in sorted(submitted.names):
        if name.endswith(".scores") and name not in known:
            yield f"{name}: no set of the config"


def _check_list(submitted, trial_list, labels):
    """A trial list need not be submitted; if it is, it must be the right one."""

    def fault(pair, label):
        return None if label == labels[pair] else f"is '{label}' instead of '{labels[pair]}'"

    name = submission.trials_name(*trial_list)
    if name in submitted.names:
        yield from _check_rows(submitted, name, labels, fault)


def _check_scores(submitted, name, labels):
    if name in submitted.names:
        yield from _check_rows(submitted, name, labels, _score_fault)
    else:
        yield f"{name}: missing"


def _score_fault(pair, text):
    is_finite = math.isfinite(number_in(text))
    return None if is_finite else f"has the score '{text}', which is no finite number"


def _check_rows(
    submitted: Submission,
    name: str,
    labels: Mapping[Pair, str],
    fault: Callable[[Pair, str], str | None],
) -> Iterator[str]:
    """Check a file "enrolment trial value": each pair of a list once, and no other.

    ``fault`` says what is wrong with the value of a pair.
    """
    seen: set[Pair] = set()
    shown: dict[str, list[str]] = {}  # by the first word of a finding
    kinds: Counter[str] = Counter()
    try:
        for line, text in enumerate(submitted.lines(name), start=1):
            if line > len(labels) + MORE_LINES:
                yield f"{name}:{line}: has many lines more than there are trials: not read further"
                break
            if not text.strip():
                continue
            # One mistake may be in every line of a file: a few of its kind are enough.
            finding, pair = _check_row(text, seen, labels, fault)
            if pair in labels:
                seen.add(pair)
            if finding:
                kind = finding.partition(" ")[0]
                kinds[kind] += 1
                if kinds[kind] <= SHOWN:
                    shown.setdefault(kind, []).append(f"{name}:{line}: {finding}")
    except BadInput as error:
        yield str(error)
        return
    for kind, findings in shown.items():
        yield from findings
        if kinds[kind] > SHOWN:
            yield f"{name}: {counted(kinds[kind] - SHOWN, 'more finding')} like the last"
    missing = labels.keys() - seen
    if missing:
        share = f"{len(missing)} of {counted(len(labels), 'trial')} missing"
        yield f"{name}: {share}, such as '{' '.join(min(missing))}'"


def _check_row(text, seen, labels, fault):
    """What is wrong with a line (None: nothing), and its pair (None: there is none)."""
    fields = text.split()
    if len(fields) != 3:
        return f"columns: {len(fields)} instead of 3", None
    enrolment, trial, value = fields
    pair = (enrolment, trial)
    shown = f"trial '{enrolment} {trial}'"
    if pair not in labels:
        return f"unknown {shown}", pair
    if pair in seen:
        return f"repeated {shown}", pair
    wrong = fault(pair, value)
    return (f"{shown} {wrong}" if wrong else None), pair


# Speech.


def _check_audio(
    submitted: Submission, corpus: str, part: str, utterances: Iterable[str]
) -> Iterator[str]:
    """Findings in the speech of a part: each utterance in one file, and nothing else."""
    expected = list(utterances)
    folder = f"wav/{corpus}/{part}/"
    files: dict[str, str] = {}
    for name in sorted(name for name in submitted.names if name.startswith(folder)):
        stem = name.removeprefix(folder).rpartition(".")[0]
        if stem in files:
            yield f"{name}: utterance '{stem}' is also in {files[stem]}"
        files[stem] = name
    missing = [utterance for utterance in expected if utterance not in files]
    if missing:
        share = f"{len(missing)} of {counted(len(expected), 'utterance')}"
        yield f"{folder}: {share} without a file, such as '{missing[0]}'"
    for stem in sorted(files.keys() - set(expected)):
        yield f"{files[stem]}: unknown utterance"
    for utterance in expected:
        fault = _audio_fault(submitted, files[utterance]) if utterance in files else None
        if fault:
            yield f"{files[utterance]}: {fault}"


def _audio_fault(submitted, name):
    try:
        with submitted.open(name) as file, tempfile.TemporaryFile() as copy:
            if isinstance(file, zipfile.ZipExtFile):  # whose errors soundfile would print
                shutil.copyfileobj(file, copy)
                copy.seek(0)
            info = soundfile.info(copy if isinstance(file, zipfile.ZipExtFile) else file)
    except (soundfile.LibsndfileError, *UNREADABLE):
        return "cannot be read as audio"
    if info.channels != 1:
        return f"has {info.channels} channels instead of one"
    return None if info.frames else "has no samples"
