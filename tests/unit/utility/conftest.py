"""SpeechBrain is imported by some of the tests here."""

from support import stand_ins

stand_ins.name_no_file()
