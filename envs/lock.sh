# lock.sh UV: pin everything that requirements.in, requirements-test.in and requirements-quality.in pull in, with hashes;
# and the packages of encoders alone.
# torch, torchaudio and what they pull in stand in a file without hashes: their wheels differ between machines, and those of
# CUDA are missing on a machine whose pip has a build of torch without them. Pins that still fit stay as they are.
set -eu
uv=$1
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

pin() { # OUTPUT INPUT...: the pins of OUTPUT, where there are some, are preferred to newer ones
    output=$1
    shift
    "$uv" pip compile --quiet --python-version 3.11 --python-platform linux --generate-hashes --no-annotate --no-header \
        --output-file "$output" "$@"
}

without() { # NAMES: leave out the packages (with their hashes) that NAMES lists
    awk -v names="$1" 'BEGIN { while ((getline name < names) > 0) left_out[name] = 1 }
        /^[a-z0-9]/ { split($1, parts, "=="); shown = !(parts[1] in left_out) } shown'
}

for name in requirements requirements-test requirements-quality; do
    cat requirements.txt requirements-torch.txt "$name.txt" > "$work/$name.txt"
done
grep -E '^torch(audio)?==' requirements.in > "$work/torch.in"
grep -hE '^[a-z0-9]' requirements.txt requirements-torch.txt | sed 's/[ ;\\].*//' > "$work/torch.txt"
pin "$work/torch.txt" "$work/torch.in"
pin "$work/requirements.txt" requirements.in
pin "$work/requirements-test.txt" requirements.in requirements-test.in
pin "$work/requirements-quality.txt" requirements.in requirements-test.in requirements-quality.in
for name in torch requirements requirements-test; do
    sed -nE 's/^([a-z0-9.-]+)==.*/\1/p' "$work/$name.txt" > "$work/$name.names"
done

for name in resemblyzer dvector; do
    cp "requirements-$name.txt" "$work"
    pin "$work/requirements-$name.txt" --no-deps "requirements-$name.in"
    {
        echo "# The encoder $name (make lock). To be installed with --no-deps: of what its package requires, this is enough."
        grep -v '^#' "$work/requirements-$name.txt"
    } > "requirements-$name.txt"
done

{
    echo "# torch and what it pulls in (make lock): its wheels differ between machines (CPU, CUDA), so there are no hashes."
    grep -E '^[a-z0-9]' "$work/torch.txt" | sed 's/ .*//' | grep -vE '^(nvidia-|cuda-|triton)'
} > requirements-torch.txt
{
    echo "# Everything else that the workflow needs, exactly (make lock)."
    without "$work/torch.names" < "$work/requirements.txt"
} > requirements.txt
{
    echo "# What the tests and linters need besides (make lock)."
    without "$work/requirements.names" < "$work/requirements-test.txt"
} > requirements-test.txt
{
    echo "# What make mutation and make audit need besides (make lock)."
    without "$work/requirements-test.names" < "$work/requirements-quality.txt"
} > requirements-quality.txt
