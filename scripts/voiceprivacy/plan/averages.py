"""Averages over trial lists of several corpora: which there are, and where files about them lie.

Conventions
-----------
* ``averages`` of the config name weighted means over lists: {name: {corpus: {list: weight}}}.
* Of several corpora there is an average of all their lists with equal weights, whatever the config says.
* Files about an average lie where those about a list do, with ACROSS_CORPORA as the corpus and ``folder_of`` its name as the
  list: names of corpora and of averages have no hyphen, so neither can be mistaken for another.
"""

EVERYTHING = "all lists"


def all_averages(averages, lists):
    """Every average of a run: {name: {(corpus, list): weight}}, that of everything last if there are several corpora.

    Parameters
    ----------
    averages : as in the config
    lists : (corpus, list) of all trial lists of the run
    """
    found = {
        name: {
            (corpus, trials): weight
            for corpus, of in corpora.items()
            for trials, weight in of.items()
        }
        for name, corpora in averages.items()
    }
    several = len({corpus for corpus, _ in lists}) > 1
    return found | ({EVERYTHING: dict.fromkeys(lists, 1)} if several else {})


def folder_of(name):
    """An average's name as part of a path."""
    return name.replace(" ", "-")
