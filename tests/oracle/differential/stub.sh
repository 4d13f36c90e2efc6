#!/usr/bin/dash
# A program that logs its words, prints one, and fails if its name begins with `n`.
printf '%s\037' "${0##*/}" "$@" '<end>' >>/oracle/marks/ran
echo w
case ${0##*/} in n*) exit 1 ;; esac
