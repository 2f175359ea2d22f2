"""What the protected speech is still good for: which measures a run makes, and of which speech.

An entry of the config's section ``utility`` is a command of the user's, or names a kind of measure
that is shipped: a function, in the module of that name (voiceprivacy.utility.measures). One rule
calls all of them. What is measured of embeddings writes the same tables, but all those of a corpus
together.
"""

import importlib.util
from collections.abc import Iterator, Mapping
from itertools import chain, product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from voiceprivacy import corpus_kinds
from voiceprivacy.inout.placeholders import ours, wherever_ours_lie
from voiceprivacy.kinds import MEASURES, MeasureKind, measure_kinds
from voiceprivacy.models.pinned import is_pinned
from voiceprivacy.plan.speech import Speech
from voiceprivacy.vocabulary import CHOSEN_BY, ENGLISH, FREE, ORIGINAL, TRAIN

NO_NETWORK = "no network of an attacker hears the original and all anonymisers on trial lists"
OF_FREE_LENGTH = "they compare frame by frame, and {} has lengths: free"
NOT_INSTALLED = "not all of {} are installed where the run started"
THREADS = 4  # of a command of the user's
READ_AS = ("better", "weight", "statistic", "joint", *CHOSEN_BY)
UNSAID = (None, "mean", "all")


def shipped(options: Mapping[str, Any]) -> MeasureKind | None:
    """The kind of measure that an entry names; None for a command of the user's."""
    return measure_kinds().get(options.get("type", ""))


def of_every_run() -> dict[str, dict[str, Any]]:
    """The entries of measures that every run makes, by name."""
    entries = {}
    for name, kind in measure_kinds().items():
        if kind.entry:
            entries[kind.entry] = {"type": name, **kind.entry_options}
    return dict(sorted(entries.items()))


def is_complete(kind: MeasureKind) -> bool:
    """Whether the packages of a measure are there."""
    return all(importlib.util.find_spec(name) for name in kind.packages)


def wrong_measures(config: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """What is wrong with measures of a completed config: place and words."""
    of_functions = set(chain.from_iterable(kind.options for kind in measure_kinds().values()))
    for name, options in config["utility"].items():
        if options is False:
            if name not in of_every_run():
                every = ", ".join(of_every_run())
                yield ("utility", name), f"false leaves out a measure that every run makes: {every}"
            continue
        kind = shipped(options)
        taken = kind.options if kind else ()
        for key in sorted(of_functions.intersection(options).difference(taken)):
            yield ("utility", name, key), f"{options.get('type', 'a command')} does not take this"
        for key in kind.needs if kind else ():
            if key not in options:
                yield ("utility", name), f"needs {key}"
        if kind and options.get("sandbox"):
            yield ("utility", name, "sandbox"), "is for a command of your own"
        if kind and kind.needs_one_of and len(options.keys() & {*kind.needs_one_of}) != 1:
            keys = ", ".join(kind.needs_one_of)
            yield ("utility", name), f"needs one of {keys}, and only one"
        for key in CHOSEN_BY if kind and kind.of_embeddings else ():
            if key in options:
                yield ("utility", name, key), "of this type all utterances are measured"
        for corpus in options.get("corpora", ()):
            if config["corpora"].get(corpus, {"use": TRAIN})["use"] == TRAIN:
                yield ("utility", name, "corpora"), f"there is no corpus '{corpus}' to evaluate"


class Utility:
    """What the protected speech is still good for, and what there is to hear.

    Parameters
    ----------
    entries : the section ``utility`` of a completed config
    speech : Speech
    listen : whether the page plays clips
    embedded_by : {corpus: an extractor that embeds the trials of all systems}, as far as there is
    """

    def __init__(
        self,
        entries: dict[str, Any],
        speech: Speech,
        *,
        listen: bool,
        embedded_by: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.unmeasured = {
            name: options["left_out"]
            for name, options in entries.items()
            if options and "left_out" in options
        }
        self.entries = {
            name: options
            for name, options in entries.items()
            if options and name not in self.unmeasured
        }
        types = [options.get("type") for options in self.entries.values()]
        self._lacking = [
            kind
            for name, kind in measure_kinds().items()
            if kind.packages and kind.entry not in entries and name not in types
        ]
        self.speech = speech
        self.layout = speech.layout
        self.listen = listen
        self._without_transcripts: dict[str, str | None] = {}
        self.embedded_by = embedded_by

    # One measure.

    def call(self, measure: str, corpus: str, anonymiser: str = ORIGINAL) -> dict[str, Any]:
        """What measures an anonymiser's speech of a corpus, as the job measure_utility takes it.

        Whoever calls it fills in {scripts} and {resources}.
        """
        options = self.entries[measure]
        kind = shipped(options)
        if kind is None:
            return {"command": options["command"].replace("{corpus}", corpus)}
        spoken = self.speech.corpora[corpus].get("language", ENGLISH)
        given = {"name": measure, "spoken": spoken, **options}
        for path in self.transcripts(measure, corpus):
            given["transcripts"] = path
        if "model" in options:
            given["model"] = wherever_ours_lie(self.model_folder(measure))
        filled = {}
        for key in kind.options:
            if key in given:
                value = given[key].replace("{corpus}", corpus)
                value = value.replace("{set}", self.speech.data_sets(corpus, "trial")[0])
                filled[key] = value.replace("{anonymiser}", anonymiser)
        call = {"type": options["type"], "options": filled}
        if kind.by_frames and self._is_free(anonymiser):
            call["undefined"] = list(kind.by_frames)
        return call

    def _is_free(self, anonymiser: str) -> bool:
        """Whether the speech of a system may be longer or shorter than the original."""
        return anonymiser != ORIGINAL and self.speech.anonymiser(anonymiser).get("lengths") == FREE

    def model_folder(self, measure: str) -> str:
        """Where the model of a measure lies: the user's, or one that a rule fetches."""
        options = self.entries[measure]
        is_fetched = "revision" in options
        return self.layout.path(f"listeners/{measure}") if is_fetched else ours(options["model"])

    def has_folder(self, measure: str) -> bool:
        """Whether its model is a folder of the user's: none of the hub, none that packages ship."""
        options = self.entries[measure]
        if "model" not in options or "revision" in options:
            return False
        kind = shipped(options)
        return not (kind and kind.is_pinned and is_pinned(options["model"]))

    def voice_extractor(self, corpus: str) -> str:
        """Whose embeddings of a corpus its voices are measured of."""
        return self.embedded_by[corpus]

    def fetched(self) -> list[str]:
        """Measures whose model comes from the hub."""
        return [name for name, options in self.entries.items() if "revision" in options]

    def kind_of_model(self, measure: str) -> str | None:
        """What the model of a measure is, as what is fetched of it needs to know."""
        kind = shipped(self.entries[measure])
        return kind.fetched if kind else None

    def model_stamp(self, measure: str) -> list[str]:
        """The file that says that a model is fetched; none for a folder of the user's."""
        path = self.layout.path(f"listeners/{measure}/SHA256SUMS")
        return [path] if measure in self.fetched() else []

    def threads(self, measure: str) -> int:
        """Threads of a measure's job."""
        kind = shipped(self.entries[measure])
        return kind.threads if kind else THREADS

    def modules(self, measure: str) -> list[str]:
        """Our modules behind a measure, besides those of its rule."""
        options = self.entries[measure]
        return [f"voiceprivacy/{MEASURES}/{options['type']}"] if shipped(options) else []

    def transcripts(self, measure: str, corpus: str) -> list[str]:
        """The file that says what was said in the trials of a corpus, where a measure reads it."""
        kind = shipped(self.entries[measure])
        path = self.layout.speech(corpus, "trial", ORIGINAL, "transcripts")
        return [path] if kind and "transcripts" in kind.options else []

    def options(self) -> dict[str, dict]:
        """How the measures are read: {name: {better, weight, statistic, joint}}, as far as said."""
        read_as = {}
        for name, options in self.entries.items():
            kind = shipped(options)
            said = options | (kind._asdict() if kind else {})
            said |= kind.by_definition.get(options.get("definition", ""), {}) if kind else {}
            fields = {key: said[key] for key in READ_AS if said.get(key, "mean") not in UNSAID}
            read_as[name] = {
                key: value.replace("{name}", name) if isinstance(value, str) else value
                for key, value in fields.items()
            }
        return read_as

    # All of a run.

    def measures(self, corpus: str) -> list[str]:
        """Every table of measures of a corpus."""
        tables = []
        left_out = self.left_out(corpus)
        for measure in self.entries:
            if corpus in self.corpora(measure) and measure not in left_out:
                tables += [
                    self.layout.path(f"utility/{corpus}/trial/{system}/{measure}.tsv")
                    for system in self.systems(measure)
                ]
        return tables

    def of_embeddings(self) -> list[str]:
        """Measures of the embeddings of an attacker."""
        rows = {name: shipped(options) for name, options in self.entries.items()}
        return [name for name, kind in rows.items() if kind and kind.of_embeddings]

    def together(self) -> list[str]:
        """Measures that one job makes of an anonymiser's speech, one after another.

        They are made of every corpus, or a job would not know what to write.
        """
        corpora = [name for name in self.speech.evaluated if self.speech.anonymisers]
        return [name for name in self.entries if corpora and self._is_made_together(name, corpora)]

    def _is_made_together(self, measure, corpora):
        options = self.entries[measure]
        kind = shipped(options)
        if not (kind and kind.together) or options["env"] != kind.env:
            return False
        wanted = self.corpora(measure)
        return all(name in wanted and measure not in self.left_out(name) for name in corpora)

    def corpora(self, measure: str) -> list[str]:
        """The corpora whose speech a measure is made of."""
        by_attackers = measure in self.of_embeddings()
        all_of_them = self.speech.attacked if by_attackers else self.speech.evaluated
        return self.entries[measure].get("corpora", all_of_them)

    def systems(self, measure: str) -> list[str]:
        """The systems whose speech a measure is made of."""
        kind = shipped(self.entries[measure])
        systems = [ORIGINAL] if kind is None or kind.of_original else []
        return [*systems, *self.speech.anonymisers]

    def left_out(self, corpus: str) -> dict[str, str]:
        """The measures that cannot be made of a corpus, and why: {measure: words}."""
        options = self.speech.corpora[corpus]
        language = options.get("language", ENGLISH)
        reasons = {}
        for measure, its_own in self.entries.items():
            kind = shipped(its_own)
            if kind is None or corpus not in self.corpora(measure):
                continue
            if kind.languages and language not in kind.languages:
                known = " or ".join(kind.languages)
                reasons[measure] = f"the language is {language}, and it understands {known}"
            elif "transcripts" in kind.options and (reason := self._why_no_transcripts(corpus)):
                reasons[measure] = reason
            elif kind.of_embeddings and corpus not in self.embedded_by:
                reasons[measure] = NO_NETWORK
        return reasons

    def not_measured(self) -> dict[str, str]:
        """What some corpus leaves out: {group of measures: why}; corpora are named if several.

        Every run has an entry of a measure, or false, where the packages of it are installed.
        """
        reasons = {name: [why] for name, why in self.unmeasured.items()}
        is_evaluated = self.speech.anonymisers and self.speech.evaluated
        for lacking in self._lacking if is_evaluated else ():
            reasons[lacking.entry] = [NOT_INSTALLED.format(", ".join(lacking.packages))]
        for corpus in self.speech.evaluated:
            for measure, reason in self.left_out(corpus).items():
                kind = shipped(self.entries[measure])
                named = f"{corpus}: {reason}" if len(self.speech.evaluated) > 1 else reason
                reasons.setdefault(kind.group if kind else measure, []).append(named)
        free = [name for name in self.speech.anonymisers if self._is_free(name)]
        kinds = filter(None, map(shipped, self.entries.values()))
        by_frames = list(chain.from_iterable(kind.by_frames for kind in kinds))
        if free and by_frames and self.speech.evaluated:
            reasons[", ".join(by_frames)] = [OF_FREE_LENGTH.format(", ".join(free))]
        return {group: "; ".join(dict.fromkeys(why)) for group, why in reasons.items()}

    def notes(self) -> list[str]:
        """The same as arguments of what shows a run."""
        reasons = self.not_measured().items()
        return list(chain.from_iterable(("--note", f"{group}: {why}") for group, why in reasons))

    def _why_no_transcripts(self, corpus: str) -> str | None:
        """Look once for the transcripts of a corpus: planning asks often."""
        if corpus not in self._without_transcripts:
            options = self.speech.corpora[corpus]
            self._without_transcripts[corpus] = corpus_kinds.why_no_transcripts(options)
        return self._without_transcripts[corpus]

    def manifests(self) -> list[str]:
        """Trials of which something is measured: others may not be protected."""
        measured = self._measured()
        systems = (ORIGINAL, *self.speech.anonymisers)
        return [
            self.layout.speech(corpus, "trial", system)
            for corpus, system in product(measured, systems)
        ]

    def tables(self) -> list[str]:
        """The table of means of every corpus of which something is measured."""
        return [self.layout.path(f"metrics/utility/{name}.tsv") for name in self._measured()]

    def _measured(self):
        """Corpora of which something is measured."""
        return [name for name in self.speech.evaluated if self.measures(name)]

    def comparisons(self) -> list[str]:
        """The comparisons of anonymisers by each of these tables, in a run with intervals."""
        return [self.layout.path(f"comparisons/utility/{name}.tsv") for name in self._measured()]

    def words_of_speakers(self) -> dict[str, str]:
        """The table of the word errors of speakers of every corpus whose words are measured."""
        tables = {}
        for corpus in self.speech.evaluated:
            names = {Path(table).stem for table in self.measures(corpus)}
            rows = [shipped(self.entries[name]) for name in names]
            if any(kind and kind.group == "words" for kind in rows):
                tables[corpus] = self.layout.path(f"metrics/words/{corpus}.tsv")
        return tables

    def clips(self) -> list[str]:
        """Clips to listen to of every corpus with trial lists."""
        corpora = [name for name in self.speech.evaluated if self.speech.trial_lists(name)]
        return [self.layout.path(f"report/listen/{name}.json") for name in corpora if self.listen]
