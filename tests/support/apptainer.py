"""A stand-in of apptainer: its images are scripts of sh, and it notes what it was told."""

import sys

# An anonymiser of shell: copies the speech, and says what it is.
COPIER = """# image
while [ $# -gt 0 ]; do
    case $1 in
        --manifest) manifest=$2 ;;
        --audio-dir) audio=$2 ;;
        --output-manifest) output=$2 ;;
        --strength) strength=$2 ;;
    esac
    shift 2
done
tab=$(printf '\\t')
head=1
while read -r line; do
    path=$(echo "$line" | cut -f 4)
    if [ $head = 1 ]; then echo "$line"; head=0; continue; fi
    name=$(echo "$line" | cut -f 1)
    cp "$path" "$audio/$name.flac"
    echo "$name$tab$(echo "$line" | cut -f 2-3)$tab$audio/$name.flac$tab$(echo "$line" | cut -f 5)"
done < "$manifest" > "$output"
echo "image 7, strength $strength"
"""
STAND_IN = """#!{python}
import json, os, subprocess, sys

words, given = sys.argv[2:], []
while words[0].startswith("--"):
    name = words.pop(0)
    value = [words.pop(0)] if name in ("--network", "--bind", "--home", "--pwd") else []
    given.append([name, *value])
image, program, *arguments = words
begins = "APPTAINERENV_"
own = {{name[len(begins):]: text for name, text in os.environ.items() if name.startswith(begins)}}
others = [name for name in os.environ if not name.startswith(begins)]
told = dict(exec=sys.argv[1], given=given, image=image, program=program, own=own, others=others)
json.dump(told, open({told!r}, "w"))
home = dict(map(tuple, (one for one in given if one[0] == "--home")))["--home"].partition(":")[0]
sys.exit(subprocess.run(["sh", image, *arguments], cwd=home).returncode)
"""


def install(folder, told):
    """Put it into a folder; it notes what it is told in the JSON file ``told``."""
    folder.mkdir(exist_ok=True)
    program = folder / "apptainer"
    program.write_text(STAND_IN.format(python=sys.executable, told=str(told)))
    program.chmod(0o755)
