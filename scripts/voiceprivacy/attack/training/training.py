"""Train an embedding extractor to tell the training speakers apart, with SpeechBrain's classes.

Conventions
-----------
* The recipe is a SpeechBrain hyperparameter file, read by ``folders``, so nothing in it
  runs as code. It holds the model as any SpeechBrain speaker folder does, and the training fields
  that ``Schedule`` and ``Augmentation`` list.
* What is heard in an epoch is drawn from the seed, the epoch and the utterances' names (see
  ``batches``). A training that was killed goes on from its last epoch and gives the weights that it
  would have given, bit for bit on one machine with equal threads.
* With ``validation_speakers``, that many are held out of training. The weights of the epoch with
  the lowest EER on them are kept, and training stops after ``patience`` epochs without a lower
  one. What the extractor finds in them at the end stands in ``held_out.json``.

References
----------
Snyder et al., X-vectors, ICASSP 2018. Desplanques et al., ECAPA-TDNN, Interspeech 2020.
Xiang et al., Margin matters, APSIPA 2019 (additive angular margin).
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from voiceprivacy import seeds
from voiceprivacy.attack.backends.backends import cosine
from voiceprivacy.attack.extractors.ecapa_ssl import FrozenEncoder, encoder_in
from voiceprivacy.attack.extractors.networks import (
    EMBEDDING,
    FEATURES,
    LISTENING,
    NORMALISATION,
)
from voiceprivacy.attack.held_out import Spoken, judged, trials_of, unknown
from voiceprivacy.attack.training.batches import (
    Augmentation,
    Batches,
    Pieces,
    ValidationSet,
    hold_out,
)
from voiceprivacy.attack.training.brain import (
    MIXED,
    History,
    Schedule,
    SpeakerBrain,
    WholeCheckpointer,
    keep_precision,
)
from voiceprivacy.errors import BadInput
from voiceprivacy.inout.checksums import listed
from voiceprivacy.inout.json_files import write_json
from voiceprivacy.inout.manifests import Utterance
from voiceprivacy.inout.writing import remove_at_once, remove_leftovers, whole_folder_or_absent
from voiceprivacy.models.devices import torch_device
from voiceprivacy.models.encoders import HUB_SETTINGS
from voiceprivacy.models.folders import (
    SETTINGS,
    WEIGHTS,
    Hyperparameters,
    load_weights,
    read_weights,
)
from voiceprivacy.models.hub import WAVLM
from voiceprivacy.running.command import say

CLASSIFIER = [
    "speechbrain.lobes.models.ECAPA_TDNN.Classifier",
    "speechbrain.lobes.models.Xvector.Classifier",
]
COST = ["speechbrain.nnet.losses.LogSoftmaxWrapper", "speechbrain.nnet.losses.nll_loss"]
OPTIMISERS = ["torch.optim.Adam", "torch.optim.AdamW"]
ANNEALING = [
    "speechbrain.nnet.schedulers.LinearScheduler",
    "speechbrain.nnet.schedulers.CyclicLRScheduler",
]
TRAINED = ("embedding_model", "classifier")  # the modules that have weights
SPEAKERS = "out_n_neurons"
PLACEHOLDER = "!PLACEHOLDER"
CHECKPOINTS = ".checkpoints"  # ending of the folder that a training goes on from
CURVE = "training.tsv"
CLASSIFIER_WEIGHTS = "classifier.ckpt"
HELD_OUT = "held_out_speakers.txt"
FINDINGS = "held_out.json"
SLOWEST, FASTEST = 0.5, 2.0  # speeds at which speech is still speech
SHORTEST_REVERBERATION_S = 0.05


class Computer(NamedTuple):
    """What a training runs on.

    Attributes
    ----------
    device : "cpu" or "cuda"
    threads : int
        Of torch on a CPU; processes that load speech for a GPU.
    precision : "fp32", "bf16" or "fp16"
    """

    device: str = "cpu"
    threads: int = 1
    precision: str = "fp32"


CPU = Computer()


def train(
    utterances: Sequence[Utterance],
    *,
    recipe: Path | str,
    folder: Path | str,
    seed: int,
    start: Path | str | None = None,
    encoder: Path | str | None = None,
    computer: Computer = CPU,
) -> None:
    """Train the extractor of a recipe; its SpeechBrain folder is whole or absent afterwards.

    Parameters
    ----------
    utterances : list of Utterance
    recipe : path
        SpeechBrain hyperparameter file with ``out_n_neurons: !PLACEHOLDER``.
    folder : path
        Beside it, ``<folder>.checkpoints`` holds what is needed to go on after a kill, and is
        removed at the end.
    seed : int
    start : path, optional
        SpeechBrain folder of the same architecture whose weights are where training starts
        (fine-tuning), the classifier's only where it has as many speakers.
    encoder : path, optional
        Folder of the self-supervised encoder that a model of ``ecapa_ssl`` listens through; by
        default the one in ``start``.
    computer : Computer

    Raises
    ------
    BadInput : a recipe that is none, an utterance of another sample rate, too few speakers, no GPU
    """
    settings, schedule, augmentation = read_recipe(recipe)
    heard, held_out = hold_out(utterances, speakers=schedule.validation_speakers, seed=seed)
    pieces = Pieces(
        heard,
        augmentation=augmentation,
        crop_s=schedule.crop_s,
        sample_rate=schedule.sample_rate,
        seed=seed,
        encoder_s=schedule.encoder_s,
    )
    # Who speaks faster or slower is another speaker to the classifier.
    n_classes = len(pieces.speakers) * len(augmentation.speeds)
    settings.placeholders[SPEAKERS] = n_classes
    encoder = _encoder_folder(settings, encoder, start)
    checkpoints = _checkpoints(folder, settings.text, utterances, seed, start, encoder)
    # A killed training of this folder may have left both.
    remove_leftovers(Path(folder))
    remove_leftovers(checkpoints.parent)
    with _reproducibly(seed, computer.threads), whole_folder_or_absent(folder) as temporary:
        modules = _modules(settings)
        if start is not None:
            _load(modules, Path(start))
        listening = _listening(encoder, modules["embedding_model"], computer)
        brain = _brain(settings, modules, schedule, checkpoints, computer, seed, listening)
        validation = None
        if held_out:
            validation = ValidationSet(
                held_out,
                piece_s=schedule.validation_s,
                sample_rate=schedule.sample_rate,
                batch_size=schedule.batch_size,
            )
        brain.train_on(_loader(pieces, schedule, computer, seed), validation)
        _save(modules, settings.text.replace(PLACEHOLDER, str(n_classes)), temporary)
        brain.history.write(temporary / CURVE)
        findings = _findings(brain, validation, n_speakers=len(pieces.speakers))
        write_json(temporary / FINDINGS, findings._asdict())
        if listening is not None:
            listening.keep_in(temporary)
        if held_out:
            names = sorted({utterance.speaker for utterance in held_out})
            (temporary / HELD_OUT).write_text("\n".join(names) + "\n", encoding="utf-8")
    remove_at_once(checkpoints.parent)


def read_recipe(recipe: Path | str) -> tuple[Hyperparameters, Schedule, Augmentation]:
    """The settings of a recipe, its schedule and its augmentation; BadInput where it is none."""
    settings = Hyperparameters(recipe)
    return settings, _schedule(settings), _augmentation(settings)


def _schedule(settings):
    schedule = Schedule(
        number_of_epochs=settings.count("number_of_epochs"),
        batch_size=settings.count("batch_size"),
        crop_s=settings.number("crop_s"),
        sample_rate=int(settings.number("sample_rate")),
        validation_speakers=int(settings.number_or_zero("validation_speakers", default=0)),
        validation_s=settings.number_or_zero("validation_s", default=4.0),
        patience=settings.count("patience", default=10),
        encoder_s=settings.number_or_zero("encoder_s", default=0.0),
    )
    features = settings.section("compute_features", classes=FEATURES)
    # Pieces are cut at the recipe's rate; 16000 is what SpeechBrain's Fbank takes by default.
    if features.fields.get("sample_rate", 16000) != schedule.sample_rate:
        raise BadInput(
            f"{features.where}: sample_rate is not that of the recipe, {schedule.sample_rate}"
        )
    return schedule


def _augmentation(settings):
    augmentation = Augmentation(
        speeds=settings.numbers("speeds", default=[1.0]),
        reverberation_s=settings.numbers("reverberation_s", default=[0.1, 0.5]),
        reverberation_share=settings.number_or_zero("reverberation_share", default=0.0),
        snr_db=settings.numbers("snr_db", default=[0.0, 20.0]),
        noise_share=settings.number_or_zero("noise_share", default=0.0),
    )
    if not all(SLOWEST <= speed <= FASTEST for speed in augmentation.speeds):
        raise BadInput(
            f"{settings.path}: speeds are {augmentation.speeds}, expected numbers from 0.5 to 2"
        )
    for field in ("snr_db", "reverberation_s"):
        values = getattr(augmentation, field)
        if len(values) != 2 or values[0] > values[1]:
            raise BadInput(
                f"{settings.path}: {field} is {values}, expected the lowest and the highest value"
            )
    if augmentation.reverberation_s[0] < SHORTEST_REVERBERATION_S:
        raise BadInput(
            f"{settings.path}: reverberation_s is {augmentation.reverberation_s}, "
            "expected 0.05 s or more"
        )
    return augmentation


def _findings(brain, validation, *, n_speakers):
    """What the extractor that is kept finds in the speakers who were held out."""
    if validation is None:
        return unknown(n_speakers, "no speakers were held out (validation_speakers)")
    heard = [utterance for utterance, _ in validation.pieces]
    try:
        trials = trials_of(Spoken.heard(brain.embed(validation), heard), cosine)
    except BadInput as error:
        return unknown(n_speakers, str(error))
    return judged([trials], n_training_speakers=n_speakers)


def _modules(settings):
    sections = {
        "compute_features": settings.section("compute_features", classes=FEATURES),
        "mean_var_norm": settings.section("mean_var_norm", classes=NORMALISATION),
        "embedding_model": settings.section("embedding_model", classes=EMBEDDING),
        "classifier": settings.section("classifier", classes=CLASSIFIER),
    }
    return {name: section.build() for name, section in sections.items()}


def _load(modules, start):
    """Start from a model's weights; from its classifier's too, where it has as many speakers."""
    load_weights(modules["embedding_model"], start / WEIGHTS, model="the recipe's model")
    classifier, path = modules["classifier"], start / CLASSIFIER_WEIGHTS
    if not path.exists():
        if listed(path):
            remedy = f"remove {path.with_name(WEIGHTS)} and run again, or copy the model again"
            raise BadInput(f"{path}: not found, and it was there once: {remedy}")
        say(f"{path}: not found, so the classifier starts from scratch")
        return
    weights = read_weights(path, model="a classifier")
    # Other speakers have another classifier.
    if _shapes(weights) == _shapes(classifier.state_dict()):
        load_weights(classifier, path, model="the recipe's classifier")
    else:
        say(f"{path}: is for other speakers or layers, so the classifier starts from scratch")


def _shapes(weights):
    return {name: getattr(tensor, "shape", None) for name, tensor in weights.items()}


def _encoder_folder(settings, encoder, start):
    """The folder of the encoder; None for a model that has none."""
    model = settings.section("embedding_model", classes=EMBEDDING).of_class
    if model != LISTENING:
        if encoder is not None:
            raise BadInput(f"--encoder: the model of {settings.path} listens through no encoder")
        return None
    if encoder is None and start is not None:
        encoder = encoder_in(Path(start))
    if encoder is None:
        raise BadInput(f"{settings.path}: its model listens through an encoder: give --encoder")
    return Path(encoder)


def _listening(encoder, model, computer):
    if encoder is None:
        return None
    listening = FrozenEncoder(encoder, device=torch_device(computer.device))
    listening.check(model)
    return listening


def _brain(settings, modules, schedule, checkpoints, computer, seed, encoder):
    cost = settings.get("compute_cost")
    # A cost without parameters is a function (!name:), one with them an object (!new:).
    deferred = getattr(cost, "deferred", False)
    annealing = settings.section("lr_annealing", classes=ANNEALING).build()
    history = History()
    saved = {name: modules[name] for name in TRAINED} | {"history": history}
    if hasattr(annealing, "on_batch_end"):
        saved["lr_annealing"] = annealing  # it counts batches, and goes on counting
    options = _run_options(computer)
    if options["data_parallel_backend"] and computer.precision in MIXED:
        for name in TRAINED:
            keep_precision(modules[name], computer.precision)
    brain = SpeakerBrain(
        modules=modules,
        opt_class=settings.section("opt_class", classes=OPTIMISERS, deferred=True).build(),
        hparams={
            "compute_cost": settings.section(
                "compute_cost", classes=COST, deferred=deferred
            ).build(),
            "lr_annealing": annealing,
        },
        run_opts=options,
        checkpointer=WholeCheckpointer(checkpoints, saved, allow_partial_load=False),
    )
    brain.prepare(schedule, history=history, seed=seed, encoder=encoder)
    return brain


def _run_options(computer):
    if computer.device == "cuda" and not torch.cuda.is_available():
        raise BadInput("--device cuda: torch sees no GPU here; use --device cpu")
    if computer.device == "cpu" and computer.precision == "fp16":
        raise BadInput("--precision fp16 needs a GPU; use fp32 or bf16")
    several = computer.device == "cuda" and torch.cuda.device_count() > 1
    return {
        "device": computer.device,
        "precision": computer.precision,
        "data_parallel_backend": several,
    }


def _loader(pieces, schedule, computer, seed):
    batches = Batches(len(pieces), batch_size=schedule.batch_size, seed=seed)
    # On a CPU the threads train already; loading processes would only take them away.
    workers = computer.threads if computer.device == "cuda" else 0
    return torch.utils.data.DataLoader(pieces, batch_sampler=batches, num_workers=workers)


def _checkpoints(folder, recipe, utterances, seed, start, encoder):
    """The folder of checkpoints of exactly this training.

    With another recipe, seed, speech or start it is another: a killed training of something else is
    not gone on with.
    """
    described = [recipe, str(seed)]
    described += sorted(
        f"{utterance.utterance} {utterance.speaker} {_stamp(utterance.path)}"
        for utterance in utterances
    )
    if start is not None:
        described += [str(start), _stamp(Path(start, WEIGHTS))]
        classifier = Path(start, CLASSIFIER_WEIGHTS)
        described.append(_stamp(classifier) if classifier.exists() else "no classifier")
    if encoder is not None:
        own = WAVLM if Path(encoder, WAVLM).exists() else HUB_SETTINGS
        described += [str(encoder), _stamp(Path(encoder, own))]
    # 16 of 64 digits: long enough for folders beside each other.
    digest = hashlib.sha256("\n".join(described).encode()).hexdigest()[:16]
    return Path(f"{folder}{CHECKPOINTS}") / digest


def _stamp(path):
    """Size and time of change of a file, by which others of the same name are told from it."""
    try:
        status = os.stat(path)
    except OSError:
        raise BadInput(f"{path}: not found") from None
    return f"{status.st_size} {status.st_mtime_ns}"


def _save(modules, settings, folder):
    (folder / SETTINGS).write_text(settings, encoding="utf-8")
    torch.save(modules["embedding_model"].state_dict(), folder / WEIGHTS)
    torch.save(modules["classifier"].state_dict(), folder / CLASSIFIER_WEIGHTS)


@contextlib.contextmanager
def _reproducibly(seed: int, threads: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seeds.derive(seed, "weights"))
            yield
    finally:
        torch.set_num_threads(before)
