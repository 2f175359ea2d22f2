"""Speech as people have it: odd names, mixed endings, tables and data directories."""

import csv
import json
import shutil
import unicodedata
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import resample_poly
from support.calls import refused, succeeds
from support.given_speech import NAMES, RATE, same, sound, taken, tree, write

from voiceprivacy.errors import BadInput
from voiceprivacy.inout import audio, ids
from voiceprivacy.plan import configuration
from voiceprivacy.tools import intake
from voiceprivacy.tools.new_config import system_names, write_config
from voiceprivacy.tools.new_run import examine, refuse_copies
from voiceprivacy.tools.new_run_words import preview, summary

THREE, FORM = ("anna", "bert", "carl"), "{name}/{number}.wav"


def read(folder):
    return intake.read(folder, pattern=None, speakers=None, transcripts=None)


def two_trees(tmp_path):
    return [tree(tmp_path / name, FORM, names=THREE) for name in ("speech", "made")]


def test_names_that_are_no_ids_are_changed_and_a_table_keeps_them(tmp_path):
    root = tree(tmp_path / "original")
    run = examine(root, {"mine": root})
    ids = {"Jörg_Müller", "anna", "Anna", "bob_x", "original"}
    assert {one.speaker for one in run.utterances} == ids
    heard = taken(tmp_path, run)
    assert len(heard) == 25 and all(same(*pair) for pair in heard.values())
    table = (tmp_path / "my.names.tsv").read_text()
    assert "speaker\tbob_x\tbob [x]\t" in table and "corpus\tspeech_original\toriginal\t" in table
    assert f"utterance\tbob_x_-take_3\tbob [x]-take 3\t{root}/bob [x]/take 3.wav\n" in table


def test_names_without_letters_and_configs_with_odd_names_are_taken(tmp_path):
    root = tree(tmp_path / "a", FORM, names=("😀", "😃", "🤖"))
    odd, *_ = write_config(tmp_path / "a\nb.yaml", examine(root, {"mine": root}))
    assert configuration.check(configuration.read(odd))["corpora"].keys() == {"a"}


@given(st.text(min_size=1, max_size=300))
def test_any_name_becomes_an_id_that_is_its_own(name):
    made = intake.as_id(name)
    assert ids.safe_id(made, "x", 1) == made == intake.as_id(made)


@given(st.sets(st.text(min_size=1, max_size=4), max_size=12))
def test_two_names_never_become_one_id(names):
    ids = intake.ids_of(sorted(names))
    assert ids.keys() == names and len(set(ids.values())) == len(names)


def test_endings_rates_and_encodings_are_mixed_and_the_best_of_a_name_is_taken(tmp_path):
    root, names = tmp_path / "speech", ["anna", "bert", "carl", "dora", "emil", "fay"]
    tree(root, "{name}/{number}.WAV", names=["anna"])
    tree(root, FORM, names=["bert", "carl"], subtype="PCM_24")
    tree(root, "{name}/{number}.mp3", names=["bert"])
    tree(root, "{name}/{number}.flac", names=["dora"], rate=44100)
    tree(root, FORM, names=["emil"], rate=8000, subtype="FLOAT")
    tree(root, "{name}/{number}.ogg", names=["fay"], rate=48000)
    run = examine(root, {"mine": tree(tmp_path / "made", FORM, names=names)})
    assert run.left_out == {} and len(run.utterances) == 30
    files = {one.audio.relative_to(root).as_posix() for one in run.utterances}
    assert "bert/3.wav" in files and "bert/3.mp3" not in files and "anna/0.WAV" in files
    heard = taken(tmp_path, run)
    assert len(heard) == 30
    assert all(same(*heard[f"{name}-{number}"]) for name in ("anna", "carl") for number in range(5))


def test_accents_capitals_tails_and_strangers_do_not_part_what_belongs_together(tmp_path):
    root = tree(tmp_path / "speech")
    made = tmp_path / "made"
    for name in NAMES:
        written = unicodedata.normalize("NFD", name)
        tree(made, f"out/{written}/take {{number}}_anon.WAV", names=[name])
    write(made / "readme.wav", sound("x"))
    write(made / "out" / "anna" / "extra_anon.wav", sound("y"))
    heard = taken(tmp_path, examine(root, {"mine": made}))
    assert len(heard) == 25
    assert all(same(*pair) for pair in heard.values()), "anna is not Anna"


def test_files_without_sound_are_left_out_and_named(tmp_path):
    root, made = two_trees(tmp_path)
    (root / "anna/0.wav").write_bytes(b"")
    write(root / "bert/0.wav", np.zeros(8000))
    write(made / "carl/0.wav", np.zeros(8000))
    (made / "carl/1.wav").write_bytes((made / "carl/1.wav").read_bytes()[:900])
    silent = dict.fromkeys(("bert-0", "carl-0"), "is silent")
    said = {"anna-0": "is empty", "carl-1": "truncated", **silent}
    left_out = examine(root, {"mine": made}).left_out
    assert left_out.keys() == said.keys()
    assert all(words in left_out[name] for name, words in said.items())


def test_several_channels_are_mixed_down_and_counted_once(tmp_path):
    root, made = two_trees(tmp_path)
    several = [made / f"anna/{number}.wav" for number in range(4)]
    for path in made.rglob("*.wav"):
        one = soundfile.read(path)[0][::-1]
        write(path, np.stack([one, 0.5 * one], axis=1) if path in several else one)
    run = examine(root, {"mine": made})
    assert run.left_out == {} and run.protected["mine"].n_mixed == 4
    lines = summary(run, write_config(tmp_path / "my.yaml", run))
    (warning,) = [line for line in lines if "warning" in line]
    assert "4 files have several channels" in warning


def test_one_bad_version_does_not_stop_the_others(tmp_path):
    root = tree(tmp_path / "speech", FORM, names=THREE)
    for name in ("good", "half", "strange"):
        tree(tmp_path / name, FORM, names=THREE)
    for path in (tmp_path / "half").rglob("*.wav"):
        write(path, soundfile.read(path)[0][::3])
    for path in [*(tmp_path / "strange").rglob("*.wav")]:
        path.rename(path.with_stem(f"x{path.stem}y"))
    (tmp_path / "empty").mkdir()
    folders = {name: tmp_path / name for name in ("half", "good", "strange", "empty")}
    run = examine(root, folders)
    assert list(run.protected) == ["good"] and run.left_out == {}
    assert "0 of 15 utterances can be used" in run.set_aside["half"]
    assert "a third as long" in run.set_aside["half"]
    assert "no protected file has the name of an original" in run.set_aside["strange"]
    assert "there is no audio" in run.set_aside["empty"]
    lines = summary(run, write_config(tmp_path / "my.yaml", run))
    assert sum(line.startswith("warning: ") for line in lines) == 3
    assert list(configuration.read(tmp_path / "my.yaml")["anonymisers"]) == ["good"]
    assert "# half is not shown: " in (tmp_path / "my.yaml").read_text()
    with pytest.raises(BadInput, match="no protected version can be used"):
        examine(root, {name: folders[name] for name in ("strange", "empty")})


def test_names_of_systems_and_of_the_corpus_are_made_fit_and_get_numbers(tmp_path):
    root = tree(tmp_path / "a b", FORM, names=THREE)
    for protected, factor in (("c d", -1), ("e f", 0.5)):
        shutil.copytree(root, tmp_path / protected)
        for path in (tmp_path / protected).rglob("*.wav"):
            write(path, factor * soundfile.read(path)[0][::-1])
    folders = ["--protected", "My System (v2)=c d", "--protected", "original=e f"]
    words = ["--original", "a b", *folders, "--name", "Größe 7", "--config", "my.yaml"]
    succeeds("new_run", *words, cwd=tmp_path)
    config = configuration.check(configuration.read(tmp_path / "my.yaml"))
    assert list(config["anonymisers"]) == ["my_system_v2", "system_original"]
    assert list(config["corpora"]) == ["gr_e_7"]
    table = (tmp_path / "my.names.tsv").read_text()
    assert "anonymiser\tmy_system_v2\tMy System (v2)\t" in table
    assert "corpus\tgr_e_7\tGröße 7\t" in table
    assert system_names(["A b", "a_B", "b"]) == {"a_b": "A b", "a_b_2": "a_B", "b": "b"}


def test_a_preview_shows_who_speaks_and_writes_nothing(tmp_path):
    tree(tmp_path / "speech", "{number}/x_{name}.wav", names=THREE)
    pattern = ["--pattern", "{utterance}/x_{speaker}.wav"]
    shown = succeeds("new_run", "--original", "speech", *pattern, "--preview", cwd=tmp_path)
    assert "15 of 15 audio files" in shown and "3 speakers, 5 utter" in shown
    assert shown.count("   speaker ") == 5
    assert "0/x_anna.wav   speaker anna   utterance 0-x_anna" in shown
    assert [path.name for path in tmp_path.iterdir()] == ["speech"]
    said = refused("new_run", "--original", "speech", cwd=tmp_path)
    assert "--protected and --config" in said


# Tables, data directories and archives.


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_folder_with_metadata_is_read_with_its_speakers_and_texts(tmp_path, kind):
    root, made, rows = tmp_path / "data", tmp_path / "made", []
    sexes = {"a 1": "female", "b 2": "male", "c 3": "female", "d 4": "male"}
    for (name, sex), number in product(sexes.items(), range(5)):
        file = f"audio/{name}_{number}.wav"
        write(root / file, sound(file))
        write(made / Path(file).name, sound(file)[::-1])
        row = {"file_name": file, "speaker_id": name, "gender": sex}
        rows.append(row | {"transcription": f"one,\ntwo {number}"})
    with open(root / f"metadata.{kind}", "w", encoding="utf-8") as table:
        if kind == "csv":
            writer = csv.DictWriter(table, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        else:
            table.writelines(f"{json.dumps(row)}\n" for row in rows)
    run = examine(root, {"mine": made})
    assert run.lists == ["f", "m"] and len(run.utterances) == 20
    assert all(same(one, other[::-1]) for one, other in taken(tmp_path, run).values())
    assert "audio-a_1_0 one, two 0\n" in (tmp_path / "my.data" / "text").read_text()


def metadata(folder, *, files=6, listed=6, header="file_name,speaker"):
    """Sound of two speakers, and the lines of a table of the first ``listed`` files."""
    for number in range(files):
        write(folder / f"{number}.wav", sound(f"{folder.name}{number}"))
    return [header, *(f"{number}.wav,{'ab'[number % 2]}" for number in range(listed))]


def test_splits_may_use_the_same_names(tmp_path):
    root = tmp_path / "data"
    for split in ("train", "test"):
        lines = metadata(root / split, files=10, listed=10)
        (root / split / "metadata.csv").write_text("\n".join(lines))
    run = examine(root, {"mine": root})
    assert len(run.utterances) == 20 and {one.speaker for one in run.utterances} == {"a", "b"}
    assert all(same(*pair) for pair in taken(tmp_path, run).values())


@pytest.mark.parametrize("separator", [";", "\t"])
def test_metadata_of_a_spreadsheet_has_other_separators_and_capitals(tmp_path, separator):
    lines = metadata(tmp_path, header="\ufeffFile_Name,Speaker")
    (tmp_path / "metadata.csv").write_bytes("\r\n".join(lines).replace(",", separator).encode())
    assert [one.speaker for one in read(tmp_path).listed] == ["a", "b"] * 3


def test_files_that_a_table_does_not_list_are_counted(tmp_path):
    (tmp_path / "metadata.csv").write_text("\n".join(metadata(tmp_path, listed=4)))
    said = preview(read(tmp_path))[0]
    assert "4 utterances" in said and "2 other audio files" in said


def test_common_voice_is_read_by_its_table_of_validated_clips(tmp_path):
    rows = ["client_id\tpath\tsentence\tgender"]
    for number in range(6):
        write(tmp_path / "clips" / f"cv_{number}.wav", sound(str(number)))
        gender = ("male_masculine", "female_feminine")[number % 2]
        rows.append(f'{gender * 10}\tcv_{number}.wav\t"Number {number}, she said.\t{gender}')
    (tmp_path / "validated.tsv").write_text("\n".join(rows))
    clips = read(tmp_path)
    assert [one.gender for one in clips.listed] == ["m", "f"] * 3
    assert len({one.speaker for one in clips.listed}) == 2
    assert clips.texts["clips-cv_5"] == '"Number 5, she said.'


@pytest.mark.parametrize(
    ("kind", "row", "said"),
    [
        ("csv", "../x.wav,a", "is not below the folder of the table"),
        ("csv", ",a", "metadata.csv:2: has no file_name"),
        ("csv", "x.wav,", "metadata.csv:2: has no speaker"),
        ("csv", "./,a", "metadata.csv:2: './' is not below"),
        ("csv", 'x.wav,"a\nb"\ny.wav,', "metadata.csv:4: has no speaker"),
        ("csv", 'x.wav,a\ny.wav,"b\nz.wav,c', "metadata.csv:3: is no CSV"),
        ("csv", "\n\n,a", "metadata.csv:4: has no file_name"),  # lines are those of the file
        ("csv", "x" * 200000 + ",a", "metadata.csv:2: is no CSV"),
        ("jsonl", "{", "metadata.jsonl:2: not JSON"),
        ("jsonl", "[" * 5000, "metadata.jsonl:2: not JSON"),
    ],
)
def test_lines_of_metadata_that_cannot_be_are_refused(tmp_path, kind, row, said):
    header = "file_name,speaker" if kind == "csv" else ""
    (tmp_path / f"metadata.{kind}").write_text(f"{header}\n{row}\n")
    with pytest.raises(BadInput, match=said):
        examine(tmp_path, {"mine": tmp_path})


@pytest.mark.parametrize("table", ["wav.scp", "metadata.csv", "metadata.jsonl"])
def test_a_table_without_lines_is_refused(tmp_path, table):
    write(tmp_path / "a.wav", sound("a", 0.5))
    for name in (table, "utt2spk"):
        (tmp_path / name).write_text("file_name,speaker\n" if table.endswith("csv") else "")
    with pytest.raises(BadInput, match="holds no utterance"):
        preview(read(tmp_path))


def kaldi_directory(folder, **tables):
    """A directory with tables, each {first word of a line: the rest}."""
    folder.mkdir(parents=True)
    for name, lines in tables.items():
        text = "".join(f"{first} {rest}\n" for first, rest in lines.items())
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def directory(folder, recordings):
    """Four speakers, one long recording each, five utterances cut out of it."""
    cuts = {number: f"{0.1 + 0.6 * number:.2f} {0.6 + 0.6 * number:.2f}" for number in range(5)}
    names = list(product("abcd", cuts))
    return kaldi_directory(
        folder,
        wav_scp={f"rec{speaker}": recordings / f"{speaker}.wav" for speaker in "abcd"},
        segments={f"utt{name}{number}": f"rec{name} {cuts[number]}" for name, number in names},
        utt2spk={f"utt{name}{number}": name for name, number in names},
    )


def test_data_directories_with_segments_are_read_and_commands_are_not_run(tmp_path):
    for speaker in "abcd":
        write(tmp_path / "long" / f"{speaker}.wav", sound(speaker, 3.4))
        write(tmp_path / "anon" / f"{speaker}.wav", -sound(speaker, 3.4))
    original = directory(tmp_path / "original" / "data", tmp_path / "long")
    protected = directory(tmp_path / "protected", tmp_path / "anon")
    said = tmp_path / "said.tsv"
    said.write_text("utterance\ttext\nutta0\tso it is\n")
    run = examine(original, {"mine": protected}, transcripts=said)
    assert len(run.utterances) == 20 and run.left_out == {}
    assert run.intake.texts == {"utta0": "so it is"}
    heard = taken(tmp_path, run)
    assert len(heard) == 20 and all(same(one, -other) for one, other in heard.values())
    whole, _ = audio.read(tmp_path / "long" / "b.wav")
    assert same(heard["uttb2"][0], whole[round(1.3 * RATE) : round(1.8 * RATE)])
    folder = directory(tmp_path / "data", tmp_path)
    text = (folder / "wav.scp").read_text()
    (folder / "wav.scp").write_text(text.replace(f"{tmp_path}/a.wav", f"touch {tmp_path}/ran |"))
    with pytest.raises(BadInput, match="is a command"):
        examine(folder, {"mine": tmp_path})
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("layout", ["VoicePAT", "challenge of 2024"])
def test_what_the_toolkits_write_is_read_as_it_lies(tmp_path, layout, rate=8000):
    """Stand-ins of the folders that these programs leave.

    VoicePAT: formatted_data/DATE/SET_SUFFIX/wav.scp with absolute paths into anon_speech. The
    challenge of 2024 and SA-toolkit: data/SET_SUFFIX/wav, wav.scp with paths of their own folder.
    """
    toolkit = tmp_path / "toolkit"
    names = [f"{speaker}-x-{number}" for speaker in ("61", "121", "237") for number in range(5)]
    speakers = {name: name.split("-")[0] for name in names}
    recordings = {name: f"corpora/{name}.wav" for name in names}
    for name, path in recordings.items():
        write(toolkit / path, sound(name))
    lists = {"utt2spk": speakers, "text": speakers}
    original = kaldi_directory(toolkit / "data/libri_test", wav_scp=recordings, **lists)
    if layout == "VoicePAT":
        folder = toolkit / "exp/anon/formatted_data/22-11-26_23:50/libri_test_gan"
        speech = toolkit / "exp/anon/anon_speech/ims_sttts_pc/libri_test"
        made = {name: str(speech / f"{name}.wav") for name in names}
    else:
        folder = toolkit / "data/libri_test_nac"
        made = {name: f"data/libri_test_nac/wav/{name}.wav" for name in names}
    protected = kaldi_directory(folder, wav_scp=made, **lists)
    for name, path in made.items():
        write(toolkit / path, -sound(name, rate=rate), rate)
    before = sorted(tmp_path.rglob("*"))
    run = examine(original, {"mine": protected})
    assert sorted(tmp_path.rglob("*")) == before
    assert run.left_out == {} and run.protected["mine"].sample_rates == [rate]
    heard = taken(tmp_path, run)
    assert len(heard) == 15
    assert all(same(soundfile.read(toolkit / made[name])[0], heard[name][1]) for name in names)


def odd_voices(tmp_path):
    """Voices of three, and the same backwards: their folders."""
    root, made = tmp_path / "speech", tmp_path / "made"
    for name, number in product(THREE, range(5)):
        write(root / name / f"{number}.wav", samples := odd_voice(name, number))
        write(made / name / f"{number}.wav", samples[::-1])
    return root, made


def odd_voice(name, number):
    """Sound whose level and pitch change as in speech."""
    draw = np.random.default_rng([number, *name.encode()])
    t = np.arange(RATE) / RATE
    levels = np.interp(t, np.linspace(0, 1, 12), draw.uniform(0, 1, 12) ** 3)
    pitch = np.interp(t, np.linspace(0, 1, 8), draw.uniform(100, 250, 8))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return 0.3 * levels * sum(np.sin(k * phase) / k for k in range(1, 12))


def test_a_protected_file_that_is_another_ones_is_left_out_with_it(tmp_path):
    root, made = odd_voices(tmp_path)
    soundfile.write(made / "bert" / "1.flac", soundfile.read(made / "anna" / "0.wav")[0], RATE)
    (made / "bert" / "1.wav").unlink()
    run = examine(root, {"mine": made})
    same_as = {name: why.rpartition("the same sound as ")[2] for name, why in run.left_out.items()}
    assert same_as == {"anna-0": f"{made}/bert/1.flac", "bert-1": f"{made}/anna/0.wav"}


def test_an_original_is_known_in_another_container_at_another_rate_and_gain(tmp_path):
    root, made = odd_voices(tmp_path)
    for name in THREE:
        (made / name / "0.wav").unlink()
        louder = 0.3 * resample_poly(odd_voice(name, 0), 3, 1)
        soundfile.write(made / name / "0.ogg", louder, 3 * RATE)
    run = examine(root, {"mine": made})
    assert run.protected["mine"].unchanged == ["anna-0", "bert-0", "carl-0"]


def test_copies_are_refused_and_a_tremolo_is_a_method_which_the_run_judges(tmp_path):
    root, made = odd_voices(tmp_path)
    tremolo = 1 + 0.02 * np.sin(np.arange(RATE) / 500)
    for path in root.rglob("*.wav"):
        write(made / path.relative_to(root), soundfile.read(path)[0] * tremolo)
    run = examine(root, {"mine": made})
    assert len(run.protected["mine"].unchanged) == 15
    refuse_copies(run)
    for path in root.rglob("*.wav"):
        write(made / path.relative_to(root), 0.5 * soundfile.read(path)[0])
    with pytest.raises(BadInput, match="is its original, as 15 of 15 files of mine"):
        refuse_copies(examine(root, {"mine": made}))


def test_recordings_that_are_the_same_sound_are_left_out(tmp_path):
    root, made = odd_voices(tmp_path)
    for copy, samples in (("anna/4", odd_voice("anna", 0)), ("carl/2", odd_voice("bert", 3) / 2)):
        write(root / f"{copy}.wav", samples)
        write(made / f"{copy}.wav", samples[::-1])
    run = examine(root, {"mine": made})
    assert run.left_out.keys() == {"anna-4", "bert-3", "carl-2"}
    assert run.left_out["anna-4"].endswith(f"is the same sound as {root}/anna/0.wav")


@pytest.mark.parametrize(("gain", "is_plain"), [(1, True), (32768, False)])
def test_originals_that_a_run_converts_need_a_table_of_pairs(tmp_path, gain, is_plain):
    root, made = odd_voices(tmp_path)
    for path in root.rglob("*.wav"):
        soundfile.write(path, gain * soundfile.read(path)[0], RATE, subtype="FLOAT")
    assert examine(root, {"mine": made}).protected["mine"].plain == is_plain
