"""The rooms of the voice privacy evaluation: corpora, anonymise, attack, privacy, report."""
