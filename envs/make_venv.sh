# make_venv.sh PYTHON FOLDER REQUIREMENTS...: make a virtual environment and install pinned requirements into it.
# "torch" among the requirements is the lock that has the hash of the torch which pip would install: for CPUs or for CUDA.
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
locks="envs/requirements-torch-cpu.txt envs/requirements-torch-cuda.txt"
torch_lock() {
    pin=$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' envs/requirements-torch-cpu.txt)
    digest=$("$folder/bin/pip" install --quiet --disable-pip-version-check --dry-run --ignore-installed --no-deps \
        --report - "$pin" | sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p')
    [ -n "$digest" ] || fail "pip finds no $pin (its message is above)"
    # shellcheck disable=SC2086  # two file names
    grep -l "sha256:$digest" $locks ||
        fail "pip offers a build of $pin that neither of $locks knows (SHA-256 $digest); where you trust it, add its hash"
}

for requirements in "$@"; do
    if [ "$requirements" = torch ]; then
        requirements=$(torch_lock) || exit 2
    fi
    echo "Installing $requirements (the first time takes some minutes)"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements" ||
        fail "pip could not install $requirements (its message is above; $(df -Pm . | awk 'NR == 2 { print $4 }') MB free on this disk)"
done
