"""Read SpeechBrain's hyperparameter files without running what is in them.

HyperPyYAML, which SpeechBrain uses, imports and calls whatever a file names. Here a file is parsed by a safe YAML
loader, and only the classes of CLASSES are built, from plain fields: a file can choose among them and set their
numbers, nothing else. A section that nobody asks for is never looked at.

Understood tags: ``!new:<class>`` (an object), ``!name:<class>`` (the class, with its fields bound), ``!ref <field>``
(another field) and ``!PLACEHOLDER`` (a value that the reader supplies).
"""

import functools
import importlib
import re

import yaml

from voiceprivacy.inout.files import BadInput, read_lines
from voiceprivacy.inout.yaml_files import compose

CLASSES = {
    "speechbrain.lobes.features.Fbank",
    "speechbrain.processing.features.InputNormalization",
    "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
    "speechbrain.lobes.models.ECAPA_TDNN.Classifier",
    "speechbrain.lobes.models.Xvector.Xvector",
    "speechbrain.lobes.models.Xvector.Classifier",
    "speechbrain.lobes.models.transformer.Transformer.PositionalEncoding",
    "speechbrain.lobes.models.transformer.Transformer.TransformerEncoder",
    "speechbrain.lobes.models.wav2vec.EncoderWrapper",
    "speechbrain.lobes.models.wav2vec.W2VLatentExtractor",
    "speechbrain.nnet.losses.LogSoftmaxWrapper",
    "speechbrain.nnet.losses.AdditiveAngularMargin",
    "speechbrain.nnet.losses.nll_loss",
    "speechbrain.nnet.schedulers.CyclicLRScheduler",
    "speechbrain.nnet.schedulers.LinearScheduler",
    "torch.nn.GELU",
    "torch.nn.LeakyReLU",
    "torch.nn.ReLU",
    "torch.optim.Adam",
    "torch.optim.AdamW",
}
REFERENCE = re.compile(r"<([\w.]+)>")
NEW, NAME = "!new:", "!name:"


class Section:
    """One ``!new:`` or ``!name:`` section: the class it names and its fields, not built yet."""

    def __init__(self, place, tag, fields):
        self.place = place
        self.deferred = tag.startswith(NAME)
        self.of_class = tag.removeprefix(NAME if self.deferred else NEW)
        self.fields = fields
        if self.of_class not in CLASSES:
            raise BadInput(
                f"{place}: '{self.of_class}' is not a class that is built here: {', '.join(sorted(CLASSES))}"
            )

    def class_(self):
        """The class itself."""
        module, _, name = self.of_class.rpartition(".")
        return getattr(importlib.import_module(module), name)

    def build(self):
        """Make the object (or the class with its fields bound)."""
        made = self.class_()
        fields = {key: built(value) for key, value in self.fields.items()}
        if self.deferred:
            return functools.partial(made, **fields) if fields else made
        try:
            return made(**fields)
        except (
            TypeError,
            ValueError,
            AssertionError,
            IndexError,
            AttributeError,
            RuntimeError,
        ) as error:
            raise BadInput(f"{self.place}: cannot build {self.of_class} ({error})") from None


class Hyperparameters:
    """The fields of a hyperparameter file, resolved one by one as they are asked for."""

    def __init__(self, path, placeholders=None):
        """Parse ``path``; ``placeholders`` {field: value} are what ``!PLACEHOLDER`` fields get."""
        self.path = path
        self.placeholders = placeholders or {}
        self.text = "\n".join(read_lines(path)) + "\n"
        root = compose(path)
        if not isinstance(root, yaml.MappingNode):
            raise BadInput(
                f"{path}: is not a SpeechBrain hyperparameter file (no 'field: value' lines)"
            )
        self.nodes = {key.value: value for key, value in root.value}

    def __contains__(self, field):
        return field in self.nodes

    def get(self, field, *, default=None):
        """The value of a field: a plain value, a list, a dict or a Section; ``default`` where the field is absent."""
        return self._resolved(self.nodes[field], (field,)) if field in self.nodes else default

    def section(self, field, *, classes, deferred=False):
        """The Section of a field, which must be an object (``deferred``: the class itself) of one of ``classes``."""
        if field not in self.nodes:
            raise BadInput(
                f"{self.path}: has no field '{field}', so it is not a SpeechBrain model of this kind"
            )
        section = self.get(field)
        if (
            not isinstance(section, Section)
            or section.deferred != deferred
            or section.of_class not in classes
        ):
            found = section.of_class if isinstance(section, Section) else section
            tag = NAME if deferred else NEW
            raise BadInput(
                f"{self.path}: {field} is '{found}', expected {tag}{f' or {tag}'.join(classes)}"
            )
        return section

    def number(self, field):
        """The positive number of a field."""
        value = self.get(field)
        if not _is_number(value) or value <= 0:
            raise BadInput(f"{self.path}: {field} is '{value}', expected a positive number")
        return value

    def number_or_zero(self, field, *, default):
        """The number of a field, not below zero; ``default`` where the field is absent."""
        value = self.get(field, default=default)
        return value if value in (0, default) else self.number(field)

    def numbers(self, field, *, default):
        """The list of numbers of a field."""
        values = self.get(field, default=default)
        if (
            not isinstance(values, list)
            or not values
            or not all(_is_number(value) for value in values)
        ):
            raise BadInput(f"{self.path}: {field} is '{values}', expected a list of numbers")
        return values

    def _resolved(self, node, trail):
        place = f"{self.path}:{node.start_mark.line + 1}: {trail[0]}"
        if len(trail) > 50:
            raise BadInput(f"{place}: refers to itself")
        if node.tag == "!ref":
            return self._referred(node, trail, place)
        if node.tag == "!PLACEHOLDER":
            if trail[-1] not in self.placeholders:
                raise BadInput(f"{place}: is a placeholder")
            return self.placeholders[trail[-1]]
        if node.tag.startswith((NEW, NAME)):
            return Section(place, node.tag, self._fields(node, trail, place))
        if isinstance(node, yaml.MappingNode):
            return self._fields(node, trail, place)
        if isinstance(node, yaml.SequenceNode):
            return [
                self._resolved(item, (*trail, str(number)))
                for number, item in enumerate(node.value)
            ]
        try:
            return yaml.SafeLoader("").construct_object(node)
        except (yaml.YAMLError, ValueError, TypeError, KeyError):
            raise BadInput(
                f"{place}: the tag {node.tag} is not read here: write a plain value"
            ) from None

    def _fields(self, node, trail, place):
        if isinstance(node, yaml.ScalarNode) and not node.value:
            return {}
        if not isinstance(node, yaml.MappingNode):
            raise BadInput(f"{place}: expected indented 'field: value' lines")
        return {key.value: self._resolved(value, (*trail, key.value)) for key, value in node.value}

    def _referred(self, node, trail, place):
        reference = REFERENCE.fullmatch(node.value) if isinstance(node, yaml.ScalarNode) else None
        if not reference or reference[1] not in self.nodes:
            raise BadInput(
                f"{place}: '!ref {node.value}' is not the name of a field: write the value itself"
            )
        return self._resolved(self.nodes[reference[1]], (*trail, reference[1]))


def built(value):
    """A resolved value with every Section in it built."""
    if isinstance(value, Section):
        return value.build()
    if isinstance(value, list):
        return [built(item) for item in value]
    return {key: built(item) for key, item in value.items()} if isinstance(value, dict) else value


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
