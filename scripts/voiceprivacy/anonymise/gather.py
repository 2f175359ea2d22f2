"""Join the shards of an anonymised part, and make sure that a second run is another one."""

import numpy as np

from voiceprivacy import audio
from voiceprivacy.anonymise.draws import ALPHAS, alphas_path
from voiceprivacy.files import BadInput, counted, remove_leftovers
from voiceprivacy.stamps import write_stamps
from voiceprivacy.tables import read_manifest, read_table, write_manifest, write_table


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
    list of voiceprivacy.tables.Utterance

    Raises
    ------
    BadInput : an utterance is missing, occurs in two shards or is not of the original; alphas of some shards only;
        the audio of both runs is the same
    """
    for stale in (manifest, alphas_path(manifest)):
        remove_leftovers(stale)
    originals = read_manifest(original)
    rows = [(shard, of.utterance, of) for shard in shards for of in read_manifest(shard, may_be_empty=True)]
    protected = _once(rows, originals, original)
    joined = [
        of._replace(path=protected[of.utterance].path, duration_s=protected[of.utterance].duration_s)
        for of in originals
    ]
    if first_run is not None:
        _refuse_identical(joined, first_run)
    alphas_path(manifest).unlink(missing_ok=True)
    with_alphas = [alphas_path(shard) for shard in shards if alphas_path(shard).exists()]
    if with_alphas:
        rows = [(path, row["utterance"], row) for path in with_alphas for row in read_table(path, ALPHAS)]
        alphas = _once(rows, originals, original)
        write_table(alphas_path(manifest), ALPHAS, [alphas[of.utterance].values() for of in originals])
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
