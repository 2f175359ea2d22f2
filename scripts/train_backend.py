"""Train PLDA as in VoicePrivacy 2020 and 2022, or SpeechBrain's, or a Procrustes rotation."""

import argparse
import functools
from collections.abc import Sequence

import numpy as np

from voiceprivacy.attack import Floats
from voiceprivacy.attack.backends import backends, procrustes, recipes
from voiceprivacy.attack.held_out import Scorer, Spoken, crossfitted, unknown
from voiceprivacy.inout.files import BadInput, write_json
from voiceprivacy.inout.tables import Utterance, read_manifest
from voiceprivacy.running.command import run
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
    tried = heard = spoken(arguments.embeddings, utterances)
    if arguments.type == "procrustes":
        n_speakers = len(set(heard.speakers))
        alignment = rotation(heard.embeddings, utterances, arguments)
        procrustes.write_alignment(arguments.backend, alignment)
        sizes = f"{len(utterances)} utterances of {n_speakers} speakers"
        print(f"Rotation of {alignment.dimensions} dimensions from {sizes}")
        tell(unknown(n_speakers, "a rotation is not judged on speakers held out"), arguments)
        return
    if arguments.original:
        heard = together(tried, spoken(arguments.original, utterances))
    recipe = trained(heard.embeddings, heard.speakers, arguments)
    recipes.write_recipe(arguments.backend, recipe)
    name = arguments.type.replace("plda", "PLDA")
    sizes = f"{len(heard.speakers)} utterances of {len(set(heard.speakers))} speakers"
    shrunk = f", within-speaker covariance shrunk by {arguments.shrinkage}"
    print(
        f"{name} of {len(recipe.plda.mean)} dimensions from {sizes}"
        f"{shrunk if arguments.shrinkage else ''}"
    )
    if arguments.held_out:
        train = functools.partial(trained_scorer, arguments=arguments)
        tell(crossfitted(tried, heard, train), arguments)


def tell(findings: HeldOut, arguments: argparse.Namespace) -> None:
    """Write what was found in speakers held out, if that is wanted."""
    if arguments.held_out:
        write_json(arguments.held_out, findings._asdict())
        print(f"speakers held out: EER {findings.eer_percent} %, p = {findings.p_value}")


def spoken(path: str, utterances: Sequence[Utterance]) -> Spoken:
    """Embeddings of a file in the order of the manifest, and who speaks."""
    names = [utterance.utterance for utterance in utterances]
    return Spoken(
        backends.read_gallery(path).embeddings_of(names),
        names,
        [utterance.speaker for utterance in utterances],
        [utterance.gender for utterance in utterances],
    )


def together(one: Spoken, other: Spoken) -> Spoken:
    """The rows of two files of the same utterances."""
    rows = list(range(len(one.speakers))) * 2
    embeddings = np.concatenate([one.embeddings, other.embeddings])
    return one.rows(rows)._replace(embeddings=embeddings)


def trained_scorer(
    embeddings: Floats, speakers: Sequence[str], *, arguments: argparse.Namespace
) -> Scorer:
    """The scorer of a back-end that is trained on some of the speakers only."""
    most = len(set(speakers)) - 1
    fewer = argparse.Namespace(**vars(arguments))
    fewer.lda_dim = min(fewer.lda_dim, most) if fewer.lda_dim else None
    return functools.partial(recipes.score_recipe, trained(embeddings, speakers, fewer))


def rotation(
    embeddings: Floats, utterances: list[Utterance], arguments: argparse.Namespace
) -> procrustes.Alignment:
    """The rotation from embeddings of protected speech to those of the same original speech."""
    if not arguments.original:
        raise BadInput("--original: procrustes needs embeddings of the unprotected utterances")
    original = backends.read_gallery(arguments.original)
    names = [utterance.utterance for utterance in utterances]
    return procrustes.train(original=original.embeddings_of(names), protected=embeddings)


def trained(
    embeddings: Floats, speakers: Sequence[str], arguments: argparse.Namespace
) -> recipes.Recipe:
    """The back-end of the type that the arguments name."""
    if arguments.type == "speechbrain_plda":
        return recipes.speechbrain_recipe(embeddings, speakers, rank=arguments.rank)
    normalised = arguments.length_norm != "none"
    return recipes.vpc_recipe(
        embeddings,
        speakers,
        lda_dim=arguments.lda_dim,
        length_norm=arguments.length_norm if normalised else None,
        scale=normalised,
        centre=not arguments.no_centre,
        shrinkage=arguments.shrinkage,
    )


if __name__ == "__main__":
    run(main)
