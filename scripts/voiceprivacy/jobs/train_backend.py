"""The job train_backend."""

from typing import Literal

from voiceprivacy.attack.backends import procrustes, recipes
from voiceprivacy.attack.backends.learning import Learning, spoken, together
from voiceprivacy.attack.held_out import HeldOut, Spoken, crossfitted, unknown
from voiceprivacy.errors import BadInput, counted
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say


def train_backend(
    *,
    embeddings: list[str],
    manifest: str,
    type: Literal["plda", "speechbrain_plda", "procrustes"] = "plda",
    original: str | None = None,
    lda_dim: int | None = None,
    length_norm: Literal["kaldi", "simple", "none"] = "kaldi",
    no_centre: bool = False,
    shrinkage: float = 0.0,
    rank: int = 100,
    backend: str,
    held_out: str | None = None,
) -> None:
    """Train PLDA as in VoicePrivacy 2020 and 2022, or SpeechBrain's, or a Procrustes rotation.

    Parameters
    ----------
    embeddings : npz: embeddings of the training utterances; PLDA takes several files, by several
        systems, of which the first is tried on speakers held out
    manifest : TSV of the training part: who speaks
    type : plda: Kaldi's
    original : npz: embeddings of the same utterances, not protected: of procrustes, and of PLDA
        that learns from both
    lda_dim : dimensions after LDA (default: min(200, D, speakers - 1))
    length_norm : how embeddings are scaled
    no_centre : do not subtract the mean of the training utterances
    shrinkage : of the within-speaker covariance
    rank : of SpeechBrain's PLDA
    backend : npz to write: mean between within lda centre length_norm, or a rotation and means
    held_out : JSON to write: what such back-ends find in training speakers that they do not know
    """
    utterances = read_manifest(manifest)
    tried, *more = [spoken(path, utterances) for path in embeddings]
    if type == "procrustes":
        if not original or more:
            needed = "one file as --embeddings, and --original of the unprotected utterances"
            raise BadInput(f"--type: procrustes needs {needed}")
        unprotected = spoken(original, utterances).embeddings
        alignment = procrustes.train(original=unprotected, protected=tried.embeddings)
        procrustes.write_alignment(backend, alignment)
        say(f"Rotation of {alignment.dimensions} dimensions from {sizes(tried)}")
        n_speakers = len(set(tried.speakers))
        if held_out:
            reason = "a rotation is not judged on speakers held out"
            tell(unknown(n_speakers, reason), held_out)
        return
    if original:
        more.append(spoken(original, utterances))
    heard = together([tried, *more])
    learning = Learning(type, lda_dim, length_norm, not no_centre, shrinkage, rank)
    with naming(manifest):
        recipe = learning.recipe(heard.embeddings, heard.speakers)
    recipes.write_recipe(backend, recipe)
    say(f"{type} of {len(recipe.plda.mean)} dimensions from {sizes(heard)}")
    if held_out:
        tell(crossfitted(tried, heard, learning.scorer), held_out)


def sizes(heard: Spoken) -> str:
    """How much is learnt from, in words."""
    return (
        f"{counted(len(heard.speakers), 'utterance')} of"
        f" {counted(len(set(heard.speakers)), 'speaker')}"
    )


def tell(findings: HeldOut, path: str) -> None:
    """Write what was found in speakers held out."""
    write_json(path, findings._asdict())
    rate = f"EER {findings.eer_percent} %, p = {findings.p_value}"
    say(f"speakers held out: {findings.reason or rate}")


if __name__ == "__main__":
    run(train_backend)
