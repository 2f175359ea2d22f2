"""Whether a submission is complete: every set, every trial scored once, no other trial, finite scores, all the speech.

Findings are lines of text that begin with the file in the submission, and the line where there is one.
"""

import io
import json
import math

import soundfile

from voiceprivacy.corpora import protocol
from voiceprivacy.corpora.checks import excludes, source_of_entry
from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import read_manifest, read_trials
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools import submission

SHOWN = 5  # findings of one kind in one file


def plan_of(config, anonymiser):
    """The Plan of a config for one anonymiser, which need not be in it: the organisers' config has none."""
    entry = config.get("anonymisers") or {}
    entry = entry.get(anonymiser, {"audio": "."}) if isinstance(entry, dict) else {}
    if isinstance(entry, dict) and "audio" in entry:
        entry = {**entry, "audio": "."}  # speech that lies with the participant
    return Plan(configuration.check({**config, "anonymisers": {anonymiser: entry}, "report": {}}))


def anonymiser_of(submitted):
    """Whose a submission is, as it says itself; None where it does not."""
    if submission.ABOUT not in submitted.names:
        return None
    try:
        about = json.loads("\n".join(submitted.lines(submission.ABOUT)))
    except (json.JSONDecodeError, RecursionError):
        return None
    name = about.get("anonymiser") if isinstance(about, dict) else None
    return name if isinstance(name, str) else None


def check(submitted, plan, anonymiser, *, results=None, with_audio=False):
    """Check a submission against what a plan expects.

    Parameters
    ----------
    submitted : voiceprivacy.tools.submission.Submission
    plan : voiceprivacy.plan.Plan
    anonymiser : str
    results : path, optional
        Folder of a finished run whose trial lists and manifests are the expected ones; without it they are made from
        the corpora themselves.
    with_audio : bool
        Whether every utterance's protected speech must be there.

    Yields
    ------
    str : findings
    """
    yield from (
        f"{name}: leads out of the submission, is a link, or unpacks without end: not read"
        for name in submitted.unsafe
    )
    yield from (
        f"{name}: missing"
        for name in (submission.SUMMARY, submission.RANK)
        if name not in submitted.names
    )
    expected, lists = set(), {}
    for attack in plan.attackers.attacks():
        systems = plan.attackers.systems(attack.extractor, attack.backend)
        if anonymiser not in systems:
            continue
        place = attack[:2]
        if place not in lists:
            lists[place] = _expected_trials(plan, *place, results)
            yield from _check_list(submitted, submission.trials_name(*place), lists[place])
        conditions = [
            condition
            for system in ("original", anonymiser)
            for condition in plan.speech.conditions(system)
        ]
        for condition in conditions:
            name = submission.scores_name(attack, condition)
            expected.add(name)
            yield from _check_scores(submitted, name, lists[place])
    for name in sorted(
        name for name in submitted.names if name.endswith(".scores") and name not in expected
    ):
        yield f"{name}: no set of the config"
    if with_audio:
        for corpus in plan.speech.evaluated:
            for part, utterances in _expected_utterances(plan, corpus, results).items():
                yield from _check_audio(submitted, corpus, part, utterances)


def _expected_trials(plan, corpus, trials, results):
    """{(enrolment, trial): label}"""
    if results:
        found = read_trials(results / "trials" / corpus / f"{trials}.tsv")
    else:
        parts, source, chosen, findings = _parts(plan, corpus)
        found, _ = protocol.list_trials(source, chosen, trials, *parts, findings)
        findings.refuse_errors()
    return {of[:2]: of.label for of in found}


def _expected_utterances(plan, corpus, results):
    """{part: ids}"""
    names = ("enrolment", "trial")
    if results:
        manifests = (
            results / "audio" / corpus / part / "original" / "manifest.tsv" for part in names
        )
        return {
            part: [of.utterance for of in read_manifest(path)]
            for part, path in zip(names, manifests, strict=True)
        }
    parts = _parts(plan, corpus)[0]
    return {
        part: [of.utterance for of in utterances]
        for part, utterances in zip(names, parts, strict=True)
    }


def _parts(plan, corpus):
    entry = plan.speech.corpora[corpus]
    source, findings = source_of_entry(entry), Findings()
    if "segments" in source or excludes(source):
        raise BadInput(
            f"corpora.{corpus}: what is cut or excluded is known after a run only: give its folder by --results"
        )
    utterances = list_utterances(source, findings)
    parts = protocol.limited(
        source, *protocol.split(source, entry["protocol"], utterances, findings)
    )
    findings.refuse_errors()
    return parts, source, entry["protocol"], findings


def _check_list(submitted, name, expected):
    """A trial list need not be submitted; if it is, it must be the right one."""
    if name not in submitted.names:
        return
    yield from _check_rows(submitted, name, expected, _label_finding(expected))


def _label_finding(expected):
    def finding(pair, label):
        return None if label == expected[pair] else f"is '{label}' instead of '{expected[pair]}'"

    return finding


def _check_scores(submitted, name, expected):
    if name not in submitted.names:
        yield f"{name}: missing"
        return
    yield from _check_rows(submitted, name, expected, _score_finding)


def _score_finding(pair, text):
    try:
        return None if math.isfinite(float(text)) else f"has the score {text}"
    except ValueError:
        return f"has the score '{text}', which is no number"


def _check_rows(submitted, name, expected, finding):
    """A file "enrolment trial value": each expected pair once, and no other; ``finding`` judges the value."""
    seen, kinds = set(), {}
    try:
        for line, text in enumerate(submitted.lines(name), start=1):
            if text.strip():
                what, pair = _row(text, seen, expected, finding)
                seen.add(pair)
                if what:
                    kinds.setdefault(what.partition(" ")[0], []).append(f"{name}:{line}: {what}")
    except BadInput as error:
        yield str(error)
        return
    for found in kinds.values():
        yield from found[:SHOWN]
        if len(found) > SHOWN:
            yield f"{name}: {counted(len(found) - SHOWN, 'more finding')} like the last"
    missing = expected.keys() - seen
    if missing:
        yield f"{name}: {len(missing)} of {counted(len(expected), 'trial')} missing, such as '{' '.join(min(missing))}'"


def _row(text, seen, expected, finding):
    """What is wrong with a line (or None), and its pair; the first word is the kind of finding."""
    fields = text.split()
    if len(fields) != 3:
        return f"columns: {len(fields)} instead of 3", None
    pair = tuple(fields[:2])
    shown = f"trial '{' '.join(pair)}'"
    if pair not in expected:
        return f"unknown {shown}", pair
    if pair in seen:
        return f"repeated {shown}", pair
    what = finding(pair, fields[2])
    return (f"{shown} {what}" if what else None), pair


def _check_audio(submitted, corpus, part, utterances):
    folder, found = f"wav/{corpus}/{part}/", {}
    for name in sorted(name for name in submitted.names if name.startswith(folder)):
        stem = name.removeprefix(folder).rpartition(".")[0]
        if stem in found:
            yield f"{name}: utterance '{stem}' is also in {found[stem]}"
        found[stem] = name
    missing = [utterance for utterance in utterances if utterance not in found]
    if missing:
        of_all = f"{len(missing)} of {counted(len(utterances), 'utterance')}"
        yield f"{folder}: {of_all} without a file, such as '{missing[0]}'"
    yield from (
        f"{found[stem]}: unknown utterance" for stem in sorted(found.keys() - set(utterances))
    )
    for utterance in utterances:
        if utterance in found and (what := _audio_finding(submitted, found[utterance])):
            yield f"{found[utterance]}: {what}"


def _audio_finding(submitted, name):
    try:
        with submitted.open(name) as file:
            info = soundfile.info(io.BytesIO(file.read()))
    except (soundfile.LibsndfileError, *submission.UNREADABLE):
        return "cannot be read as audio"
    if info.channels != 1:
        return f"has {info.channels} channels instead of one"
    return None if info.frames else "has no samples"
