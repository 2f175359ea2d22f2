"""The job collect_atlas."""

from voiceprivacy.errors import counted
from voiceprivacy.inout.typed_tables import write_typed
from voiceprivacy.plan.rows import Heard
from voiceprivacy.report.atlas import points_of, points_of_speakers
from voiceprivacy.report.metrics import read_metrics
from voiceprivacy.report.rows import AtlasPoint, ExposedPoint
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import require_as_many, say
from voiceprivacy.vocabulary import TrialList


def collect_atlas(
    *,
    heard: list[Heard],
    corpus: str,
    trials: str,
    metrics: str,
    atlas: str,
    speakers: list[str],
    exposed: str,
) -> None:
    """How many bits of who speaks channels give away on a list.

    Parameters
    ----------
    heard : JSON: lists of anonymiser, condition, channel, heard_in, heard_under, extractor, backend
    corpus : of the list
    trials : the list, or the gallery
    metrics : metrics.tsv of the run
    atlas : TSV to write: channels
    speakers : what assess_ranks.py wrote of the speakers, in the order of --heard
    exposed : TSV to write: every speaker
    """
    require_as_many(heard=heard, speakers=speakers)
    trial_list = TrialList(corpus, trials)
    points = points_of(read_metrics(metrics), trial_list, heard)
    write_typed(atlas, AtlasPoint, points)
    say(f"{counted(len(points), 'channel')} of systems on {corpus} {trials}")
    by_channel = dict(zip(heard, speakers, strict=True))
    write_typed(exposed, ExposedPoint, points_of_speakers(by_channel))


if __name__ == "__main__":
    run(collect_atlas)
