"""Without a seed in its config a run draws a secret, once; test_tiny_run.py looks who holds it."""

import stat
from pathlib import Path

import pytest

from voiceprivacy.errors import BadInput
from voiceprivacy.plan.earlier import SEED_FILE, draw_secret

CONFIG = {"anonymisers": {"b2r": {}}}
SECRET = Path("results/secret_seed")
GIVEN = "5eed" * 16


@pytest.fixture(autouse=True)
def folder(in_tmp_path, monkeypatch):
    monkeypatch.delenv(SEED_FILE, raising=False)


def give(monkeypatch, content):
    Path("given").write_text(content)
    monkeypatch.setenv(SEED_FILE, "given")


def draw(config=CONFIG, *, dry_run=False):
    draw_secret(config, SECRET.parent, dry_run=dry_run)


def test_the_secret_is_drawn_once_and_by_no_dry_run_or_where_nobody_draws():
    draw(dry_run=True)
    draw({"anonymisers": {}})
    draw(CONFIG | {"seed": 0})
    assert not SECRET.exists()
    draw()
    secret = SECRET.read_bytes()
    assert stat.S_IMODE(SECRET.stat().st_mode) == 0o600
    draw()
    assert SECRET.read_bytes() == secret
    SECRET.unlink()
    draw()
    assert SECRET.read_bytes() != secret


def test_a_copy_of_the_secret_is_taken_unless_the_run_has_another(monkeypatch):
    give(monkeypatch, GIVEN)
    draw(dry_run=True)
    assert not SECRET.exists()
    for _ in range(2):
        draw()
        assert SECRET.read_text().strip() == GIVEN
    give(monkeypatch, GIVEN[::-1])
    with pytest.raises(BadInput, match="was made with another"):
        draw()


@pytest.mark.parametrize(
    ("config", "content", "said"),
    [
        (CONFIG | {"seed": 0}, GIVEN, "the config has a seed"),
        (CONFIG, "no-digits\n", "holds no secret"),
        (CONFIG, None, "not found"),
    ],
)
def test_a_seed_file_that_cannot_be_used_is_refused(monkeypatch, config, content, said):
    give(monkeypatch, content or "")
    if content is None:
        Path("given").unlink()
    with pytest.raises(BadInput, match=said) as refused:
        draw(config)
    assert "no-digits" not in str(refused.value)
