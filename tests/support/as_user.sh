#!/bin/sh
# Run a command as a user without rights: sh as_user.sh UID PYTHON_PREFIX COMMAND... (as root, Linux).
# Such a user may not get to our Python, as when it lies below /root: the folder in the way is replaced by one that
# holds nothing else, in mounts that only this command sees.
set -eu
if [ "${IN_MOUNTS:-}" != 1 ]; then
    IN_MOUNTS=1 exec unshare --mount --propagation private sh "$0" "$@"
fi
unset IN_MOUNTS
user=$1 prefix=$2
shift 2
way=
rest=$prefix
while [ "$rest" != / ]; do
    rest=$(dirname "$rest")
    case $(stat -c %A "$rest") in *x|*t) ;; *) way=$rest ;; esac
done
if [ -n "$way" ]; then
    mount -t tmpfs -o mode=755 tmpfs /mnt
    mkdir /mnt/kept
    mount --rbind "$prefix" /mnt/kept
    mount -t tmpfs -o mode=755 tmpfs "$way"
    mkdir -p "$prefix"
    mount --rbind /mnt/kept "$prefix"
    umount -l /mnt
fi
exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
