"""What the synthetic speakers say: short English statements, about 40 million different ones, from a small grammar."""

_WHO = (
    """
the old captain|my younger sister|our neighbour|the village doctor|a tall stranger|the head gardener|her best friend
the night nurse|two tired hikers|the new teacher|a shy little girl|the bus driver|his uncle George|every farmer
the chief engineer|a group of children|the quiet librarian|their grandmother|the young painter|some brave sailors
the judge|a famous singer|the shop owner|my cousin Laura|three young boys|the forest ranger|an honest merchant
the whole family|the piano player|our guide|a hungry fox|the tailor|both visitors|the queen|that clever pilot
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_DID = (
    """
found|carried|painted|sold|borrowed|followed|described|watched|repaired|forgot|moved|discovered|bought|photographed
measured|cleaned|hid|showed us|brought back|wrapped up|asked about|drew|lost|examined|dreamed of|opened|kept
noticed|picked up|talked about
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHICH = (
    """
a blue|the heavy|an ancient|the broken|a cheap|the largest|a shiny|the wooden|one rusty|a beautiful|the yellow|an empty
a strange|the second|a very small|the missing|an orange|the frozen|a valuable|the usual|his own|a thick|the square
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHAT = (
    """
lantern|boat|violin|basket|mirror|bridge|carriage|teapot|letter|garden chair|pocket watch|jacket|map|wheel|suitcase
telescope|ladder|cupboard|bicycle|photograph|umbrella|sugar bowl|newspaper|drum|shovel|kitchen table|treasure|feather
cheese|bottle|machine|ring|church bell|pair of shoes|jar of honey|loaf of bread
""".replace("\n", "|")
    .strip("|")
    .split("|")
)

_WHEN = (
    """
before sunrise|near the river|on Thursday|behind the station|after the storm|in the museum|last winter|at the market
under the stairs|during lunch|for the first time|by the harbour|in early spring|on the way home|without any help
across the valley|at half past seven|just in time|with great care|in the afternoon|beside the fire|this morning
outside the theatre|a year ago|while it rained|far from the city|between two trees|on a cold evening
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


LONGEST = 54  # characters


def sentence(generator):
    """Draw a sentence of five to twelve words (two to four seconds); a time or place only where LONGEST allows it.

    Parameters
    ----------
    generator : numpy.random.Generator
    """
    statement, when = (_draw(parts, generator) for parts in ((_WHO, _DID, _WHICH, _WHAT), (_WHEN,)))
    full = f"{statement} {when}"
    text = full if len(full) < LONGEST else statement
    return text[0].upper() + text[1:] + "."


def _draw(parts, generator):
    return " ".join(choices[generator.integers(len(choices))] for choices in parts)
