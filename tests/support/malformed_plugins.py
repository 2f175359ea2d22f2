"""What anonymisers, extractors and models of others can do wrong: (what, command, file, how it is spoilt, the error)."""

# ruff: noqa: E501  a row of the table is a line

from support.spoilers import cut, edit, matching, remove, write

PLUG, FUNCTION, EXTRACTOR, READY = (
    "a plug-in's command",
    "a plug-in's function",
    "an extractor's command",
    "ready embeddings",
)


def here(code):
    """Code in the place that the good plug-in has for it."""
    return edit("# here", code)


CASES = [
    ("a program that is not there", PLUG, "plug.py", remove, ["ended with exit code 2"]),
    ("it fails", PLUG, "plug.py", here("sys.exit(3)"), ["ended with exit code 3; its output is above"]),
    ("it exits 0 without output", PLUG, "plug.py", here("sys.exit(0)"), ["wrote no --output-manifest"]),
    ("it is killed", PLUG, "plug.py", here("import os; os.kill(os.getpid(), 9)"), ["was killed by signal 9, SIGKILL (out of"]),
    ("it loses an utterance", PLUG, "plug.py", here("del rows[3]"), ["1 of 16", "'anna-3' is missing"]),
    ("it invents an utterance", PLUG, "plug.py", here("rows[3][0] = 'zoe'"), ["returned utterance 'zoe'"]),
    ("it returns an utterance twice", PLUG, "plug.py", here("rows.append(rows[3])"), [":18: utterance 'anna-3' occurs twice"]),
    ("two utterances are one file", PLUG, "plug.py", here("rows[3][3] = rows[2][3]"), ["have the same protected file"]),
    ("its manifest has no header", PLUG, "plug.py", here("header = rows.pop()"), [":1: expected the columns"]),
    ("its manifest is cut off", PLUG, "plug.py", here("rows[3] = rows[3][:2]"), [":5: expected 5 columns, found 2"]),
    ("its files are not there", PLUG, "plug.py", here("rows[3][3] = 'x.wav'"), ["'anna-3'", "x.wav: not found"]),
    ("a function that fails", FUNCTION, "mine.py", here("1 / 0"), ["utterance '", "ZeroDivisionError", "(mine.py, line 3)"]),
    ("an extractor that fails", EXTRACTOR, "embed.py", here("sys.exit(1)"), ["ended with exit code 1"]),
    ("an extractor without output", EXTRACTOR, "embed.py", here("sys.exit(0)"), ["wrote no --embeddings"]),
    ("an embedding too few", EXTRACTOR, "embed.py", here("ids.pop(); embeddings = embeddings[1:]"), ["no embedding of"]),
    ("an embedding that is NaN", EXTRACTOR, "embed.py", here("embeddings[3] = np.nan"), ["'anna-3' is not finite"]),
    ("a text file for embeddings", READY, "enrolment.npz", write("x"), ["enrolment.npz: not an npz file"]),
    ("a model without settings", "a model", "model/hyperparams.yaml", remove, ["hyperparams.yaml: not found"]),
    ("a model without weights", "a model", "model/embedding_model.ckpt", remove, ["embedding_model.ckpt: not found"]),
    ("weights cut off", "a model", "model/embedding_model.ckpt", cut(0.5), ["embedding_model.ckpt"]),
    ("settings that are no YAML", "a model", "model/hyperparams.yaml", write("a: [1"), ["hyperparams.yaml:", "not YAML"]),
    ("settings that name any class", "a model", "model/hyperparams.yaml", matching("^embedding_model: .*", "embedding_model: !new:os.system"), ["'os.system' is not a class that is built here"]),
    ("weights of another network", "a model", "model/hyperparams.yaml", matching("^n_mels: .*", "n_mels: 7"), ["model"]),
]  # fmt: skip
