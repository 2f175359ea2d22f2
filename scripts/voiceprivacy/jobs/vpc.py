"""The job vpc."""

import os
import sys
from pathlib import Path
from typing import Annotated

from voiceprivacy.errors import BadInput
from voiceprivacy.jobs.run import carried_out
from voiceprivacy.organise import zero_shot as zero_shot_of
from voiceprivacy.organise.challenge import Exported
from voiceprivacy.organise.finished_run import FinishedRun
from voiceprivacy.plan import configuration
from voiceprivacy.running.adapter import run
from voiceprivacy.running.command import say
from voiceprivacy.tools import challenge as challenges
from voiceprivacy.tools.challenge import LISTS_OF_TRACKS, PLANS, YEARS, Challenge


def vpc(
    *,
    year: Annotated[str, YEARS],
    data: Path,
    suffix: str,
    tracks: tuple[str, ...] = (),
    plan: Annotated[str, PLANS] | None = None,
    attacker: Path | None = None,
    recogniser: Path | None = None,
    emotion: Path | None = None,
    zero_shot: bool = False,
    gpu: bool = False,
    cores: int | None = None,
    dry_run: bool = False,
    overwrite: bool = False,
) -> None:
    """Evaluate a system of a VoicePrivacy challenge: find its directories, write a config, run it.

        voiceprivacy vpc --year 2024 --data data --suffix _mine --attacker exp/asv_orig

    The config lies in the working directory. If it is there already, it is run as it is.

    Parameters
    ----------
    year : of the challenge
    data : folder of its data directories (libri_dev_enrolls, ...), protected ones beside them
    suffix : of protected directories: _mine for libri_dev_enrolls_mine
    tracks : of 2026: 1, or languages of track 2 (default: all that are there)
    plan : of 2026: june compares signs of embeddings, september embeddings of length one and, in
        track 1, trials across genders (default: september)
    attacker : folder of a network that was trained on original speech
    recogniser : folder of the challenge's recogniser
    emotion : folder of its classifiers fold_1 to fold_5
    zero_shot : of 2026: score protected speech alone with --attacker as it is; nothing is trained
    gpu : jobs get a GPU, although this machine shows none
    cores : of the run (default: all)
    dry_run : write the config and plan the run
    overwrite : write the config anew
    """
    if not data.is_dir():
        raise BadInput(f"{data}: not found")
    if not suffix.strip("_") or "/" in suffix:
        raise BadInput(f"--suffix '{suffix}': expected what protected directories end with")
    for folder in filter(None, (attacker, recogniser, emotion)):
        if not folder.is_dir():
            raise BadInput(f"{folder}: not found")
    if year != "2026" and (plan or zero_shot):
        flag = "plan" if plan else "zero-shot"
        raise BadInput(f"--{flag}: is of 2026, and this is {year}")
    if zero_shot and not attacker:
        raise BadInput("--zero-shot: needs --attacker FOLDER, the network that is tried as it is")
    own = Challenge(
        year,
        data.absolute(),
        suffix,
        attacker=attacker and attacker.absolute(),
        recogniser=recogniser and recogniser.absolute(),
        emotion=emotion and emotion.absolute(),
        gpu=gpu or challenges.has_gpu(),
        plan=plan or "",
    )
    exit_code = 0
    for track in _tracks(year, tracks, data):
        evaluate = _try_attacker if zero_shot else _evaluate
        exit_code = exit_code or evaluate(own._replace(track=track), cores, dry_run, overwrite)
    sys.exit(exit_code)


def _tracks(year, tracks, data):
    if year != "2026":
        if tracks:
            raise BadInput(f"--tracks {' '.join(tracks)}: {year} has one track")
        return [""]
    for track in tracks:
        if track not in LISTS_OF_TRACKS:
            raise BadInput(f"--tracks {track}: expected some of {', '.join(LISTS_OF_TRACKS)}")
    present = tracks or challenges.tracks_in(data)
    if not present:
        raise BadInput(f"{data}: no trial list of 2026 is there, such as libri_dev_trials_mixed")
    return present


def _evaluate(challenge, cores, dry_run, overwrite):
    """Write the config of one track and run it; the exit code."""
    from voiceprivacy.tools import launcher  # Snakemake: half a second

    config = _config(challenge, challenge.title, challenges.prepare, overwrite)
    exit_code = carried_out(launcher.parse(_words(challenge, config, cores, dry_run)))
    if not exit_code and not dry_run and challenge.year in ("2024", "2026"):
        results = _results(challenge)
        rank = Exported(FinishedRun(results), challenge.system, challenge.suffix).write()
        say(f"wrote {rank}, and {results / 'exp'}")
    return exit_code


def _try_attacker(challenge, cores, dry_run, overwrite):
    """Score the protected speech of one track with an attacker as it is; the exit code."""
    from voiceprivacy.tools import launcher  # Snakemake: half a second

    config = _config(challenge, f"{challenge.title}_zero_shot", zero_shot_of.prepare, overwrite)
    results = _results(challenge)
    tried = zero_shot_of.ZeroShot(config, challenge, results)
    if not dry_run:
        say(tried.estimate(cores or os.cpu_count() or 1))
    words = [*tried.targets(), *_words(challenge, config, cores, dry_run)]
    exit_code = carried_out(launcher.parse(words))
    if not exit_code and not dry_run:
        say(*tried.write())
    return exit_code


def _config(challenge, title, prepare, overwrite):
    """The config of one track, which is written where it is not there."""
    config = Path(f"{title}.yaml")
    if config.exists() and not overwrite:
        own = configuration.read(config).get("plan")
        if challenge.plan and own != challenge.plan:
            remedy = "--overwrite writes it anew"
            raise BadInput(f"{config}: has plan {own or 'none'}, not {challenge.plan}: {remedy}")
        say(f"{config}: is there, and is run as it is (--overwrite writes it anew)")
    else:
        prepared = prepare(challenge)
        challenges.write(config, challenge, prepared)
        say(*prepared.lines(), f"wrote {config}")
    return config


def _results(challenge):
    return Path(challenge.title if challenge.track in challenges.LANGUAGES else "", "results")


def _words(challenge, config, cores, dry_run):
    """Options of Snakemake."""
    words = ["--directory", challenge.title] if challenge.track in challenges.LANGUAGES else []
    words += [] if cores is None else [f"--cores={cores}"]
    words += ["--dry-run"] if dry_run else []
    return [*words, "--configfile", str(config.absolute())]


if __name__ == "__main__":
    run(vpc)
