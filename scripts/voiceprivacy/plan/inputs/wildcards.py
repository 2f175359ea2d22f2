"""Functions of wildcards, which Snakemake calls for each job, made of what a plan answers."""

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from voiceprivacy.plan.speech import environment_file, gpus

Ask: TypeAlias = Callable[[Any], Any]  # of wildcards


def one_of(names: Iterable[str]) -> str:
    """Regular expression of a wildcard with one of these names; of none it never matches."""
    return "|".join(dict.fromkeys(names)) or "(?!)"


def option(name: str, value: Any) -> list[Any]:
    """An option of a command and its value; nothing where there is no value."""
    return [name, value] if value else []


def options(files: Mapping[str, Any], *names: str) -> list[Any]:
    """Options of a command that are called as outputs or inputs of its rule are."""
    words: list[Any] = []
    for name in names:
        words += [f"--{name.replace('_', '-')}", files[name]]
    return words


def tables(*others: str) -> Callable[[Any, Any], list[Any]]:
    """A parameter: the outputs of a job but ``others`` as options; which there are differs."""
    return lambda wildcards, output: options(
        output, *(name for name, _ in output.items() if name not in others)
    )


def command(job: str, *, also: str = "", options: str = "", **named: str) -> str:
    """Return what a rule runs: a job, whose flags are called as what the rule has.

    Parameters
    ----------
    job : a module of voiceprivacy.jobs, perhaps with a word for it
    also : flags that are called otherwise, or the same for all
    options : params that are whole options, or nothing
    named : names of the rule's input, output, params, wildcards
    """
    words = [f"python -P -m voiceprivacy.jobs.{job}"]
    for section, names in named.items():
        words += [f"--{name.replace('_', '-')} {{{section}.{name}:q}}" for name in names.split()]
    words += [f"{{params.{name}:q}}" for name in options.split()]
    return " ".join([*words, *also.split(), "> {log:q} 2>&1"])


def ask(answer: Callable[..., Any], form: Ask | None = None) -> Ask:
    """Return a function of wildcards: what a method answers for those that its parameters name.

    Parameters
    ----------
    answer : a method of the plan; None is no file
    form : what is made of its answer, such as ``json.dumps``
    """
    names = inspect.signature(answer).parameters

    def of_job(wildcards: Any) -> Any:
        answered = answer(*[wildcards[name] for name in names])
        if form:
            return form(answered)
        return [] if answered is None else answered

    return of_job


def in_json(answer: Callable[..., Any]) -> Ask:
    """Return what ``ask`` does, with answers in JSON."""
    return ask(answer, json.dumps)


def ask_option(name: str, answer: Callable[..., Any]) -> Ask:
    """Return what ``ask`` does, with answers as values of an option."""
    return ask(answer, lambda value: option(name, value))


def as_is(value: Any) -> Ask:
    """Return a parameter that is the same for all jobs: braces in it are no wildcards."""
    return lambda wildcards: value


class Entries:
    """What the entries of a section of the config say for the jobs that have their names.

    Parameters
    ----------
    entry_of : gives the entry of a name
    wildcard : the one that is such a name
    """

    def __init__(self, entry_of: Callable[[str], Any], wildcard: str) -> None:
        self.entry_of = entry_of
        self.wildcard = wildcard
        self.environment = self.ask(lambda options: environment_file(options["env"]))
        self.gpus = self.ask(gpus)

    def of_job(self, wildcards: Any) -> Any:
        """The entry of a job."""
        return self.entry_of(wildcards[self.wildcard])

    def ask(self, answer: Callable[[Any], Any]) -> Ask:
        """Return a function of wildcards: what is answered of the entry."""
        return lambda wildcards: answer(self.of_job(wildcards))

    def field(self, name: str) -> Ask:
        """Return a function of wildcards: a field of the entry."""
        return self.ask(itemgetter(name))

    def memory(self, wildcards: Any, attempt: int) -> int:
        """Megabytes of a job, which has more each time that it is tried again."""
        return self.of_job(wildcards)["mem_mb"] * attempt
