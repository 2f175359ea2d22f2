"""Damages of a file: one byte changed, added or lost, or the end cut off."""


def damage(content, draw):
    """The content with one damage, as ``draw`` (random.Random) says."""
    kind = draw.choice(["flip", "flip", "change", "cut", "lose", "add"])
    position = draw.randrange(len(content)) if content else 0
    before, byte, after = (
        content[:position],
        content[position : position + 1],
        content[position + 1 :],
    )
    if kind == "flip":
        return before + bytes([byte[0] ^ 1 << draw.randrange(8)]) + after if byte else b"\0"
    if kind == "change":
        return before + draw.randbytes(1) + after
    if kind == "cut":
        return before
    if kind == "lose":
        return before + after
    return before + draw.randbytes(1) + byte + after
