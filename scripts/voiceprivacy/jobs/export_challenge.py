"""The job export_challenge."""

from pathlib import Path

from voiceprivacy.errors import BadInput
from voiceprivacy.organise.challenge import Exported
from voiceprivacy.organise.finished_run import unchanged
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools.new_config import system_names


def export_challenge(
    *,
    suffix: str,
    results: Path = Path("results"),
    anonymiser: str | None = None,
    data: Path | None = None,
    upload: Path | None = None,
) -> None:
    """Write the files of the VoicePrivacy Challenges of 2024 and 2026: exp/, result_for_rank.

    With --upload, it writes the archive that is sent in, too. Nothing is uploaded.

    Parameters
    ----------
    suffix : of protected directories: _mine for libri_dev_enrolls_mine
    results : folder of a finished run
    anonymiser : whose files: a name of the config (default: the suffix without its underscore)
    data : folder of the protected directories, for --upload
    upload : tar.gz to write, with result_for_rank, the zip of scores and all protected directories
    """
    if (upload is None) != (data is None):
        raise BadInput("--upload, --data: give both, or neither")
    [name] = system_names([suffix])
    exported = Exported(unchanged(results), anonymiser or name, suffix)
    if exported.is_of_track_2:
        raise BadInput(f"{results}: is of track 2 of 2026, and how that is sent in is not known")
    say(f"wrote {exported.write()}, and {results / 'exp'}")
    if upload and data:
        missing = exported.upload(upload, data)
        say(f"wrote {upload}", *(f"missing: {data / name}" for name in missing))
        if upload.name != exported.archive:
            say(f"the challenge calls it {exported.archive}")


if __name__ == "__main__":
    run(export_challenge)
