"""Anonymise one shard of a part: choose its utterances, run the plug-in, check and keep what it made."""

import shutil
import sys
from collections import Counter
from pathlib import Path

from tqdm import tqdm

from voiceprivacy import audio
from voiceprivacy.anonymise import check, plugins
from voiceprivacy.anonymise.draws import alphas_path
from voiceprivacy.files import (
    BadInput,
    counted,
    remove_leftovers,
    scratch_folder,
    whole_folder_or_absent,
    whole_or_absent,
)
from voiceprivacy.stamps import refuse_changed
from voiceprivacy.tables import read_manifest, write_manifest


def anonymise_part(
    manifest, entry, *, seed, shard, shards, sample_rate, audio_dir, output_manifest, threads, runtime=None
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
    BadInput : the plug-in fails, or what it made does not pass voiceprivacy.anonymise.check
    """
    audio_dir, output_manifest = Path(audio_dir), Path(output_manifest)
    for stale in (output_manifest, alphas_path(output_manifest)):
        stale.unlink(missing_ok=True)
        remove_leftovers(stale)
    remove_leftovers(audio_dir)
    utterances = select_shard(read_manifest(manifest), shard, shards)
    with scratch_folder(audio_dir) as scratch:
        limits = {"threads": threads, "minutes": runtime}
        paths = plugins.protect(entry, utterances, seed=seed, scratch=scratch, **limits) if utterances else {}
        with whole_folder_or_absent(audio_dir) as folder:
            _check(utterances, paths, None if entry.get("resample") else sample_rate, scratch=scratch)
            files = _keep(utterances, paths, sample_rate, folder=folder, scratch=scratch.resolve())
            refuse_changed(manifest, utterances)
        if (alphas := alphas_path(scratch / "output.tsv")).exists():
            with whole_or_absent(alphas_path(output_manifest)) as temporary:
                shutil.copy(alphas, temporary)
    write_manifest(
        output_manifest, [_protected(original, audio_dir / files[original.utterance]) for original in utterances]
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
        if text := check.finding(original, path, sample_rate):
            findings.append((original.utterance, text if path is None else f"{_shown(path, scratch)}: {text}"))
    check.raise_findings(findings, n_utterances=len(utterances))


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
        print(f"note: {files_of_rate} resampled from {its_rate} to {sample_rate} Hz", file=sys.stderr)
    return files


def _protected(original, path):
    return original._replace(path=path, duration_s=audio.header(path).duration_s)
