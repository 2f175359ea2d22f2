"""The Brain that trains an extractor: SpeechBrain's loop, validated on held-out speakers."""

import os
import shutil
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import speechbrain
import torch
from speechbrain.nnet.schedulers import update_learning_rate
from speechbrain.utils.checkpoints import (
    Checkpointer,
    mark_as_loader,
    mark_as_saver,
    register_checkpoint_hooks,
)
from speechbrain.utils.epoch_loop import EpochCounterWithStopper

from voiceprivacy import seeds
from voiceprivacy.attack import Floats
from voiceprivacy.attack.training.batches import ValidationSet, cosine_eer_percent
from voiceprivacy.inout.tables import read_table, write_table
from voiceprivacy.running.command import say

MIXED = {"bf16": torch.bfloat16, "fp16": torch.float16}
COLUMNS = ["epoch", "loss", "right_percent", "held_out_eer_percent", "learning_rate", "seconds"]


class Schedule(NamedTuple):
    """How a recipe trains: its plain training fields."""

    number_of_epochs: int
    batch_size: int
    crop_s: float
    sample_rate: int
    validation_speakers: int
    validation_s: float
    patience: int
    encoder_s: float = 0.0


class SpeakerBrain(speechbrain.Brain):
    """Classifies pieces of speech by speaker; in validation it embeds them.

    ``fit`` of SpeechBrain calls the methods below; ``prepare`` and ``train_on`` are ours.
    """

    encoder: Any = None  # a frozen one, whose layers the network hears beside the filter banks

    def prepare(
        self, schedule: Schedule, *, history: "History", seed: int, encoder: Any = None
    ) -> None:
        """Give it what SpeechBrain's Brain does not know: epochs, patience, the curve, the seed.

        Perhaps also an encoder (``ecapa_ssl.FrozenEncoder``). It is none of the modules, so that
        nothing trains it, switches its dropout on, or saves it.
        """
        self.schedule, self.history, self.seed = schedule, history, seed
        self.encoder = encoder
        self.counter = EpochCounterWithStopper(
            schedule.number_of_epochs, schedule.patience, 0, "min"
        )
        self.checkpointer.add_recoverable("counter", self.counter)

    def train_on(
        self, pieces: torch.utils.data.DataLoader, validation: ValidationSet | None
    ) -> None:
        """Train on pieces, validate where there is a set, and load the best epoch's weights.

        Without validation, these are the last epoch's.
        """
        self.pieces, self.validation = pieces, validation
        loader = None
        if validation is not None:
            # The set makes its own batches.
            loader = torch.utils.data.DataLoader(validation, batch_size=None)
        self.fit(self.counter, pieces, loader)
        # The best epoch's checkpoint holds the curve up to that epoch only.
        whole_curve = self.history.rows
        self.checkpointer.recover_if_possible(min_key=None if validation is None else "eer_percent")
        self.history.rows = whole_curve

    def compute_forward(self, batch: Any, stage: Any) -> torch.Tensor:
        """Scores of the speakers in training, embeddings in validation."""
        # A third part is what the encoder hears; without it, it hears the same as the others.
        waves, _, *heard = batch
        waves = waves.to(self.device)
        frames = self.modules.compute_features(waves)
        frames = self.modules.mean_var_norm(frames, torch.ones(len(waves), device=self.device))
        inputs = [frames]
        if self.encoder is not None:
            inputs.append(self.encoder.layers(heard[0] if heard else waves))
        embeddings = self.modules.embedding_model(*inputs)
        if stage == speechbrain.Stage.TRAIN:
            return self.modules.classifier(embeddings)
        return embeddings

    def compute_objectives(self, predictions: torch.Tensor, batch: Any, stage: Any) -> torch.Tensor:
        """The loss of a batch; it also counts how many are right."""
        speakers = batch[1].to(self.device)
        self.right += int((predictions.squeeze(1).argmax(dim=1) == speakers).sum())
        self.tried += len(speakers)
        return self.hparams.compute_cost(predictions, speakers[:, None])

    def evaluate_batch(self, batch: Any, stage: Any) -> torch.Tensor:
        """Embed a batch of validation; the loss that SpeechBrain expects plays no part."""
        with torch.no_grad():
            embeddings = self.compute_forward(batch, stage).squeeze(1)
        # float32 first: numpy knows no bfloat16.
        self.embedded.append(embeddings.float().cpu().numpy())
        return torch.zeros(())

    def embed(self, batches: Iterable[Any]) -> Floats:
        """Embeddings (N, D) of batches of validation."""
        self.modules.eval()
        self.on_stage_start(speechbrain.Stage.VALID)
        for batch in batches:
            self.evaluate_batch(batch, speechbrain.Stage.VALID)
        return np.concatenate(self.embedded)

    def on_fit_batch_end(self, batch: Any, outputs: Any, loss: Any, should_step: bool) -> None:
        """Step a schedule of learning rates that changes with every batch."""
        if hasattr(self.hparams.lr_annealing, "on_batch_end"):
            self.hparams.lr_annealing.on_batch_end(self.optimizer)

    def on_stage_start(self, stage: Any, epoch: int | None = None) -> None:
        """Begin an epoch, with a random state of its own: a killed training goes on to the bit."""
        if stage == speechbrain.Stage.TRAIN:
            torch.manual_seed(seeds.derive(self.seed, "epoch", str(epoch)))
            self.pieces.batch_sampler.epoch = epoch
            self.right, self.tried, self.started = 0, 0, time.monotonic()
            # Without validation, a checkpoint is saved before SpeechBrain resets these.
            self.step, self.avg_train_loss = 0, 0.0
        self.embedded: list[Floats] = []

    def on_stage_end(self, stage: Any, stage_loss: float, epoch: int | None = None) -> None:
        """End an epoch after its last stage."""
        if stage == speechbrain.Stage.TRAIN:
            self.train_loss = stage_loss
        # A rate of errors exists after validation, which follows training within an epoch.
        if self.validation is None:
            self._end_epoch(epoch, eer_percent=None)
        elif stage != speechbrain.Stage.TRAIN:
            embeddings = np.concatenate(self.embedded)
            eer_percent = cosine_eer_percent(embeddings, self.validation.pairs)
            self._end_epoch(epoch, eer_percent=eer_percent)

    def _end_epoch(self, epoch, *, eer_percent):
        rate = self.optimizer.param_groups[0]["lr"]
        self.history.add(
            epoch=epoch,
            loss=f"{self.train_loss:.4f}",
            right_percent=f"{100 * self.right / self.tried:.1f}",
            held_out_eer_percent="-" if eer_percent is None else f"{eer_percent:.6g}",
            learning_rate=f"{rate:.3g}",
            seconds=f"{time.monotonic() - self.started:.0f}",
        )
        if not hasattr(self.hparams.lr_annealing, "on_batch_end"):
            rates = self.hparams.lr_annealing.value_at_epoch
            # After the last rate there is no other: SpeechBrain would look for one.
            update_learning_rate(self.optimizer, rates[min(epoch, len(rates) - 1)])
        if eer_percent is None:
            self.checkpointer.save_and_keep_only()
        else:
            self.counter.update_metric(eer_percent)
            self.checkpointer.save_and_keep_only(
                meta={"eer_percent": eer_percent}, min_keys=["eer_percent"]
            )


def keep_precision(module: torch.nn.Module, precision: str, *, device_type: str = "cuda") -> None:
    """Let a module compute in a mixed precision (of MIXED) in whatever thread calls it.

    Torch keeps that precision per thread. The threads that DataParallel starts would take float16
    for bfloat16.
    """
    module.register_forward_pre_hook(
        lambda *_: torch.set_autocast_dtype(device_type, MIXED[precision])
    )


class WholeCheckpointer(Checkpointer):
    """SpeechBrain's checkpointer, whose checkpoints are whole or absent.

    SpeechBrain first writes the file that makes a folder a checkpoint: after a kill it would go on
    from half of one.
    """

    def save_checkpoint(self, **fields: Any) -> Any:
        """Save elsewhere and move the whole checkpoint here.

        Fields (but for ``name``) and result are SpeechBrain's.
        """
        here = self.checkpoints_dir  # type: ignore[has-type]
        # Beside it, so that the move below stays on one disk.
        unfinished = here.with_name(f"{here.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        self.checkpoints_dir = unfinished
        try:
            # SpeechBrain names by the second what it finds no folder of: here it never finds one.
            saved = super().save_checkpoint(**fields | {"name": uuid.uuid4().hex})
        finally:
            self.checkpoints_dir = here
        path = here / saved.path.name
        os.replace(saved.path, path)
        files = {name: path / file.name for name, file in saved.paramfiles.items()}
        return saved._replace(path=path, paramfiles=files)


@register_checkpoint_hooks
class History:
    """The curve of a training, one row an epoch; part of every checkpoint."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []

    def add(self, **row: Any) -> None:
        """Take down an epoch and print it."""
        self.rows.append([str(row[column]) for column in COLUMNS])
        say("  ".join(f"{column} {value}" for column, value in row.items()), flush=True)

    @mark_as_saver
    def write(self, path: Path | str) -> None:
        """Write the rows as TSV."""
        write_table(path, COLUMNS, self.rows)

    @mark_as_loader
    def read(self, path: Path | str, end_of_epoch: bool = True) -> None:
        """Read the rows of a checkpoint."""
        self.rows = [list(row.values()) for row in read_table(path, COLUMNS)]
