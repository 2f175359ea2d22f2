"""From a folder of speech and folders of protected versions of it to what a config needs.

``examine`` finds out who speaks, which protected file is whose, and what has to be left out.

Conventions
-----------
``left_out`` is {utterance: why} everywhere; what a function leaves out it adds there.
"""

import functools
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from voiceprivacy import seeds
from voiceprivacy.anonymise.findings import EQUAL, unlike_length
from voiceprivacy.anonymise.plugins import cuts_of
from voiceprivacy.corpora import compared_sounds, same_sound
from voiceprivacy.corpora.checks import SHORT_S
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.recordings import IS_SILENT, inspect, is_same_sound, is_used_in_place
from voiceprivacy.corpora.rows import Cut, whole
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.foreign import refuse_no_utf8
from voiceprivacy.plan.defaults import strongest_extractors
from voiceprivacy.tools.file_names import audio_files, is_found_without_help, pair
from voiceprivacy.tools.intake import Intake, read, why_not_listed
from voiceprivacy.tools.tryout import least_s
from voiceprivacy.tools.unpacking import is_packed
from voiceprivacy.vocabulary import ORIGINAL

SAMPLE_RATE = 16000  # of the attacker that is shipped
# A version of which less can be used is set aside, where there are others.
FEWEST_USABLE = 0.5
ENROLMENT_UTTERANCES = 3
# Speakers are kept for training an attacker of the protected speech where both kinds are enough.
TO_TRAIN = 0.4
FEWEST_TO_SPLIT = 40
MOST_TO_TRAIN = 200
# Fewer utterances enrol where more than a tenth of the speakers would be lost otherwise, or where
# most of them would not be tried with more than enrol them: the verdict judges what is tried.
KEPT_SPEAKERS = 0.9
TRIED_MORE = 0.5
# Of more utterances than this some of each speaker are taken: released files are compared pair by
# pair, so ten times as many cost a hundred times as much, and limits are over speakers.
ENOUGH_UTTERANCES = 1000
FEWEST_OF_EACH = 10
NOTHING: Mapping[str, str] = MappingProxyType({})


class Protected(NamedTuple):
    """What one anonymiser made.

    ``files``: {utterance: path} of the utterances that are used; ``n_found``: for how many there
    is a file at all; ``plain``: whether the run finds these files in ``folder`` by itself;
    ``sample_rates``: in Hz; ``n_mixed``: how many of the files have several channels; ``cuts``:
    {utterance: start and end in s} where the files are recordings of several utterances;
    ``unchanged``: utterances of which the file is the original, or nearly so; ``unmatched``: paths
    below ``folder`` that are of no original; ``again``: another such of a second draw, if there is
    one.
    """

    folder: Path
    files: dict[str, Path]
    n_found: int
    plain: bool
    sample_rates: list[int]
    n_mixed: int
    cuts: dict[str, tuple[float, float]]
    unchanged: list[str]
    unmatched: list[str]
    again: "Protected | None" = None


class NewRun(NamedTuple):
    """What a folder of speech and its protected versions hold.

    ``intake``: the originals; ``utterances``: those that are evaluated; ``training``: those of
    other speakers, on whom an attacker is trained, and ``taught_by``: the folder that holds these,
    often the same; ``left_out``: {utterance: why} for the others;
    ``seconds``: length of the originals that are evaluated; ``lists``: f and m, or mixed;
    ``protected``: {name: Protected}; ``set_aside``: {name: why}, of versions that are not shown;
    ``methods``: {name: PATH.py:FUNCTION}, anonymisers that the run calls itself; ``name``: what
    its corpus is to be called; ``given``: {anonymiser: what people call it};
    ``notes``: what is odd in the recordings of the originals, in words; ``free_lengths``: whether
    protected speech may be longer or shorter than the original.
    """

    intake: Intake
    speakers: Path | None
    utterances: list[Listed]
    training: list[Listed]
    taught_by: Intake
    left_out: dict[str, str]
    seconds: float
    lists: list[str]
    enrolment_utterances: int
    protected: dict[str, Protected]
    set_aside: dict[str, str]
    methods: Mapping[str, str] = NOTHING
    transcripts: Path | None = None
    name: str | None = None
    given: Mapping[str, str] = NOTHING
    notes: tuple[str, ...] = ()
    free_lengths: bool = False

    @property
    def root(self) -> Path:
        """The folder of the originals."""
        return self.intake.root

    @property
    def listed(self) -> list[Listed]:
        """All utterances of the originals."""
        return self.intake.listed


class _Version(NamedTuple):
    """One folder of protected speech: its files, and what can be used of them.

    ``rates`` is {utterance: Hz} of the files that can be used, ``faults`` {utterance: why not}.
    """

    folder: Path
    pairs: dict[str, Path]
    rates: dict[str, int]
    faults: dict[str, str]
    n_mixed: int
    cuts: dict[str, tuple[float, float]]
    unchanged: list[str]


def examine(
    original: str | Path,
    protected: Mapping[str, str | Path],
    *,
    again: Mapping[str, str | Path] = NOTHING,
    pattern: str | None = None,
    speakers: str | Path | None = None,
    transcripts: str | Path | None = None,
    train: str | Path | None = None,
    methods: Mapping[str, str] = NOTHING,
    free_lengths: bool = False,
    threads: int = 2,
) -> NewRun:
    """Find out who speaks, which protected file is whose, and what has to be left out.

    Parameters
    ----------
    original : path of a folder
    protected : dict {name: path of a folder}
    again : dict {name: path of a folder}
        A second, independent draw of some of them: what the attacker makes of other speech.
    pattern : str, optional
        As in the corpus kind ``folder``; guessed without.
    speakers : path, optional
        TSV with the columns speaker and gender.
    transcripts : path, optional
        TSV with the columns utterance and text.
    train : path of a folder, optional
        Speech of other speakers, on whom the semi-informed attacker is trained.
    methods : dict {name: "PATH.py:FUNCTION"}
        Anonymisers that the run calls itself.
    free_lengths : bool
        Whether protected speech may be longer or shorter than the original.
    threads : int
        Of reading files.

    Raises
    ------
    BadInput : a folder without audio, names that tell no speaker, two files for one utterance,
        fewer than two speakers, no protected version that can be used; a speaker in ``train``, too
    """
    root = Path(original).absolute()
    table = Path(speakers).absolute() if speakers else None
    said = Path(transcripts).absolute() if transcripts else None
    intake = read(root, pattern=pattern, speakers=table, transcripts=said)

    # Each step takes what the one before has left.
    left_out: dict[str, str] = {}
    headers, sounds, notes = _heard(intake.listed, left_out, threads)
    _leave_out_copies(intake.listed, sounds, left_out, notes)
    durations = {name: header.duration_s for name, header in headers.items()}
    versions, set_aside = _versions(
        intake, protected, again, headers, sounds, threads, free_lengths=free_lengths
    )
    for version in versions.values():
        for utterance, why in version.faults.items():
            left_out.setdefault(utterance, why)
    usable = [utterance for utterance in intake.listed if utterance.utterance not in left_out]
    usable = by_gender(usable, left_out, table=table)
    usable, enrolment_utterances = with_enough(usable, left_out)
    usable, lists = in_lists(usable, left_out)
    if len({utterance.speaker for utterance in usable}) < 2:
        raise BadInput(_too_few(root, intake.looks_like, len(intake.listed), left_out))
    if max(Counter(utterance.speaker for utterance in usable).values()) < 3:
        wrong = "no speaker has three utterances: one enrols, and two are compared"
        raise BadInput(f"{root}: {wrong}{_reasons(left_out)}")
    taught = others(Path(train), usable, pattern=pattern, threads=threads) if train else None
    evaluated, training = (usable, taught[1]) if taught else split_speakers(usable)
    in_place = all(is_used_in_place(one.audio, SAMPLE_RATE) for one in [*usable, *training])
    return NewRun(
        intake=intake,
        speakers=table,
        utterances=evaluated,
        training=training,
        taught_by=taught[0] if taught else intake,
        left_out=left_out,
        seconds=sum(durations[utterance.utterance] for utterance in evaluated),
        lists=lists,
        enrolment_utterances=enrolment_utterances,
        protected={
            name: _protected(name, usable, versions, in_place=in_place, taught=taught)
            for name in protected
            if name not in set_aside
        },
        set_aside=set_aside,
        methods=methods,
        transcripts=said,
        notes=tuple(map(str, notes)),
        free_lengths=free_lengths,
    )


def refuse_one_folder(
    original: Path,
    protected: Mapping[str, Path],
    again: Mapping[str, Path],
    *,
    train: Path | None = None,
) -> None:
    """Refuse, before any is read, a folder that is not there, or that is named for two things."""
    named = [("the originals", original), *protected.items()]
    named += [("the training speech", train)] if train else []
    named += [(f"the second draw of {name}", folder) for name, folder in again.items()]
    for index, (words, folder) in enumerate(named):
        if not (folder.is_dir() or is_packed(folder)):
            wrong = "is no folder, zip or tar" if folder.exists() else "not found"
            raise BadInput(f"{folder}: {wrong}")
        for other, before in named[:index]:
            if folder.samefile(before):
                raise BadInput(f"{folder}: is the folder of {other}, too; {words} is other speech")


def refuse_copies(run: NewRun) -> None:
    """Refuse a protected version with files that have the samples of the original, as the run does.

    A method that changes next to nothing is evaluated: the run says how little it protects.
    """
    originals = {one.utterance: one.audio for one in run.listed if one.audio}
    for name, first in run.protected.items():
        for version in filter(None, (first, first.again)):
            copies = [
                utterance
                for utterance in version.unchanged
                if is_same_sound(originals[utterance], version.files[utterance], least=EQUAL)
            ]
            if copies:
                raise BadInput(
                    f"{version.files[copies[0]]}: is its original, as {len(copies)} of"
                    f" {len(version.files)} files of {name}: give the folder of the protected"
                    " speech, or leave these recordings out of both folders"
                )


def _heard(listed, left_out, threads):
    """({utterance: header}, {utterance: sound}, what is odd) of the originals that can be read.

    The others are left out.
    """
    headers, sounds, notes = {}, {}, Findings()
    inspections = inspect([original.audio for original in listed], samples=True, threads=threads)
    for original, inspection in zip(listed, inspections, strict=True):
        fault = inspection.error or _silent(inspection) or why_not_listed(whole(original.audio))
        fault = fault or _too_short(inspection.header)
        if fault:
            left_out[original.utterance] = f"{original.audio}: {fault}"
        else:
            headers[original.utterance] = inspection.header
            sounds[original.utterance] = inspection.sound
            for oddity in inspection.oddities:
                notes.oddity(original.audio, "-", oddity)
    notes.group()
    return headers, sounds, notes


def _leave_out_copies(listed, sounds, left_out, notes):
    """Leave out recordings that are the same sound as another one, and note those that may be."""
    heard = [original for original in listed if original.utterance in sounds]
    doubtful = []
    for copy in same_sound.same([sounds[original.utterance] for original in heard]):
        first, second = heard[copy.first], heard[copy.second]
        if not copy.equal:
            doubtful.append((first, second))
            continue
        left_out[second.utterance] = f"{second.audio}: is the same sound as {first.audio}"
        if first.speaker != second.speaker:  # nobody knows who speaks
            left_out[first.utterance] = f"{first.audio}: is the same sound as {second.audio}"
    if doubtful:
        are = counted(len(doubtful), "recording sounds", "recordings sound")
        first, second = doubtful[0]
        notes.oddity(
            first.audio,
            "-",
            f"{are} the same as another after resampling or lossy coding, as {second.audio}: of two"
            " microphones, --pattern '{speaker}/{utterance}_mic1.flac' names one",
        )


def _leave_out_originals(words, originals, sounds, protected, prints, faults):
    """Leave out protected recordings that are the original of another utterance."""
    heard = []
    for system, listed, known in ((ORIGINAL, originals, sounds), (words, protected, prints)):
        for one in listed:
            if one.utterance in known:
                sound = compared_sounds.Sound(
                    "trial", system, one.utterance, one.audio, known[one.utterance]
                )
                heard.append(sound)
    for copy in compared_sounds.shared(heard):
        if copy.mend:
            wrong = f"{copy.other.audio}: is the original {copy.one.audio}"
            faults.setdefault(copy.other.utterance, wrong)


def _silent(inspection):
    return next((text for text in inspection.oddities if text.startswith(IS_SILENT)), None)


def _too_short(header):
    """Why a recording is too short for an attacker that the config gets; None where it is not."""
    if header.duration_s >= SHORT_S:
        return None
    needed_s, extractor = max((_least_s(name), name) for name in strongest_extractors())
    if header.duration_s >= needed_s:
        return None
    needs = f"extractor '{extractor}' needs {needed_s:.3f} s"
    return f"lasts {header.duration_s:.3f} s, and {needs}"


@functools.cache
def _least_s(extractor):
    return least_s(strongest_extractors()[extractor])


def _versions(intake, protected, again, headers, sounds, threads, *, free_lengths):
    """{(0 or 1, name): _Version} of every draw, and {name: why} of those that are set aside.

    A version of which hardly anything can be used stops the others from being shown no more than
    it must: where there are others, it is set aside.
    """
    versions, set_aside = {}, {}
    for draw, folders in enumerate((protected, again)):
        for name, folder in folders.items():
            words = f"the second draw of {name}" if draw else name
            folder = Path(folder).absolute()
            try:
                version = _version(
                    words, folder, intake, headers, sounds, threads, free_lengths=free_lengths
                )
                why = _hardly_usable(version, headers)
            except BadInput as error:
                if len(protected) == 1:
                    raise
                version, why = None, str(error)
            if why and len(protected) > 1:
                set_aside.setdefault(name, why)
            if version:
                versions[draw, name] = version
    if protected and len(set_aside) == len(protected):
        raise BadInput(f"no protected version can be used: {'; '.join(set_aside.values())}")
    kept = {key: version for key, version in versions.items() if key[1] not in set_aside}
    return kept, set_aside


def _hardly_usable(version, headers):
    """Why a version is set aside; None where enough of it can be used."""
    if len(version.rates) >= FEWEST_USABLE * len(headers):
        return None
    utterance, why = next(iter(sorted(version.faults.items())))
    share = f"{len(version.rates)} of {counted(len(headers), 'utterance')} can be used"
    return f"{version.folder}: {share}; '{utterance}': {why}"


def _version(words, folder, intake, headers, sounds, threads, *, free_lengths):
    """Look at the protected files of one folder; of the originals that can be read."""
    if not (folder / "wav.scp").exists():
        refuse_no_utf8(folder, (f"{folder}/{path}" for path in audio_files(folder)))
    pairs = pair(intake.listed, intake.root, folder, called=intake.names)
    originals = {one.utterance: one for one in intake.listed if one.utterance in headers}
    faults = dict.fromkeys(originals, f"{words} has no protected version")
    called = {intake.names.get(name, name): name for name in originals}
    cuts = {called[own]: cut for own, cut in cuts_of([folder]).items() if own in called}
    protected = []
    for name in filter(pairs.__contains__, originals):
        del faults[name]
        recording = Cut(pairs[name], *cuts[name]) if name in cuts else pairs[name]
        protected.append(originals[name]._replace(audio=recording))
    theirs, prints, notes = _heard(protected, faults, threads)
    _leave_out_copies(protected, prints, faults, notes)
    _leave_out_originals(words, originals.values(), sounds, protected, prints, faults)
    rates, n_mixed, unchanged = {}, 0, []
    for one in protected:
        name, path = one.utterance, pairs[one.utterance]
        if name in faults:
            continue
        fault = unlike_length(theirs[name].duration_s, headers[name].duration_s)
        if fault and not free_lengths:
            faults[name] = f"{path}: {fault} (--free-lengths keeps it)"
            continue
        rates[name] = theirs[name].sample_rate
        n_mixed += theirs[name].channels > 1
        may_be = same_sound.may_be_same(sounds[name], prints[name])
        if may_be and is_same_sound(originals[name].audio, one.audio):
            unchanged.append(name)
    return _Version(folder, pairs, rates, faults, n_mixed, cuts, unchanged)


def _protected(name, usable, versions, *, in_place, taught):
    """What is used of an anonymiser, of both draws where there are two.

    ``in_place``: the run reads all originals where they lie. What it converts lies elsewhere, so
    that protected files are not found by the paths of originals. ``taught``: the folder of other
    speakers and their utterances, if there is one.
    """
    first = _used(versions[0, name], usable, in_place=in_place, taught=taught)
    if (1, name) not in versions:
        return first
    again = _used(versions[1, name], usable, in_place=in_place, taught=taught)
    sample_rates = sorted({*first.sample_rates, *again.sample_rates})
    mixed = first.n_mixed + again.n_mixed
    return first._replace(plain=False, sample_rates=sample_rates, n_mixed=mixed, again=again)


def _used(version, usable, *, in_place, taught):
    files = {utterance.utterance: version.pairs[utterance.utterance] for utterance in usable}
    known = list(usable)
    if taught:
        theirs = _of_training(version.folder, *taught)
        files |= theirs
        known += [utterance for utterance in taught[1] if utterance.utterance in theirs]
    known = known if in_place else [one._replace(audio=None) for one in known]
    return Protected(
        folder=version.folder,
        files=files,
        n_found=len(version.pairs),
        plain=is_found_without_help(version.folder, known, files),
        sample_rates=sorted({version.rates[utterance.utterance] for utterance in usable}),
        n_mixed=version.n_mixed,
        cuts={utterance: cut for utterance, cut in version.cuts.items() if utterance in files},
        unchanged=[utterance for utterance in version.unchanged if utterance in files],
        unmatched=_unmatched(version.folder, {*version.pairs.values(), *files.values()}),
    )


def _unmatched(folder, paths):
    """Audio files of a folder that are of no original; of a.wav and a.mp3 both are a match."""
    if (folder / "wav.scp").exists():
        return []
    matched = {path.with_suffix("") for path in paths}
    return [path for path in audio_files(folder) if (folder / path).with_suffix("") not in matched]


def _of_training(folder, taught_by, training):
    """Protected files {utterance: path} of the speakers who train; none unless all are there."""
    try:
        pairs = pair(training, taught_by.root, folder, called=taught_by.names)
    except BadInput:  # none has the name of an original
        return {}
    return pairs if len(pairs) == len(training) else {}


def others(
    folder: Path, evaluated: Collection[Listed], *, pattern: str | None, threads: int
) -> tuple[Intake, list[Listed]]:
    """A folder of speakers on whom an attacker is trained, and their utterances that can be read.

    Raises
    ------
    BadInput : a speaker or an utterance is evaluated, too; fewer than two speakers
    """
    with naming(folder):
        intake = read(folder.absolute(), pattern=pattern, speakers=None, transcripts=None)
    left_out: dict[str, str] = {}
    _heard(intake.listed, left_out, threads)
    usable = [one for one in intake.listed if one.utterance not in left_out]
    for kind in ("speaker", "utterance"):
        both = {getattr(one, kind) for one in usable} & {getattr(one, kind) for one in evaluated}
        if both:
            raise BadInput(
                f"{folder}: {kind} '{min(both)}' is evaluated, too: an attacker learns on others"
            )
    if len({one.speaker for one in usable}) < 2:
        raise BadInput(_too_few(folder, intake.looks_like, len(intake.listed), left_out))
    return intake, usable


def _reasons(left_out):
    examples = [f"'{utterance}': {why}" for utterance, why in list(left_out.items())[:3]]
    return f" (left out: {'; '.join(examples)})" if examples else ""


def _too_few(root, pattern, n_listed, left_out):
    return (
        f"{root}: of {n_listed} utterances that look like {pattern} too few are left for two "
        f"speakers{_reasons(left_out)}; is the speaker read wrongly? --pattern says it"
    )


# Who can be evaluated: speakers with a gender, where genders are known, and enough utterances.


def by_gender(
    utterances: list[Listed], left_out: dict[str, str], *, table: Path | None = None
) -> list[Listed]:
    """Leave out speakers without a gender, where others have one.

    ``table`` is the path where genders were said to stand.

    Raises
    ------
    BadInput : there is a table, and it has none of the speakers
    """
    known = [utterance for utterance in utterances if utterance.gender != "-"]
    if table and utterances and not known:
        speaker = utterances[0].speaker
        raise BadInput(f"{table}: has none of the speakers, who are called such as '{speaker}'")
    if not known:
        return utterances
    for utterance in utterances:
        if utterance.gender == "-":
            left_out[utterance.utterance] = f"speaker '{utterance.speaker}' has no gender"
    return known


def with_enough(utterances: list[Listed], left_out: dict[str, str]) -> tuple[list[Listed], int]:
    """Leave out speakers who have too few utterances to enrol and to be tried.

    Returns
    -------
    list of Listed, int : and how many utterances enrol a speaker: three, or fewer where that would
        lose many speakers, or leave most of them no more than that to be tried with
    """
    counts = Counter(utterance.speaker for utterance in utterances)
    possible = sum(count > 1 for count in counts.values())  # one to enrol, one to be tried
    enrolled = ENROLMENT_UTTERANCES
    while enrolled > 1:
        n_kept = sum(count > enrolled for count in counts.values())
        n_more = sum(count > 2 * enrolled for count in counts.values())
        if n_kept >= KEPT_SPEAKERS * possible and n_more >= TRIED_MORE * n_kept:
            break
        enrolled -= 1
    kept = []
    for utterance in utterances:
        count = counts[utterance.speaker]
        if count > enrolled:
            kept.append(utterance)
        else:
            left_out[utterance.utterance] = f"speaker '{utterance.speaker}' has only {count}"
    return kept, enrolled


def in_lists(utterances: list[Listed], left_out: dict[str, str]) -> tuple[list[Listed], list[str]]:
    """The trial lists of utterances: by gender where that is known, else one mixed list.

    A gender with one speaker only is left out.

    Returns
    -------
    list of Listed, list of str : and f, m, or mixed
    """
    lists = []
    for gender in ("f", "m"):
        speakers = {said.speaker for said in utterances if said.gender == gender}
        if len(speakers) > 1:  # one speaker alone has no nontarget trials
            lists.append(gender)
    if not lists:
        return utterances, ["mixed"]
    kept = []
    for utterance in utterances:
        if utterance.gender in lists:
            kept.append(utterance)
        else:
            why = f"speaker '{utterance.speaker}' is the only one of this gender"
            left_out[utterance.utterance] = why
    return kept, lists


def split_speakers(utterances: list[Listed]) -> tuple[list[Listed], list[Listed]]:
    """Keep speakers of each gender for training an attacker, where there are enough speakers.

    Returns
    -------
    list of Listed, list of Listed : who is evaluated, and who trains; nobody trains where speakers
        are few
    """
    speakers: dict[str, set[str]] = {}
    for utterance in utterances:
        speakers.setdefault(utterance.gender, set()).add(utterance.speaker)
    n_speakers = sum(map(len, speakers.values()))
    if n_speakers < FEWEST_TO_SPLIT:
        return utterances, []
    share = min(TO_TRAIN, MOST_TO_TRAIN / n_speakers)
    training: set[str] = set()
    for gender, names in sorted(speakers.items()):
        # At least two of each gender are left, who can be nontargets of each other.
        n_training = min(round(share * len(names)), len(names) - 2)
        shuffled = seeds.generator(0, "training speakers", gender).permutation(sorted(names))
        training.update(shuffled[: max(0, n_training)].tolist())
    evaluated = [utterance for utterance in utterances if utterance.speaker not in training]
    return evaluated, [utterance for utterance in utterances if utterance.speaker in training]


def limit_of(utterances: Collection[Listed]) -> int | None:
    """How many utterances of a speaker are enough, of each part; None where all are taken."""
    n_speakers = len({utterance.speaker for utterance in utterances})
    if len(utterances) <= ENOUGH_UTTERANCES:
        return None
    limit = max(FEWEST_OF_EACH, ENOUGH_UTTERANCES // n_speakers)
    most = max(Counter(utterance.speaker for utterance in utterances).values())
    return limit if limit < most else None
