# Runs inside the sandbox: each case under each shell, from the same start every time.
# Called as `dash driver.sh CASE...`; the shells are those of SHELLS, one letter each. For each run it
# prints `run AT LETTER`, one `mark` line for each program that left one, and `wrote` where the
# protected file is no longer what it was; `end` at the very end.

exec 3>&1 >/dev/null 2>&1
marks=/oracle/marks/ran
nl='
'

as_it_was() { # FILE LINE: one line, and this one.
    { IFS= read -r line && test "$line" = "$2" && ! IFS= read -r line && test -z "$line"; } <"$1"
}

clean() {
    test -z "$START" || return
    set -- /oracle/w/* /oracle/w/.[!.]* /oracle/w/..?* /oracle/w/sub/* /oracle/home/* /oracle/home/.[!.]* /tmp/* /tmp/.[!.]*
    test "$*" = "$start" && as_it_was /oracle/w/keep.txt 'keep me' && as_it_was /oracle/w/a.txt 'a line of text'
}

protected() { # A protected file, and what has another version of it.
    git='/usr/bin/git -c user.name=a -c user.email=b -c init.defaultBranch=main'
    /usr/bin/mkdir -p .claude x/.claude
    echo theirs >.claude/settings.json
    $git init -q && printf 'x\n*.tar\n*.zip\n*.cpio\n*.patch\n' >.git/info/exclude
    $git add -A && $git commit -qm mine
    $git checkout -qb other
    echo other >.claude/settings.json
    $git commit -qam other
    $git diff main other >a.patch
    cp .claude/settings.json x/settings.json
    cp .claude/settings.json x/.claude/settings.json
    /usr/bin/tar cf a.tar .claude
    /usr/bin/tar cf b.tar -C .claude settings.json
    ! test -x /usr/bin/zip || /usr/bin/zip -qr a.zip .claude
    ! test -x /usr/bin/cpio || echo .claude/settings.json | /usr/bin/cpio -o --quiet >a.cpio
    $git checkout -q main
    $git config user.name a
    $git config user.email b
}

begin() {
    /usr/bin/chmod -R u+rwX /oracle/w
    /usr/bin/find /oracle/w /oracle/home /tmp -mindepth 1 -delete
    /usr/bin/mkdir /oracle/w/sub
    echo 'keep me' >/oracle/w/keep.txt
    echo 'a line of text' >/oracle/w/a.txt
    echo 'b line' >/oracle/w/sub/b.txt
    : >/oracle/home/.profile
    set -- /oracle/w/* /oracle/w/.[!.]* /oracle/w/..?* /oracle/w/sub/* /oracle/home/* /oracle/home/.[!.]* /tmp/* /tmp/.[!.]*
    start=$*
    test -z "$START" || (cd /oracle/w && protected)
}

alone() { # Only the first process of the namespace, and this one, are left.
    set -- /proc/[0-9]*
    test $# -le 2
}

run() { # CASE LETTER
    cd /oracle/w || exit
    case $2 in
    b) timeout -s KILL 20 bash -c "$1" ;;
    d) timeout -s KILL 20 dash -c "$1" ;;
    z) timeout -s KILL 20 zsh -c "$1" ;;
    a) timeout -s KILL 20 busybox ash -c "$1" ;;
    esac </dev/null 3>&-
    waited=0
    until alone || test $waited -ge 150; do
        /usr/bin/sleep 0.01
        waited=$((waited + 1))
    done
    kill -KILL -1
}

begin
at=0
for case in "$@"; do
    for letter in $SHELLS; do
        clean || begin
        : >$marks
        run "$case" "$letter"
        echo "run $at $letter" >&3
        while IFS= read -r line; do echo "mark $line" >&3; done <$marks
        if test -n "$START"; then
            as_it_was /oracle/w/.claude/settings.json theirs || echo wrote >&3
        else
            as_it_was /oracle/w/keep.txt 'keep me' || echo wrote >&3
        fi
    done
    at=$((at + 1))
done
echo end >&3
