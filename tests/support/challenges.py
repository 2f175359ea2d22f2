"""The data folder of a challenge with made-up speakers, and a system's protected versions."""

from support.trees import write_lines

GENDERS = {"anna": "f", "berta": "f", "clara": "f", "david": "m", "emil": "m", "fritz": "m"}
LEARNERS = {"gina": "f", "hanna": "f", "ivan": "m", "jakob": "m"}
SETS = {"2020": ("libri", "vctk"), "2022": ("libri", "vctk"), "2024": ("libri",)}
COMMON = {"libri": (), "vctk": ("_common",)}
EMOTIONS = ("ang", "hap", "neu", "sad")


def write_challenge(data, year, *, languages=()):
    """Write the directories of a year (libri_dev_enrolls, ...), and protected ones: tables."""
    for corpus in SETS.get(year, ("libri", *languages)):
        for split in ("dev", "test"):
            name = f"{corpus}_{split}"
            enrolled = {one: [f"{one}-{name}-e{n}" for n in range(3)] for one in GENDERS}
            _write(data / f"{name}_enrolls", enrolled, GENDERS)
            lists = ["mixed"]
            if year != "2026":
                lists = [f"{sex}{end}" for end in ("", *COMMON[corpus]) for sex in "fm"]
            for trials in lists:
                own = [one for one, sex in GENDERS.items() if sex == trials[0] or year == "2026"]
                tried = {one: [f"{one}-{name}-{trials}{n}" for n in range(2)] for one in own}
                folder = _write(data / f"{name}_trials_{trials}", tried, GENDERS)
                write_lines(folder / "trials", list(_trials(tried)))
    training = {one: [f"{one}-train-{n}" for n in range(4)] for one in LEARNERS}
    for name in ("train-clean-360", *(["train_german"] if "de" in languages else [])):
        _write(data / name, training, LEARNERS)
    if year in ("2024", "2026"):
        for split in ("dev", "test"):
            spoken_by = {one: [f"{one}-{emotion}" for emotion in EMOTIONS] for one in GENDERS}
            folder = _write(data / f"IEMOCAP_{split}", spoken_by, GENDERS)
            names = [name for own in spoken_by.values() for name in own]
            write_lines(folder / "utt2emo", [f"{name} {name.split('-')[1]}" for name in names])
            write_lines(
                folder / "spk2fold", [f"{one} {1 + n % 5}" for n, one in enumerate(GENDERS)]
            )
    return data


def _write(folder, names, genders):
    """Write a data directory as a challenge has it, and a protected one."""
    folder.mkdir(parents=True)
    (folder.with_name(f"{folder.name}_mine") / "wav").mkdir(parents=True)
    spoken_by = {name: speaker for speaker, own in names.items() for name in own}
    write_lines(folder / "utt2spk", [f"{name} {who}" for name, who in spoken_by.items()])
    write_lines(folder / "spk2gender", [f"{who} {genders[who]}" for who in names])
    write_lines(folder / "text", [f"{name} IT RAINED ALL DAY" for name in spoken_by])
    # As the challenge's: relative to the folder that holds data.
    below = f"{folder.parent.name}/{folder.name}/wav"
    write_lines(folder / "wav.scp", [f"{name} {below}/{name}.wav" for name in spoken_by])
    return folder


def _trials(names):
    for speaker in names:
        for other, own in names.items():
            for name in own:
                yield f"{speaker} {name} {'target' if speaker == other else 'nontarget'}"
