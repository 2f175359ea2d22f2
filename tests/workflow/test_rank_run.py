"""A whole run on sampled galleries alone: features that are histograms, tables II and III, page."""

import pytest
import yaml
from support import models
from support.runs import finish, rows

CONFIG = {
    "corpora": {
        "few": {
            "synthetic": {"speakers": 4, "utterances": 3, "first_speaker": 0},
            "gender": "mixed",
            "protocol": {"rank_sampling": {"observations": 3, "test": [1, 2]}},
        },
        "others": {
            "synthetic": {"speakers": 4, "utterances": 2, "first_speaker": 4},
            "use": "train",
        },
    },
    "extractors": {
        "f0": {"f0": {}},
        "style": {"style": {}},
        "hubert": {"units": {"corpus": "others", "encoder": "hubert"}},
        "wav2vec": {"units": {"corpus": "others", "encoder": "wav2vec"}},
        "said": {"words": {"corpus": "others"}},
        "when": {"timing": {}},
    },
    "backends": {"js": {"type": "jensen_shannon"}, "cosine": {"type": "cosine"}},
    "atlas": {"channels": ["pitch", "timing", "words"]},
    "report": {"bootstrap": 0},
}


@pytest.mark.nightly
def test_ranks_of_features_from_speech_to_the_page(tmp_path):
    """Pitch, style, words, timing, and units of tiny random encoders of two kinds."""
    models.hub_encoder(tmp_path / "hubert", "hubert")
    models.wav2vec(tmp_path / "wav2vec")
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    finish(tmp_path, "all", "paper")
    results = tmp_path / "results"
    table = rows(results / "report" / "tables" / "ranks.tsv")
    ranks = {(row["trials"], row["metric"]): row for row in table}
    assert {trials for trials, _ in ranks} == {"mixed_t1_d1", "mixed_t2_d1"}
    assert ranks["mixed_t1_d1", "n_templates"]["f0+js"] == "4"
    seconds = [
        float(ranks[f"mixed_t{tests}_d1", f"mean_{role}_s"]["f0+js"])
        for tests, role in ((1, "test"), (2, "test"), (2, "template"))
    ]
    assert seconds[1] == pytest.approx(2 * seconds[0]) and seconds[2] == pytest.approx(seconds[0])
    assert ranks["mixed_t1_d1", "n_utterances"]["style+js"] == "12"
    assert float(ranks["mixed_t1_d1", "identification_rate_percent"]["f0+js"]) > 25
    assert ranks["mixed_t1_d1", "n_utterances"]["said+cosine"] == "12"
    assert ranks["mixed_t1_d1", "n_utterances"]["when+js"] == "12"
    for units in ("hubert", "wav2vec"):
        assert float(ranks["mixed_t2_d1", "mean_disclosure_bit"][f"{units}+js"]) >= 0
    assert (results / "report/figures/rank_lengths/few/mixed/f0/js.svg").exists()
    for picture in ("features/few/f0", "rank_features/few/mixed_t1_d1"):
        assert (results / "paper" / f"{picture}.pdf").stat().st_size > 1000
    assert "Rank disclosure per speaker" in (results / "report" / "index.html").read_text()
