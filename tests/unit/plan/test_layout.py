"""The paths that Python asks for are the patterns of the rules."""

from support.runs import ROOT

from voiceprivacy.layout import HERE, Layout
from voiceprivacy.vocabulary import Attack

CORPUS, PART, TRIALS = "{corpus}", "{part}", "{trials}"
SYSTEM, EXTRACTOR, BACKEND = "{anonymiser}", "{extractor}", "{backend}"
ATTACK = Attack(CORPUS, TRIALS, EXTRACTOR, BACKEND)
ASKED = [
    HERE.speech(CORPUS, PART, SYSTEM),
    HERE.speech(CORPUS, PART, "original", "transcripts"),
    HERE.trials(CORPUS, TRIALS),
    HERE.trials(CORPUS, TRIALS, "release"),
    HERE.embeddings(CORPUS, PART, SYSTEM, EXTRACTOR),
    HERE.scores(ATTACK, SYSTEM, "{condition}"),
    HERE.metrics("zebra", ATTACK, SYSTEM),
]


def test_the_rules_hold_the_paths_that_python_asks_for():
    rules = [path.read_text() for path in sorted(ROOT.glob("workflow/rules/*.smk"))]
    text = "\n".join(rules).replace("{SYSTEM}", ATTACK.path(SYSTEM))
    assert [path for path in ASKED if f'"{path}"' not in text] == []


def test_every_path_is_marked_and_below_the_root():
    layout, attack = Layout("vp/results", "<{}>".format), Attack("demo", "f", "ecapa", "plda")
    path = "<vp/results/metrics/zebra/demo/f/b2/ecapa/plda.intervals.json>"
    assert layout.metrics("zebra", attack, "b2", "intervals.json") == path
