"""The files of the VoicePrivacy Challenges of 2024 and 2026, from a finished run.

Below the results, with the suffix of protected directories, such as _mine:

    exp/asv_orig, exp/asv_anon_mine                      attackers, of original and protected speech
    exp/*/libri_dev_enrolls_mine-libri_dev_trials_f_mine scores (enrolment trial score), EER (share)
    exp/*/results_mine.csv                               EER in percent; exp/asr, exp/ser likewise
    exp/results_summary/eval_orig_mine, eval_anon_mine   tables, and result_for_rank_mine of both
    exp/results_summary/result_for_submission_mine.zip   what is sent in

Conventions
-----------
* A run of track 1 of 2026 is known by its mixed lists, and has exp/results_summary/track1 instead
  of exp/results_summary. How files of track 2 are sent in is not known: they lie as those of 2024.
* EERs are SpeechBrain's. Every attacker has the rows OO, OP (protected trials) and PP of each list.
* A table is laid out as pandas prints one. Rows are sorted by data set and split, and keep the
  number that they have in the csv.
* Word errors are of the measure ``wer``, recalls of ``uar``. What was not measured has no table.
  What the recogniser heard (exp/asr/*/text) is no result of a run, so there is no file of it.

References
----------
Result files of the VoicePrivacy 2024 Challenge, and upload script of track 1 of 2026.
"""

import datetime
import shutil
import zipfile
from collections.abc import Iterator, Mapping
from fnmatch import filter as matching
from fnmatch import fnmatch
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypeAlias

from voiceprivacy import corpus_kinds
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.foreign import files_below
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.provenance.record import RANK
from voiceprivacy.tools.challenge import LANGUAGES, LISTS_OF_TRACKS
from voiceprivacy.tools.unpacking import pack
from voiceprivacy.vocabulary import ABSENT, ORIGINAL, Attack

EER = "eer_speechbrain_percent"
PLAIN, PROTECTED = "original", "anon"
CONDITIONS = {"oo": (PLAIN, PLAIN), "op": (PLAIN, PROTECTED), "pp": (PROTECTED, PROTECTED)}
ATTACKED = ("dataset", "split", "gender", "enrollment", "trial", "EER")
RECOGNISED = ("dataset", "split", "asr", "WER")
ACCURACIES = {"ACC_sad": "sad", "ACC_neu": "neutral", "ACC_ang": "angry", "ACC_hap": "happy"}
HEARD = ("dataset", "split", "ser", "UAR", *ACCURACIES)
SUMMARY = "results_summary"
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # a zip of the same files has the same bytes

Row: TypeAlias = tuple[str | float, ...]


class Sent(NamedTuple):
    """What is sent in to a challenge.

    ``summary`` is where the summaries lie below exp, ``packed`` what their names in the archive
    begin with. ``archive`` is the archive's name without suffix, ``least_bytes`` says of every
    protected directory how much its files must have.
    """

    summary: str
    packed: str
    archive: str
    least_bytes: Mapping[str, int]


SENT_2024 = Sent(
    summary=SUMMARY,
    packed="",
    archive="submission",
    least_bytes={
        **dict.fromkeys(("libri_dev_enrolls", "libri_dev_trials_f", "libri_dev_trials_m"), 0),
        **dict.fromkeys(("libri_test_enrolls", "libri_test_trials_f", "libri_test_trials_m"), 0),
        **dict.fromkeys(("IEMOCAP_dev", "IEMOCAP_test", "train-clean-360"), 0),
    },
)
SENT_2026 = Sent(
    summary=f"{SUMMARY}/track1",
    packed=f"exp/{SUMMARY}/track1/",
    archive="submission_track1",
    least_bytes={
        "libri_dev_enrolls": 7_324_598,
        "libri_dev_trials_mixed": 455_295_386,
        "libri_test_enrolls": 86_805_881,
        "libri_test_trials_mixed": 416_608_014,
        "IEMOCAP_dev": 418_919_757,
        "IEMOCAP_test": 388_856_264,
        "train-clean-360": 41_937_610_246,
    },
)


class Table(NamedTuple):
    """Results of one kind: {number in the csv: row}; ``under`` is a second head of numbers."""

    title: str
    columns: tuple[str, ...]
    rows: Mapping[int, Row]
    under: str = ""

    def text(self) -> str:
        """The table with its title, as pandas prints it."""
        import pandas

        frame = pandas.DataFrame(self.rows.values(), index=[*self.rows], columns=self.columns)
        frame = frame.sort_values([*self.columns[:2]])
        if self.under:
            numbers = dict.fromkeys(frame.select_dtypes("number"), self.under)
            heads = [(name, numbers.get(name, "")) for name in self.columns]
            frame.columns = pandas.MultiIndex.from_tuples(heads)
        return f"---- {self.title} results ----\n{frame.to_string()}\n"

    def csv(self) -> str:
        """The table as the challenge's csv."""
        lines = [",".join(["", *self.columns])]
        lines += [",".join(map(str, [number, *row])) for number, row in self.rows.items()]
        return "\n".join([*lines, ""])

    def under_condition(self, condition: str, title: str) -> "Table":
        """The rows of attacks under one condition."""
        wanted = CONDITIONS[condition]
        rows = {number: row for number, row in self.rows.items() if row[3:5] == wanted}
        return self._replace(title=title, rows=rows)


class DataSet(NamedTuple):
    """A corpus as the challenge calls it: libri, dev, and its directories ({list: directory})."""

    corpus: str
    dataset: str
    split: str
    enrolment: str
    lists: Mapping[str, str]


class Exported:
    """The challenge's files of one system of a run.

    Parameters
    ----------
    run : FinishedRun
    anonymiser : its name in the config
    suffix : of its directories

    Raises
    ------
    BadInput : the run has no such anonymiser, or no set of a challenge
    """

    def __init__(self, run: FinishedRun, anonymiser: str, suffix: str) -> None:
        if anonymiser not in run.plan.speech.anonymisers:
            names = ", ".join(run.plan.speech.anonymisers) or "none"
            raise BadInput(f"--anonymiser {anonymiser}: {run.folder} has {names}")
        self.run, self.anonymiser, self.suffix = run, anonymiser, suffix
        self.written: list[Path] = []
        tracks = self._tracks()
        self.is_of_track_2 = not tracks.isdisjoint(LANGUAGES)
        self.sent = SENT_2026 if "1" in tracks else SENT_2024
        if not any(self._sets()):
            raise BadInput(f"{run.folder}: no corpus has the directories of a challenge's set")
        self.numbers = {
            number.key: float(number.value) for number in run.numbers if _is_asked(number)
        }

    def write(self) -> Path:
        """Write all of them below the run's folder; the path of result_for_rank."""
        exp, suffix = self.run.folder / "exp", self.suffix
        summary = exp / self.sent.summary
        tables = dict(self._tables())
        for folder, table in tables.items():
            self._write(exp / folder / f"results{suffix}.csv", table.csv())
        of_original, of_protected = tables.get("asv_orig"), tables.get(f"asv_anon{suffix}")
        first = [tables.get("ser")]
        if of_original:
            first.append(of_original.under_condition("oo", "ASV_eval"))
        first.append(tables.get("asr"))
        second = []
        if of_protected:
            second.append(of_protected.under_condition("pp", "ASV_eval^anon"))
        texts = [self._text(first), self._text(second)]
        self._write(summary / f"eval_orig{suffix}" / "results_orig.txt", texts[0])
        self._write(summary / f"eval_anon{suffix}" / "results_anon.txt", texts[1])
        for path in (summary / f"{RANK}{suffix}", self.run.folder / f"{RANK}{suffix}"):
            self._write(path, "\n".join(texts))
        self._pack(exp, summary / f"result_for_submission{suffix}.zip")
        return self.run.folder / f"{RANK}{suffix}"

    @property
    def archive(self) -> str:
        """What the challenge calls the archive."""
        return f"{self.sent.archive}{self.suffix}.tar.gz"

    def upload(self, path: Path, data: Path) -> list[str]:
        """Pack what is sent in, with the protected directories; names of those that are missing.

        Raises
        ------
        BadInput : there is none of them, or some have no wav inside or are too small
        """
        suffix = self.suffix
        least = {f"{name}{suffix}": size for name, size in self.sent.least_bytes.items()}
        missing = [name for name in least if not (data / name).is_dir()]
        if len(missing) == len(least):
            raise BadInput(f"{data}: has none of {', '.join(missing)}")
        present = {name: data / name for name in least if name not in missing}
        wrong = [_wrong_in(folder, least[name]) for name, folder in present.items()]
        if any(wrong):
            raise BadInput("; ".join(filter(None, wrong)))
        summary = self.run.folder / "exp" / self.sent.summary
        contents = {
            f"{self.sent.packed}{name}": summary / name
            for name in (f"{RANK}{suffix}", f"result_for_submission{suffix}.zip")
        }
        pack(path, contents | {f"data/{name}": folder for name, folder in present.items()})
        return missing

    def _tracks(self) -> set[str]:
        """The tracks of 2026 that the trial directories are of; none in other years."""
        tried: list[str] = []
        for options in self.run.plan.speech.corpora.values():
            tried += corpus_kinds.data_sets(options, "trial")
        return {track for track, pattern in LISTS_OF_TRACKS.items() if matching(tried, pattern)}

    def _tables(self) -> Iterator[tuple[str, Table]]:
        attackers = self.run.plan.attackers
        pairs = dict.fromkeys(attack[2:] for attack in attackers.attacks())
        made_for = {pair: (attackers.informed(*pair), attackers.attacked(*pair)) for pair in pairs}
        for folder, learnt in (("asv_orig", None), (f"asv_anon{self.suffix}", self.anonymiser)):
            own = [pair for pair, knows in made_for.items() if knows == (learnt, learnt)]
            if own:
                yield folder, self._attack(folder, *own[0])
        for folder, title, make in (("asr", "ASR", self._words), ("ser", "SER", self._emotions)):
            rows = dict(make())
            if rows:
                heads = RECOGNISED if folder == "asr" else HEARD
                yield folder, Table(title, heads, rows, "mean" if folder == "ser" else "")

    def _sets(self) -> Iterator[DataSet]:
        for corpus, options in self.run.plan.speech.corpora.items():
            enrolled, tried = (
                corpus_kinds.data_sets(options, part) for part in ("enrolment", "trial")
            )
            lists = options.get("protocol", {}).get("given", {})
            if enrolled != tried:
                [enrolment] = enrolled
                dataset, split, *_ = [*enrolment.split("_"), ""]
                names = {}
                for trials, given in lists.items():
                    directory = corpus_kinds.whole_directory(given)
                    if directory:
                        names[trials] = Path(directory).name
                    elif "list" in given or "cross_gender" in given:  # of what is tried
                        names[trials] = tried[0]
                yield DataSet(corpus, dataset, split, enrolment, names)

    def _attack(self, folder, extractor, backend):
        """Write scores and EERs of an attacker; the table of its EERs."""
        rows: dict[int, Row] = {}
        for own in self._sets():
            for (trials, directory), (condition, compared) in product(
                own.lists.items(), CONDITIONS.items()
            ):
                attack = Attack(own.corpus, trials, extractor, backend)
                scores = self.run.scores(attack, self.anonymiser, condition)
                system = ORIGINAL if condition == "oo" else self.anonymiser
                key = (own.corpus, trials, system, extractor, backend, condition, EER)
                names = [
                    f"{name}{self.suffix if whose == PROTECTED else ''}"
                    for name, whose in zip((own.enrolment, directory), compared, strict=True)
                ]
                below = self.run.folder / "exp" / folder / "-".join(names)
                lines = [f"{one} {other} {score!r}\n" for (one, other), score in scores.items()]
                self._write(below / "scores", "".join(lines))
                self._write(below / "EER", f"{self.numbers[key] / 100!r}\n")
                eer = round(self.numbers[key], 3)
                rows[len(rows)] = (own.dataset, own.split, trials, *compared, eer)
        return Table("ASV_eval", ATTACKED, rows)

    def _words(self):
        """(number, row) of the word errors: first all of original speech."""
        number = 0
        for whose, system in ((PLAIN, ORIGINAL), (PROTECTED, self.anonymiser)):
            for own in self._sets():
                value = self._measured(own.corpus, system, "wer_percent")
                if value is not None:
                    yield number, (own.dataset, own.split, whose, round(value, 3))
                number += 1
            number *= 2  # as in the challenge's: 0 and 1, 4 and 5

    def _emotions(self):
        """(number, row) of the recalls: protected speech first in each set."""
        number = 0
        for corpus, split in (("iemocap_dev", "dev"), ("iemocap_test", "test")):
            for whose, system in ((PROTECTED, self.anonymiser), (PLAIN, ORIGINAL)):
                metrics = ["uar_percent", *(f"uar_{name}_percent" for name in ACCURACIES.values())]
                values = [self._measured(corpus, system, metric) for metric in metrics]
                if None not in values:
                    yield number, ("IEMOCAP", split, whose, *(round(value, 4) for value in values))
                    number += 1

    def _measured(self, corpus, system, metric):
        return self.numbers.get((corpus, ABSENT, system, *[ABSENT] * 3, metric))

    def _text(self, tables):
        """Tables below the time of the results."""
        made = datetime.datetime.fromtimestamp(self.run.file("metrics.tsv").stat().st_mtime)
        time = f"---- Time: {made:%d-%m-%y_%H:%M} ----\n"
        return "\n".join([time, *(table.text() for table in tables if table)])

    def _write(self, path, text):
        with whole_or_absent(path) as temporary:
            temporary.write_text(text, encoding="utf-8")
        self.written.append(path)

    def _pack(self, exp, path):
        """Pack what the challenge's zip has: of attackers and measures what bears the suffix."""
        suffix = self.suffix
        patterns = (f"asr/*{suffix}*", f"ser/*{suffix}.csv", f"{SUMMARY}/*{suffix}*")
        patterns += (f"asv_orig/*{suffix}/*", f"asv_orig/*{suffix}.csv", f"asv_anon{suffix}/*")
        files = {
            file.relative_to(exp).as_posix(): file
            for file in self.written  # not what another system or an earlier call left there
            if file.is_relative_to(exp)
        }
        with whole_or_absent(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
            for name, file in sorted(files.items()):
                if not any(fnmatch(name, own) for own in patterns):
                    continue
                member = zipfile.ZipInfo(f"exp/{name}", FIXED_DATE)
                member.compress_type = zipfile.ZIP_DEFLATED
                member.external_attr = 0o100644 << 16
                with archive.open(member, "w") as target, open(file, "rb") as source:
                    shutil.copyfileobj(source, target)


def _is_asked(number):
    is_utility = number.extractor == ABSENT and number.metric.startswith(("wer_", "uar_"))
    return (number.metric == EER or is_utility) and number.value[:1].isdecimal()


def _wrong_in(folder: Path, least_bytes: int) -> str:
    """Why a challenge would not take a protected directory; "" if it would."""
    paths = [folder / name for name in files_below(folder)]
    if not any(path.suffix == ".wav" for path in paths):
        return f"{folder}: has no wav inside, which the challenge asks for"
    for path in paths:
        if not path.exists():
            return f"{path}: is a link to a file that is not there"
    n_bytes = sum(path.stat().st_size for path in paths)
    if n_bytes < least_bytes:
        return f"{folder}: has {n_bytes} bytes, and the challenge asks for {least_bytes}"
    return ""
