"""Which protected file belongs to which original, whatever the folders and endings of both.

Two files belong together if their relative paths without ending are the same, or the ends of these paths are, where /,
-, _ and . are all the same and no other file on either side is called so: anna/001.flac and wav/anna_001.wav. A tail
that all protected (or original) files have, such as _anon, is passed over where that finds more.
"""

import itertools
import os
import re
from collections import Counter
from pathlib import Path, PurePosixPath

from voiceprivacy.anonymise.plugins import find_audio
from voiceprivacy.corpora import parts
from voiceprivacy.corpora.listing import Findings
from voiceprivacy.inout.files import BadInput, counted
from voiceprivacy.inout.tables import Utterance
from voiceprivacy.plan.plan import Plan
from voiceprivacy.tools.patterns import audio_files

ALIKE = re.compile(r"[-_. /]+")
TAIL = re.compile(r"[-_.][^-_.]*[A-Za-z].*$")


def pair(originals, root, folder):
    """Find the protected files of originals.

    Parameters
    ----------
    originals : list of voiceprivacy.corpora.listing.Listed
    root : folder of the originals
    folder : folder of the protected files

    Returns
    -------
    dict : utterance id -> absolute path of the protected file; utterances without one are left out

    Raises
    ------
    BadInput : the folder is missing, holds no audio or none of the originals, or an utterance has several files
    """
    if (Path(folder) / "wav.scp").exists():
        pairs = find_audio([folder], [_as_utterance(of) for of in originals])
    else:
        pairs = _by_name(originals, root, folder)
    if not pairs:
        of, protected = originals[0].audio, audio_files(folder)[0]
        raise BadInput(
            f"{folder}: no protected file has the name of an original: originals are called such as {of}, "
            f"protected files such as {protected}"
        )
    return {utterance: Path(path).absolute() for utterance, path in pairs.items()}


def is_found_without_help(folder, originals, pairs):
    """Whether an anonymiser ``audio: folder`` finds these very pairs (utterance id -> path) by itself."""
    chosen = [_as_utterance(of) for of in originals if of.utterance in pairs]
    try:
        found = find_audio([folder], chosen)
    except BadInput:
        return False
    same = {utterance: os.path.realpath(path) for utterance, path in found.items()}
    return same == {utterance: os.path.realpath(path) for utterance, path in pairs.items()}


class _Named:
    """What find_audio wants to know of an utterance."""

    def __init__(self, utterance, path):
        self.utterance, self.path = utterance, path


def _as_utterance(listed):
    return _Named(listed.utterance, listed.audio)


def _by_name(originals, root, folder):
    names = {of.utterance: _stem(of.audio.relative_to(root).as_posix()) for of in originals}
    files = {path: _stem(path) for path in audio_files(folder)}
    attempts = [(names, files), (names, _without_tail(files)), (_without_tail(names), files)]
    best = max((_matched(*attempt) for attempt in attempts), key=len)
    if len(best) < len(names):
        _refuse_several(names, files, best, folder)
    return {utterance: Path(folder) / path for utterance, path in best.items()}


def _stem(path):
    return str(PurePosixPath(path).with_suffix(""))


def _without_tail(names):
    """Names without the tail that all of them have, if there is one."""
    backwards = [name[::-1] for name in names.values()]
    same = itertools.takewhile(
        lambda letters: len(set(letters)) == 1, zip(*backwards, strict=False)
    )
    tail = TAIL.search("".join(letters[0] for letters in same)[::-1])
    return {key: name.removesuffix(tail.group()) for key, name in names.items()} if tail else names


def _keys(name):
    """A path and its ends, folder by folder, the longest first, with all separators alike."""
    parts = name.split("/")
    return dict.fromkeys(ALIKE.sub("-", "/".join(parts[first:])) for first in range(len(parts)))


def _matched(names, files):
    """{utterance: file} where an end of both paths is the same and nobody else's."""
    counts, owners = _counted(names, files)
    found = {}
    for utterance, name in names.items():
        keys = (key for key in _keys(name) if counts[key] == 1 and len(owners.get(key, ())) == 1)
        if key := next(keys, None):
            found[utterance] = owners[key][0]
    return found


def _counted(names, files):
    """How many originals a key has, and which protected files."""
    owners = {}
    for file, name in files.items():
        for key in _keys(name):
            owners.setdefault(key, []).append(file)
    return Counter(key for name in names.values() for key in _keys(name)), owners


def _refuse_several(names, files, found, folder):
    """Say so where an utterance was not found because several files are called like it."""
    counts, owners = _counted(names, files)
    for utterance in sorted(names.keys() - found.keys()):
        for key in _keys(names[utterance]):
            if counts[key] == 1 and len(several := owners.get(key, ())) > 1:
                places = " and ".join(several[:2])
                raise BadInput(
                    f"{folder}: utterance '{utterance}' has several files: {places}; keep one of them"
                )


# Speech that is said to be anonymised already: is all of it there, before a run takes hours to come to it?

SHOWN = 10  # utterances that a finding names


def findings_of(config, examined):
    """Look for every utterance in the folders of the config's ``audio`` anonymisers.

    Parameters
    ----------
    config : dict, completed and without problems
    examined : dict {corpus: checks.Examination}
        Corpora with errors are passed over.

    Returns
    -------
    Findings : an error for each anonymiser and part of a corpus that lacks utterances. Of a corpus that is cut into
        segments nothing is looked for: what its pieces are called is known when it is cut.
    """
    findings, plan = Findings(), Plan(config)
    ready = [name for name, entry in plan.anonymisers.items() if "audio" in entry]
    attacked = dict.fromkeys(attack.corpus for attack in plan.attacks())
    listed = [
        name for name in attacked if examined[name].parts and not examined[name].findings.errors()
    ]
    for corpus in [name for name in listed if ready and "segments" not in plan.source(name)]:
        for part in ("enrolment", "trial"):
            chosen, excluded = plan.corpora[corpus]["protocol"], examined[corpus].excluded
            utterances = [
                _utterance(of)
                for of in parts.list_part(plan.source(corpus), chosen, part, excluded=excluded)
            ]
            for name in ready:
                _look(name, plan.anonymiser_call(name, corpus, part)["audio"], utterances, findings)
    return findings


def _look(name, folders, utterances, findings):
    try:
        found = find_audio(folders, utterances)
    except BadInput as error:
        findings.error(f"anonymiser {name}", "-", str(error))
        return
    if missing := [of.utterance for of in utterances if of.utterance not in found]:
        first = ", ".join(missing[:SHOWN]) + ", ..." * (len(missing) > SHOWN)
        what = f"{len(missing)} of {counted(len(utterances), 'utterance')} missing: {first}"
        findings.error(" ".join(folders), "-", f"{what} (anonymiser '{name}')")


def _utterance(listed):
    path = listed.audio if isinstance(listed.audio, Path) else Path(listed.utterance)
    return Utterance(listed.utterance, listed.speaker, listed.gender, path, 0.0)
