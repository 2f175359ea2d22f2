"""What can be wrong with a config: (what, command, file, how it is spoilt, what the error says)."""

# ruff: noqa: E501  a row of the table is a line

from support.spoilers import config, into_pipe, write

FILE = "config.yaml"
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
SYNTHETIC = {"synthetic": {"speakers": 2, "utterances": 2}}

CASES = [
    (mistake, "a config", FILE, spoil, words)
    for mistake, spoil, words in [
        ("no YAML", write("corpora: {mine: ["), ["config.yaml:1: not YAML"]),
        ("a billion laughs", write(LAUGHS), ["config.yaml:", "aliases"]),
        ("a misspelt key", config(anonymisers={"b2": {"comand": "x"}}), ["config.yaml:", "did you mean 'command'?"]),
        ("a key that is no text", write("corpora: {mine: {kaldi: data}}\nbackends: {off: {type: cosine}}\n"), ["config.yaml:2: backends.False: YAML reads this key as False"]),
        ("a name with a slash", config(anonymisers={"../b2": {"command": "x"}}), ["'../b2' cannot be a name"]),
        ("an endless number", write("corpora: {mine: {kaldi: data, segments: {seconds: [1, .inf]}}}\n"), ["config.yaml:1: corpora.mine.segments.seconds.1: inf is no number"]),
        ("pieces shorter than a frame", config(corpora={"mine": {"kaldi": "data", "segments": {"seconds": 1e-9}}}), ["seconds"]),
        ("shards without end", config(anonymisers={"b2": {"command": "x", "shards": 10**12}}), ["anonymisers.b2.shards", "10000"]),
        ("a named pipe", into_pipe, ["config.yaml: is a pipe or a device, not a file"]),
        ("an unset variable", config(corpora={"mine": {"kaldi": "${NOWHERE_AT_ALL}"}}), ["NOWHERE_AT_ALL: not found"]),
        ("two kinds of corpus", config(corpora={"mine": {"kaldi": "data", **SYNTHETIC}}), ["needs one of", "only one"]),
        ("a policy that is none", config(corpora={"mine": {"kaldi": "data", "on_bad_audio": "skip"}}), ["'skip' is none of stop"]),
        ("an exclusion of nobody", config(corpora={"mine": {"kaldi": "data", "exclude": ["zoe-1"]}}), ["'zoe-1' is not one"]),
        ("two corpora with one speaker", config(corpora={"a": SYNTHETIC, "b": SYNTHETIC}), ["has speakers of 'a' too"]),
    ]
]  # fmt: skip
