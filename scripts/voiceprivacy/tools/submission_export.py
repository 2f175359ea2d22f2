"""Gather from a folder of results what a challenge asks participants to submit."""

import csv
import io
import json
from pathlib import Path

from voiceprivacy.files import BadInput, read_json
from voiceprivacy.plan import Plan
from voiceprivacy.report.columns import COLUMNS
from voiceprivacy.report.comparison import compare, expanded, strongest_attacks
from voiceprivacy.report.metrics import ORIGINAL, read_metrics
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.tables import read_enrolments, read_manifest, read_scored_trials, read_trials
from voiceprivacy.tools import submission

RANKED = ["corpus", "lists", "attack", "extractor", "backend", "condition", "eer_percent", "ci_low", "ci_high"]
PLACE = ["corpus", "trials", "anonymiser", "attack", "extractor", "backend", "condition"]


def gather(results, anonymiser, *, with_audio=False):
    """Gather the files of a submission.

    Parameters
    ----------
    results : path of the results folder of a finished run
    anonymiser : str
    with_audio : bool
        Whether protected speech goes in.

    Returns
    -------
    dict : name in the submission -> bytes, or path of a file

    Raises
    ------
    BadInput : the run is not finished, or has no such anonymiser
    """
    results = Path(results)
    metrics = read_metrics(results / "metrics.tsv")
    provenance = read_json(results / "provenance.json")
    known = {metric.anonymiser for metric in metrics} - {ORIGINAL, "-"}
    if anonymiser not in known:
        raise BadInput(f"--anonymiser {anonymiser}: {results} has {', '.join(sorted(known)) or 'none'}")
    systems = [of for of in compare(metrics, _comparisons(results, metrics)) if of.anonymiser in (anonymiser, ORIGINAL)]
    attacked = {of[:3] for of in systems if of.anonymiser == anonymiser}
    systems = [of for of in systems if of[:3] in attacked]
    contents = {
        submission.ABOUT: _about(anonymiser, provenance),
        submission.SUMMARY: _summary(systems, metrics),
        submission.RANK: _ranked([of for of in systems if of.anonymiser == anonymiser]),
    }
    plan = Plan(provenance["config"])  # as it was used: completed already
    for attack in plan.attacks():
        if anonymiser in plan.systems(attack.extractor, attack.backend):
            contents |= _list_files(results, attack)
            contents |= _scores(results, attack, ORIGINAL, ["oo"])
            contents |= _scores(results, attack, anonymiser, plan.conditions(anonymiser))
    return contents | (_audio(results, plan, anonymiser) if with_audio else {})


def _comparisons(results, metrics):
    folder = results / "comparisons"
    return read_comparisons(folder, metrics) if folder.is_dir() else NONE


def _about(anonymiser, provenance):
    about = {"anonymiser": anonymiser} | {
        key: provenance[key] for key in ("version", "git_commit", "seeds", "config") if key in provenance
    }
    return (json.dumps(about, indent=1) + "\n").encode()


def _summary(systems, metrics):
    tags = {metric[:6]: metric.value for metric in metrics if metric.metric == "tag"}
    rows = []
    for system in systems:
        for trials, values in expanded(system):
            place = (system.corpus, trials, system.anonymiser, system.extractor, system.backend, system.condition)
            numbers = ["-" if values[of.metric] is None else values[of.metric] for of in COLUMNS]
            limits = system.intervals[trials].get("eer_percent") or ("-", "-")
            attack = [*place[:3], system.attack, *place[3:]]
            rows.append([*attack, *numbers, tags.get(place, "-"), *limits])
    names = [*(of.metric for of in COLUMNS), "tag", "eer_ci_low", "eer_ci_high"]
    return _table([*PLACE, *names], rows)


def _ranked(systems):
    """The strongest attack on each corpus: what an anonymiser is ranked by."""
    rows = []
    for (corpus, _), system in strongest_attacks(systems).items():
        limits = system.intervals[system.mean_label].get("eer_percent") or ("-", "-")
        place = (corpus, system.mean_label, system.attack, system.extractor, system.backend, system.condition)
        rows.append([*place, system.mean["eer_percent"], *limits])
    return _table(RANKED, rows)


def _list_files(results, attack):
    folder = results / "trials" / attack.corpus
    trials = read_trials(folder / f"{attack.trials}.tsv")
    lines = [f"{of.enrolment} {of.trial} {of.label}\n" for of in trials]
    files = {submission.trials_name(attack.corpus, attack.trials): "".join(lines).encode()}
    enrolments = folder / f"{attack.trials}.enrolments.tsv"
    if enrolments.exists():
        models = [f"{name} {' '.join(of)}\n" for name, of in read_enrolments(enrolments).items()]
        files[submission.enrolments_name(attack.corpus, attack.trials)] = "".join(models).encode()
    return files


def _scores(results, attack, anonymiser, conditions):
    files = {}
    for condition in conditions:
        scored = read_scored_trials(results / "scores" / attack.path(anonymiser) / f"{condition}.tsv")
        lines = [f"{of.enrolment} {of.trial} {score!r}\n" for label in scored.values() for of, score in label]
        files[submission.scores_name(attack, condition)] = "".join(sorted(lines)).encode()
    return files


def _audio(results, plan, anonymiser):
    files = {}
    for corpus in plan.evaluated:
        for part in ("enrolment", "trial"):
            for of in read_manifest(results / "audio" / corpus / part / anonymiser / "manifest.tsv"):
                files[submission.audio_name(corpus, part, of.utterance, of.path.suffix)] = of.path
    return files


def _table(columns, rows):
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows([columns, *rows])
    return text.getvalue().encode()
