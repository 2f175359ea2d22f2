"""Train PLDA as in VoicePrivacy 2020 and 2022, or SpeechBrain's, or a Procrustes rotation."""

import argparse

from voiceprivacy.attack.backends import procrustes, recipes
from voiceprivacy.attack.backends.learning import Learning, rotation, spoken, together
from voiceprivacy.attack.held_out import Spoken, crossfitted, unknown
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.tables import read_manifest
from voiceprivacy.running.command import run, say
from voiceprivacy.vocabulary import HeldOut


def parsed() -> argparse.Namespace:
    """The arguments of this command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--embeddings", required=True, help="npz: embeddings of the training utterances"
    )
    parser.add_argument("--manifest", required=True, help="TSV of the training part: who speaks")
    parser.add_argument(
        "--type",
        choices=["plda", "speechbrain_plda", "procrustes"],
        default="plda",
        help="default: plda, Kaldi's",
    )
    parser.add_argument(
        "--original",
        help="npz: embeddings of the same utterances, not protected: of procrustes, and of PLDA"
        " that learns from both",
    )
    parser.add_argument(
        "--lda-dim", type=int, help="dimensions after LDA (default: min(200, D, speakers - 1))"
    )
    parser.add_argument(
        "--length-norm", choices=["kaldi", "simple", "none"], default="kaldi", help="default: kaldi"
    )
    parser.add_argument(
        "--no-centre",
        action="store_true",
        help="do not subtract the mean of the training utterances",
    )
    parser.add_argument(
        "--shrinkage",
        type=float,
        default=0.0,
        help="of the within-speaker covariance (default: 0, none)",
    )
    parser.add_argument(
        "--rank", type=int, default=100, help="of SpeechBrain's PLDA (default: 100)"
    )
    parser.add_argument(
        "--backend",
        required=True,
        help="npz to write: mean between within lda centre length_norm, or a rotation and means",
    )
    parser.add_argument(
        "--held-out",
        help="JSON to write: what such back-ends find in training speakers that they do not know",
    )
    return parser.parse_args()


def main() -> None:
    arguments = parsed()
    utterances = read_manifest(arguments.manifest)
    tried = spoken(arguments.embeddings, utterances)
    if arguments.type == "procrustes":
        if not arguments.original:
            raise BadInput("--original: procrustes needs embeddings of the unprotected utterances")
        alignment = rotation(tried, arguments.original)
        procrustes.write_alignment(arguments.backend, alignment)
        say(f"Rotation of {alignment.dimensions} dimensions from {sizes(tried)}")
        n_speakers = len(set(tried.speakers))
        tell(unknown(n_speakers, "a rotation is not judged on speakers held out"), arguments)
        return
    heard = tried
    if arguments.original:
        heard = together(tried, spoken(arguments.original, utterances))
    learning = Learning(
        arguments.type,
        arguments.lda_dim,
        arguments.length_norm,
        not arguments.no_centre,
        arguments.shrinkage,
        arguments.rank,
    )
    recipe = learning.recipe(heard.embeddings, heard.speakers)
    recipes.write_recipe(arguments.backend, recipe)
    name = arguments.type.replace("plda", "PLDA")
    shrunk = f", within-speaker covariance shrunk by {arguments.shrinkage}"
    say(
        f"{name} of {len(recipe.plda.mean)} dimensions from {sizes(heard)}"
        f"{shrunk if arguments.shrinkage else ''}"
    )
    if arguments.held_out:
        tell(crossfitted(tried, heard, learning.scorer), arguments)


def sizes(heard: Spoken) -> str:
    """How much is learnt from, in words."""
    return f"{len(heard.speakers)} utterances of {len(set(heard.speakers))} speakers"


def tell(findings: HeldOut, arguments: argparse.Namespace) -> None:
    """Write what was found in speakers held out, if that is wanted."""
    if arguments.held_out:
        write_json(arguments.held_out, findings._asdict())
        say(f"speakers held out: EER {findings.eer_percent} %, p = {findings.p_value}")


if __name__ == "__main__":
    run(main)
