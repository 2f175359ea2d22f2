"""Assess an attacker on one list with more and less speech: curves of the headline numbers.

Embeddings are given as SYSTEM=FILE, where SYSTEM is original or an anonymiser. Unprotected speech
is attacked under OO, an anonymiser under OP and PP.
"""

import argparse
from collections.abc import Iterator
from itertools import chain
from typing import Any

from voiceprivacy.attack.backends import amounts, backends
from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.tables import (
    read_enrolments,
    read_manifest,
    read_speakers,
    read_trials,
    write_table,
)
from voiceprivacy.privacy.scores.trials import arrange
from voiceprivacy.privacy.verdict.amounts import points_of
from voiceprivacy.running.command import add_draws, run, say
from voiceprivacy.vocabulary import (
    ALL_UTTERANCES,
    CONDITIONS,
    ORIGINAL,
    PROTECTED_CONDITIONS,
    AmountPoint,
)


def main() -> None:
    arguments = parsed()
    score = backends.scorer(arguments.backend)
    listed = amounts.Listed(
        read_trials(arguments.trials),
        read_enrolments(arguments.enrolments),
        read_speakers(arguments.speakers),
        list(chain.from_iterable(map(read_manifest, arguments.manifest))),
    )
    enrolled, tried = (
        galleries(words, arguments.backend) for words in (arguments.enrolment, arguments.trial)
    )
    rows: list[AmountPoint] = []
    options = {
        "enrolment": arguments.enrolment_utterances,
        "trial": arguments.trial_utterances,
        "seed": arguments.seed,
    }
    for joined in amounts.joined(listed, **options):
        for system, condition, sides in attacks(enrolled, tried):
            scored = amounts.scored(score, joined, **sides)
            trials = arrange(scored, joined.speakers)
            for point in points_of(
                scored, trials, n_replicates=arguments.bootstrap, seed=arguments.seed
            ):
                told = {"anonymiser": system, "condition": condition} | joined.amounts
                rows.append(point._replace(**told))
        say(f"{joined.enrolment} enrol, {joined.trial} tried: {len(joined.trials)} trials")
    write_table(arguments.curves, AmountPoint._fields, rows)


def parsed() -> argparse.Namespace:
    """The arguments of this command."""
    parser = argparse.ArgumentParser(description=__doc__)
    speech: dict[str, Any] = {"nargs": "+", "required": True, "metavar": "SYSTEM=NPZ"}
    parser.add_argument("--enrolment", **speech, help="embeddings of the enrolment utterances")
    parser.add_argument("--trial", **speech, help="embeddings of the trial utterances")
    parser.add_argument("--trials", required=True, help="TSV: enrolment trial label")
    parser.add_argument("--enrolments", required=True, help="TSV: enrolment utterance")
    parser.add_argument("--speakers", required=True, help="TSV: id speaker")
    parser.add_argument(
        "--manifest", nargs="+", required=True, help="of unprotected speech: both parts"
    )
    parser.add_argument("--backend", required=True, help="cosine, jensen_shannon, or a trained npz")
    numbers: dict[str, Any] = {"nargs": "+", "required": True, "metavar": "N"}
    parser.add_argument(
        "--enrolment-utterances", type=amount, **numbers, help="utterances that enrol, or all"
    )
    parser.add_argument(
        "--trial-utterances", type=int, **numbers, help="utterances that are tried together"
    )
    add_draws(parser, n_replicates=1000)
    parser.add_argument("--curves", required=True, help="TSV to write, a line for each number")
    return parser.parse_args()


def amount(text: str) -> amounts.Amount:
    """A number of utterances, or all."""
    return text if text == ALL_UTTERANCES else int(text)


def galleries(words: list[str], backend: str) -> dict[str, backends.Gallery]:
    """{system: embeddings} from SYSTEM=FILE."""
    read = {}
    for word in words:
        system, _, path = word.partition("=")
        is_protected = system != ORIGINAL
        read[system] = backends.read_gallery(path, backend=backend, is_protected=is_protected)
    if ORIGINAL not in read:
        raise BadInput(f"embeddings of {ORIGINAL} are missing")
    return read


def attacks(
    enrolled: dict[str, backends.Gallery], tried: dict[str, backends.Gallery]
) -> Iterator[tuple[str, str, dict[str, backends.Gallery]]]:
    """Every system and condition, with the two sides that are compared."""
    for system in tried:
        speech = {"original": ORIGINAL, "run0": system}
        for condition in ("oo",) if system == ORIGINAL else PROTECTED_CONDITIONS:
            enrolment, trial = (speech[side] for side in CONDITIONS[condition])
            yield system, condition, {"enrolment": enrolled[enrolment], "trial": tried[trial]}


if __name__ == "__main__":
    run(main)
