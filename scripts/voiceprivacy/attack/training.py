"""Train an embedding extractor to tell the training speakers apart, with SpeechBrain's Brain and classes.

Conventions
-----------
* The recipe is a SpeechBrain hyperparameter file (read by ``hyperparameters``, so nothing in it runs as code): the
  model as in any SpeechBrain speaker folder, and the training fields that ``Schedule`` lists.
* Every utterance is heard at every speed, with white noise at a random level; a speed makes a speaker of its own. Its
  features are computed once, and in every epoch a random piece is cut from them.
* Everything random depends on the seed, the order of utterances does not matter. Equal seeds and threads on the same
  machine give the same weights bit for bit.

References
----------
Snyder et al., X-vectors, ICASSP 2018. Xiang et al., Margin matters, APSIPA 2019 (additive angular margin).
Ko et al., Audio augmentation for speech recognition, Interspeech 2015 (speed).
"""

import contextlib
from typing import NamedTuple

import voiceprivacy.torchaudio_loader  # noqa: F401

import numpy as np
import speechbrain
import torch
from speechbrain.nnet.schedulers import update_learning_rate
from tqdm import tqdm

from voiceprivacy import audio, seeds
from voiceprivacy.attack.extractors import EMBEDDING, FEATURES, NORMALISATION, SETTINGS, WEIGHTS
from voiceprivacy.attack.hyperparameters import Hyperparameters
from voiceprivacy.files import BadInput, whole_folder_or_absent

CLASSIFIER = ["speechbrain.lobes.models.ECAPA_TDNN.Classifier"]
COST = ["speechbrain.nnet.losses.LogSoftmaxWrapper"]
OPTIMISERS = ["torch.optim.Adam", "torch.optim.AdamW"]
ANNEALING = ["speechbrain.nnet.schedulers.LinearScheduler"]
SPEAKERS = "out_n_neurons"
PLACEHOLDER = "!PLACEHOLDER"


class Schedule(NamedTuple):
    """How a recipe trains: its plain training fields."""

    number_of_epochs: int
    batch_size: int
    crop_s: float
    sample_rate: int
    speeds: list
    snr_db: list
    hop_ms: float


class Speech(NamedTuple):
    """Features (frames, mels) of one utterance at one speed, and the number of its speaker at that speed."""

    frames: torch.Tensor
    speaker: int


class SpeakerBrain(speechbrain.Brain):
    """Classifies pieces of speech by speaker; what it needs of the recipe is in modules and hparams."""

    def compute_forward(self, batch, stage):
        frames, _ = batch
        return self.modules.classifier(self.modules.embedding_model(self.modules.mean_var_norm(frames)))

    def compute_objectives(self, predictions, batch, stage):
        _, speakers = batch
        self.right += int((predictions.squeeze(1).argmax(dim=1) == speakers).sum())
        self.tried += len(speakers)
        return self.hparams.compute_cost(predictions, speakers[:, None])

    def on_stage_start(self, stage, epoch=None):
        self.right = self.tried = 0

    def on_stage_end(self, stage, stage_loss, epoch=None):
        _, rate = self.hparams.lr_annealing(epoch)
        update_learning_rate(self.optimizer, rate)
        of = self.hparams.number_of_epochs
        print(
            f"epoch {epoch:>3}/{of}  loss {stage_loss:7.4f}  right {100 * self.right / self.tried:5.1f} %", flush=True
        )


class Crops(torch.utils.data.IterableDataset):
    """Batches of random pieces: each pass gives one piece of every Speech, in a new order."""

    def __init__(self, speech, *, length, batch_size, generator):
        self.speech, self.length, self.generator = speech, length, generator
        self.n_batches = max(1, len(speech) // batch_size)

    def __len__(self):
        return self.n_batches

    def __iter__(self):
        order = self.generator.permutation(len(self.speech))
        for batch in np.array_split(order, self.n_batches):
            pieces = [self._piece(self.speech[index].frames) for index in batch]
            yield torch.stack(pieces), torch.tensor([self.speech[index].speaker for index in batch])

    def _piece(self, frames):
        """A piece of ``length`` frames; a shorter utterance is repeated."""
        frames = frames.tile(-(-self.length // len(frames)), 1)
        start = self.generator.integers(len(frames) - self.length + 1)
        return frames[start : start + self.length]


def train(utterances, *, recipe, folder, seed, threads=1):
    """Train the extractor of a recipe and save it as a SpeechBrain folder, which is whole or absent afterwards.

    Parameters
    ----------
    utterances : list of Utterance
    recipe : path
        SpeechBrain hyperparameter file with ``out_n_neurons: !PLACEHOLDER``.
    folder : path
    seed : int
    threads : int
        Threads of torch; another number changes the last digits of every sum and so the weights.

    Raises
    ------
    BadInput : a recipe that is none, an utterance of another sample rate, fewer than two speakers
    """
    schedule = _schedule(recipe)
    n_classes = len({of.speaker for of in utterances}) * len(schedule.speeds)
    settings = Hyperparameters(recipe, placeholders={SPEAKERS: n_classes})
    with _reproducibly(seed, threads), whole_folder_or_absent(folder) as temporary:
        brain = _brain(settings, schedule)
        crops = Crops(
            _load(utterances, settings, schedule, seed=seed),
            length=round(schedule.crop_s * 1000 / schedule.hop_ms),
            batch_size=schedule.batch_size,
            generator=seeds.generator(seed, "crops"),
        )
        batches = torch.utils.data.DataLoader(crops, batch_size=None)
        brain.fit(range(1, schedule.number_of_epochs + 1), batches, progressbar=False)
        _save(brain, settings.text.replace(PLACEHOLDER, str(n_classes)), temporary)


def _schedule(recipe):
    settings = Hyperparameters(recipe)
    schedule = Schedule(
        number_of_epochs=int(settings.number("number_of_epochs")),
        batch_size=int(settings.number("batch_size")),
        crop_s=settings.number("crop_s"),
        sample_rate=int(settings.number("sample_rate")),
        speeds=settings.numbers("speeds", default=[1.0]),
        snr_db=settings.numbers("snr_db", default=[100.0, 100.0]),
        hop_ms=settings.section("compute_features", classes=FEATURES).fields.get("hop_length", 10),
    )
    if not all(0.5 <= speed <= 2 for speed in schedule.speeds):
        raise BadInput(f"{recipe}: speeds are {schedule.speeds}, expected numbers from 0.5 to 2")
    if len(schedule.snr_db) != 2 or schedule.snr_db[0] > schedule.snr_db[1]:
        raise BadInput(f"{recipe}: snr_db is {schedule.snr_db}, expected the lowest and the highest level")
    return schedule


def _load(utterances, settings, schedule, *, seed):
    """Features of every utterance at every speed, sorted by name so that the manifest's order does not matter."""
    speakers = sorted({of.speaker for of in utterances})
    if len(speakers) < 2:
        raise BadInput("an extractor needs at least two training speakers")
    features = settings.section("compute_features", classes=FEATURES).build()
    speech = []
    for utterance in tqdm(sorted(utterances), desc="features", unit="utterance", mininterval=1.0):
        samples, sample_rate = audio.read(utterance.path)
        if sample_rate != schedule.sample_rate:
            raise BadInput(f"{utterance.path}: has {sample_rate} Hz, the recipe is for {schedule.sample_rate} Hz")
        generator = seeds.generator(seed, "noise", utterance.utterance)
        for index, speed in enumerate(schedule.speeds):
            heard = audio.resample(samples, source_rate=round(100 * speed), target_rate=100)
            heard = _noisy(heard, snr_db=generator.uniform(*schedule.snr_db), generator=generator)
            with torch.inference_mode():
                frames = features(torch.from_numpy(heard)[None])[0].clone()
            speech.append(Speech(frames, index * len(speakers) + speakers.index(utterance.speaker)))
    return speech


def _noisy(samples, *, snr_db, generator):
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-snr_db / 20)
    return samples + generator.standard_normal(len(samples), dtype=np.float32) * np.float32(level)


def _brain(settings, schedule):
    modules = {
        "mean_var_norm": settings.section("mean_var_norm", classes=NORMALISATION),
        "embedding_model": settings.section("embedding_model", classes=EMBEDDING),
        "classifier": settings.section("classifier", classes=CLASSIFIER),
    }
    hparams = {
        "compute_cost": settings.section("compute_cost", classes=COST).build(),
        "lr_annealing": settings.section("lr_annealing", classes=ANNEALING).build(),
        "number_of_epochs": schedule.number_of_epochs,
    }
    return SpeakerBrain(
        modules={name: section.build() for name, section in modules.items()},
        opt_class=settings.section("opt_class", classes=OPTIMISERS, deferred=True).build(),
        hparams=hparams,
        run_opts={"device": "cpu"},
    )


def _save(brain, settings, folder):
    (folder / SETTINGS).write_text(settings, encoding="utf-8")
    torch.save(brain.modules.embedding_model.state_dict(), folder / WEIGHTS)
    torch.save(brain.modules.classifier.state_dict(), folder / "classifier.ckpt")


@contextlib.contextmanager
def _reproducibly(seed, threads):
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seeds.derive(seed, "weights"))
            yield
    finally:
        torch.set_num_threads(before)
