"""The data folder of a challenge with made-up speakers, and a system's protected versions."""

from support.trees import write_lines

GENDERS = {"anna": "f", "berta": "f", "clara": "f", "david": "m", "emil": "m", "fritz": "m"}
LEARNERS = {"gina": "f", "hanna": "f", "ivan": "m", "jakob": "m"}
SETS = {"2020": ("libri", "vctk"), "2022": ("libri", "vctk"), "2024": ("libri",)}
COMMON = {"libri": (), "vctk": ("_common",)}
EMOTIONS = ("ang", "hap", "neu", "sad")


def write_challenge(data, year, *, languages=()):
    """Write the directories of a year (libri_dev_enrolls, ...), and protected ones: tables."""
    writer = _Writer(data)
    for corpus in SETS.get(year, ("libri", *languages)):
        for split in ("dev", "test"):
            name = f"{corpus}_{split}"
            enrolled = {one: [f"{one}-{name}-e{n}" for n in range(3)] for one in GENDERS}
            writer.write(f"{name}_enrolls", enrolled, GENDERS)
            lists = ["mixed"]
            if year != "2026":
                lists = [f"{sex}{end}" for end in ("", *COMMON[corpus]) for sex in "fm"]
            for trials in lists:
                own = [one for one, sex in GENDERS.items() if sex == trials[0] or year == "2026"]
                tried = {one: [f"{one}-{name}-{trials}{n}" for n in range(2)] for one in own}
                writer.write(f"{name}_trials_{trials}", tried, GENDERS, lists=True)
    training = {one: [f"{one}-train-{n}" for n in range(4)] for one in LEARNERS}
    writer.write("train-clean-360", training, LEARNERS)
    for language in languages:
        name = {"de": "train_german"}.get(language)
        if name:
            writer.write(name, training, LEARNERS)
    if year in ("2024", "2026"):
        for split in ("dev", "test"):
            spoken_by = {one: [f"{one}-{emotion}" for emotion in EMOTIONS] for one in GENDERS}
            folder = writer.write(f"IEMOCAP_{split}", spoken_by, GENDERS)
            names = [name for own in spoken_by.values() for name in own]
            write_lines(folder / "utt2emo", [f"{name} {name.split('-')[1]}" for name in names])
            write_lines(
                folder / "spk2fold", [f"{one} {1 + n % 5}" for n, one in enumerate(GENDERS)]
            )
    return data


class _Writer:
    """Writes data directories below a folder as a challenge has them, and protected ones."""

    def __init__(self, data):
        self.data = data

    def write(self, directory, names, genders, *, lists=False):
        folder, protected = self.data / directory, self.data / f"{directory}_mine"
        folder.mkdir(parents=True)
        (protected / "wav").mkdir(parents=True)
        spoken_by = {name: speaker for speaker, own in names.items() for name in own}
        write_lines(folder / "utt2spk", [f"{name} {who}" for name, who in spoken_by.items()])
        write_lines(folder / "spk2gender", [f"{who} {genders[who]}" for who in names])
        write_lines(folder / "text", [f"{name} IT RAINED ALL DAY" for name in spoken_by])
        # As the challenge's: relative to the folder that holds data.
        below = f"{self.data.name}/{directory}/wav"
        write_lines(folder / "wav.scp", [f"{name} {below}/{name}.wav" for name in spoken_by])
        if lists:
            write_lines(folder / "trials", list(_trials(names)))
        return folder


def _trials(names):
    for speaker in names:
        for other, own in names.items():
            for name in own:
                yield f"{speaker} {name} {'target' if speaker == other else 'nontarget'}"
