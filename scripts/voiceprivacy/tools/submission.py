"""What a submission to a challenge is: the names of its files, and how they are packed and read.

The VoicePrivacy challenges ask for the scores of every set in Kaldi's form, for a summary of all results, for the
numbers of the ranking, and for the protected speech of every set. A submission has

    submission.json                                     who: anonymiser, version, config of the run
    results_summary.tsv                                 a line per set, attack and condition
    result_for_rank.tsv                                 the strongest attack on each corpus
    sets/CORPUS/LIST/trials                             Kaldi: enrolment trial target|nontarget
    sets/CORPUS/LIST/enrolments                         Kaldi's spk2utt: enrolment utterance utterance ...
    sets/CORPUS/LIST/EXTRACTOR/BACKEND/CONDITION.scores  Kaldi: enrolment trial score
    wav/CORPUS/PART/UTTERANCE.flac                      protected speech, on request
"""

import shutil
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from voiceprivacy.files import BadInput, refuse_endless, whole_or_absent

ABOUT, SUMMARY, RANK = "submission.json", "results_summary.tsv", "result_for_rank.tsv"
AUDIO_ENDINGS = (".flac", ".wav")
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the zip of the same files is the same, whenever and wherever it is made
PERMISSIONS = 0o100644 << 16
UNIX = 3
UNREADABLE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError)  # RuntimeError: encrypted, other packing
SWELLS, SMALL = 200, 2**20  # what unpacks to so many times its size in the zip is not read; a mebibyte may


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
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(AUDIO_ENDINGS) else zipfile.ZIP_DEFLATED
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
            members = {of.relative_to(self.path).as_posix(): of for of in found if not of.is_symlink()}
        elif zipfile.is_zipfile(self.path):
            self._archive = zipfile.ZipFile(self.path)
            files = [of for of in self._archive.infolist() if not of.is_dir()]
            self.unsafe = [of.filename for of in files if _is_unsafe(of)]
            members = {of.filename: of for of in files if not _is_unsafe(of)}
        else:
            raise BadInput(f"{self.path}: {'is neither a folder nor a zip' if self.path.exists() else 'not found'}")
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
    return swells or is_link or path.is_absolute() or ".." in path.parts or ":" in entry.filename.split("/")[0]


def _common_folder(names):
    """The folder that a zip was made of, where ABOUT lies directly in it."""
    return next((name.removesuffix(ABOUT) for name in names if name.count("/") == 1 and name.endswith(f"/{ABOUT}")), "")
