"""The organisers' attacker of 2026 as it is, on protected speech alone ("ASV_eval").

Protected speech is embedded by the attacker's network and scored under PP. Nothing is trained, and
no unprotected speech is heard. So it says how well a system resists a strong attacker that does not
know it, at the price of one pass over its speech, on a CPU, too. It is no verdict: that takes
unprotected speech and attackers who have learnt.

Files below the results of the run, with the suffix of protected directories, such as _mine:

    exp/asv_orig/libri_test_enrolls_mine-libri_test_trials_mixed_mine    scores, EER (share)
    exp/asv_orig/results_mine.csv                                        EER in percent
"""

import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio
from voiceprivacy.inout.trial_lists import read_trials
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.layout import Layout
from voiceprivacy.organise.challenge import ATTACKED, PROTECTED, Row, Table
from voiceprivacy.plan import configuration
from voiceprivacy.plan.plan import Plan
from voiceprivacy.privacy.scores.verification import eer_speechbrain_percent
from voiceprivacy.tools import challenge as challenges
from voiceprivacy.tools.challenge import Challenge, Prepared
from voiceprivacy.vocabulary import AUDIO_ENDINGS, LABELS

FOLDER = "asv_orig"
PARTS = ("enrolment", "trial")
SAMPLED = 3  # recordings by which the time is foretold


def prepare(challenge: Challenge) -> Prepared:
    """The config of what is there of a challenge, without utility and without training."""
    prepared = challenges.prepare(challenge)
    config = prepared.config
    attacker, *_ = config["extractors"]
    config["extractors"] = {attacker: config["extractors"][attacker]}
    config["backends"] = {"cosine": {"type": "cosine"}}
    corpora = config["corpora"].items()
    config["corpora"] = {name: one for name, one in corpora if "protocol" in one}
    config |= {"utility": {}, "semi_informed": False}
    notes = [note for note in prepared.notes if note.startswith(("plan:", "libri_"))]
    notes.append("zero-shot: the attacker hears protected speech alone, and nothing is trained")
    return prepared._replace(config=config, notes=notes)


class ZeroShot:
    """One attacker on the protected speech of one track.

    Parameters
    ----------
    config : file of a config as ``prepare`` makes it
    challenge : whose system is tried
    results : folder of the run's results
    """

    def __init__(self, config: Path, challenge: Challenge, results: Path) -> None:
        self.challenge, self.results = challenge, results
        self.plan = Plan(configuration.check(configuration.read(config)), Layout(results))
        [self.extractor] = self.plan.attackers.extractors

    def targets(self) -> list[str]:
        """What Snakemake makes: embeddings of protected speech, and trial lists."""
        layout, system = Layout(), self.challenge.system
        files = []
        for corpus in self.plan.speech.attacked:
            for part in PARTS:
                files.append(layout.embeddings(corpus, part, system, self.extractor))
        for corpus, trials in self.plan.speech.all_trial_lists():
            files += [layout.trials(corpus, trials), layout.trials(corpus, trials, "enrolments")]
        return files

    def estimate(self, cores: int) -> str:
        """How long that takes, by the time that the attacker takes for some of the recordings."""
        from voiceprivacy.attack.extractors.networks import Extractor  # seconds
        from voiceprivacy.models.devices import single_thread

        files = sorted(self._recordings())
        if not files:
            data, suffix = self.challenge.data, self.challenge.suffix
            raise BadInput(f"{data}: no recording is there in a directory that ends with {suffix}")
        lengths = [audio.header(file).duration_s for file in files]
        options = self.plan.attackers.extractors[self.extractor]
        middle = sorted(range(len(files)), key=lengths.__getitem__)[len(files) // 2 :][:SAMPLED]
        with single_thread():
            network = Extractor(options["model"], device=options["device"])
            heard = [audio.read(files[index])[0] for index in middle]
            network.embed(heard[0])  # the first is slower
            start = time.monotonic()
            for samples in heard:
                network.embed(samples)
            pace = (time.monotonic() - start) / sum(lengths[index] for index in middle)
        total = sum(lengths)
        on = "a GPU" if options["device"] == "cuda" else f"{cores} cores"
        share = 1 if options["device"] == "cuda" else cores
        return (
            f"estimate: {total / 3600:.1f} h of speech, {pace:.2f} s of a core for a second of it:"
            f" about {total * pace / share / 3600:.1f} h on {on}"
        )

    def _recordings(self) -> Iterator[Path]:
        for corpus, part in product(self.plan.speech.attacked, PARTS):
            for name in self.plan.speech.data_sets(corpus, part):
                below = self.challenge.protected(name).rglob("*")
                yield from (path for path in below if path.suffix in AUDIO_ENDINGS)

    def write(self) -> list[str]:
        """Write scores and EERs as the challenge has them; what the screen says of them."""
        folder = self.results / "exp" / FOLDER
        rows: dict[int, Row] = {}
        for corpus, trials in self.plan.speech.all_trial_lists():
            scored = self._scored(corpus, trials)
            enrolled, tried = (
                self.challenge.protected(self.plan.speech.data_sets(corpus, part)[0]).name
                for part in PARTS
            )
            target, nontarget = (
                np.array([score for one, score in scored if one.label == label]) for label in LABELS
            )
            eer = eer_speechbrain_percent(target=target, nontarget=nontarget)
            below = folder / f"{enrolled}-{tried}"
            lines = [f"{one.enrolment} {one.trial} {score!r}\n" for one, score in scored]
            _write(below / "scores", "".join(lines))
            _write(below / "EER", f"{eer / 100!r}\n")
            dataset, split, *_ = [*enrolled.split("_"), ""]
            row = (dataset, split, trials, PROTECTED, PROTECTED, round(eer, 3))
            rows[len(rows)] = row
        table = Table("ASV_eval", ATTACKED, rows)
        path = folder / f"results{self.challenge.suffix}.csv"
        _write(path, table.csv())
        plan = self.plan.config["plan"]
        return [f"plan: {plan} 2026, zero-shot", *table.text().splitlines(), f"wrote {path}"]

    def _scored(self, corpus, trials):
        """[(Trial, score)] of one list under PP."""
        from voiceprivacy.attack.backends import backends

        layout, system = self.plan.layout, self.challenge.system
        backend = f"vpc2026_{self.plan.config['plan']}"
        paths = {part: layout.embeddings(corpus, part, system, self.extractor) for part in PARTS}
        read = backends.read_galleries(paths, backend=backend, protected=PARTS)
        listed = read_trials(layout.trials(corpus, trials))
        enrolments = backends.read_enrolments(layout.trials(corpus, trials, "enrolments"))
        scores = backends.score_trials(
            backends.scorer(backend), listed, **read, enrolments=enrolments
        )
        return list(zip(listed, scores.tolist(), strict=True))


def _write(path, text):
    with whole_or_absent(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
