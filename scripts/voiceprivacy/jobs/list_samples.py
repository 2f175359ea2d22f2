"""The job list_samples."""

import sys
from typing import Annotated

from voiceprivacy.corpora.listing import GENDERS
from voiceprivacy.corpora.protocols import rank_sampling
from voiceprivacy.errors import counted
from voiceprivacy.inout.files import naming
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_at_least, say


def list_samples(
    *,
    options: rank_sampling.Sampled,
    manifest: str,
    gender: Annotated[str, GENDERS],
    test: int,
    template: int,
    samples: str,
    seconds: str,
) -> None:
    """List the tests and templates of one gallery for similarity ranks (protocol rank_sampling).

    Parameters
    ----------
    options : JSON of the protocol, as in the config
    manifest : manifest of the part trial
    gender : whom the gallery holds
    test : observations of a test
    template : observations of a template
    samples : TSV to write: shift speaker role utterance
    seconds : JSON to write: how long tests and templates last
    """
    require_at_least(1, test=test, template=template)
    utterances = read_manifest(manifest)
    with naming(manifest):
        drawn, left_out = rank_sampling.sample(
            options, utterances, gender=gender, test=test, template=template
        )
    write_typed(samples, rank_sampling.Sample, drawn)
    write_json(seconds, rank_sampling.seconds(drawn, utterances))
    n_speakers = len({sample.speaker for sample in drawn})
    n_shifts = len({sample.shift for sample in drawn})
    numbers = {"speaker": n_speakers, "shift": n_shifts, "test": n_speakers * n_shifts}
    speakers, shifts, tests = (counted(number, name) for name, number in numbers.items())
    say(f"{speakers}, {shifts}: {tests}")
    if left_out:
        say(f"note: too few observations, left out: {', '.join(left_out)}", file=sys.stderr)


if __name__ == "__main__":
    run(list_samples)
