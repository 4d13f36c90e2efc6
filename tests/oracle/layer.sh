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
exec "$@"
