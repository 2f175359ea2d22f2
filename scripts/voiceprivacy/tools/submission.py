"""What a submission to a challenge is: gathered from results, packed, and read where it lies.

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
import io
import json
import posixpath
import shutil
import stat
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.arrays import COMPRESSIONS, UNREADABLE
from voiceprivacy.inout.files import VARIABLE, BadInput, refuse_endless, whole_or_absent
from voiceprivacy.inout.tables import (
    read_enrolments,
    read_manifest,
    read_scored_trials,
    read_trials,
)
from voiceprivacy.plan.plan import Plan
from voiceprivacy.provenance.record import read_provenance
from voiceprivacy.report.comparison import System, compare, expanded, strongest_attacks
from voiceprivacy.report.mailed import reduced
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack, NumberKey

ABOUT = "submission.json"
SUMMARY = "results_summary.tsv"
RANK = "result_for_rank.tsv"
Contents = dict[str, bytes | Path]  # name in the submission -> bytes, or path of a file


def scores_name(attack: Attack, condition: str) -> str:
    """Where the scores of an attack under a condition are."""
    trials, attacker = f"{attack.corpus}/{attack.trials}", f"{attack.extractor}/{attack.backend}"
    return f"sets/{trials}/{attacker}/{condition}.scores"


def trials_name(corpus: str, trials: str) -> str:
    """Where a trial list is."""
    return f"sets/{corpus}/{trials}/trials"


def enrolments_name(corpus: str, trials: str) -> str:
    """Where it is said which utterances enrol whom."""
    return f"sets/{corpus}/{trials}/enrolments"


def audio_name(corpus: str, part: str, utterance: str, ending: str) -> str:
    """Where the protected speech of an utterance is."""
    return f"wav/{corpus}/{part}/{utterance}{ending}"


# Gathering.

SET = ["corpus", "trials", "anonymiser", "attack", "extractor", "backend", "condition"]
RANKED = [
    "corpus",
    "lists",
    "attack",
    "extractor",
    "backend",
    "condition",
    "eer_percent",
    "ci_low",
    "ci_high",
]


def gather(results: str | Path, anonymiser: str, *, with_audio: bool = False) -> Contents:
    """Gather the files of a submission.

    Parameters
    ----------
    results : path of the results folder of a finished run
    anonymiser : str
    with_audio : bool
        Whether protected speech goes in.

    Raises
    ------
    BadInput : the run is not finished, or has no such anonymiser
    """
    results = Path(results)
    metrics = read_metrics(results / "metrics.tsv")
    provenance = read_provenance(results / "provenance.json")
    known = {number.anonymiser for number in metrics} - {ORIGINAL, ABSENT}
    if anonymiser not in known:
        names = ", ".join(sorted(known)) or "none"
        raise BadInput(f"--anonymiser {anonymiser}: {results} has {names}")

    systems = _systems(results, metrics, anonymiser)
    contents: Contents = {
        ABOUT: _about(anonymiser, provenance),
        SUMMARY: _summary(systems, metrics),
        RANK: _ranked([system for system in systems if system.anonymiser == anonymiser]),
    }
    # The plan says which sets there must be: one that is missing is an error, not a gap.
    plan = Plan(without_variables(provenance["config"]))  # completed already
    for attack in plan.attackers.attacks():
        if anonymiser in plan.attackers.systems(attack.extractor, attack.backend):
            contents |= _list_files(results, attack)
            contents |= _scores(results, attack, ORIGINAL, ["oo"])
            contents |= _scores(results, attack, anonymiser, plan.speech.conditions(anonymiser))
    if with_audio:
        contents |= _audio(results, plan.speech.attacked, anonymiser)
    return contents


def without_variables(value: Any) -> Any:
    """A config whose paths do not matter: variables of the run need not be set any more."""
    if isinstance(value, dict):
        return {key: without_variables(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_variables(inner) for inner in value]
    return VARIABLE.sub(r"\1", value) if isinstance(value, str) else value


def _systems(results, metrics, anonymiser):
    """The systems of an anonymiser, and the original under the same attackers."""
    folder = results / "comparisons"
    comparisons = read_comparisons(folder, metrics) if folder.is_dir() else NONE
    systems = compare(metrics, comparisons)
    attackers = {_attacker(system) for system in systems if system.anonymiser == anonymiser}
    return [
        system
        for system in systems
        if system.anonymiser in (anonymiser, ORIGINAL) and _attacker(system) in attackers
    ]


def _attacker(system):
    return system.corpus, system.extractor, system.backend


def _about(anonymiser, provenance):
    about = {"anonymiser": anonymiser}
    mailed = reduced(provenance)  # what it is for needs no seed, command or path
    for key in ("version", "git_commit", "config"):
        if key in mailed:
            about[key] = mailed[key]
    return (json.dumps(about, indent=1) + "\n").encode()


def _summary(systems, metrics):
    """A line for each set, attack and condition, and for their means over lists."""
    tags = {number.key: number.value for number in metrics if number.metric == "tag"}
    rows = []
    for system in systems:
        for trials, values in expanded(system):
            key = _tag_key(system, trials)
            numbers = [values[column.name] for column in COLUMNS]
            rows.append(
                [
                    *(key.corpus, key.trials, key.anonymiser, system.attack),
                    *(key.extractor, key.backend, key.condition),
                    *(ABSENT if number is None else number for number in numbers),
                    tags.get(key, ABSENT),
                    *_eer_limits(system, trials),
                ]
            )
    names = [*(column.name for column in COLUMNS), "tag", "eer_ci_low", "eer_ci_high"]
    return _table([*SET, *names], rows)


def _tag_key(system, trials):
    return NumberKey(
        corpus=system.corpus,
        trials=trials,
        anonymiser=system.anonymiser,
        extractor=system.extractor,
        backend=system.backend,
        condition=system.condition,
        metric="tag",
    )


def _ranked(systems):
    """The strongest attack on each corpus: what an anonymiser is ranked by."""
    rows = []
    for system in strongest_attacks(systems).values():
        rows.append(
            [
                system.corpus,
                system.mean_label,
                system.attack,
                system.extractor,
                system.backend,
                system.condition,
                system.mean["eer_percent"],
                *_eer_limits(system, system.mean_label),
            ]
        )
    return _table(RANKED, rows)


def _eer_limits(system: System, trials: str) -> tuple:
    return system.intervals[trials].get("eer_percent") or (ABSENT, ABSENT)


def _list_files(results, attack):
    folder = results / "trials" / attack.corpus
    lines = []
    for trial in read_trials(folder / f"{attack.trials}.tsv"):
        lines.append(f"{trial.enrolment} {trial.trial} {trial.label}\n")
    files = {trials_name(attack.corpus, attack.trials): "".join(lines).encode()}
    enrolments = folder / f"{attack.trials}.enrolments.tsv"
    if enrolments.exists():
        models = []
        for name, utterances in read_enrolments(enrolments).items():
            models.append(f"{name} {' '.join(utterances)}\n")
        files[enrolments_name(attack.corpus, attack.trials)] = "".join(models).encode()
    return files


def _scores(results, attack, anonymiser, conditions):
    files = {}
    for condition in conditions:
        path = results / "scores" / attack.path(anonymiser) / f"{condition}.tsv"
        lines = []
        for scored in read_scored_trials(path).values():
            for trial, score in scored:
                lines.append(f"{trial.enrolment} {trial.trial} {score!r}\n")
        # In one order, whatever the table had: the same scores are the same bytes.
        files[scores_name(attack, condition)] = "".join(sorted(lines)).encode()
    return files


def _audio(results, corpora, anonymiser):
    files = {}
    for corpus in corpora:
        for part in ("enrolment", "trial"):
            manifest = results / "audio" / corpus / part / anonymiser / "manifest.tsv"
            for utterance in read_manifest(manifest):
                path = utterance.path
                files[audio_name(corpus, part, utterance.utterance, path.suffix)] = path
    return files


def _table(columns, rows):
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
