"""What new-run prints: its guess, how much there is, what is left out, and what to do next."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from voiceprivacy.errors import counted
from voiceprivacy.tools.file_names import pair
from voiceprivacy.tools.intake import Intake
from voiceprivacy.tools.new_config import (
    SEXES,
    corpus_name,
    lacking_training,
    length,
    n_speakers_of,
    path_beside,
    sexes_of,
    words_measured,
)
from voiceprivacy.tools.new_run import NewRun, limit_of
from voiceprivacy.tools.unpacking import refuse_packed

EXAMPLES = 5
LEFT_OUT = 10
LISTS = {"mixed": "one list of all speakers", "f": "a list of women", "m": "a list of men"}


def summary(run: NewRun, written: list[Path]) -> list[str]:
    """Lines of text about a new run and the files that were written for it."""
    return [
        *preview(run.intake),
        *(f"  note: {note}" for note in run.notes),
        "",
        *_protected_lines(run),
        *_left_out(run),
        "",
        *_next(run, written),
    ]


def preview(intake: Intake) -> list[str]:
    """Lines of text: what the names of some files tell, and how many there are."""
    speakers = Counter(utterance.speaker for utterance in intake.listed)
    counts = sorted(speakers.values())
    each = counted(counts[-1], "utterance")
    if counts[0] < counts[-1]:
        each = f"{counts[0]} to {each}"
    share = f"{len(intake.listed)} of {intake.n_files} audio files look like {intake.looks_like}"
    if not intake.n_files or intake.looks_like.startswith("a "):
        share = f"{counted(len(intake.listed), 'utterance')} in {intake.looks_like}"
        if n_others := intake.n_files - len(intake.listed):
            others = counted(n_others, "other audio file is", "other audio files are")
            share = f"{share}; {others} not listed there, and left out"
    lines = [f"{intake.root}: {share}"]
    lines.append(f"  {counted(len(speakers), 'speaker')}, {each} each, such as")
    step = max(1, len(intake.listed) // EXAMPLES)  # from all over the corpus, not its first speaker
    for listed in intake.listed[::step][:EXAMPLES]:
        session = f"   session {listed.session}" if listed.session else ""
        path = str(listed.audio).removeprefix(f"{intake.root}/")
        lines.append(
            f"    {path}   speaker {listed.speaker}{session}   utterance {listed.utterance}"
        )
    if not intake.looks_like.startswith("a "):  # names of files say who speaks
        example = "--pattern '{speaker}_{utterance}.wav'"
        lines.append(f"  Is that wrong? --pattern says who speaks, for example {example}")
    if not intake.is_plain:
        n_changed = sum(name != text for name, text in intake.names.items())
        changed = f"{counted(n_changed, 'name')} changed" if n_changed else "no name changed"
        lines.append(f"  Their names are in a table beside the config ({changed})")
    return lines


def preview_all(intake: Intake, protected: Iterable[tuple[str, Path]]) -> list[str]:
    """Lines of text: what names tell of the originals and of protected folders, with pairs."""
    lines = preview(intake)
    for name, path in protected:
        refuse_packed(path)
        folder = path.absolute()
        files = pair(intake.listed, intake.root, folder, called=intake.names)
        lines += [f"{name}: {found(intake, len(files), folder)}", *pairs(intake, folder, files)]
    return lines


def found(intake: Intake, n_found: int, folder: Path) -> str:
    """How many of the originals have a protected file."""
    return f"{n_found} of {len(intake.listed)} found below {folder}"


def pairs(intake: Intake, folder: Path, files: Mapping[str, Path]) -> Iterator[str]:
    """Lines of text: the first, the middle and the last of the pairs {utterance: its file}."""
    listed = [one for one in intake.listed if one.utterance in files]
    for number in sorted({0, len(listed) // 2, len(listed) - 1}):
        one = listed[number]
        original = str(one.audio).removeprefix(f"{intake.root}/")
        protected = str(files[one.utterance]).removeprefix(f"{folder.parent}/")
        yield f"    {original}  <-  {protected}"


def _protected_lines(run):
    for name, protected in run.protected.items():
        rates = " and ".join(map(str, protected.sample_rates))
        given = run.given.get(name, name)
        called = f"{name} (given as '{given}')" if given != name else name
        yield f"{called}: {found(run.intake, protected.n_found, protected.folder)}, {rates} Hz"
        yield from pairs(run.intake, protected.folder, protected.files)
        if protected.unmatched and protected.n_found < len(run.intake.listed):
            match = counted(len(protected.unmatched), "file matches", "files match")
            such = f"such as {protected.unmatched[0]}"
            yield f"  warning: {match} no original, {such}: name them as the others are named"
        if protected.n_mixed:
            have = counted(protected.n_mixed, "file has", "files have")
            yield f"  warning: {have} several channels, which are mixed down to one"
        if protected.unchanged:
            are = counted(len(protected.unchanged), "file is its original", "files are originals")
            such = f"such as that of '{protected.unchanged[0]}'"
            yield f"  warning: {are} or nearly so, {such}: little is protected there"
    for name, why in run.set_aside.items():
        yield f"warning: {name} is not shown: {why}"


def _left_out(run):
    if not run.left_out:
        return
    yield f"left out for all: {counted(len(run.left_out), 'utterance')}"
    for utterance, why in sorted(run.left_out.items())[:LEFT_OUT]:
        yield f"  {utterance}: {why}"
    if len(run.left_out) > LEFT_OUT:
        yield f"  and {len(run.left_out) - LEFT_OUT} more, all in the table beside the config"


def _size(utterances, speaker):
    """How many speakers, in the ``speaker``'s words, and utterances."""
    n_speakers = counted(n_speakers_of(utterances), speaker)
    return f"{n_speakers}, {counted(len(utterances), 'utterance')}"


def _next(run, written):
    lists = " and ".join(LISTS[name] for name in run.lists)
    size = _size(run.utterances, "speaker")
    yield f"corpus {corpus_name(run)}: {size}, {length(run.seconds)}; {lists}"
    if limit := limit_of(run.utterances):
        yield f"  at most {limit} of each speaker are tried (limit: in the config)"
    if run.training:
        kept = _size(run.training, "other speaker")
        yield f"to train the semi-informed attacker: {kept}"
        for name in lacking_training(run):
            lacks = f"{name} has no protected version of all of them"
            how = "--method NAME=FILE.py:FUNCTION protects them"
            yield f"  {lacks}, so nothing is learnt from it ({how})"
    if run.lists == ["mixed"]:
        table = "--speakers TABLE (columns speaker and gender)"
        yield f"  {table} makes lists of women and of men, as is usual"
        if sexes := sexes_of(run):
            such = ", ".join(f"{name}: {sex}" for name, sex in [*sexes.items()][:2])
            there = shlex.quote(str(path_beside(written[0], SEXES)))
            yield f"  names seem to show the sex ({such}): look at {there}; if it is right, add"
            yield f"  --speakers {there} --overwrite"
    texts = run.intake.texts
    if not texts and not words_measured(run):
        table = "--transcripts TABLE (columns utterance and text)"
        yield f"words: no transcripts were given; with {table} they are measured"
    untold = [one.utterance for one in run.utterances if one.utterance not in texts]
    if texts and untold:
        share = f"{len(untold)} of {counted(len(run.utterances), 'utterance')}"
        yield f"words: {share} have no transcript, such as '{untold[0]}': they are not measured"
    yield f"wrote {', '.join(map(str, written))}"
    yield f"next: voiceprivacy run --configfile {shlex.quote(str(written[0]))}"
