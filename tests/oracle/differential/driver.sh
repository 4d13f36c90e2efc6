# Runs inside the sandbox: parses each program with each shell, and runs it if the case begins with `+`.
# Called as `dash driver.sh CASE...`. The log gets a record for each step: `parse AT LETTER MESSAGE`, `run`, and
# one for each stub that was started. Each field ends in byte 037; the last one of a record is `<end>`.

exec 3>&1 >/dev/null 2>&1
log=/oracle/marks/ran

record() {
    printf '%s\037' "$@" '<end>' >>$log
}

alone() { # Only the first process of the namespace, and this one, are left.
    set -- /proc/[0-9]*
    test $# -le 2
}

shell() { # LETTER OPTION...
    case $1 in
    b) shift && /usr/bin/timeout -s KILL 10 /usr/bin/bash "$@" ;;
    d) shift && /usr/bin/timeout -s KILL 10 /usr/bin/dash "$@" ;;
    z) shift && /usr/bin/timeout -s KILL 10 /usr/bin/zsh -f "$@" ;;
    esac </dev/null 3>&-
}

at=0
for case in "$@"; do
    program=${case#?}
    for letter in $SHELLS; do
        record parse $at "$letter" "$(shell "$letter" -n -c "$program" 2>&1 >/dev/null)"
        test "$program" = "${case#+}" || continue
        record run
        shell "$letter" -c "$program"
        waited=0
        until alone || test $waited -ge 300; do
            /usr/bin/sleep 0.01
            waited=$((waited + 1))
        done
        alone || kill -KILL -1
    done
    at=$((at + 1))
done
record end
/usr/bin/cat $log >&3
