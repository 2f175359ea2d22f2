"""What a page may say that leaves the house: codes instead of people, and a reduced provenance.

Conventions
-----------
* A page is mailed unless the config says ``report: {internal: true}``. Then it holds everything.
* People are speakers of a corpus that is not made up. On a mailed page, and in its pictures, they
  have codes: speaker 07. The codes are in the order of a keyed digest of their ids. Its key is
  random and stays in results/codes.key. So ids cannot be tried out, and codes stay the same when
  a page is made again.
* Of a config those values are shown that are known to say nothing of people or machines: numbers,
  words of the schema, names of the config's own entries, models of the hub. Seeds, commands,
  options and paths are not among them. What is not known is left out.
"""

import hmac
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from voiceprivacy import config_schema
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.files import FilePath
from voiceprivacy.inout.manifests import read_manifest
from voiceprivacy.inout.secret_seeds import secret_in
from voiceprivacy.vocabulary import ORIGINAL

KEY = "codes.key"
LEFT_OUT = "(not on this page)"
Codes = Mapping[str, str]  # {speaker: code}
NAMED: Codes = {}  # of corpora whose speakers are named
Value = TypeVar("Value")


# Codes of people.


def codes_of(corpus: str, folder: FilePath) -> dict[str, str]:
    """Codes of the speakers of a corpus: {speaker: code}.

    Parameters
    ----------
    corpus : its name
    folder : of the run's results; its key is made there if there is none
    """
    folder = Path(folder)
    speakers: set[str] = set()
    for part in ("enrolment", "trial"):
        manifest = folder / "audio" / corpus / part / ORIGINAL / "manifest.tsv"
        if manifest.is_file():
            speakers.update(utterance.speaker for utterance in read_manifest(manifest))
    return codes(speakers, corpus=corpus, key=key_in(folder))


def codes(speakers: Iterable[str], *, corpus: str, key: bytes) -> dict[str, str]:
    """Number speakers in an order that nobody finds without the key."""

    def digest(speaker: str) -> bytes:
        return hmac.digest(key, f"{corpus}\0{speaker}".encode(), "sha256")

    in_order = sorted(set(speakers), key=digest)
    n_digits = max(2, len(str(len(in_order))))
    return {name: f"speaker {k:0{n_digits}d}" for k, name in enumerate(in_order, start=1)}


def coded(values: Mapping[str, Value], codes: Codes) -> dict[str, Value]:
    """{speaker: value} by code, in the order of the codes; without codes it stays as it is.

    Raises
    ------
    BadInput : a speaker has no code
    """
    if not codes:
        return dict(values)
    renamed = {code_of(speaker, codes): value for speaker, value in values.items()}
    return dict(sorted(renamed.items()))


def code_of(speaker: str, codes: Codes) -> str:
    """The code of a speaker; the speaker where there are no codes."""
    if codes and speaker not in codes:
        raise BadInput(f"speaker '{speaker}' is not in the manifests of the original speech")
    return codes[speaker] if codes else speaker


def key_in(folder: FilePath) -> bytes:
    """The key of a run's codes, which is drawn once; only its owner can read the file."""
    return secret_in(Path(folder) / KEY)


# Provenance.

SEEDS = re.compile(r"(.*_)?seeds?")
NEVER = {"options", "exclude", "inputs", "env", "sha256"}  # keys of a config, whatever they hold
SUBSET = re.compile(r"(train|dev|test)-(clean|other)(-\d+)?")
HEX = re.compile(r"[0-9a-f]{7,64}")
KEPT = (
    "format",
    "version",
    "git_commit",
    "git_state",
    "created",
    "python",
    "platform",
    "hardware",
    "packages",
    "revisions",
    "jobs",
)


def reduced(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """What a mailed page says of a run; results/provenance.json has all of it."""
    config = provenance.get("config", {})
    shown = {name: provenance[name] for name in KEPT if name in provenance}
    hashes = provenance.get("sha256", {})
    shown["sha256"] = {short_path(path): sha256 for path, sha256 in hashes.items()}
    return shown | {"config": reduced_config(config) if isinstance(config, dict) else {}}


def short_path(path: str) -> str:
    """A path of the run's own results, or the name of another file."""
    parts = Path(path).parts
    is_own = parts[:1] == ("results",) and ".." not in parts
    return path if is_own else Path(path).name


def reduced_config(config: dict[str, Any]) -> dict[str, Any]:
    """A config without seeds, commands, options, paths, and names of people and machines."""
    known = _words(config_schema.schema()) | _names(config)
    return _reduced(config, known)


def _reduced(value, known, key=""):
    if isinstance(value, dict):
        kept = {
            name: inner
            for name, inner in value.items()
            if not (SEEDS.fullmatch(str(name)) or name in NEVER)
        }
        if "revision" in kept and HEX.fullmatch(str(kept["revision"])):  # a model of the hub
            known = known | {str(kept["revision"]), str(kept.get("model"))}
        return {name: _reduced(inner, known, name) for name, inner in kept.items()}
    if isinstance(value, list):
        return [_reduced(inner, known, key) for inner in value]
    if isinstance(value, str):
        is_known = value in known or set(value.split("/")) <= known
        is_known = is_known or bool(key == "subsets" and SUBSET.fullmatch(value))
        return value if is_known else LEFT_OUT
    return value if isinstance(value, bool | int | float) else None


def _words(schema):
    """The words that the schema of configs knows as values."""
    words = set()
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "enum":
                words.update(map(str, value))
            elif key in ("const", "default") and isinstance(value, str):
                words.add(value)
            else:
                words |= _words(value)
    elif isinstance(schema, list):
        for value in schema:
            words |= _words(value)
    return words


def _names(config):
    """Names of the entries of a config's sections, and of its lists."""
    names = set()
    for section in ("corpora", "anonymisers", "extractors", "backends", "attacks", "utility"):
        entries = config.get(section)
        names.update(entries if isinstance(entries, dict) else ())
    return names
