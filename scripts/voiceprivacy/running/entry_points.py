"""Anonymisers that installed packages offer under names (entry points of the group GROUP).

Only a name that a config asks for is looked up. Its package is imported where it is called, and
nowhere else: a version is read from what the installer wrote.
"""

import hashlib
from collections.abc import Callable
from importlib.metadata import Distribution, EntryPoint, entry_points
from typing import Any

from voiceprivacy.errors import BadInput

GROUP = "voiceprivacy.anonymisers"
SHOWN_DIGITS = 12  # of a hash, which tells two installations apart and is still readable


def version(name: str) -> str:
    """Which package offers a name, its version, and the beginning of a hash of its files.

    The hash is over the hashes that the installer wrote. So it changes where a package is installed
    again from other files without another version. Of an editable installation it doesn't change.

    Raises
    ------
    BadInput : no installed package offers the name, or two do
    """
    package = _distribution(_offered(name))
    installed = sorted(
        f"{path}\t{path.hash.value}"
        for path in package.files or []
        # Not its metadata, nor programs outside of it: both name folders of the machine.
        if path.hash and ".." not in path.parts and not path.parts[0].endswith(".dist-info")
    )
    digest = hashlib.sha256("\n".join(installed).encode()).hexdigest()
    return f"{package.name} {package.version} ({digest[:SHOWN_DIGITS]})"


def load(name: str) -> Callable[..., Any]:
    """Import what a package offers under a name.

    Raises
    ------
    BadInput : as version, or it is no function; an import may raise anything
    """
    function = _offered(name).load()
    if not callable(function):
        raise BadInput(f"package: what is offered as '{name}' is no function")
    return function


def _offered(name: str) -> EntryPoint:
    offered = list(entry_points(group=GROUP, name=name))
    if not offered:
        raise BadInput(
            f"package: no installed package offers an anonymiser '{name}'"
            f" (an entry point of the group {GROUP}): install it with this Python's pip"
        )
    if len(offered) > 1:
        names = " and ".join(sorted(_distribution(point).name for point in offered))
        raise BadInput(f"package: '{name}' is offered by {names}: remove one of them")
    return offered[0]


def _distribution(point: EntryPoint) -> Distribution:
    if point.dist is None:
        raise BadInput(f"package: no installed package is known to offer '{point.name}'")
    return point.dist
