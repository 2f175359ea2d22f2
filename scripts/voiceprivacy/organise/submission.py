"""A submission to a challenge: gathered from a run, packed, read where it lies, and checked.

The VoicePrivacy challenges ask for the scores of every set in Kaldi's form, for a summary of all
results, for the numbers of the ranking, and for the protected speech of every set. A submission has

    submission.json                                      who: anonymiser, version, reduced config
    results_summary.tsv                                  a line per set, attack and condition
    result_for_rank.tsv                                  of these the strongest on each corpus
    sets/CORPUS/LIST/trials                              Kaldi: enrolment trial target|nontarget
    sets/CORPUS/LIST/enrolments                          Kaldi's spk2utt: enrolment utterance ...
    sets/CORPUS/LIST/EXTRACTOR/BACKEND/CONDITION.scores  Kaldi: enrolment trial score
    wav/CORPUS/PART/UTTERANCE.flac                       protected speech, on request
"""

import contextlib
import json
import math
import posixpath
import shutil
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from voiceprivacy.corpora.listing import Findings, list_utterances
from voiceprivacy.corpora.parts import excludes, limited, list_trials, split
from voiceprivacy.inout.arrays import COMPRESSIONS, UNREADABLE
from voiceprivacy.inout.files import BadInput, refuse_endless, whole_or_absent
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.tables import Trial, read_scored_trials, write_trials
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.comparison import strongest_attacks, write_comparison
from voiceprivacy.report.mailed import reduced
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, TrialList

ABOUT = "submission.json"
SUMMARY = "results_summary.tsv"
RANK = "result_for_rank.tsv"
PARTS = ("enrolment", "trial")


def scores_name(attack: Attack, condition: str) -> str:
    """Where the scores of an attack under a condition are."""
    trials, attacker = f"{attack.corpus}/{attack.trials}", f"{attack.extractor}/{attack.backend}"
    return f"sets/{trials}/{attacker}/{condition}.scores"


# Gathering and packing.


def gather(
    run: FinishedRun, anonymiser: str, folder: Path, *, with_audio: bool = False
) -> dict[str, Path]:
    """Write the tables of a submission into a folder: {name in the submission: path}."""
    known = {number.anonymiser for number in run.numbers} - {ORIGINAL, ABSENT}
    if anonymiser not in known:
        names = ", ".join(sorted(known)) or "none"
        raise BadInput(f"--anonymiser {anonymiser}: {run.folder} has {names}")
    own = [system for system in run.systems if system.anonymiser == anonymiser]
    attackers = {system.key[:3] for system in own}
    tried = [system for system in run.systems if system.key[:3] in attackers]
    write_comparison(
        folder / SUMMARY, [one for one in tried if one.anonymiser in (anonymiser, ORIGINAL)]
    )
    write_comparison(folder / RANK, strongest_attacks(own).values())
    mailed = reduced(run.provenance)  # what it is for needs no seed, command or path
    kept = {
        field: mailed[field] for field in ("version", "git_commit", "config") if field in mailed
    }
    _write(folder / ABOUT, [json.dumps({"anonymiser": anonymiser, **kept}, indent=1)])
    # The plan says which sets there must be: one that is missing is an error, not a gap.
    for attack, system in run.attacks():
        if system == anonymiser:
            listed = TrialList(attack.corpus, attack.trials)
            lists = folder / "sets" / listed.corpus / listed.trials
            _write(lists / "trials", [" ".join(trial) for trial in run.trials(listed)])
            if models := run.enrolments(listed):
                lines = [f"{one} {' '.join(utterances)}" for one, utterances in models.items()]
                _write(lists / "enrolments", lines)
            for condition in ("oo", *run.plan.speech.conditions(anonymiser)):
                scores = run.scores(attack, anonymiser, condition)
                # In one order, whatever the table had: the same scores are the same bytes.
                lines = sorted(f"{one} {other} {scores[one, other]!r}" for one, other in scores)
                _write(folder / scores_name(attack, condition), lines)
    paths = [path for path in folder.rglob("*") if path.is_file()]
    contents = {path.relative_to(folder).as_posix(): path for path in paths}
    for corpus in run.plan.speech.attacked if with_audio else ():
        for part in PARTS:
            for line in run.utterances(corpus, part, anonymiser):
                contents[f"wav/{corpus}/{part}/{line.utterance}{line.path.suffix}"] = line.path
    return contents


def _write(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


# The zip of the same files has the same bytes, whenever and wherever it is made.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can have
PERMISSIONS = 0o100644 << 16
UNIX = 3


def pack(path: Path, contents: Mapping[str, Path]) -> None:
    """Write a zip of {name: path of a file}, sorted by name."""
    with whole_or_absent(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in sorted(contents.items()):
            member = zipfile.ZipInfo(name, FIXED_DATE)
            member.create_system, member.external_attr = UNIX, PERMISSIONS
            member.compress_type = zipfile.ZIP_DEFLATED
            member.file_size = content.stat().st_size
            with archive.open(member, "w") as target, open(content, "rb") as source:
                shutil.copyfileobj(source, target)


# A member that unpacks to more than so many times its size in the zip is not read.
MOST_TIMES_LARGER = 200
SMALL = 2**20  # bytes in the zip that every member is taken to have


class Submission:
    """The files of a submitted zip, each read where it is.

    ``unsafe`` are the names that lead elsewhere (absolute, with .., or links), are no plain files,
    stand there twice or unpack without end; they are not read. Names that only some systems tell
    apart, as by capitals, are one name. A zip of one folder is that folder.
    """

    def __init__(self, path: Path) -> None:
        refuse_endless(path)
        try:
            self._archive = zipfile.ZipFile(path)
            members, self.unsafe = _files_in(self._archive)
        except UNREADABLE as error:
            raise BadInput(f"{path}: not a zip that can be read ({error})") from None
        folder = _common_folder(members)
        self._members = {name.removeprefix(folder): member for name, member in members.items()}

    @property
    def names(self) -> Collection[str]:
        """Names of all files, / between folders."""
        return self._members.keys()

    @contextlib.contextmanager
    def file(self, name: str, most: float = math.inf) -> Iterator[Path]:
        """A copy of a file, for as long as the block takes.

        BadInput where it has more bytes than ``most`` or is damaged; the block's names it as here.
        """
        member = self._members[name]
        if member.file_size > most:
            raise BadInput(f"{name}: is far larger than expected: not read")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "member"
            try:
                with self._archive.open(member) as source, open(path, "wb") as copy:
                    shutil.copyfileobj(source, copy)
                yield path
            except BadInput as error:
                raise BadInput(str(error).replace(str(path), name)) from None
            except UNREADABLE as error:
                raise BadInput(f"{name}: cannot be read ({error})") from None


def _files_in(archive: zipfile.ZipFile) -> tuple[dict[str, Any], list[str]]:
    """{name: member} of files in a zip, and names of unsafe ones."""
    files, unsafe = {}, []
    members = [member for member in archive.infolist() if not member.is_dir()]
    times = Counter(_plain_name(member) for member in members)
    for member in members:
        if _is_unsafe(member) or times[_plain_name(member)] > 1:  # which of them would count?
            unsafe.append(member.filename)
        else:
            files[posixpath.normpath(member.filename)] = member
    return files, list(dict.fromkeys(unsafe))


def _plain_name(member: zipfile.ZipInfo) -> str:
    """A name as any system may take it: without ./ and //, capitals, or ways to write an accent."""
    path = posixpath.normpath(member.filename.replace("\\", "/"))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFKD", path).casefold())


def _is_unsafe(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    leads_out = path.is_absolute() or ".." in path.parts
    has_drive = ":" in member.filename.split("/")[0]  # C:/windows
    kind = member.external_attr >> 28  # the file type of a Unix mode, if there is one
    is_special = kind not in (0, 0o10) or not member.filename.isprintable()
    swells = member.file_size > MOST_TIMES_LARGER * max(member.compress_size, SMALL)
    is_packed_otherwise = member.compress_type not in COMPRESSIONS  # some take GB to unpack
    return leads_out or has_drive or is_special or swells or is_packed_otherwise


def _common_folder(names: Collection[str]) -> str:
    """The folder that a zip was made of, where ABOUT lies directly in it and all else below it."""
    folders = {name.partition("/")[0] for name in names}
    folder = f"{min(folders, default='')}/"
    return folder if len(folders) == 1 and f"{folder}{ABOUT}" in names else ""


# Checking: a finding is a line of text that begins with the file in the submission, and the line
# where there is one.


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
    if ABOUT not in submitted.names:
        return None
    with submitted.file(ABOUT, SMALL) as path:
        about = read_json(path)
    name = about.get("anonymiser") if isinstance(about, dict) else None
    return name if isinstance(name, str) else None


def check(
    submitted: Submission,
    plan: Plan,
    anonymiser: str,
    *,
    trials: Callable[[TrialList], Collection[Trial]],
) -> Iterator[str]:
    """Findings in a submission: the first fault of each file, and what is missing or unknown.

    ``trials`` gives those of a list that count.
    """
    for name in submitted.unsafe:
        why = "leads out of the submission, is a link or no plain file, is there twice"
        yield f"{name}: {why}, is packed unusually or unpacks without end: not read"
    for name in (SUMMARY, RANK):
        if name not in submitted.names:
            yield f"{name}: missing"
    known = set()
    with tempfile.TemporaryDirectory() as folder:
        for attack in plan.attackers.attacks():
            if anonymiser not in plan.attackers.systems(attack.extractor, attack.backend):
                continue
            key = Path(folder, attack.corpus, f"{attack.trials}.tsv")
            if not key.exists():
                write_trials(key, trials(TrialList(attack.corpus, attack.trials)))
            # Scores of unprotected speech show whether the attacker is the one that is asked for.
            for condition in ("oo", *plan.speech.conditions(anonymiser)):
                name = scores_name(attack, condition)
                known.add(name)
                if name not in submitted.names:
                    yield f"{name}: missing"
                elif fault := _fault(submitted, name, key):
                    yield fault.replace(f"{folder}/", "")
    for name in sorted(submitted.names):
        if name.endswith(".scores") and name not in known:
            yield f"{name}: no set of the config"


def trials_of(plan: Plan, listed: TrialList) -> Collection[Trial]:
    """The trials of a list, made from its corpus as a run would make them."""
    source = plan.speech.source(listed.corpus)
    protocol = plan.speech.corpora[listed.corpus]["protocol"]
    if "segments" in source or excludes(source):
        why = "what is cut or excluded is known after a run only: give its folder by --results"
        raise BadInput(f"corpora.{listed.corpus}: {why}")
    findings = Findings()
    parts = split(source, protocol, list_utterances(source, findings), findings)
    enrolment, trial = limited(source, *parts)
    trials, _ = list_trials(source, protocol, listed.trials, enrolment, trial, findings)
    findings.refuse_errors()
    return trials


def _fault(submitted: Submission, name: str, key: Path) -> str | None:
    """What is wrong with a score file: every trial of its key is there once, with a number."""
    try:
        with submitted.file(name, most=SMALL + 2 * key.stat().st_size) as path:
            scored = read_scored_trials(path, key=key)
    except BadInput as error:
        return str(error)
    for own in scored.values():
        for trial, score in own:
            if not math.isfinite(score):
                return f"{name}: trial '{trial.enrolment} {trial.trial}' has the score {score}"
    return None
