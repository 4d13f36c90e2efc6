#!/bin/sh
# Stands for a program that runs another one as somebody else or somewhere else: its options, their
# values and assignments are dropped, and the rest runs.
layer=${0##*/}
while test $# -gt 0; do
    case $1 in
    --) shift; break ;;
    -u | -g | -t | -o | -e | --user | --group) shift 2 ;;
    -* | *=*) shift ;;
    *) break ;;
    esac
done
test "$layer" != chroot || shift
# Some run a shell where no program is named.
test $# -gt 0 || case $layer in
chroot | unshare | nsenter) set -- /bin/sh ;;
esac
exec "$@"
