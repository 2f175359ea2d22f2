"""A submission to a challenge: gathered from a run, packed, read where it lies, and checked.

The VoicePrivacy challenges ask for the scores of every set in Kaldi's form, for a summary of all
results, for the numbers of the ranking, and for the protected speech of every set. A submission has

    submission.json                                      who: anonymiser, version, reduced config
    results_summary.tsv                                  a line per set, attack and condition
    result_for_rank.tsv                                  the strongest attack on each corpus
    sets/CORPUS/LIST/trials                              Kaldi: enrolment trial target|nontarget
    sets/CORPUS/LIST/enrolments                          Kaldi's spk2utt: enrolment utterance ...
    sets/CORPUS/LIST/EXTRACTOR/BACKEND/CONDITION.scores  Kaldi: enrolment trial score
    wav/CORPUS/PART/UTTERANCE.flac                       protected speech, on request
"""

import csv
import functools
import io
import json
import math
import posixpath
import shutil
import stat
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO

import soundfile

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.corpora.listing import Findings, Listed, list_utterances
from voiceprivacy.corpora.parts import excludes, limited, list_trials, split
from voiceprivacy.inout.arrays import COMPRESSIONS, UNREADABLE
from voiceprivacy.inout.files import BadInput, counted, refuse_endless, whole_or_absent
from voiceprivacy.inout.tables import Trial, number_in
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.comparison import System, expanded, strongest_attacks
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import Number
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, NumberKey, TrialList

ABOUT = "submission.json"
SUMMARY = "results_summary.tsv"
RANK = "result_for_rank.tsv"
PARTS = ("enrolment", "trial")
Contents = dict[str, bytes | Path]  # name in the submission -> bytes, or path of a file


def scores_name(attack: Attack, condition: str) -> str:
    """Where the scores of an attack under a condition are."""
    trials, attacker = f"{attack.corpus}/{attack.trials}", f"{attack.extractor}/{attack.backend}"
    return f"sets/{trials}/{attacker}/{condition}.scores"


def trials_name(listed: TrialList) -> str:
    """Where a trial list is."""
    return f"sets/{listed.corpus}/{listed.trials}/trials"


# Gathering.

SET = ["corpus", "trials", "anonymiser", "attack", "extractor", "backend", "condition"]
RANKED = ["corpus", "lists", *SET[3:], "eer_percent", "ci_low", "ci_high"]


def gather(run: FinishedRun, anonymiser: str, *, with_audio: bool = False) -> Contents:
    """Gather the files of a submission.

    Parameters
    ----------
    run : a finished run
    anonymiser : str
    with_audio : bool
        Whether protected speech goes in.

    Raises
    ------
    BadInput : the run is not finished, or has no such anonymiser
    """
    known = {number.anonymiser for number in run.numbers} - {ORIGINAL, ABSENT}
    if anonymiser not in known:
        names = ", ".join(sorted(known)) or "none"
        raise BadInput(f"--anonymiser {anonymiser}: {run.folder} has {names}")
    own = [system for system in run.systems if system.anonymiser == anonymiser]
    attackers = {_attacker(system) for system in own}
    tried = [
        system
        for system in run.systems
        if system.anonymiser in (anonymiser, ORIGINAL) and _attacker(system) in attackers
    ]
    mailed = reduced(run.provenance)  # what it is for needs no seed, command or path
    about = {"anonymiser": anonymiser}
    for field in ("version", "git_commit", "config"):
        if field in mailed:
            about[field] = mailed[field]
    contents: Contents = {
        ABOUT: (json.dumps(about, indent=1) + "\n").encode(),
        SUMMARY: _summary(tried, run.numbers),
        RANK: _ranked(own),
    }
    # The plan says which sets there must be: one that is missing is an error, not a gap.
    for attack, system in run.attacks():
        if system == anonymiser:
            contents |= _list_files(run, TrialList(attack.corpus, attack.trials))
            for condition in ("oo", *run.plan.speech.conditions(anonymiser)):
                scores = run.scores(attack, anonymiser, condition)
                # In one order, whatever the table had: the same scores are the same bytes.
                lines = sorted(f"{one} {other} {scores[one, other]!r}\n" for one, other in scores)
                contents[scores_name(attack, condition)] = "".join(lines).encode()
    for corpus in run.plan.speech.attacked if with_audio else ():
        for part in PARTS:
            for line in run.utterances(corpus, part, anonymiser):
                contents[f"wav/{corpus}/{part}/{line.utterance}{line.path.suffix}"] = line.path
    return contents


def _attacker(system: System) -> tuple[str, str, str]:
    return system.corpus, system.extractor, system.backend


def _summary(systems: Iterable[System], metrics: Iterable[Number]) -> bytes:
    """A line for each set, attack and condition, and for their means over lists."""
    tags = {number.key: number.value for number in metrics if number.metric == "tag"}
    rows = []
    for system in systems:
        attacker = [system.extractor, system.backend, system.condition]
        for trials, values in expanded(system):
            key = NumberKey._make([system.corpus, trials, system.anonymiser, *attacker, "tag"])
            numbers = [values[column.name] for column in COLUMNS]
            names = [system.corpus, trials, system.anonymiser, system.attack, *attacker]
            shown = [ABSENT if number is None else number for number in numbers]
            rows.append([*names, *shown, tags.get(key, ABSENT), *_eer_limits(system, trials)])
    columns = [*(column.name for column in COLUMNS), "tag", "eer_ci_low", "eer_ci_high"]
    return _table([*SET, *columns], rows)


def _ranked(systems: Iterable[System]) -> bytes:
    """The strongest attack on each corpus: what an anonymiser is ranked by."""
    rows = []
    for system in strongest_attacks(systems).values():
        names = [getattr(system, field) for field in SET[3:]]
        mean = [system.mean["eer_percent"], *_eer_limits(system, system.mean_label)]
        rows.append([system.corpus, system.mean_label, *names, *mean])
    return _table(RANKED, rows)


def _eer_limits(system: System, trials: str) -> tuple:
    return system.intervals[trials].get("eer_percent") or (ABSENT, ABSENT)


def _list_files(run: FinishedRun, listed: TrialList) -> Contents:
    trials = [f"{one.enrolment} {one.trial} {one.label}\n" for one in run.trials(listed)]
    files: Contents = {trials_name(listed): "".join(trials).encode()}
    if models := run.enrolments(listed):
        lines = [f"{name} {' '.join(utterances)}\n" for name, utterances in models.items()]
        files[f"sets/{listed.corpus}/{listed.trials}/enrolments"] = "".join(lines).encode()
    return files


def _table(columns: Iterable[str], rows: Iterable[Iterable]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows([columns, *rows])
    return text.getvalue().encode()


# Packing and reading.

AUDIO_ENDINGS = (".flac", ".wav")
# The zip of the same files has the same bytes, whenever and wherever it is made.
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can have
PERMISSIONS = 0o100644 << 16
UNIX = 3
# A member that unpacks to more than so many times its size in the zip is not read.
MOST_TIMES_LARGER = 200
SMALL = 2**20  # bytes in the zip that every member is taken to have
LONGEST_LINE = 10_000  # bytes


def pack(path: str | Path, contents: Mapping[str, bytes | Path]) -> None:
    """Write a zip of {name: bytes, or path of a file}, sorted by name; audio is not compressed."""
    with whole_or_absent(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in sorted(contents.items()):
            member = zipfile.ZipInfo(name, FIXED_DATE)
            member.create_system = UNIX
            member.external_attr = PERMISSIONS
            is_audio = name.endswith(AUDIO_ENDINGS)
            member.compress_type = zipfile.ZIP_STORED if is_audio else zipfile.ZIP_DEFLATED
            if isinstance(content, bytes):
                archive.writestr(member, content)
                continue
            member.file_size = Path(content).stat().st_size
            with archive.open(member, "w") as target, open(content, "rb") as source:
                shutil.copyfileobj(source, target)


class Submission:
    """The files of a submitted folder or zip, read where they are: nothing is unpacked.

    ``unsafe`` are the names that lead elsewhere (absolute, with .., or links), are no plain files,
    stand there twice or unpack without end; they are not read. Names that only some systems tell
    apart, as by capitals, are one name. A zip of one folder is that folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        refuse_endless(self.path)
        self._archive: zipfile.ZipFile | None = None
        if self.path.is_dir():
            members, self.unsafe = _files_below(self.path)
        elif zipfile.is_zipfile(self.path):
            try:
                self._archive = zipfile.ZipFile(self.path)
                members, self.unsafe = _files_in(self._archive)
            except UNREADABLE as error:
                raise BadInput(f"{self.path}: not a zip that can be read ({error})") from None
        elif self.path.exists():
            raise BadInput(f"{self.path}: is neither a folder nor a zip")
        else:
            raise BadInput(f"{self.path}: not found")
        folder = _common_folder(members)
        self._members = {name.removeprefix(folder): member for name, member in members.items()}

    @property
    def names(self) -> Collection[str]:
        """Names of all files, / between folders."""
        return self._members.keys()

    def open(self, name: str) -> IO[bytes]:
        """A file to read bytes from."""
        member = self._members[name]
        return self._archive.open(member) if self._archive else open(member, "rb")

    def lines(self, name: str) -> Iterator[str]:
        """The lines of a text file, one by one: of a small zip they can be many.

        Raises
        ------
        BadInput : it is not UTF-8, is damaged, or a line has more than 10,000 bytes
        """
        number = 0
        try:
            with self.open(name) as member:
                # Of a zip, readline ends amid a line wherever a packed block does.
                file = io.BufferedReader(member)  # type: ignore[type-var]
                while line := file.readline(LONGEST_LINE):
                    if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                        raise ValueError(f"a line of more than {LONGEST_LINE} bytes")
                    yield line.decode("utf-8").rstrip("\r\n")
                    number += 1
        except UNREADABLE as error:
            raise BadInput(f"{name}:{number + 1}: cannot be read as text ({error})") from None


def _files_below(folder):
    """{name: path} of files in a folder, and names of links, second names, pipes and devices."""
    files, unsafe = {}, []
    for path in sorted(folder.rglob("*")):
        name, status = path.relative_to(folder).as_posix(), path.lstat()
        if stat.S_ISDIR(status.st_mode):
            continue
        if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and name.isprintable():
            files[name] = path
        else:
            unsafe.append(name)
    return files, unsafe


def _files_in(archive):
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


def _is_unsafe(member):
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

SHOWN = 5  # findings of one kind in one file
MORE_LINES = 10_000  # that a file may have than there are trials, until the rest is not read
MOST_OF_ABOUT = 1000  # lines of what a submission says of itself
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
    if ABOUT not in submitted.names:
        return None
    lines = islice(submitted.lines(ABOUT), MOST_OF_ABOUT)
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
    run: FinishedRun | None = None,
    with_audio: bool = False,
) -> Iterator[str]:
    """Check a submission against what a plan expects.

    Parameters
    ----------
    submitted : Submission
    plan : Plan
    anonymiser : str
    run : FinishedRun, optional
        A run whose trial lists and manifests are the expected ones; without it they are made from
        the corpora themselves.
    with_audio : bool
        Whether every utterance's protected speech must be there.

    Yields
    ------
    str : findings
    """
    for name in submitted.unsafe:
        why = "leads out of the submission, is a link or no plain file, is there twice"
        yield f"{name}: {why}, is packed unusually or unpacks without end: not read"
    for name in (SUMMARY, RANK):
        if name not in submitted.names:
            yield f"{name}: missing"
    expected = run or _Corpora(plan)
    yield from _check_sets(submitted, plan, anonymiser, expected)
    for corpus in plan.speech.attacked if with_audio else ():
        for part in PARTS:
            utterances = [line.utterance for line in expected.utterances(corpus, part)]
            yield from _check_audio(submitted, corpus, part, utterances)


class _Corpora:
    """Trials and utterances of a plan as a finished run would have them."""

    def __init__(self, plan: Plan) -> None:
        self.speech = plan.speech
        self.parts = functools.cache(self._parts)

    def trials(self, listed: TrialList) -> list[Trial]:
        """The trials of a list."""
        source, protocol = self._options(listed.corpus)
        findings, parts = Findings(), self.parts(listed.corpus)
        trials, _ = list_trials(source, protocol, listed.trials, *parts, findings)
        findings.refuse_errors()
        return trials

    def utterances(self, corpus: str, part: str) -> list[Listed]:
        """The speech of a part."""
        return self.parts(corpus)[PARTS.index(part)]

    def _options(self, corpus: str) -> tuple[dict, dict]:
        return self.speech.source(corpus), self.speech.corpora[corpus]["protocol"]

    def _parts(self, corpus: str) -> tuple[list[Listed], list[Listed]]:
        source, protocol = self._options(corpus)
        if "segments" in source or excludes(source):
            raise BadInput(
                f"corpora.{corpus}: what is cut or excluded is known after a run only: "
                "give its folder by --results"
            )
        findings = Findings()
        parts = split(source, protocol, list_utterances(source, findings), findings)
        enrolment, trial = limited(source, *parts)
        findings.refuse_errors()
        return enrolment, trial


# Trial lists and scores.


def _check_sets(
    submitted: Submission, plan: Plan, anonymiser: str, expected: FinishedRun | _Corpora
) -> Iterator[str]:
    """Findings in the lists and scores of all attacks on an anonymiser."""
    known = set()
    lists: dict[TrialList, dict[Pair, str]] = {}
    for attack in plan.attackers.attacks():
        if anonymiser not in plan.attackers.systems(attack.extractor, attack.backend):
            continue
        listed = TrialList(attack.corpus, attack.trials)
        if listed not in lists:
            trials = expected.trials(listed)
            lists[listed] = {(one.enrolment, one.trial): one.label for one in trials}
            name = trials_name(listed)
            if name in submitted.names:  # it need not be there; if it is, it must be the right one
                labels = lists[listed]

                def fault(pair: Pair, label: str, labels: dict = labels) -> str | None:
                    right = labels[pair]
                    return None if label == right else f"is '{label}' instead of '{right}'"

                yield from _check_rows(submitted, name, labels, fault)
        # Scores of unprotected speech show whether the attacker is the one that is asked for.
        for system in (ORIGINAL, anonymiser):
            for condition in plan.speech.conditions(system):
                name = scores_name(attack, condition)
                known.add(name)
                if name in submitted.names:
                    yield from _check_rows(submitted, name, lists[listed], _score_fault)
                else:
                    yield f"{name}: missing"
    for name in sorted(submitted.names):
        if name.endswith(".scores") and name not in known:
            yield f"{name}: no set of the config"


def _score_fault(pair: Pair, text: str) -> str | None:
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
    kinds: Counter[str] = Counter()  # by the first word of a finding
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
                    yield f"{name}:{line}: {finding}"
    except BadInput as error:
        yield str(error)
        return
    for kind, count in kinds.items():
        if count > SHOWN:
            yield f"{name}: {counted(count - SHOWN, 'more finding')} like '{kind}'"
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
