"""Train PLDA as in VoicePrivacy 2020 and 2022: centre, LDA, length normalisation, PLDA."""

import argparse

from voiceprivacy.arrays import read_embeddings
from voiceprivacy.attack import backends, plda
from voiceprivacy.command import run
from voiceprivacy.tables import read_manifest


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embeddings", required=True, help="npz: embeddings of the training utterances")
    parser.add_argument("--manifest", required=True, help="TSV of the training part: who speaks")
    parser.add_argument("--lda-dim", type=int, help="dimensions after LDA (default: min(200, D, speakers - 1))")
    parser.add_argument("--length-norm", choices=["kaldi", "simple", "none"], default="kaldi", help="default: kaldi")
    parser.add_argument("--backend", required=True, help="npz to write: mean between within lda centre length_norm")
    arguments = parser.parse_args()

    utterances = read_manifest(arguments.manifest)
    gallery = backends.Gallery(read_embeddings(arguments.embeddings), arguments.embeddings)
    recipe = plda.vpc_recipe(
        gallery.of([of.utterance for of in utterances]),
        [of.speaker for of in utterances],
        lda_dim=arguments.lda_dim,
        length_norm=None if arguments.length_norm == "none" else arguments.length_norm,
    )
    plda.write_recipe(arguments.backend, recipe)
    n_speakers = len({of.speaker for of in utterances})
    print(f"PLDA of {len(recipe.plda.mean)} dimensions from {len(utterances)} utterances of {n_speakers} speakers")


if __name__ == "__main__":
    run(main)
