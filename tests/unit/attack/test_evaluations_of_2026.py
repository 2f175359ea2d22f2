"""Rates by both plans of 2026 equal those of a scorer that is written from the facts of its code.

The scorer keeps the last label of a pair, leaves out what has no embedding, normalises embeddings
as its plan does, takes means and cosine distances in single precision, and SpeechBrain's EER.
"""

import numpy as np
import pytest
import torch

from voiceprivacy.attack.backends import backends
from voiceprivacy.corpora.listing import Findings, Listed
from voiceprivacy.corpora.protocols import given
from voiceprivacy.inout.arrays import Embeddings
from voiceprivacy.privacy.scores.verification import eer_speechbrain_percent

N_SPEAKERS, ENROLLED, TRIED, DIMENSIONS = 14, 5, 12, 192


def embedded(generator, people, names):
    """{utterance: embedding}: people's own directions and much noise, some numbers zero."""
    noise = generator.normal(scale=4, size=(len(names), DIMENSIONS))
    rows = people[[int(name.split("-")[0][1:]) for name in names]] + noise
    rows[generator.uniform(size=rows.shape) < 0.02] = 0
    return dict(zip(names, rows.astype("float32"), strict=True))


def random_list(generator):
    """Lines of a list with repeats, contradictions, and names that are not there."""
    names = [f"s{number}" for number in range(N_SPEAKERS)]
    lines = []
    for speaker in names:
        for other in names:
            for index in range(TRIED):
                label = "target" if speaker == other else "nontarget"
                lines.append(f"{speaker} {other}-t{index} {label}")
    again = [str(line) for line in generator.choice(lines, 300)]
    wrong = [f"{line.rpartition(' ')[0]} nontarget" for line in generator.choice(lines, 300)]
    absent = ["s0 s0-t99 target", "s77 s0-t0 nontarget", "s1 nobody nontarget"]
    lines = [*wrong, *lines, *again, *absent]
    return [
        lines[index] for index in [*range(300), *(300 + generator.permutation(len(lines) - 300))]
    ]


def scorers_eer(lines, enrolled, tried, plan):
    from sklearn.metrics.pairwise import cosine_distances
    from speechbrain.utils.metric_stats import EER

    def normalised(vector):
        vector = torch.from_numpy(vector)[None, None]  # (1, 1, D)
        return torch.nn.functional.normalize(vector, dim=1 if plan == "june" else -1)[0, 0]

    labels = {}
    for line in lines:
        speaker, utterance, label = line.split()
        labels[speaker, utterance] = label == "target"
    of_speaker = {}
    for name, vector in enrolled.items():
        of_speaker.setdefault(name.split("-")[0], []).append(normalised(vector))
    means = {speaker: torch.stack(own).mean(dim=0) for speaker, own in of_speaker.items()}
    vectors = {name: normalised(vector) for name, vector in tried.items()}
    scored = [pair for pair in labels if pair[0] in means and pair[1] in vectors]
    speakers = list(dict.fromkeys(speaker for speaker, _ in scored))
    utterances = list(dict.fromkeys(utterance for _, utterance in scored))
    similar = 1 - cosine_distances(
        torch.stack([means[one] for one in speakers]),
        torch.stack([vectors[one] for one in utterances]),
    )
    of_label = {True: [], False: []}
    for speaker, utterance in scored:
        score = float(similar[speakers.index(speaker), utterances.index(utterance)])
        of_label[labels[speaker, utterance]].append(score)
    return float(EER(torch.tensor(of_label[True]), torch.tensor(of_label[False]))[0])


def our_eer(path, enrolled, tried, plan):
    def listed(names):
        return [Listed(name, name.split("-")[0], "f", "", None, "", "-") for name in names]

    options, findings = {"mixed": {"directory": str(path.parent), "repeats": "last"}}, Findings()
    utterances = listed(enrolled), listed(tried)
    given.check_list(options, "mixed", *utterances, findings)
    assert findings.errors() == []
    trials, enrolments = given.list_trials({}, options, "mixed", *utterances, findings)
    galleries = {}
    for side, vectors in (("enrolment", enrolled), ("trial", tried)):
        rows = Embeddings(np.array(list(vectors)), np.stack(list(vectors.values())))
        galleries[side] = (rows, side)
    backend = f"vpc2026_{plan}"
    sides = backends.galleries_of(galleries, backend=backend, protected=())
    names = backends.Lookup(enrolments, path="list", kind="enrolment")
    scores = backends.score_trials(backends.scorer(backend), trials, **sides, enrolments=names)
    is_target = np.array([trial.label == "target" for trial in trials])
    return eer_speechbrain_percent(target=scores[is_target], nontarget=scores[~is_target])


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(2, 30))]
)
@pytest.mark.parametrize("plan", ["june", "september"])
def test_rates_are_those_of_the_scorer(tmp_path, plan, seed):
    generator = np.random.default_rng(seed)
    people = generator.normal(size=(N_SPEAKERS, DIMENSIONS))
    speakers = range(N_SPEAKERS)
    names = [f"s{one}-e{index}" for one in speakers for index in range(1 + (one + seed) % ENROLLED)]
    enrolled = embedded(generator, people, names)
    tried = embedded(generator, people, [f"s{one}-t{n}" for one in speakers for n in range(TRIED)])
    lines = random_list(generator)
    (tmp_path / "trials").write_text("".join(f"{line}\n" for line in lines))
    expected = scorers_eer(lines, enrolled, tried, plan)
    ours = our_eer(tmp_path / "trials", enrolled, tried, plan)
    assert abs(ours / 100 - expected) < 1e-6
    assert f"{ours:.3f}" == f"{round(100 * expected, 3):.3f}"
