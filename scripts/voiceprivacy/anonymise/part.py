"""One part of a corpus, anonymised: at once or shard by shard, checked, and joined again.

Beside a manifest lies the table of the McAdams coefficients (alphas) that were drawn for it. The
table is empty where the anonymiser draws none.
"""

import math
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from voiceprivacy.anonymise import plugins
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout import audio
from voiceprivacy.inout.checksums import sha256_of
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.inputs import note_input
from voiceprivacy.inout.json_files import read_json, write_json
from voiceprivacy.inout.tables import (
    ALPHAS,
    Row,
    Utterance,
    alphas_path,
    positions_path,
    read_manifest,
    read_table,
    write_manifest,
    write_table,
)
from voiceprivacy.inout.writing import (
    remove_earlier,
    remove_leftovers,
    scratch_folder,
    whole_folder_or_absent,
    whole_or_absent,
)
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import STREAMED

SILENT = 1 / 32768  # nothing reaches one step of 16 bits
LENGTH_SHARE, LENGTH_S = 0.25, 0.25  # by how much the length may differ: the larger of the two
# Lengths that speech has whose samples are read at another rate than they were made for.
RATIOS = {1 / 3: "a third", 0.5: "half", 2.0: "twice", 3.0: "three times"}
RATIO_SLACK = 0.05
MOST_NAMED = 10  # utterances that an error names
EQUAL = 0.99999  # correlation of samples: what differs lies 47 dB below the speech


def anonymise_part(
    manifest: FilePath,
    anonymiser: dict[str, Any],
    *,
    original: FilePath,
    first_run: FilePath | None = None,
    seed: int,
    sample_rate: int,
    audio_dir: FilePath,
    output_manifest: FilePath,
    threads: int,
    runtime: float | None = None,
) -> list[Utterance]:
    """Protect all utterances of a part as its only shard, and gather them.

    The parameters are those of anonymise_shard and of gather_manifests.

    Returns
    -------
    list of Utterance : the lines of ``output_manifest``, which is written last

    Raises
    ------
    BadInput : as these
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    scratch_name = output_manifest.with_name("shards")
    remove_leftovers(scratch_name)
    _remove_earlier(manifest, output_manifest, audio_dir)
    with scratch_folder(scratch_name) as scratch:
        shard = scratch / "0.tsv"
        anonymise_shard(
            manifest,
            anonymiser,
            seed=seed,
            sample_rate=sample_rate,
            audio_dir=audio_dir,
            output_manifest=shard,
            threads=threads,
            runtime=runtime,
        )
        return gather_manifests(original, [shard], output_manifest, first_run=first_run)


def anonymise_shard(
    manifest: FilePath,
    anonymiser: dict[str, Any],
    *,
    seed: int,
    sample_rate: int,
    shard: int = 0,
    shards: int = 1,
    audio_dir: FilePath,
    output_manifest: FilePath,
    threads: int,
    runtime: float | None = None,
) -> None:
    """Protect the utterances of one shard; nothing is written unless all of them are good.

    Parameters
    ----------
    manifest : path
        The original speech.
    anonymiser : dict
        Its entry in the config; ``resample`` (bool, default False) allows another sample rate.
    seed : int
    shard, shards : int
        Which of how many, from 0; the audio is the same for any number of shards.
    sample_rate : int, Hz
        The corpus's; every file that the output manifest names is mono, 16 bits, at this rate.
    audio_dir : path
        Becomes the folder of the files that are not used where they are.
    output_manifest : path
        Is written last; the coefficients of a command that draws some go beside it.
    threads : int
    runtime : float, optional
        Minutes after which the plug-in is ended.

    Raises
    ------
    BadInput : the plug-in fails, or what it made is unusable
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    _remove_earlier(manifest, output_manifest, audio_dir)
    utterances = select_shard(read_manifest(manifest), shard, shards)
    with scratch_folder(audio_dir) as scratch:
        protected = {}
        if utterances:
            protected = plugins.protect(
                anonymiser,
                utterances,
                seed=seed,
                positions=positions_path(manifest),
                scratch=scratch,
                threads=threads,
                minutes=runtime,
            )
        with whole_folder_or_absent(audio_dir) as folder:
            allowed_rate = None if anonymiser.get("resample") else sample_rate
            is_ready = "audio" in anonymiser
            _check(utterances, protected, allowed_rate, scratch=scratch, mixed_down=is_ready)
            files = _keep(utterances, protected, sample_rate, folder=folder, scratch=scratch)
            lasts = {name: audio.header(folder / file).duration_s for name, file in files.items()}
            _keep_latency(scratch / STREAMED, folder / STREAMED)
        _keep_alphas(alphas_path(scratch / "output.tsv"), alphas_path(output_manifest))
    lines = []
    for line in utterances:
        name = line.utterance
        lines.append(line._replace(path=audio_dir / files[name], duration_s=lasts[name]))
    write_manifest(output_manifest, lines)


def _remove_earlier(manifest: FilePath, output_manifest: Path, audio_dir: Path) -> None:
    """Remove what an earlier run of the same job wrote, or left when it was killed."""
    note_input(manifest)
    for path in (output_manifest, alphas_path(output_manifest)):
        remove_earlier(path)
    remove_leftovers(audio_dir)


def select_shard(utterances: Sequence[Utterance], shard: int, shards: int) -> list[Utterance]:
    """The utterances of a shard, in their order.

    They are every ``shards``-th of the sorted ids, so they depend on the ids only.
    """
    if not 0 <= shard < shards:
        raise BadInput(f"--shard {shard}: must be from 0 to {shards - 1}")
    chosen = set(sorted(utterance.utterance for utterance in utterances)[shard::shards])
    return [utterance for utterance in utterances if utterance.utterance in chosen]


def _keep_latency(written: Path, kept: Path) -> None:
    """Keep what was found of a stream (the plug-in may be somebody else's) beside its speech."""
    if written.exists():
        measured = read_json(written)
        latency = measured.get("latency_ms") if isinstance(measured, dict) else None
        if not isinstance(latency, int | float) or not 0 <= latency < math.inf:
            raise BadInput(f"{written.name}: has no latency_ms")
        write_json(kept, {"latency_ms": latency})


def _keep_alphas(written: Path, kept: Path) -> None:
    if not written.exists():
        write_table(kept, ALPHAS, [])
        return
    with whole_or_absent(kept) as temporary:
        shutil.copy(written, temporary)


# What must hold for every protected utterance: a broken anonymiser fails here, not as an odd EER.


def finding(
    original: Utterance, path: Path | None, sample_rate: int | None, *, mixed_down: bool = False
) -> str | None:
    """Examine one protected file.

    Parameters
    ----------
    original : Utterance
    path : path or None
        The protected file; None where the anonymiser returned none.
    sample_rate : int or None, Hz
        What it must be; None where any will do.
    mixed_down : bool
        Whether it may have several channels, which are averaged.

    Returns
    -------
    str or None : what is wrong with it, without its path
    """
    if path is None:
        return "is missing"
    if not path.exists():
        return "not found (in a manifest, relative paths start at its folder)"
    try:
        channels, its_header = audio.read_channels(path, verify=True)
    except BadInput as error:
        return str(error).removeprefix(f"{path}: ")
    its_rate, samples = its_header.sample_rate, audio.averaged(channels)
    if its_header.channels != 1 and not mixed_down:
        return f"has {its_header.channels} channels instead of one"
    if sample_rate and its_rate != sample_rate:
        return f"is sampled at {its_rate} Hz instead of {sample_rate} (resample: true converts it)"
    if fault := audio.cancelled(channels, samples):
        return fault
    if fault := unlike_length(len(samples) / its_rate, original.duration_s):
        return fault
    if is_silent(samples) and not is_silent(audio.read(original.path)[0]):
        return "is silent, the original is not"
    return None


def unlike_length(duration_s: float, original_s: float) -> str | None:
    """Why speech of this duration is no version of the original; None where it may be one."""
    if abs(duration_s - original_s) <= max(LENGTH_S, LENGTH_SHARE * original_s):
        return None
    fault = f"lasts {duration_s:.2f} s, the original {original_s:.2f} s"
    for ratio, name in RATIOS.items():
        expected_s = ratio * original_s
        if abs(duration_s - expected_s) < RATIO_SLACK * expected_s:
            return f"{fault}: {name} as long (does its header name another sample rate?)"
    return fault


def is_silent(samples: audio.Samples) -> bool:
    """Whether no sample (N,) survives 16 bits, or all are one constant."""
    return bool(np.ptp(samples) < 2 * SILENT)


def raise_findings(findings: Sequence[tuple[str, str]], *, n_utterances: int) -> None:
    """Refuse a shard as a whole if there are findings: pairs of utterance id and text."""
    if not findings:
        return
    first = "; ".join(f"'{utterance}' {text}" for utterance, text in findings[:MOST_NAMED])
    n_more = len(findings) - MOST_NAMED
    more = f"; and {n_more} more" if n_more > 0 else ""
    raise BadInput(
        f"{len(findings)} of {n_utterances} protected utterances are unusable: {first}{more}"
        " (mend the anonymiser, or name them in 'exclude' of their corpus:"
        " they are left out for every anonymiser)"
    )


def _check(
    utterances: Sequence[Utterance],
    protected: plugins.ProtectedPaths,
    sample_rate: int | None,
    *,
    scratch: Path,
    mixed_down: bool,
) -> None:
    findings = []
    for original in tqdm(utterances, desc="check", unit="utterance", mininterval=1.0):
        path = protected.get(original.utterance)
        text = finding(original, path, sample_rate, mixed_down=mixed_down)
        if text and path:  # of a path in the scratch folder, which will be removed, only its end
            text = f"{path.absolute()}: {text}".removeprefix(f"{scratch.absolute()}/")
        if text:
            findings.append((original.utterance, text))
    if mixed_down and not findings:  # made elsewhere
        findings = _of_others(utterances, protected)
    raise_findings(findings, n_utterances=len(utterances))


def _of_others(
    utterances: Sequence[Utterance], protected: plugins.ProtectedPaths
) -> list[tuple[str, str]]:
    """Protected files that are another utterance's file or an original, byte for byte.

    An utterance's own original is recognised by its samples, too.
    """
    originals = {line.utterance: sha256_of(line.path) for line in utterances}
    original_of = {digest: name for name, digest in originals.items()}
    findings = []
    first: dict[str, str] = {}
    for line in utterances:
        name, own = line.utterance, originals[line.utterance]
        digest = sha256_of(protected[name])
        other = first.setdefault(digest, name)
        if originals[other] != own:
            findings.append((name, f"is the same file as that of '{other}'"))
        elif digest in original_of and digest != own:
            findings.append((name, f"is the original of '{original_of[digest]}'"))
        elif is_the_original(line.path, protected[name]):
            findings.append((name, "is its original: it is not protected"))
    return findings


def is_the_original(original: FilePath, protected: FilePath) -> bool:
    """Whether a file has the samples of an original, but for a gain and for steps of 16 bits."""
    n_samples, sums, products = 0, np.zeros(2), np.zeros((2, 2))
    for pieces in audio.side_by_side(original, protected):
        if len(pieces[0]) != len(pieces[1]):
            return False
        both = np.stack(pieces).astype(np.float64)
        n_samples += both.shape[1]
        sums += both.sum(axis=1)
        products += both @ both.T
    covariance = products - np.outer(sums, sums) / n_samples
    with np.errstate(invalid="ignore"):  # silence is like nothing
        return bool(abs(covariance[0, 1]) > EQUAL * np.sqrt(covariance[0, 0] * covariance[1, 1]))


def _keep(
    utterances: Sequence[Utterance],
    protected: plugins.ProtectedPaths,
    sample_rate: int,
    *,
    folder: Path,
    scratch: Path,
) -> dict[str, str | Path]:
    """Move or convert into ``folder`` what cannot be used where it is: {utterance id: file}."""
    files: dict[str, str | Path] = {}
    rates: Counter[int] = Counter()  # of the files that were converted
    n_mixed = 0
    for name in (utterance.utterance for utterance in utterances):
        path = protected[name].resolve()
        if not audio.is_16_bit_mono(path, sample_rate):
            n_mixed += audio.header(path).channels > 1
            samples, its_rate = audio.read(path)
            rates[its_rate] += 1
            samples = audio.resample(samples, source_rate=its_rate, target_rate=sample_rate)
            audio.write(folder / f"{name}.flac", audio.fitted(samples), sample_rate)
            files[name] = f"{name}.flac"
        elif path.is_relative_to(scratch.resolve()):
            files[name] = f"{name}{path.suffix}"
            path.rename(folder / files[name])
        else:
            files[name] = path
    for its_rate in sorted(rates.keys() - {sample_rate}):
        n_files = counted(rates[its_rate], "file")
        say(f"note: {n_files} resampled from {its_rate} to {sample_rate} Hz", file=sys.stderr)
    if n_mixed:
        have = counted(n_mixed, "file has", "files have")
        say(f"warning: {have} several channels, which were mixed down to one", file=sys.stderr)
    return files


# Shards joined again, and a second run that must be another one.


def gather_manifests(
    original: FilePath,
    shards: Sequence[FilePath],
    manifest: FilePath,
    *,
    first_run: FilePath | None = None,
) -> list[Utterance]:
    """Write one manifest in the original's order, with its alphas beside it.

    Parameters
    ----------
    original : path
        Manifest of the original speech; speakers and genders are its own.
    shards : list of path
    manifest : path
        To be written last.
    first_run : path, optional
        Manifest of the same anonymiser's first run, if this is the second.

    Raises
    ------
    BadInput : an utterance is missing, occurs in two shards or is not of the original; only some
        utterances have an alpha; the first run is of other utterances, or its audio is the same
    """
    remove_leftovers(manifest)
    remove_earlier(alphas_path(manifest))
    originals = read_manifest(original)
    protected = _Joined(originals, original)
    for shard in shards:
        for utterance in read_manifest(shard, may_be_empty=True):
            protected.add(utterance.utterance, utterance, shard)
    joined = []
    for before, after in zip(originals, protected.in_order("shards"), strict=True):
        joined.append(before._replace(path=after.path, duration_s=after.duration_s))
    if first_run is not None:
        _refuse_identical(joined, first_run)
    alphas = _joined_alphas(shards, _Joined(originals, original))
    write_table(alphas_path(manifest), ALPHAS, [row.values() for row in alphas])
    write_manifest(manifest, joined)
    return joined


class _Joined:
    """What the shards say of each utterance: every one of the originals once, and no other."""

    def __init__(self, originals: Iterable[Utterance], original: FilePath):
        self.names = [utterance.utterance for utterance in originals]
        self.original = original
        self.rows: dict[str, Any] = {}
        self.files: dict[str, FilePath] = {}

    def add(self, name: str, row: Any, file: FilePath) -> None:
        """Take in what a file says of an utterance (its name)."""
        if name in self.rows:
            raise BadInput(f"{file}: utterance '{name}' is also in {self.files[name]}")
        self.rows[name], self.files[name] = row, file

    def in_order(self, files: str) -> list[Any]:
        """The rows in the order of the originals; ``files`` says in words what was joined."""
        known = set(self.names)
        for name, file in self.files.items():
            if name not in known:
                raise BadInput(f"{file}: utterance '{name}' is not in {self.original}")
        if missing := [name for name in self.names if name not in self.rows]:
            are = counted(len(missing), "utterance is", "utterances are")
            first = ", ".join(missing[:MOST_NAMED])
            raise BadInput(f"{self.original}: {are} in none of the {files}: {first}")
        return [self.rows[name] for name in self.names]


def _joined_alphas(shards: Sequence[FilePath], joined: _Joined) -> list[Row]:
    """The alphas of all shards in the order of the originals; none if none was drawn."""
    for path in map(alphas_path, shards):
        if path.exists():
            for row in read_table(path, ALPHAS):
                joined.add(row["utterance"], row, path)
    files = "tables of alphas, which other utterances are in"
    return joined.in_order(files) if joined.rows else []


def _refuse_identical(second: Sequence[Utterance], first_run: FilePath) -> None:
    """Refuse a second run whose samples are all those of the first: nothing was drawn anew."""
    first = {utterance.utterance: utterance.path for utterance in read_manifest(first_run)}
    for utterance in second:
        if utterance.utterance not in first:
            raise BadInput(f"{first_run}: has no utterance '{utterance.utterance}' of this run")
        pieces = audio.side_by_side(utterance.path, first[utterance.utterance])
        if not all(np.array_equal(*both) for both in pieces):
            return
    raise BadInput(
        f"{first_run}: the second run made the very same audio of all {len(second)} utterances:"
        " an anonymiser with 'runs: 2' must draw from its seed;"
        " one that draws nothing has 'runs: 1'"
    )
