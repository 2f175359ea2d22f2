"""SpeechBrain's folders, read without running what is in them: hyperparameters and weights.

HyperPyYAML, which SpeechBrain uses, imports and calls whatever a file names. Here a file is parsed
by a safe YAML loader, and only the classes of CLASSES are built, from plain fields. A file can
choose among them and set their numbers, nothing else. A section that nobody asks for is never
looked at. Weights are loaded as tensors only: a pickle could run code as well.

Understood tags: ``!new:<class>`` (an object), ``!name:<class>`` (the class, with its fields bound),
``!ref <field>`` (another field) and ``!PLACEHOLDER`` (a value that the reader supplies).
"""

import contextlib
import functools
import importlib
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
import yaml

from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import CHECKSUMS, read_unchanged, sha256_of
from voiceprivacy.inout.files import lines_of
from voiceprivacy.inout.tables import number_in
from voiceprivacy.inout.writing import whole_or_absent
from voiceprivacy.inout.yaml_files import compose
from voiceprivacy.running.command import out_of_memory

SETTINGS, WEIGHTS = "hyperparams.yaml", "embedding_model.ckpt"
CLASSES = {
    "speechbrain.lobes.features.Fbank",
    "speechbrain.processing.features.InputNormalization",
    "speechbrain.lobes.models.ECAPA_TDNN.ECAPA_TDNN",
    "speechbrain.lobes.models.ECAPA_TDNN.Classifier",
    "speechbrain.lobes.models.Xvector.Xvector",
    "speechbrain.lobes.models.VanillaNN.VanillaNN",
    "speechbrain.lobes.models.Xvector.Classifier",
    "speechbrain.lobes.models.transformer.Transformer.PositionalEncoding",
    "speechbrain.lobes.models.transformer.Transformer.TransformerEncoder",
    "speechbrain.lobes.models.wav2vec.EncoderWrapper",
    "speechbrain.lobes.models.wav2vec.W2VLatentExtractor",
    "speechbrain.nnet.containers.Sequential",
    "speechbrain.nnet.linear.Linear",
    "speechbrain.nnet.losses.LogSoftmaxWrapper",
    "speechbrain.nnet.losses.AdditiveAngularMargin",
    "speechbrain.nnet.losses.nll_loss",
    "speechbrain.nnet.normalization.BatchNorm1d",
    "speechbrain.nnet.schedulers.CyclicLRScheduler",
    "speechbrain.nnet.schedulers.LinearScheduler",
    "torch.nn.Dropout",
    "torch.nn.GELU",
    "torch.nn.LeakyReLU",
    "torch.nn.ReLU",
    "torch.optim.Adam",
    "torch.optim.AdamW",
    "voiceprivacy.attack.extractors.ecapa_ssl.EcapaSSL",
}
INSIDE = "state_dict"  # where some checkpoints keep their tensors
REFERENCE = re.compile(r"<([\w.]+)>")
NEW, NAME = "!new:", "!name:"
DEEPEST = 50  # references in a row: more are taken for a circle
MOST_VALUES = 100_000  # that a field leads to: references to lists of references grow without end


class Section:
    """One ``!new:`` or ``!name:`` section: the class it names and its fields, not built yet.

    Attributes
    ----------
    where : str
        File, line and field, for messages.
    deferred : bool
        Whether the class itself is meant, not an object of it.
    of_class : str
        Full name of the class.
    fields : dict
    """

    def __init__(self, where: str, tag: str, fields: dict[str, Any]) -> None:
        """Take a section apart; BadInput where its class is none of CLASSES."""
        self.where = where
        self.deferred = tag.startswith(NAME)
        self.of_class = tag.removeprefix(NAME if self.deferred else NEW)
        self.fields = fields
        if self.of_class not in CLASSES:
            raise BadInput(
                f"{where}: '{self.of_class}' is not a class that is built here: "
                f"{', '.join(sorted(CLASSES))}"
            )

    def class_(self) -> Any:
        """The class itself."""
        module, _, name = self.of_class.rpartition(".")
        return getattr(importlib.import_module(module), name)

    def build(self) -> Any:
        """Make the object (or the class with its fields bound)."""
        class_ = self.class_()
        fields = {key: built(value) for key, value in self.fields.items()}
        if self.deferred:
            return functools.partial(class_, **fields) if fields else class_
        with refusing(f"{self.where}: cannot build {self.of_class}"):
            return class_(**fields)


class Hyperparameters:
    """The fields of a hyperparameter file, resolved one by one as they are asked for.

    Attributes
    ----------
    placeholders : dict {field: value}
        What ``!PLACEHOLDER`` fields get.
    """

    def __init__(self, path: Path | str) -> None:
        """Parse ``path``; ``placeholders`` can be filled in before their fields are asked for."""
        self.path = path
        self.placeholders: dict[str, Any] = {}
        content = read_unchanged(Path(path))
        # As it is: a trained folder has a copy.
        self.text = "\n".join(lines_of(path, content)) + "\n"
        root = compose(path)
        if not isinstance(root, yaml.MappingNode):
            raise BadInput(
                f"{path}: is not a SpeechBrain hyperparameter file (no 'field: value' lines)"
            )
        self.nodes = {key.value: value for key, value in root.value}
        self.n_values = 0  # that were looked at for the field that is asked for

    def __contains__(self, field: str) -> bool:
        return field in self.nodes

    def get(self, field: str, *, default: Any = None) -> Any:
        """The value of a field: a plain value, a list, a dict or a Section; or ``default``."""
        self.n_values = 0
        return self._resolved(self.nodes[field], (field,)) if field in self.nodes else default

    def section(self, field: str, *, classes: Sequence[str], deferred: bool = False) -> Section:
        """The Section of a field.

        Raises
        ------
        BadInput : it is no object (``deferred``: no class itself) of one of ``classes``
        """
        if field not in self.nodes:
            raise BadInput(
                f"{self.path}: has no field '{field}', "
                "so it is not a SpeechBrain model of this kind"
            )
        value = self.get(field)
        if isinstance(value, Section):
            if value.deferred == deferred and value.of_class in classes:
                return value
            value = value.of_class  # for the message
        tag = NAME if deferred else NEW
        expected = " or ".join(f"{tag}{name}" for name in classes)
        raise BadInput(f"{self.path}: {field} is '{value}', expected {expected}")

    def described(self, field: str) -> tuple[str, dict[str, Any]]:
        """The class that a field names, which need not be one of CLASSES, and the class's fields.

        Nothing is built: for what a reader makes itself.
        """
        node = self.nodes.get(field)
        if node is None or not node.tag.startswith((NEW, NAME)):
            raise BadInput(
                f"{self.path}: has no object '{field}', "
                "so it is not a SpeechBrain model of this kind"
            )
        self.n_values = 0
        where = f"{self.path}:{node.start_mark.line + 1}: {field}"
        return node.tag.partition(":")[2], self._fields(node, (field,), where)

    def number(self, field: str) -> Any:
        """The positive number of a field."""
        value = self.get(field)
        if not _is_number(value) or value <= 0:
            raise BadInput(f"{self.path}: {field} is '{value}', expected a positive number")
        return value

    def count(self, field: str, *, default: int | None = None) -> int:
        """The positive whole number of a field; ``default`` where it is absent, if there is one."""
        value = self.get(field) if default is None else self.get(field, default=default)
        if not _is_number(value) or value < 1 or not float(value).is_integer():
            wrong = f"{field} is '{value}', expected a whole number from 1 on"
            raise BadInput(f"{self.path}: {wrong}")
        return int(value)

    def number_or_zero(self, field: str, *, default: float) -> Any:
        """The number of a field, not below zero; ``default`` where the field is absent."""
        value = self.get(field, default=default)
        if value in (0, default):
            return value
        return self.number(field)

    def numbers(self, field: str, *, default: list[float]) -> list[float]:
        """The list of numbers of a field, at least one."""
        values = self.get(field, default=default)
        if not isinstance(values, list) or not values or not all(map(_is_number, values)):
            raise BadInput(f"{self.path}: {field} is '{values}', expected a list of numbers")
        return values

    def _resolved(self, node, trail):
        """The value of a node; ``trail`` are the fields that led to it, its own the last."""
        where = f"{self.path}:{node.start_mark.line + 1}: {trail[0]}"
        self.n_values += 1
        if len(trail) > DEEPEST:
            raise BadInput(f"{where}: refers to itself")
        if self.n_values > MOST_VALUES:
            raise BadInput(f"{where}: refers to more than {MOST_VALUES} values")
        if node.tag == "!ref":
            return self._referred(node, trail, where)
        if node.tag == "!PLACEHOLDER":
            if trail[-1] not in self.placeholders:
                raise BadInput(f"{where}: is a placeholder")
            return self.placeholders[trail[-1]]
        if node.tag.startswith((NEW, NAME)):
            return Section(where, node.tag, self._fields(node, trail, where))
        if isinstance(node, yaml.MappingNode):
            return self._fields(node, trail, where)
        if isinstance(node, yaml.SequenceNode):
            items = enumerate(node.value)
            return [self._resolved(item, (*trail, str(number))) for number, item in items]
        # Only plain values are left: numbers, texts, true and false, nothing.
        try:
            value = yaml.SafeLoader("").construct_object(node)
        except (yaml.YAMLError, ValueError, TypeError, KeyError):
            raise BadInput(
                f"{where}: the tag {node.tag} is not read here: write a plain value"
            ) from None
        # As HyperPyYAML reads it: 1e-3 is a number, which PyYAML takes for text.
        if isinstance(value, str) and node.style is None and math.isfinite(number_in(value)):
            return number_in(value)
        return value

    def _fields(self, node, trail, where):
        if isinstance(node, yaml.ScalarNode) and not node.value:
            return {}  # a class without fields, such as "!new:torch.nn.ReLU"
        if not isinstance(node, yaml.MappingNode):
            raise BadInput(f"{where}: expected indented 'field: value' lines")
        return {key.value: self._resolved(value, (*trail, key.value)) for key, value in node.value}

    def _referred(self, node, trail, where):
        reference = REFERENCE.fullmatch(node.value) if isinstance(node, yaml.ScalarNode) else None
        if not reference or reference[1] not in self.nodes:
            raise BadInput(
                f"{where}: '!ref {node.value}' is not the name of a field: write the value itself"
            )
        return self._resolved(self.nodes[reference[1]], (*trail, reference[1]))


def built(value: Any) -> Any:
    """A resolved value with every Section in it built."""
    if isinstance(value, Section):
        return value.build()
    if isinstance(value, list):
        return [built(item) for item in value]
    if isinstance(value, dict):
        return {key: built(item) for key, item in value.items()}
    return value


def load_weights(
    module: torch.nn.Module,
    path: Path,
    *,
    model: str = f"the model in {SETTINGS}",
    may_lack: str | None = None,
) -> None:
    """Load the tensors of a .ckpt file into a module; ``model`` is its name in errors.

    A tensor whose name ends with ``may_lack`` stays as it is where the file has none.

    Raises
    ------
    BadInput : a tensor is missing, left over, or of another shape, the file is none of tensors, or
        it is not the one that SHA256SUMS beside it names
    """
    state = read_weights(path, model=model)
    with refusing(f"{path}: not the weights of {model}"):
        if may_lack:
            own = module.state_dict().items()
            state = {name: own_one for name, own_one in own if name.endswith(may_lack)} | state
        module.load_state_dict(state)
    if not any(bool(weights.any()) for weights in module.parameters()):
        raise BadInput(f"{path}: all weights are zero")


def read_weights(path: Path, *, model: str) -> dict[str, torch.Tensor]:
    """The tensors {name: tensor} of a .ckpt file, read and refused as ``load_weights`` does."""
    content = read_unchanged(path)
    with refusing(f"{path}: not the weights of {model}"):
        read = dict(torch.load(io.BytesIO(content), map_location="cpu", weights_only=True))
        return dict(read[INSIDE]) if isinstance(read.get(INSIDE), Mapping) else read


def write_list(folder: Path) -> None:
    """Write the SHA-256 of all files of a folder beside them, for whoever loads it."""
    lines = [f"{sha256_of(path)}  {path.name}\n" for path in sorted(folder.iterdir())]
    with whole_or_absent(folder / CHECKSUMS) as temporary:
        temporary.write_text("".join(lines), encoding="utf-8")


@contextlib.contextmanager
def refusing(message: str, *, errors: type[Exception] = Exception) -> Iterator[None]:
    """Refuse (BadInput) what a library cannot do in the block: ``message``, and what it says of it.

    Where memory is full, nothing is wrong with anybody's file: that error stays.
    """
    try:
        yield
    except errors as error:
        if isinstance(error, BadInput) or out_of_memory(error):
            raise
        reason = " ".join(str(error).split())[:200]
        raise BadInput(f"{message} ({type(error).__name__}: {reason})") from None


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)
