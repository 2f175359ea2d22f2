# make_venv.sh PYTHON FOLDER LOCK...: make a virtual environment and install locks into it, in one call of pip.
# Locks are complete, so pip resolves nothing (--no-deps): a newer release of a package changes nothing. pip check verifies it.
# "torch" among the locks is the lock that has the hash of the torch which pip would install: for CPUs or for CUDA.
# What is missing on the machine is said in one line.
python=$1
folder=$2
shift 2
needed_mb=${VOICEPRIVACY_DISK_MB:-3000}

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 2
}

command -v "$python" >/dev/null 2>&1 || fail "$python: not found; install Python 3.11 to 3.13, or call make PYTHON=/path/to/python3"
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])') || fail "$python does not start"
"$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' ||
    fail "$python is Python $version; 3.11 to 3.13 is needed (make PYTHON=/path/to/python3.11)"
"$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python has no venv module; install it (Debian, Ubuntu: apt-get install python3-venv)"

if [ ! -x "$folder/bin/pip" ]; then
    free_mb=$(df -Pm . | awk 'NR == 2 { print $4 }')
    [ "$free_mb" -ge "$needed_mb" ] ||
        fail "only $free_mb MB free on this disk; the installation needs $needed_mb MB (7000 MB where pip takes torch with CUDA)"
    echo "Making $folder with $python ($version)"
    "$python" -m venv "$folder" || fail "$python -m venv $folder failed"
fi
pip() {
    "$folder/bin/pip" --disable-pip-version-check "$@"
}

torch_locks="envs/requirements-torch-cpu.txt envs/requirements-torch-cuda.txt"
torch_lock() {
    pin=$(sed -n 's/^\(torch==[^ ]*\).*/\1/p' envs/requirements-torch-cpu.txt)
    digest=$(pip install --quiet --dry-run --ignore-installed --no-deps --report - "$pin" |
        sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p')
    [ -n "$digest" ] || fail "pip finds no $pin (its message is above)"
    # shellcheck disable=SC2086  # two file names
    grep -l "sha256:$digest" $torch_locks ||
        fail "pip offers a build of $pin that neither of $torch_locks knows (SHA-256 $digest); where you trust it, add its hash"
}

# Read pip's output and show how far it is: one line of a terminal, written over; in a log every 25th package.
show_progress() {
    number=0
    while read -r word what size; do
        case "$word $what" in
            "Requirement already" | Ignoring*) number=$((number + 1)) && continue ;;
            Collecting* | Processing*) number=$((number + 1)) what=${what##*/} size= ;;
            Downloading*) ;;
            "Installing collected") what="unpacking, the last step" size= ;;
            FAILED*) return 1 ;;
            *) continue ;;
        esac
        if [ -t 1 ]; then
            printf '\r\033[K  %s of %s: %.60s' "$number" "$total" "$what $size"
        elif [ "$word" != Downloading ] && [ $((number % 25)) = 0 ] || [ "$word" = Installing ]; then
            printf '  %s of %s: %s\n' "$number" "$total" "$what"
        fi
    done
    if [ -t 1 ]; then printf '\r\033[K'; fi
}

total=0
for lock in "$@"; do
    shift
    if [ "$lock" = torch ]; then
        lock=$(torch_lock) || exit 2
    fi
    total=$((total + $(grep -c '^[a-z0-9].*==' "$lock")))
    set -- "$@" --requirement "$lock"
done
echo "Installing $total packages into $folder"
{ pip install --no-deps --require-hashes --progress-bar off "$@" || echo FAILED; } | show_progress ||
    fail "pip could not install the packages (its message is above; $(df -Pm . | awk 'NR == 2 { print $4 }') MB free on this disk)"
# An environment of an older checkout has packages of which only weights were read.
pip uninstall --quiet --yes --requirement envs/requirements-models.txt 2>/dev/null
lacking=$(pip check) || fail "the locks do not fit together: $lacking"
