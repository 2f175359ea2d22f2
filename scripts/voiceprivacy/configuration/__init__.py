"""The config of a run: read, checked against workflow/schemas/config.schema.yaml, defaults filled in.

Defaults live in the schema. Two depend on other keys and are set here: a corpus that is evaluated without a protocol
has enrol_trial, and one Kaldi directory the list ``all`` of its own trials file; ``report: {controls: true}`` adds the
anonymisers of workflow/resources/controls.yaml.
"""

from voiceprivacy.configuration.completion import complete, controls, expand, with_controls, with_protocols
from voiceprivacy.configuration.contradictions import contradictions
from voiceprivacy.configuration.explanations import Problem, wrong_entries
from voiceprivacy.configuration.named_files import missing_files
from voiceprivacy.configuration.reading import line_of, read
from voiceprivacy.files import BadInput

__all__ = ["Problem", "check", "complete", "controls", "expand", "line_of", "problems", "read"]


def check(config):
    """Check a config and complete it.

    Parameters
    ----------
    config : dict

    Returns
    -------
    dict : a copy with ${NAME} replaced and every default filled in

    Raises
    ------
    BadInput : the first problem; ``problems`` gives all of them
    """
    for problem in problems(config):
        raise BadInput(problem.what if problem.what.endswith(": not found") else str(problem))
    return complete(expand(config))


def problems(config):
    """Everything that is wrong with a config: variables, keys and values; or else contradictions and missing files.

    Returns
    -------
    list of Problem
    """
    found = wrong_entries(with_controls(with_protocols(config)))
    if found:
        return found
    config = complete(expand(config))
    return [*contradictions(config), *missing_files(config)]
