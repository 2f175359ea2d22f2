"""Anonymise one shard of a part: choose its utterances, run the plug-in, check and keep what it made."""

import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from tqdm import tqdm

from voiceprivacy.anonymise import plugins
from voiceprivacy.anonymise.functions.mcadams import ALPHAS, alphas_path
from voiceprivacy.inout import audio
from voiceprivacy.inout.files import (
    BadInput,
    counted,
    remove_leftovers,
    scratch_folder,
    whole_folder_or_absent,
    whole_or_absent,
)
from voiceprivacy.inout.stamps import refuse_changed, write_stamps
from voiceprivacy.inout.tables import read_manifest, read_table, write_manifest, write_table

# What must hold for every protected utterance, so that a broken anonymiser fails here and not as an odd EER.

SILENT = 1 / 32768  # nothing reaches one step of 16 bits
LENGTH_SHARE, LENGTH_S = (
    0.25,
    0.25,
)  # the length may differ by a quarter, or by a quarter of a second


def finding(original, path, sample_rate):
    """Examine one protected file.

    Parameters
    ----------
    original : voiceprivacy.inout.tables.Utterance
    path : path or None
        The protected file; None where the anonymiser returned none.
    sample_rate : int or None, Hz
        What it must be; None where any will do.

    Returns
    -------
    str or None : what is wrong with it, without its path
    """
    if path is None:
        return "is missing"
    if not path.exists():
        return "not found (in a manifest, relative paths start at its folder)"
    try:
        samples, its_rate = audio.read(path)
        channels = audio.header(path).channels
    except BadInput as error:
        return str(error).removeprefix(f"{path}: ")
    if channels != 1:
        return f"has {channels} channels instead of one"
    if sample_rate and its_rate != sample_rate:
        return f"is sampled at {its_rate} Hz instead of {sample_rate} (resample: true converts it)"
    duration_s = len(samples) / its_rate
    if abs(duration_s - original.duration_s) > max(LENGTH_S, LENGTH_SHARE * original.duration_s):
        return f"lasts {duration_s:.2f} s, the original {original.duration_s:.2f} s"
    if is_silent(samples) and not is_silent(audio.read(original.path)[0]):
        return "is silent, the original is not"
    return None


def is_silent(samples):
    """Whether no sample (N,) survives 16 bits."""
    return bool(np.abs(samples).max() < SILENT)


def raise_findings(findings, *, n_utterances):
    """Refuse the whole if there are findings (pairs of utterance id and text): the first ten and their number."""
    if not findings:
        return
    first = "; ".join(f"'{utterance}' {text}" for utterance, text in findings[:10])
    more = f"; and {len(findings) - 10} more" if len(findings) > 10 else ""
    raise BadInput(
        f"{len(findings)} of {n_utterances} protected utterances are unusable: {first}{more}"
        " (mend the anonymiser, or name them in 'exclude' of their corpus: they are left out for every anonymiser)"
    )


def anonymise_part(
    manifest,
    entry,
    *,
    seed,
    shard,
    shards,
    sample_rate,
    audio_dir,
    output_manifest,
    threads,
    runtime=None,
):
    """Protect the utterances of one shard; the output manifest is written last, and only if all of them are good.

    Parameters
    ----------
    manifest : path
        The original speech.
    entry : dict
        The anonymiser's entry in the config; ``resample`` (bool, default False) allows another sample rate.
    seed : int
    shard, shards : int
        Which of how many, from 0; the audio is the same for any number of shards.
    sample_rate : int, Hz
        The corpus's; every file that the output manifest names is mono, 16 bits, at this rate.
    audio_dir : path
        Becomes the folder of the files that are not used where they are.
    output_manifest : path
        Its alphas, if the anonymiser is a command that writes some, go beside it.
    threads : int
    runtime : float, optional
        Minutes after which the plug-in is ended.

    Raises
    ------
    BadInput : the plug-in fails, or what it made does not pass voiceprivacy.anonymise.part
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    for stale in (output_manifest, alphas_path(output_manifest)):
        stale.unlink(missing_ok=True)
        remove_leftovers(stale)
    remove_leftovers(audio_dir)
    utterances = select_shard(read_manifest(manifest), shard, shards)
    with scratch_folder(audio_dir) as scratch:
        limits = {"threads": threads, "minutes": runtime}
        paths = (
            plugins.protect(entry, utterances, seed=seed, scratch=scratch, **limits)
            if utterances
            else {}
        )
        with whole_folder_or_absent(audio_dir) as folder:
            _check(
                utterances, paths, None if entry.get("resample") else sample_rate, scratch=scratch
            )
            files = _keep(utterances, paths, sample_rate, folder=folder, scratch=scratch.resolve())
            refuse_changed(manifest, utterances)
        if (alphas := alphas_path(scratch / "output.tsv")).exists():
            with whole_or_absent(alphas_path(output_manifest)) as temporary:
                shutil.copy(alphas, temporary)
    write_manifest(
        output_manifest,
        [_protected(original, audio_dir / files[original.utterance]) for original in utterances],
    )


def select_shard(utterances, shard, shards):
    """The utterances of a shard, in their order: every ``shards``-th of the sorted ids, so it depends on them only."""
    if not 0 <= shard < shards:
        raise BadInput(f"--shard {shard}: must be from 0 to {shards - 1}")
    chosen = set(sorted(utterance.utterance for utterance in utterances)[shard::shards])
    return [utterance for utterance in utterances if utterance.utterance in chosen]


def _check(utterances, paths, sample_rate, *, scratch):
    findings = []
    for original in tqdm(utterances, desc="check", unit="utterance", mininterval=1.0):
        path = paths.get(original.utterance)
        if text := finding(original, path, sample_rate):
            findings.append(
                (original.utterance, text if path is None else f"{_shown(path, scratch)}: {text}")
            )
    raise_findings(findings, n_utterances=len(utterances))


def _shown(path, scratch):
    """A path, or only its end in the scratch folder, which is removed after a failure."""
    path, scratch = path.absolute(), scratch.absolute()
    return path.relative_to(scratch) if path.is_relative_to(scratch) else path


def _keep(utterances, paths, sample_rate, *, folder, scratch):
    """Move or convert into ``folder`` what cannot be used where it is; returns {utterance id: file}."""
    files, rates = {}, Counter()
    for name in (utterance.utterance for utterance in utterances):
        path = paths[name].resolve()
        if not audio.is_16_bit_mono(path, sample_rate):
            samples, its_rate = audio.read(path)
            rates[its_rate] += 1
            samples = audio.resample(samples, source_rate=its_rate, target_rate=sample_rate)
            audio.write(folder / f"{name}.flac", audio.within_full_scale(samples), sample_rate)
            files[name] = f"{name}.flac"
        elif path.is_relative_to(scratch):
            files[name] = f"{name}{path.suffix}"
            path.rename(folder / files[name])
        else:
            files[name] = path
    for its_rate in sorted(rates.keys() - {sample_rate}):
        files_of_rate = counted(rates[its_rate], "file")
        print(
            f"note: {files_of_rate} resampled from {its_rate} to {sample_rate} Hz", file=sys.stderr
        )
    return files


def _protected(original, path):
    return original._replace(path=path, duration_s=audio.header(path).duration_s)


# Join the shards of an anonymised part, and make sure that a second run is another one.


def gather_manifests(original, shards, manifest, *, first_run=None):
    """Write one manifest, in the original's order, and the alphas beside it if the shards have some.

    Parameters
    ----------
    original : path
        Manifest of the original speech; speakers and genders are its own.
    shards : list of path
    manifest : path
        To be written last.
    first_run : path, optional
        Manifest of the same anonymiser's first run, if this is the second.

    Returns
    -------
    list of voiceprivacy.inout.tables.Utterance

    Raises
    ------
    BadInput : an utterance is missing, occurs in two shards or is not of the original; alphas of some shards only;
        the audio of both runs is the same
    """
    for stale in (manifest, alphas_path(manifest)):
        remove_leftovers(stale)
    originals = read_manifest(original)
    rows = [
        (shard, of.utterance, of)
        for shard in shards
        for of in read_manifest(shard, may_be_empty=True)
    ]
    protected = _once(rows, originals, original)
    joined = [
        of._replace(
            path=protected[of.utterance].path, duration_s=protected[of.utterance].duration_s
        )
        for of in originals
    ]
    if first_run is not None:
        _refuse_identical(joined, first_run)
    alphas_path(manifest).unlink(missing_ok=True)
    with_alphas = [alphas_path(shard) for shard in shards if alphas_path(shard).exists()]
    if with_alphas:
        rows = [
            (path, row["utterance"], row)
            for path in with_alphas
            for row in read_table(path, ALPHAS)
        ]
        alphas = _once(rows, originals, original)
        write_table(
            alphas_path(manifest), ALPHAS, [alphas[of.utterance].values() for of in originals]
        )
    write_stamps(manifest, joined)
    write_manifest(manifest, joined)
    return joined


def _refuse_identical(second, first_run):
    """Compare all samples of two runs, up to the first difference."""
    first = {of.utterance: of.path for of in read_manifest(first_run)}
    for of in second:
        if not np.array_equal(audio.read(of.path)[0], audio.read(first[of.utterance])[0]):
            return
    raise BadInput(
        f"{first_run}: the second run made the very same audio of all {len(second)} utterances: "
        "an anonymiser with 'runs: 2' must draw from its seed; one that draws nothing has 'runs: 1'"
    )


def _once(rows, originals, original):
    """Index rows (file, utterance id, anything) by utterance; each of the originals must be there once."""
    found, files = {}, {}
    for file, name, row in rows:
        if name in found:
            raise BadInput(f"{file}: utterance '{name}' is also in {files[name]}")
        found[name], files[name] = row, file
    names = {of.utterance for of in originals}
    for name in found.keys() - names:
        raise BadInput(f"{files[name]}: utterance '{name}' is not in {original}")
    if missing := [of.utterance for of in originals if of.utterance not in found]:
        first = ", ".join(missing[:10])
        are = counted(len(missing), "utterance is", "utterances are")
        raise BadInput(f"{original}: {are} in none of the shards: {first}")
    return found
