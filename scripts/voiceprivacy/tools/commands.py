"""The words behind ``voiceprivacy``: which job each of them is, and how a shell completes them."""

import difflib
from collections.abc import Sequence
from typing import NamedTuple

from voiceprivacy.errors import BadInput


class Command(NamedTuple):
    """A command of people."""

    group: str
    job: str
    """A module of voiceprivacy.jobs."""
    what: str
    """What it does, in a few words."""


START, SCORES, ORGANISERS = "start here", "score files", "for organisers and authors"
COMMANDS = {
    "demo": Command(START, "run", "the whole evaluation on synthetic speakers, in this folder"),
    "new-run": Command(START, "new_run", "from folders of wavs to a config"),
    "fetch-models": Command(START, "fetch_models", "weights of other encoders, Whisper and voices"),
    "vpc": Command(START, "vpc", "a VoicePrivacy challenge: its numbers, its files"),
    "validate": Command(START, "validate", "check a config before hours of work"),
    "run": Command(START, "run", "the whole evaluation; takes all options of Snakemake"),
    "assess verification": Command(SCORES, "assess_verification", "EER, Cllr, linkability"),
    "assess zebra": Command(SCORES, "assess_zebra", "disclosure in bits, on average and at worst"),
    "assess calibration": Command(SCORES, "assess_calibration", "C_ECE, from one run to another"),
    "assess similarity": Command(SCORES, "assess_similarity", "DeID and G_VD of score matrices"),
    "assess ranks": Command(SCORES, "assess_ranks", "similarity ranks of score matrices"),
    "verdict": Command(SCORES, "verdict", "how much of the speakers' identity attackers find"),
    "score": Command(SCORES, "score_trials", "scores of trials, from embeddings"),
    "show": Command(SCORES, "show_metrics", "tables of a run's numbers"),
    "plot": Command(SCORES, "plot", "a figure for a paper"),
    "history": Command(SCORES, "history", "the rounds of an evening: each state of a run"),
    "compare": Command(ORGANISERS, "compare", "what has changed between two folders of results"),
    "export": Command(ORGANISERS, "export_challenge", "the challenge's files of a run"),
    "leaderboard": Command(ORGANISERS, "build_leaderboard", "everybody's results as a site"),
    "export-result": Command(ORGANISERS, "export_result", "results for a shared repository"),
    "check-result": Command(ORGANISERS, "check_result", "check a shared repository of results"),
    "add-attacker": Command(ORGANISERS, "add_attacker", "attack all systems of a repository"),
    "publish": Command(ORGANISERS, "publish_audio", "protected speech that can be given away"),
    "statement": Command(ORGANISERS, "statement", "two pages to sign: what attackers find"),
    "verify": Command(ORGANISERS, "verify", "are the files of a run, or a statement, unchanged?"),
    "reproduce": Command(ORGANISERS, "reproduce", "can this checkout repeat a run?"),
}
BASH = "complete -o default -W '{words}' voiceprivacy"
SHELLS = {
    "bash": BASH,
    "zsh": f"autoload -U bashcompinit && bashcompinit\n{BASH}",
    "fish": "complete -c voiceprivacy -n __fish_use_subcommand -f -a '{words}'",
}


def find(words: Sequence[str]) -> tuple[str, list[str]]:
    """The command that words begin with, and the words behind it.

    >>> find(["assess", "zebra", "--scores", "s.tsv"])
    ('assess zebra', ['--scores', 's.tsv'])

    Raises
    ------
    BadInput : there is no such command; the words say which is meant, perhaps
    """
    close: list[str] = []
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in COMMANDS:
            return name, list(words[length:])
        close += difflib.get_close_matches(name, COMMANDS, n=1)
    inner = [name for name in COMMANDS if name.startswith(f"{words[0]} ")]
    if inner:
        raise BadInput(f"voiceprivacy {words[0]}: say which: {', '.join(inner)}")
    question = f": did you mean '{close[0]}'?" if close else "; voiceprivacy --help lists all"
    raise BadInput(f"voiceprivacy {words[0]}: no such command{question}")


def overview() -> list[str]:
    """What ``voiceprivacy --help`` says: all commands, in groups."""
    lines = ["voiceprivacy COMMAND: how well does anonymised speech protect its speakers?"]
    for group in (START, SCORES, ORGANISERS):
        lines += ["", f"{group}:"]
        for name, command in COMMANDS.items():
            if command.group == group:
                lines.append(f"  {name:<20}  {command.what}")
    lines += [
        "",
        "voiceprivacy COMMAND --help says more of each. voiceprivacy --version says which it is.",
        "For completion: source <(voiceprivacy completion bash), or zsh, fish.",
    ]
    return lines


def completion(words: Sequence[str]) -> list[str]:
    """What a shell reads to complete the commands.

    Raises
    ------
    BadInput : not one shell is named, or one that is not known
    """
    if len(words) != 1 or words[0] not in SHELLS:
        raise BadInput(f"voiceprivacy completion: name one shell of {', '.join(SHELLS)}")
    names = dict.fromkeys(" ".join(COMMANDS).split())
    return SHELLS[words[0]].format(words=" ".join(names)).splitlines()
