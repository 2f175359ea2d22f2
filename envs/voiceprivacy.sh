#!/bin/sh
# voiceprivacy COMMAND ...: make copies this file to .venv/bin/voiceprivacy. It runs the checkout that .venv lies in.
name=$0
while [ -L "$name" ]; do # a link to this file may lie anywhere; .venv may be a link, too, and is not followed
    target=$(readlink "$name")
    case $target in
        /*) name=$target ;;
        *) name=$(dirname "$name")/$target ;;
    esac
done
bin=$(cd "$(dirname "$name")" && pwd -L) || exit 2
checkout=${bin%/.venv/bin}
[ -e "$checkout/scripts/main.py" ] || {
    printf 'error: %s: no checkout lies above it; call make .venv/bin/voiceprivacy there\n' "$bin" >&2
    exit 2
}
exec "$bin/python" "$checkout/scripts/main.py" "$@"
