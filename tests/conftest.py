"""The draws of hypothesis: the same in every run, so that a change is refused for what it does and
not by chance.

pytest --hypothesis-profile=explore draws others, and twenty times as many.
"""

from hypothesis import HealthCheck, settings

import voiceprivacy.attack  # noqa: F401  # before any test imports torchaudio or speechbrain

settings.register_profile(
    "same",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore", settings.get_profile("same"), derandomize=False, max_examples=2000
)
settings.load_profile("same")
