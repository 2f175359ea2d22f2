"""What a corpus holds, before any of its audio is prepared, and what is wrong with it.

A kind of corpus (``synthetic``, ``librispeech``, ``vctk``, ``kaldi``, ``folder``) is the module of that name in this
folder, with two functions:

* ``list_utterances(options, findings)`` lists what exists; what is wrong is added to ``findings``.
* ``provide_audio(utterances, *, audio_dir, sample_rate, threads)`` yields the lines of a manifest.

``source`` is everywhere the part of the config that says which speech: {kind: options}, and beside the kind

* ``pipes``: true, to allow audio that a command writes (see pipes.py);
* ``limit``: {speakers, utterances}, to use a part only (see limit.py);
* ``exclude``, ``on_bad_audio``: which utterances are left out of everything (see exclusion.py);
* ``segments``: {seconds}, to cut utterances into pieces (see segments.py). Everything before the audio is prepared
  (lists of utterances, protocols) speaks of whole utterances.
"""

import importlib
import unicodedata
from pathlib import Path
from typing import NamedTuple

from voiceprivacy.corpora.recordings import Pipe
from voiceprivacy.inout.files import BadInput, printable
from voiceprivacy.inout.ids import PIECE, safe_id

FINDING = ["level", "file", "line", "what"]
BESIDE_THE_KIND = ("pipes", "limit", "segments", "exclude", "on_bad_audio")


class Listed(NamedTuple):
    """One utterance of a corpus.

    ``session`` is the chapter or recording session ("" where unknown), ``audio`` the file or the command that holds
    it (None for speech still to be made), ``file`` and ``line`` where it is listed (line "-" where a folder lists it).
    """

    utterance: str
    speaker: str
    gender: str
    session: str
    audio: Path | Pipe | None
    file: str
    line: int | str


class Finding(NamedTuple):
    """Something that is wrong (level error) or unusual (level oddity) in what a person gave us."""

    level: str
    file: str
    line: int | str
    what: str

    def __str__(self):
        place = ":".join(str(of) for of in (self.file, self.line) if of != "-")
        return printable(f"{place}: {self.what}")


class Findings(list):
    """All that is wrong or unusual, in the order in which it was found."""

    def error(self, file, line, what):
        """Something that has to be put right before the corpus can be used."""
        self.append(Finding("error", str(file), line, what))

    def oddity(self, file, line, what):
        """Something that is allowed and that the reader of the results should know."""
        self.append(Finding("oddity", str(file), line, what))

    def excluded(self, file, line, what):
        """Something that is left out, as the config allows or asks."""
        self.append(Finding("excluded", str(file), line, what))

    def bad_input(self, error, file, line="-"):
        """A BadInput that was raised about this place."""
        what = str(error).removeprefix(f"{file}:").removeprefix(f"{line}:").strip()
        self.error(file, line, what)

    def errors(self):
        """The findings that have to be put right."""
        return [finding for finding in self if finding.level == "error"]

    def refuse_errors(self):
        """Raise BadInput with the first error; scripts/validate.py prints all of them."""
        errors = self.errors()
        if errors:
            more = (
                f" (and {len(errors) - 1} more: scripts/validate.py lists them)"
                if len(errors) > 1
                else ""
            )
            raise BadInput(f"{errors[0]}{more}")


def kind_of(choice, function):
    """The module and the options of a source or protocol {name: options}; the module must have ``function``."""
    kinds = (
        [key for key in choice if key not in BESIDE_THE_KIND] if isinstance(choice, dict) else []
    )
    if len(kinds) != 1:
        raise BadInput(f"{choice}: expected one kind and its options")
    name, options = kinds[0], choice[kinds[0]]
    try:
        folder = "kinds" if function in ("list_utterances", "provide_audio") else "protocols"
        module = importlib.import_module(f"voiceprivacy.corpora.{folder}.{name}")
        getattr(module, function)
    except (ModuleNotFoundError, AttributeError):
        raise BadInput(f"{name}: there is no such kind of corpus or protocol") from None
    return module, options


def list_utterances(source, findings):
    """List the utterances of a corpus, ordered by id.

    Parameters
    ----------
    source : dict
    findings : Findings
        Gets what is wrong with the corpus.

    Returns
    -------
    list of Listed

    Raises
    ------
    BadInput : a folder or file is missing, so that nothing can be listed
    """
    kind, options = kind_of(source, "list_utterances")
    utterances = sorted(kind.list_utterances(options, findings))
    if not utterances and not findings.errors():
        raise BadInput(f"{source}: holds no utterance")
    for utterance in utterances:
        _check_ids(utterance, findings)
        if isinstance(utterance.audio, Pipe) and not source.get("pipes"):
            what = f"utterance '{utterance.utterance}' is a command (pipe): pipes: true in the corpus's entry allows it"
            findings.error(utterance.file, utterance.line, what)
        if "segments" in source and PIECE.search(utterance.utterance):
            what = f"utterance '{utterance.utterance}' has the id of a piece already: leave segments out"
            findings.error(utterance.file, utterance.line, what)
    _note_look_alikes(utterances, findings)
    return utterances


def _note_look_alikes(utterances, findings):
    """Ids of two speakers, or of two utterances, that differ in capitals or in the bytes of an accent only."""
    for what in ("speaker", "utterance"):
        known = {}
        for utterance in utterances:
            name = getattr(utterance, what)
            other = known.setdefault(unicodedata.normalize("NFC", name).casefold(), name)
            if other != name:
                said = f"{what}s '{other}' and '{name}' look alike: are they one? (some disks take such names for one)"
                findings.oddity(utterance.file, utterance.line, said)
                break


def _check_ids(utterance, findings):
    for text in dict.fromkeys([utterance.utterance, utterance.speaker]):
        try:
            safe_id(text, utterance.file, utterance.line)
        except BadInput as error:
            findings.bad_input(error, utterance.file, utterance.line)
