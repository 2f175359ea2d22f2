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
        ("tabs for indentation", write("corpora:\n\tmine: {}\n"), ["config.yaml:2: not YAML"]),
        ("a list", write("- corpora\n"), ["config.yaml:1: expected sections"]),
        ("Latin-1", write("corpora: {}\n# José\n".encode("latin-1")), ["config.yaml:2: not UTF-8 text"]),
        ("a key twice", write("seed: 1\nseed: 2\n"), ["config.yaml:2: key 'seed' occurs twice"]),
        ("a Python object", write("seed: !!python/object/apply:os.system [ls]\n"), ["config.yaml:1: not YAML"]),
        ("a date that is none", write("seed: 2001-99-99\n"), ["config.yaml:1: not YAML", "2001-99-99", "quotes"]),
        ("a number of 5000 digits", write(f"seed: {'9' * 5000}\n"), ["config.yaml:1: not YAML", "5000 digits"]),
        ("a billion laughs", write(LAUGHS), ["config.yaml:", "aliases"]),
        ("a snake that bites its tail", write("corpora: &a {mine: *a}\n"), ["config.yaml:", "alias"]),
        ("brackets in brackets", write("seed: " + "[" * 5000 + "]" * 5000), ["config.yaml:1: not YAML", "nested"]),
        ("a misspelt section", config(corpra={}), ["'corpra' is not a key here: did you mean 'corpora'?"]),
        ("a misspelt key", config(anonymisers={"b2": {"comand": "x"}}), ["config.yaml:", "did you mean 'command'?"]),
        ("a key that is no text", write("corpora: {mine: {kaldi: data}}\nbackends: {off: {type: cosine}}\n"), ["config.yaml:2: backends.False: YAML reads this key as False"]),
        ("a name with a slash", config(anonymisers={"../b2": {"command": "x"}}), ["'../b2' cannot be a name"]),
        ("a name that is reserved", config(anonymisers={"original": {"command": "x"}}), ["'original' cannot be a name"]),
        ("text for a number", config(seed="zero"), ["config.yaml:1: seed: 'zero' is not of type 'integer'"]),
        ("a seed below zero", config(seed=-1), ["config.yaml:1: seed: -1 is less than the minimum"]),
        ("an endless number", write("corpora: {mine: {kaldi: data, segments: {seconds: [1, .inf]}}}\n"), ["config.yaml:1: corpora.mine.segments.seconds.1: inf is no number"]),
        ("pieces shorter than a frame", config(corpora={"mine": {"kaldi": "data", "segments": {"seconds": 1e-9}}}), ["seconds"]),
        ("shards without end", config(anonymisers={"b2": {"command": "x", "shards": 10**12}}), ["anonymisers.b2.shards", "10000"]),
        ("nothing where a name belongs", config(anonymisers={"": {"command": "x"}}), ["'' cannot be a name"]),
        ("a corpus that is nothing", config(corpora={"mine": None}), ["corpora.mine"]),
        ("a number of 400 digits", config(report={"bootstrap": 10**400}), ["report.bootstrap"]),
        ("yes for a number", config(seed=True), ["seed: True is not of type 'integer'"]),
        ("an empty list of lists", config(corpora={"mine": {"kaldi": "data", "protocol": {"enrol_trial": {"lists": []}}}}), ["lists"]),
        ("a named pipe", into_pipe, ["config.yaml: is a pipe or a device, not a file"]),
        ("an unset variable", config(corpora={"mine": {"kaldi": "${NOWHERE_AT_ALL}"}}), ["NOWHERE_AT_ALL: not found"]),
        ("a folder that is not there", config(corpora={"mine": {"kaldi": "nowhere"}}), ["nowhere: not found"]),
        ("a function that is not there", config(anonymisers={"b2": {"function": "x.py:f"}}), ["x.py: not found"]),
        ("two kinds of corpus", config(corpora={"mine": {"kaldi": "data", **SYNTHETIC}}), ["needs one of", "only one"]),
        ("a policy that is none", config(corpora={"mine": {"kaldi": "data", "on_bad_audio": "skip"}}), ["'skip' is none of stop"]),
        ("an exclusion of nobody", config(corpora={"mine": {"kaldi": "data", "exclude": ["zoe-1"]}}), ["'zoe-1' is not one"]),
        ("two corpora with one speaker", config(corpora={"a": SYNTHETIC, "b": SYNTHETIC}), ["has speakers of 'a' too"]),
        ("pieces longer at first", config(corpora={"mine": {"kaldi": "data", "segments": {"seconds": [5, 3]}}}), ["comes first"]),
    ]
]  # fmt: skip
