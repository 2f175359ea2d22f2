# make_venv.sh PYTHON FOLDER REQUIREMENTS...: make a virtual environment and install pinned requirements into it.
# What is missing on the machine is said in one line.
python=$1
folder=$2
shift 2
needed_mb=${VOICEPRIVACY_DISK_MB:-3000}

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 2
}

command -v "$python" >/dev/null 2>&1 || fail "$python: not found; install Python 3.11 or newer, or call make PYTHON=/path/to/python3"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || fail "$python does not start"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is Python $version; 3.11 or newer is needed (make PYTHON=/path/to/python3.11)"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python has no venv module; install it (Debian, Ubuntu: apt-get install python3-venv)"

if [ ! -x "$folder/bin/pip" ]; then
    free_mb=$(df -Pm . | awk 'NR == 2 { print $4 }')
    [ "$free_mb" -ge "$needed_mb" ] ||
        fail "only $free_mb MB free on this disk; the installation needs $needed_mb MB (7000 MB where pip takes torch with CUDA)"
    echo "Making $folder with $python ($version)"
    "$python" -m venv "$folder" || fail "$python -m venv $folder failed"
fi
for requirements in "$@"; do
    echo "Installing $requirements (the first time takes some minutes)"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" ||
        fail "pip could not install $requirements (its message is above; $(df -Pm . | awk 'NR == 2 { print $4 }') MB free on this disk)"
done
