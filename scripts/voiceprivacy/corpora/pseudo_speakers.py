"""Pseudo-speakers: in training, an attacker protects every utterance with a draw of its own."""


def with_pseudo_speakers(utterances):
    """The utterances (list of Utterance), each with the speaker ``pseudo-<utterance>``; genders stay."""
    return [of._replace(speaker=f"pseudo-{of.utterance}"[:200]) for of in utterances]
