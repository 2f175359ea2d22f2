"""What tests look at in the folder of a trained extractor, and how they change its recipe."""

from voiceprivacy.attack.training.brain import COLUMNS
from voiceprivacy.inout.tables import read_table

WHOLE = ["classifier.ckpt", "embedding_model.ckpt", "held_out.json", "hyperparams.yaml"]
FILES = [*WHOLE, "training.tsv"]


def weights(folder):
    """The bytes of all files but the curve."""
    return [(folder / name).read_bytes() for name in WHOLE]


def curve(folder, column):
    """A column of the table of epochs, as text."""
    return [row[column] for row in read_table(folder / "training.tsv", COLUMNS)]


def changed(recipe, old, new):
    """Replace a text of the recipe, which must be there; returns its path."""
    text = recipe.read_text(encoding="utf-8")
    assert old in text
    recipe.write_text(text.replace(old, new, 1), encoding="utf-8")
    return recipe
