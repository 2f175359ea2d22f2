"""What is shown besides privacy: utility (pitch correlation, measures of one's own), clips, published numbers."""

PITCH = "pitch_correlation"


class Utility:
    """The part of a plan that is about utility, and what else the page adds."""

    def measures(self, corpus):
        """Every table of measures of a corpus: pitch of anonymisers, measures of the config of the original too."""
        folder = f"results/utility/{corpus}/trial"
        pitch = self.anonymisers if self.config["report"]["pitch_correlation"] else []
        found = [f"{folder}/{name}/{PITCH}.tsv" for name in pitch]
        systems = ["original", *self.anonymisers]
        return found + [f"{folder}/{name}/{of}.tsv" for name in systems for of in self.config["utility"]]

    def measure_options(self):
        """How the measures are read: {name: {better, weight}}."""
        keys = ("better", "weight")
        found = {
            name: {key: entry[key] for key in keys if key in entry} for name, entry in self.config["utility"].items()
        }
        return {PITCH: {"better": "higher"}, **found}

    def listened(self):
        """Clips to listen to of every corpus with trial lists."""
        corpora = [name for name in self.evaluated if self.trial_lists(name)] if self.config["report"]["listen"] else []
        return [f"results/report/listen/{corpus}.json" for corpus in corpora]

    def given_lists(self):
        """(corpus, trial list) of the lists that lie in Kaldi directories: only those can be published sets."""
        return [
            (corpus, trials)
            for corpus, trials in self.all_trial_lists()
            if "given" in self.corpora[corpus].get("protocol", {})
        ]

    def utility(self):
        """The table of means of every corpus of which something is measured."""
        return [f"results/metrics/utility/{corpus}.tsv" for corpus in self.evaluated if self.measures(corpus)]
