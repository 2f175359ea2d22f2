"""A function plug-in: speech played backwards. It sounds anonymous and hides nothing: the voice
stays the voice.
"""


def anonymise(samples, sample_rate, *, utterance, speaker, seed):
    return samples[::-1]
