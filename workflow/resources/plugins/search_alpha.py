"""An adaptive attacker, as an example: whoever knows that speech went through McAdams searches for
the alpha that undoes it.

McAdams turns the angle of a pole into angle ** alpha, so McAdams with 1 / alpha turns it back. The
attacker does not know the alpha of an utterance. So it undoes each of a grid, embeds all versions,
and takes the one that is most like the enrolment. The original speech enrols (OP). Unprotected
trials are searched in the same way (OO): whoever may choose finds strangers more alike, too.

It writes score files that a config names under ``attacks:``. First run the pipeline, then this in
the same folder, then the pipeline again with the second entry:
    python {resources}/plugins/search_alpha.py --corpus test_other --trials f m --anonymisers b2 b2r
    search:
      scores: "search/{corpus}/{trials}/{anonymiser}/{condition}.tsv"
      knowledge: lazy-informed
"""

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from voiceprivacy.anonymise.functions import mcadams  # noqa: E402
from voiceprivacy.attack.backends import backends  # noqa: E402
from voiceprivacy.attack.extractors import networks  # noqa: E402
from voiceprivacy.inout import audio, manifests, trial_lists  # noqa: E402
from voiceprivacy.inout.arrays import Embeddings  # noqa: E402
from voiceprivacy.inout.scored_trials import write_scores  # noqa: E402
from voiceprivacy.models import devices  # noqa: E402
from voiceprivacy.running.command import run  # noqa: E402

GRID = [1.0, 0.9, 0.85, 0.8, 0.75, 0.7]  # 1 is the utterance as it is


def undone(utterance, alpha):
    """Samples (N,) of an utterance as they were before McAdams with this alpha, if it was that."""
    samples, sample_rate = audio.read(utterance.path)
    if alpha == 1:
        return samples
    samples = mcadams.anonymise(samples, sample_rate, alpha=1 / alpha)
    samples /= max(1.0, np.abs(samples).max())  # as a file would hold it
    return samples.astype(np.float32)


def gallery_of(extractor, manifest, alpha):
    """Embeddings of all utterances of a manifest, each after undoing one alpha."""
    utterances = manifests.read_manifest(manifest)
    rows = [extractor.embed(undone(utterance, alpha)) for utterance in utterances]
    names = np.array([utterance.utterance for utterance in utterances])
    return backends.Gallery(Embeddings(names, np.stack(rows)), manifest)


def best_scores(trials, enrolments, enrolled, versions_tried):
    """Score of every trial (T,): the best over the versions of what is tried."""
    scores = [
        backends.score_trials(
            backends.cosine, trials, enrolment=enrolled, trial=tried, enrolments=enrolments
        )
        for tried in versions_tried
    ]
    return np.max(scores, axis=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--results", type=Path, default=Path("results"), help="of a finished run")
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--trials", nargs="+", required=True, help="names of its trial lists")
    parser.add_argument("--anonymisers", nargs="+", required=True)
    parser.add_argument("--model", default=ROOT / "workflow" / "resources" / "ecapa_small")
    parser.add_argument("--grid", type=float, nargs="+", default=GRID, help="of alphas to undo")
    parser.add_argument("--scores", type=Path, default=Path("search"), help="folder to write")
    arguments = parser.parse_args()

    speech = arguments.results / "audio" / arguments.corpus
    lists = arguments.results / "trials" / arguments.corpus
    with devices.single_thread():
        extractor = networks.Extractor(arguments.model)
        enrolled = gallery_of(extractor, speech / "enrolment" / "original" / "manifest.tsv", 1.0)
        for system in ("original", *arguments.anonymisers):
            manifest = speech / "trial" / system / "manifest.tsv"
            tried = [gallery_of(extractor, manifest, alpha) for alpha in arguments.grid]
            for name in arguments.trials:
                trials = trial_lists.read_trials(lists / f"{name}.tsv")
                enrolments = backends.read_enrolments(lists / f"{name}.enrolments.tsv")
                scores = best_scores(trials, enrolments, enrolled, tried)
                condition = "oo" if system == "original" else "op"
                folder = arguments.scores / arguments.corpus / name / system
                folder.mkdir(parents=True, exist_ok=True)
                write_scores(folder / f"{condition}.tsv", trials, scores)
                print(f"{len(trials)} trials: {folder / condition}.tsv")


if __name__ == "__main__":
    run(main)
