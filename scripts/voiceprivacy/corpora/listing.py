"""What a corpus holds, before any of its audio is prepared, and what is wrong with it.

Conventions
-----------
``source`` is the part of the config that says which speech: {kind: options}, and beside the kind

* ``pipes``: true, to allow audio that a command writes (recordings.py);
* ``limit``: {speakers, utterances}, to use a part only (parts.py);
* ``channel``: which channel of its recordings is read, from 1; all are averaged without it;
* ``exclude``, ``on_bad_audio``: which utterances are left out of everything (parts.py);
* ``segments``: {seconds}, to cut utterances into pieces (recordings.py). Lists of utterances and
  protocols speak of whole utterances; they are cut when the audio is prepared.

A kind of corpus is the module of that name in ``kinds``. It has the functions

* ``list_utterances(options, findings)``: what exists; what is wrong is added to ``findings``;
* ``provide_audio(utterances, *, audio_dir, sample_rate, threads)``, where no file holds it: the
  lines of a manifest;
* ``read_transcripts(options)``, where there are some: {utterance: what is said};
* ``read_facts(options)``, where it says more of speakers: {attribute: {speaker: value}};
* ``data_directories(options)``, where there are some: those of Kaldi, the one that enrols first;
* ``is_common(utterance)``, where all speakers read some sentences: whether the id is of one;
* ``to_download(options)``, where it is published: {folder that is missing: bytes};
* ``fetch(part, *, root, address)``, which downloads one of them, and returns its folder.

Its row ``KIND`` is what other rooms know of it (voiceprivacy.corpus_kinds).
"""

import re
from collections.abc import Collection, Iterable, Iterator
from operator import attrgetter
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

from voiceprivacy import kinds
from voiceprivacy.corpora.rows import Channel, Pipe, Recording, whole
from voiceprivacy.errors import BadInput, counted, shown
from voiceprivacy.inout import ids, tables
from voiceprivacy.inout.foreign import composed
from voiceprivacy.inout.ids import PIECE, safe_id
from voiceprivacy.inout.placeholders import ours_in
from voiceprivacy.vocabulary import BESIDE_THE_KIND, PROTOCOLS, RESOURCES

Source: TypeAlias = dict[str, Any]  # {kind: options}, and BESIDE_THE_KIND
Protocol: TypeAlias = dict[str, Any]  # {protocol: options}

MOST_ALIKE = {"oddity": 3, "error": 10, "excluded": 1}  # findings that are shown one by one
NAMES_AND_NUMBERS = re.compile(r"'[^']*'|[\d.]+(e[-+]?\d+)?")
GENDERS = {"f": ("f",), "m": ("m",), "mixed": ("f", "m", "-")}  # of the speakers in a list
PUBLISHED_COUNTS = RESOURCES / "published_counts.tsv"


class Listed(NamedTuple):
    """One utterance of a corpus.

    ``session`` is the chapter or recording session ("" where unknown). ``audio`` is the file,
    the command or the cut that holds it, None for speech still to be made. ``file`` and ``line``
    say where it is listed (line "-" where a folder lists it).
    """

    utterance: str
    speaker: str
    gender: str
    session: str
    audio: Recording | None
    file: str
    line: int | str


class Finding(NamedTuple):
    """Something that is wrong (level error) or unusual (level oddity) in what a person gave us.

    ``sound`` is what it says of the sound of recordings, without any name; - where it says nothing.
    """

    level: str
    file: str
    line: int | str
    what: str
    sound: str = "-"

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.file, self.line) if part != "-")
        return shown(f"{where}: {self.what}")


class Findings(list[Finding]):
    """All that is wrong or unusual, in the order in which it was found."""

    def error(self, file: object, line: int | str, message: str) -> None:
        """Add something that has to be put right before the corpus can be used."""
        self.append(Finding("error", str(file), line, message))

    def oddity(self, file: object, line: int | str, message: str, sound: str = "-") -> None:
        """Add something that is allowed and that the reader of the results should know."""
        self.append(Finding("oddity", str(file), line, message, sound))

    def excluded(self, file: object, line: int | str, message: str) -> None:
        """Add something that is left out, as the config allows or asks."""
        self.append(Finding("excluded", str(file), line, message))

    def bad_file(self, error: BadInput) -> None:
        """Add a BadInput about a whole file, whose message begins with its name."""
        file, _, message = str(error).partition(": ")
        self.error(file, "-", message)

    def group(self) -> None:
        """Of many errors or oddities that differ in numbers and names alone, keep the first.

        The last of those that are kept, of oddities the only one, says how many more there were.
        """
        groups: dict[tuple, list[Finding]] = {}
        for number, finding in enumerate(self):
            kind = NAMES_AND_NUMBERS.sub("", finding.what)
            alike = number if finding.level == "excluded" else kind
            groups.setdefault((finding.level, alike), []).append(finding)
        self.clear()
        for (level, _), group in groups.items():
            if len(group) > MOST_ALIKE[level]:
                kept = group[: 1 if level == "oddity" else MOST_ALIKE[level]]
                others = f" (and {len(group) - len(kept)} more like this)"
                last = kept.pop()
                sound = last.sound if last.sound == "-" else last.sound + others
                group = [*kept, last._replace(what=last.what + others, sound=sound)]
            self += group

    def errors(self) -> list[Finding]:
        """The findings that have to be put right."""
        return [finding for finding in self if finding.level == "error"]

    def refuse_errors(self) -> None:
        """Raise BadInput with the first errors; voiceprivacy validate prints more of them."""
        errors = self.errors()
        if errors:
            first = "; ".join(map(str, errors[:3]))
            more = f" (and {len(errors) - 3} more)" if len(errors) > 3 else ""
            raise BadInput(f"{first}{more}")


def kind_of(source: Source) -> tuple[ModuleType, Any]:
    """The module of a source's kind, and its options, in which {resources} is filled in.

    Raises
    ------
    BadInput : there is no kind, more than one, or one that nobody wrote
    """
    return _chosen(source, kinds.names(), "kinds")


def protocol_of(protocol: Protocol) -> tuple[ModuleType, Any]:
    """The module of a protocol, and its options; errors as of kind_of."""
    return _chosen(protocol, PROTOCOLS, "protocols")


def _chosen(choice, known, folder):
    """The module is imported here, so that a change of one kind repeats no corpus of another."""
    keys = choice if isinstance(choice, dict) else ()
    names = [key for key in keys if key not in BESIDE_THE_KIND]
    if len(names) != 1:
        raise BadInput(f"{choice}: expected one kind and its options")
    name = names[0]
    if name not in known:
        raise BadInput(f"{name}: there is no such kind of corpus or protocol")
    return kinds.module_of(name, f"corpora/{folder}"), ours_in(choice[name])


def source_of_entry(corpus: dict[str, Any]) -> Source:
    """What a corpus's entry in a completed config says of its speech."""
    keys = (*kinds.names(), *BESIDE_THE_KIND)
    return {key: corpus[key] for key in keys if key in corpus}


def list_utterances(source: Source, findings: Findings) -> list[Listed]:
    """List the utterances of a corpus, ordered by id.

    Parameters
    ----------
    source : dict
    findings : Findings
        Gets what is wrong with the corpus.

    Raises
    ------
    BadInput : a folder or file is missing, so that nothing can be listed
    """
    kind, options = kind_of(source)
    utterances = sorted(_composed(kind.list_utterances(options, findings), findings))
    if not utterances and not findings.errors():
        folder = options.get("root", options) if isinstance(options, dict) else options
        raise BadInput(f"{folder}: holds no utterance")
    for utterance in utterances:
        _check_utterance(utterance, source, findings)
    if "channel" in source:
        number = source["channel"]
        utterances = [
            one._replace(audio=Channel(one.audio, number)) if one.audio else one
            for one in utterances
        ]
    _note_look_alikes(utterances, findings)
    return utterances


def _composed(utterances: Iterable[Listed], findings: Findings) -> Iterator[Listed]:
    """Utterances with composed names; two that become one are an error."""
    known: dict[str, str] = {}
    for one in utterances:
        name = composed(one.utterance)
        if known.setdefault(name, one.utterance) != one.utterance:
            message = f"utterance '{name}' occurs twice, with its accents in two forms (NFC, NFD)"
            findings.error(one.file, one.line, message)
        yield one._replace(utterance=name, speaker=composed(one.speaker))


def _check_utterance(utterance, source, findings):
    name, file, line = utterance.utterance, utterance.file, utterance.line
    for text in dict.fromkeys([name, utterance.speaker]):
        try:
            safe_id(text, file, line)
        except BadInput as error:
            # A Finding names file and line itself.
            findings.error(file, line, str(error).removeprefix(f"{file}:{line}: "))
    if isinstance(whole(utterance.audio), Pipe) and not source.get("pipes"):
        allowed = "pipes: true in the corpus's entry allows it"
        findings.error(file, line, f"utterance '{name}' is a command (pipe): {allowed}")
    if "segments" in source and PIECE.search(name):
        message = f"utterance '{name}' has the id of a piece already: leave segments out"
        findings.error(file, line, message)


def _note_look_alikes(utterances, findings):
    """Note two speakers, or two utterances, whose ids differ in capital letters alone."""
    for column in ("speaker", "utterance"):
        known = {}
        for utterance in utterances:
            name = getattr(utterance, column)
            folded = name.casefold()
            other = known.setdefault(folded, name)
            if other != name:
                alike = f"{column}s '{other}' and '{name}' look alike: are they one?"
                message = f"{alike} (some disks take such names for one)"
                findings.oddity(utterance.file, utterance.line, message)
                break  # one example of speakers and one of utterances is enough


def read_transcripts(source: Source) -> dict[str, str]:
    """What is said in the utterances of a corpus: {utterance: text}.

    Raises
    ------
    BadInput : this corpus has no transcripts, or a file of them is missing
    """
    kind, options = kind_of(source)
    texts: dict[str, str] = kind.read_transcripts(options)
    return {composed(name): text for name, text in texts.items()}


def check_transcripts(source: Source, utterances: Iterable[Listed], findings: Findings) -> None:
    """Note utterances that the transcripts of a corpus lack; it is an error if they lack all.

    Raises
    ------
    BadInput : as ``read_transcripts``
    """
    names = [one.utterance for one in utterances]
    missing = sorted(set(names) - set(read_transcripts(source)))
    if missing and len(missing) == len(names):
        findings.error("transcripts", "-", f"none is of an utterance such as '{missing[0]}'")
    elif missing:
        number = counted(len(missing), "utterance has", "utterances have")
        findings.oddity("transcripts", "-", f"{number} no transcript, such as '{missing[0]}'")


def read_facts(source: Source) -> dict[str, dict[str, str]]:
    """What a corpus says of its speakers besides their gender: {attribute: {speaker: value}}."""
    kind, options = kind_of(source)
    facts = kind.read_facts(options) if hasattr(kind, "read_facts") else {}
    return {
        attribute: {composed(speaker): value for speaker, value in known.items()}
        for attribute, known in facts.items()
    }


def compare_published(name: str, counts: dict[str, int], file: object, findings: Findings) -> None:
    """Add an oddity for every count of a set of speech that differs from the published one.

    Parameters
    ----------
    name : str
        Name of a data directory or subset, such as libri_test_trials_f.
    counts : dict {what is counted: int}
        What nothing is published about is passed over.
    file : path
        Where it was counted.
    """
    rows = tables.read_table(PUBLISHED_COUNTS, ["set", "what", "count"])
    published = {row["what"]: int(row["count"]) for row in rows if row["set"] == name}
    for unit, count in counts.items():
        expected = published.get(unit, count)
        if count != expected:
            number = f"{count} {unit.replace('_', ' ')}"
            findings.oddity(file, "-", f"{name} has {number}, published are {expected}")


def note_gender(
    genders: dict[str, str], speaker: str, word: str, file: object, line: int, findings: Findings
) -> None:
    """Add to {speaker: f, m or -} what a table says of a speaker, in a word of GENDERS."""
    gender = ids.GENDERS.get(word.lower())
    if gender is None:
        message = f"gender '{word}' of speaker '{speaker}' is neither f, m nor x (another)"
        findings.error(file, line, message)
    elif genders.setdefault(speaker, gender) != gender:
        findings.error(file, line, f"speaker '{speaker}' has another gender elsewhere")


def check_names(utterances: Collection[Listed], findings: Findings) -> None:
    """Add an error for a file that lies with one speaker and has the name of another.

    In published trees a name begins with its speaker: 61-70968-0000, p225_001. Where less than half
    do, as in a tree of one's own, names say nothing.
    """
    speakers = {utterance.speaker for utterance in utterances}
    named = [re.split("[-_]", utterance.utterance)[0] for utterance in utterances]
    own = [name == one.speaker for name, one in zip(named, utterances, strict=True)]
    if 2 * sum(own) < len(own):
        return
    for name, utterance in zip(named, utterances, strict=True):
        if name != utterance.speaker and name in speakers:
            message = f"lies with speaker '{utterance.speaker}': which of the two speaks?"
            findings.error(utterance.file, "-", f"has the name of '{name}' and {message}")


def require_gender(first: Listed, lists: Iterable[str], findings: Findings) -> None:
    """Add an error for a speaker without a gender, where lists are of one gender.

    Parameters
    ----------
    first : the speaker's first utterance
    lists : names of trial lists that a protocol makes: f, m, mixed, f_common and so on
    findings : Findings
    """
    per_gender = any("-" not in GENDERS[name.split("_")[0]] for name in lists)
    if first.gender == "-" and per_gender:
        message = (
            f"speaker '{first.speaker}' has no gender, but the lists are per gender: write"
            " lists: [mixed] for one list of all speakers"
        )
        findings.error(first.file, first.line, message)


def of_gender(utterances: Iterable[Any], gender: str) -> list[Any]:
    """Utterances (Listed or Utterance) of the speakers that a list holds, ordered by id."""
    return [utterance for utterance in sorted(utterances) if utterance.gender in GENDERS[gender]]


def by_speaker(utterances: Iterable[Any]) -> dict[str, list[Any]]:
    """{speaker: utterances (Listed or Utterance)}; both are ordered by id."""
    groups: dict[str, list[Any]] = {}
    for utterance in sorted(utterances, key=attrgetter("speaker", "utterance")):
        groups.setdefault(utterance.speaker, []).append(utterance)
    return groups
