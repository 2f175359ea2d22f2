"""What pools of processes call in tests: here fresh processes can import it."""

import os
import signal
import time

from voiceprivacy.errors import BadInput


def slow_if_even(number):
    time.sleep(0.05 * (number % 2 == 0))
    return number, os.getpid()


def slow_if_even_with(loaded, number):
    assert loaded == "a model"
    return slow_if_even(number)


def die(number):
    os.kill(os.getpid(), signal.SIGKILL)


def die_with(loaded, number):
    die(number)


def raise_at_three(number):
    if number == 3:
        raise BadInput("three is wrong")
    return number
