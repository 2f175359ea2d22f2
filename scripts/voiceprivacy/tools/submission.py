"""Gather from a folder of results what a challenge asks participants to submit."""

import csv
import io
import json
import shutil
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from voiceprivacy.catalogue import COLUMNS
from voiceprivacy.inout.files import BadInput, read_json, refuse_endless, whole_or_absent
from voiceprivacy.inout.tables import (
    read_enrolments,
    read_manifest,
    read_scored_trials,
    read_trials,
)
from voiceprivacy.plan.plan import Plan
from voiceprivacy.report.comparison import compare, expanded, strongest_attacks
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.uncertainty import NONE, read_comparisons
from voiceprivacy.vocabulary import ORIGINAL

# What a submission to a challenge is: the names of its files, and how they are packed and read.
#
# The VoicePrivacy challenges ask for the scores of every set in Kaldi's form, for a summary of all results, for the
# numbers of the ranking, and for the protected speech of every set. A submission has
#
#     submission.json                                     who: anonymiser, version, config of the run
#     results_summary.tsv                                 a line per set, attack and condition
#     result_for_rank.tsv                                 the strongest attack on each corpus
#     sets/CORPUS/LIST/trials                             Kaldi: enrolment trial target|nontarget
#     sets/CORPUS/LIST/enrolments                         Kaldi's spk2utt: enrolment utterance utterance ...
#     sets/CORPUS/LIST/EXTRACTOR/BACKEND/CONDITION.scores  Kaldi: enrolment trial score
#     wav/CORPUS/PART/UTTERANCE.flac                      protected speech, on request

ABOUT, SUMMARY, RANK = "submission.json", "results_summary.tsv", "result_for_rank.tsv"
AUDIO_ENDINGS = (".flac", ".wav")
FIXED_DATE = (
    1980,
    1,
    1,
    0,
    0,
    0,
)  # the zip of the same files is the same, whenever and wherever it is made
PERMISSIONS = 0o100644 << 16
UNIX = 3
UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    OSError,
    EOFError,
    RuntimeError,
)  # RuntimeError: encrypted, other packing
SWELLS, SMALL = (
    200,
    2**20,
)  # what unpacks to so many times its size in the zip is not read; a mebibyte may


def scores_name(attack, condition):
    """Where the scores of a plan.Attack under a condition are."""
    return f"sets/{attack.corpus}/{attack.trials}/{attack.extractor}/{attack.backend}/{condition}.scores"


def trials_name(corpus, trials):
    """Where a trial list is."""
    return f"sets/{corpus}/{trials}/trials"


def enrolments_name(corpus, trials):
    """Where it is said which utterances enrol whom."""
    return f"sets/{corpus}/{trials}/enrolments"


def audio_name(corpus, part, utterance, ending):
    """Where the protected speech of an utterance is."""
    return f"wav/{corpus}/{part}/{utterance}{ending}"


def pack(path, contents):
    """Write a zip: {name: bytes, or the path of a file}, sorted, with fixed dates; audio is stored as it is."""
    with whole_or_absent(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for name, content in sorted(contents.items()):
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.create_system, entry.external_attr = UNIX, PERMISSIONS
            entry.compress_type = (
                zipfile.ZIP_STORED if name.endswith(AUDIO_ENDINGS) else zipfile.ZIP_DEFLATED
            )
            if isinstance(content, bytes):
                archive.writestr(entry, content)
                continue
            entry.file_size = Path(content).stat().st_size
            with archive.open(entry, "w") as target, open(content, "rb") as source:
                shutil.copyfileobj(source, target)


class Submission:
    """The files of a submitted folder or zip, read where they are: nothing is unpacked.

    ``names``: of all files, / between folders; a zip of one folder is that folder. ``unsafe``: names that lead
    elsewhere (absolute, with .., or links) or unpack without end, which are not read.
    """

    def __init__(self, path):
        self.path = Path(path)
        refuse_endless(self.path)
        if self.path.is_dir():
            self._archive = None
            found = [of for of in sorted(self.path.rglob("*")) if of.is_symlink() or of.is_file()]
            self.unsafe = [of.relative_to(self.path).as_posix() for of in found if of.is_symlink()]
            members = {
                of.relative_to(self.path).as_posix(): of for of in found if not of.is_symlink()
            }
        elif zipfile.is_zipfile(self.path):
            self._archive = zipfile.ZipFile(self.path)
            files = [of for of in self._archive.infolist() if not of.is_dir()]
            self.unsafe = [of.filename for of in files if _is_unsafe(of)]
            members = {of.filename: of for of in files if not _is_unsafe(of)}
        else:
            raise BadInput(
                f"{self.path}: {'is neither a folder nor a zip' if self.path.exists() else 'not found'}"
            )
        folder = _common_folder(members)
        self._members = {name.removeprefix(folder): member for name, member in members.items()}

    @property
    def names(self):
        """Names of all files."""
        return self._members.keys()

    def open(self, name):
        """A file to read bytes from."""
        member = self._members[name]
        return self._archive.open(member) if self._archive else open(member, "rb")

    def lines(self, name):
        """The lines of a text file.

        Raises
        ------
        BadInput : it is not UTF-8, or is damaged
        """
        try:
            with self.open(name) as file:
                for line in file:
                    yield line.decode("utf-8").rstrip("\r\n")
        except (UnicodeDecodeError, *UNREADABLE) as error:
            raise BadInput(f"{name}: cannot be read as text ({error})") from None


def _is_unsafe(entry):
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    is_link = (entry.external_attr >> 28) == 0o12  # the file type of a Unix mode
    swells = entry.file_size > SWELLS * max(entry.compress_size, SMALL)
    return (
        swells
        or is_link
        or path.is_absolute()
        or ".." in path.parts
        or ":" in entry.filename.split("/")[0]
    )


def _common_folder(names):
    """The folder that a zip was made of, where ABOUT lies directly in it."""
    return next(
        (
            name.removesuffix(ABOUT)
            for name in names
            if name.count("/") == 1 and name.endswith(f"/{ABOUT}")
        ),
        "",
    )


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
        raise BadInput(
            f"--anonymiser {anonymiser}: {results} has {', '.join(sorted(known)) or 'none'}"
        )
    systems = [
        of
        for of in compare(metrics, _comparisons(results, metrics))
        if of.anonymiser in (anonymiser, ORIGINAL)
    ]
    attacked = {of[:3] for of in systems if of.anonymiser == anonymiser}
    systems = [of for of in systems if of[:3] in attacked]
    contents = {
        ABOUT: _about(anonymiser, provenance),
        SUMMARY: _summary(systems, metrics),
        RANK: _ranked([of for of in systems if of.anonymiser == anonymiser]),
    }
    plan = Plan(provenance["config"])  # as it was used: completed already
    for attack in plan.attackers.attacks():
        if anonymiser in plan.attackers.systems(attack.extractor, attack.backend):
            contents |= _list_files(results, attack)
            contents |= _scores(results, attack, ORIGINAL, ["oo"])
            contents |= _scores(results, attack, anonymiser, plan.speech.conditions(anonymiser))
    return contents | (_audio(results, plan, anonymiser) if with_audio else {})


def _comparisons(results, metrics):
    folder = results / "comparisons"
    return read_comparisons(folder, metrics) if folder.is_dir() else NONE


def _about(anonymiser, provenance):
    about = {"anonymiser": anonymiser} | {
        key: provenance[key]
        for key in ("version", "git_commit", "seeds", "config")
        if key in provenance
    }
    return (json.dumps(about, indent=1) + "\n").encode()


def _summary(systems, metrics):
    tags = {metric[:6]: metric.value for metric in metrics if metric.metric == "tag"}
    rows = []
    for system in systems:
        for trials, values in expanded(system):
            place = (
                system.corpus,
                trials,
                system.anonymiser,
                system.extractor,
                system.backend,
                system.condition,
            )
            numbers = ["-" if values[of.name] is None else values[of.name] for of in COLUMNS]
            limits = system.intervals[trials].get("eer_percent") or ("-", "-")
            attack = [*place[:3], system.attack, *place[3:]]
            rows.append([*attack, *numbers, tags.get(place, "-"), *limits])
    names = [*(of.name for of in COLUMNS), "tag", "eer_ci_low", "eer_ci_high"]
    return _table([*PLACE, *names], rows)


def _ranked(systems):
    """The strongest attack on each corpus: what an anonymiser is ranked by."""
    rows = []
    for (corpus, _), system in strongest_attacks(systems).items():
        limits = system.intervals[system.mean_label].get("eer_percent") or ("-", "-")
        place = (
            corpus,
            system.mean_label,
            system.attack,
            system.extractor,
            system.backend,
            system.condition,
        )
        rows.append([*place, system.mean["eer_percent"], *limits])
    return _table(RANKED, rows)


def _list_files(results, attack):
    folder = results / "trials" / attack.corpus
    trials = read_trials(folder / f"{attack.trials}.tsv")
    lines = [f"{of.enrolment} {of.trial} {of.label}\n" for of in trials]
    files = {trials_name(attack.corpus, attack.trials): "".join(lines).encode()}
    enrolments = folder / f"{attack.trials}.enrolments.tsv"
    if enrolments.exists():
        models = [f"{name} {' '.join(of)}\n" for name, of in read_enrolments(enrolments).items()]
        files[enrolments_name(attack.corpus, attack.trials)] = "".join(models).encode()
    return files


def _scores(results, attack, anonymiser, conditions):
    files = {}
    for condition in conditions:
        scored = read_scored_trials(
            results / "scores" / attack.path(anonymiser) / f"{condition}.tsv"
        )
        lines = [
            f"{of.enrolment} {of.trial} {score!r}\n"
            for label in scored.values()
            for of, score in label
        ]
        files[scores_name(attack, condition)] = "".join(sorted(lines)).encode()
    return files


def _audio(results, plan, anonymiser):
    files = {}
    for corpus in plan.speech.evaluated:
        for part in ("enrolment", "trial"):
            for of in read_manifest(
                results / "audio" / corpus / part / anonymiser / "manifest.tsv"
            ):
                files[audio_name(corpus, part, of.utterance, of.path.suffix)] = of.path
    return files


def _table(columns, rows):
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows([columns, *rows])
    return text.getvalue().encode()
