"""The job collect_atlas."""

from collections.abc import Sequence

from voiceprivacy.inout.files import BadInput
from voiceprivacy.inout.json_files import read_json
from voiceprivacy.inout.rows import write_typed
from voiceprivacy.report.atlas import points_of, together_of
from voiceprivacy.report.exposure import points_of_speakers
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.vocabulary import (
    AtlasPoint,
    ChannelsPoint,
    ExposedPoint,
    Heard,
    TrialList,
)


def collect_atlas(
    *,
    heard: list[list],
    corpus: str,
    trials: str,
    metrics: str,
    fusions: Sequence[str] = (),
    atlas: str,
    together: str,
    speakers: Sequence[str] = (),
    exposed: str,
) -> None:
    """How many bits of who speaks channels give away on a list: each alone, and several together.

    Parameters
    ----------
    heard : JSON: lists of anonymiser, condition, channel, heard_in, heard_under, extractor, backend
    corpus : of the list
    trials : the list, or the gallery
    metrics : metrics.tsv of the run
    fusions : ANONYMISER/CONDITION=JSON: what assess_atlas.py wrote of each system
    atlas : TSV to write: channels alone
    together : TSV to write: sets of channels
    speakers : what assess_ranks.py wrote of the speakers, in the order of --heard
    exposed : TSV to write: every speaker
    """
    trial_list = TrialList(corpus, trials)
    channels = [Heard(*each) for each in heard]
    points = points_of(read_metrics(metrics), trial_list, channels)
    write_typed(atlas, AtlasPoint, points)
    say(f"{len(points)} channels of systems on {corpus} {trials}")
    fused: list[ChannelsPoint] = []
    for word in fusions:
        system, is_split, path = word.partition("=")
        anonymiser, is_named, condition = system.partition("/")
        if not (is_split and is_named):
            raise BadInput(f"--fusions {word}: expected ANONYMISER/CONDITION=JSON")
        fused += together_of(read_json(path), anonymiser, condition)
    write_typed(together, ChannelsPoint, fused)
    by_channel = dict(zip(channels, speakers, strict=True)) if speakers else {}
    write_typed(exposed, ExposedPoint, points_of_speakers(by_channel))
    say(f"{len(fused)} numbers of several channels together")


if __name__ == "__main__":
    run(collect_atlas)
