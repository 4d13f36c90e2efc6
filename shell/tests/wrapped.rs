//! Tests of programs that run other programs, and of assignments before a program.

use super::*;

#[test]
fn b3_the_inner_command_of_a_wrapper_is_a_part() {
    for (text, expected) in [
        ("timeout 30 npm test", "~timeout 30 npm test ; npm test"),
        ("timeout -k 5 -s KILL 30 a", "~timeout -k 5 -s KILL 30 a ; a"),
        ("time -p a", "~time -p a ; a"),
        ("time A=b c", "~time A=b c ; A= c"),
        ("watch 'a b' -x", "watch 'a b' -x ; a b -x"),
        ("watch -n1 -x a b", "watch -n1 -x a b ; a b"),
        ("xargs -I% -n2 a %", "xargs -I% -n2 a % ; a %"),
        ("sed 's/[^\\/]*$//;s/[0-9]/[/' f", "sed 's/[^\\/]*$//;s/[0-9]/[/' f"),
        ("sed '1i a; b' f", "sed '1i a; b' f"),
        ("sed '$!a\\\nb\np' f", "sed '$!a\\\nb\np' f"),
        ("sed '1i a\n1e b' f", "sed '1i a\n1e b' f!"),
        ("sed '1a\n1e b' f", "sed '1a\n1e b' f!"),
        ("sed '1c a\\\nb' f", "sed '1c a\\\nb' f!"),
        ("sed 's/[]/]/ /e;s/p;/q/p' f", "sed 's/[]/]/ /e;s/p;/q/p' f!"),
        ("git -c color.ui=always -c core.quotePath=false diff", "git -c color.ui=always -c core.quotePath=false diff"),
        ("git -c user.name=x -c alias.y='!z' y", "git -c user.name=x -c alias.y=!z y!"),
        ("git -c user.name -c a.b=c y", "git -c user.name -c a.b=c y!"),
        ("git -ccolor.ui=always diff", "git -ccolor.ui=always diff!"),
        ("git -c \"color.ui=$x\" diff", "git -c \"color.ui=$x\" diff!"),
        ("git config --rename-section a b", "git config --rename-section a b!"),
        ("git config -f user.x alias.y z", "git config -f user.x alias.y z!"),
        ("make -E x", "make -E x!"),
        ("gawk -Dc -f p", "gawk -Dc -f p!"),
        ("less '+G!a' f", "less +G!a f!"),
        ("less -R +G f", "less -R +G f"),
        ("hyperfine -w 3 'a x' b", "hyperfine -w 3 'a x' b ; ~b ; ~a x ; ~3"),
        ("go test -exec=a ./...", "go test -exec=a ./...!"),
        ("cargo --config a=b run", "cargo --config a=b run!"),
        ("cargo run -- --config a", "cargo run -- --config a"),
        ("npm run a --script-shell=b", "npm run a --script-shell=b!"),
        ("psql -c '\\! a'", "psql -c '\\! a'!"),
        ("psql -c 'select 1'", "psql -c 'select 1'"),
        ("gcc -o a a.c && ./a", "gcc -o a a.c ; ./a"),
        ("make 'x:=$(shell a)' SHELL=b", "make 'x:=$(shell a)' SHELL=b! ; ~b"),
        ("make PREFIX=/usr install", "make PREFIX=/usr install ; ~make install ; ~/usr"),
        ("make -j8 CFLAGS='-O2 -g' V=1", "make -j8 'CFLAGS=-O2 -g' V=1 ; ~1 ; ~O2 -g"),
        ("make D=\"$PWD/out\" X=", "make \"D=$PWD/out\" X= ; ~./out"),
        ("make CC='@- evilprog x' foo", "make 'CC=@- evilprog x' foo ; ~make foo ; ~evilprog x"),
        ("make CC='env git push;'", "make 'CC=env git push;' ; ~env git push ; ~git push"),
        ("node --import data:x a", "node --import data:x a!"),
        ("node --import=data:x a", "node --import=data:x a!"),
        ("node --import tsx a", "node --import tsx a"),
        ("sed -i s/a/b/ *.md; git diff", "sed -i s/a/b/ *.md ; git diff"),
        ("nice -n 5 nohup a b", "~nice -n 5 nohup a b ; ~nice -n 5 a b ; ~nohup a b ; a b"),
        ("nice -10 a", "~nice -10 a ; a"),
        ("command -v git", "command -v git"),
        ("command git log", "~command git log ; git log"),
        ("xargs grep p", "~xargs grep p ; grep p"),
        ("xargs -n1 grep p", "xargs -n1 grep p ; grep p"),
        ("xargs", "xargs"),
        ("env A=1 git log", "env A=1 git log ; A= git log"),
        ("LANG=C env git log", "LANG= env git log ; LANG= git log"),
        ("GIT_PAGER=x timeout 5 git log", "~GIT_PAGER= timeout 5 git log ; GIT_PAGER= git log"),
        ("sudo -u x rm y", "sudo -u x rm y ; rm y"),
        (
            "/x/snaphook run --policy ~/p -- sh -c -- 'rm y'",
            "/x/snaphook run --policy ~/p -- sh -c -- 'rm y' ; sh -c -- 'rm y' ; rm y",
        ),
        ("snaphook status", "snaphook status"),
        ("sudo ls", "sudo ls ; ls"),
        ("exec a", "exec a ; a"),
        ("flock f a b", "flock f a b ; a b"),
        ("flock f -c 'a; b'", "flock f -c 'a; b' ; a ; b"),
        ("watch -n 1 'a | b'", "watch -n 1 'a | b' ; a ; b"),
        ("chroot /x a", "chroot /x a ; a"),
        ("busybox rm x", "busybox rm x ; rm x"),
        ("sh -c 'a; b'", "sh -c 'a; b' ; a ; b"),
        ("/bin/bash -euo pipefail -c 'a'", "/bin/bash -euo pipefail -c a ; a"),
        ("sudo sh -c \"env rm x\"", "sudo sh -c 'env rm x' ; sh -c 'env rm x' ; env rm x ; rm x"),
        ("bash x.sh -c", "bash x.sh -c ; ~x.sh -c"),
        ("awk -F'|' '$3 > 1 {print $1}' f", "awk -F| '$3 > 1 {print $1}' f"),
        ("awk -F -v 'BEGIN {print > \"f\"}'", "awk -F -v 'BEGIN {print > \"f\"}'!"),
        ("awk -f -F 'a|b'", "awk -f -F a|b!"),
        ("awk -F , '{print | \"b\"}' f", "awk -F , '{print | \"b\"}' f!"),
        ("node --check a.js", "node --check a.js"),
        ("node --a --b a.js", "node --a --b a.js"),
        ("flock -- f -c 'rm y'", "flock -- f -c 'rm y' ; rm y"),
        ("flock -x -w 5 -- f rm y", "flock -x -w 5 -- f rm y ; rm y"),
        ("timeout -- 5 rm y", "~timeout -- 5 rm y ; rm y"),
        ("nice -- rm y", "~nice -- rm y ; rm y"),
        ("env -- A=b git log", "env -- A=b git log ; A= git log"),
        ("find . -exec rm {} +", "find . -exec rm {} + ; rm {}"),
        (
            "find . -exec sh -c 'a \"$1\"' _ {} \\;",
            "find . -exec sh -c 'a \"$1\"' _ {} ; ; sh -c 'a \"$1\"' _ {} ; a \"$1\"",
        ),
        ("find . -delete", "find . -delete!"),
        ("python3 a.py", "python3 a.py"),
        ("python3 -u a.py -c x", "python3 -u a.py -c x"),
        ("python3 -c 'x()'", "python3 -c x()!"),
        ("python3 -m pytest -c x", "python3 -m pytest -c x ; ~pytest -c x"),
        ("git -c a=b log", "git -c a=b log!"),
    ] {
        understood(text, expected);
    }
}

#[test]
fn b3_a_word_that_names_a_program_is_found_in_any_position() {
    for (text, expected) in [
        ("npx rm -rf .", "npx rm -rf . ; ~npm exec rm -rf ."),
        ("go env -w CC=a", "go env -w CC=a!"),
        ("go build -o b ./c", "go build -o b ./c"),
        ("go build -ldflags=-extld=a", "go build -ldflags=-extld=a!"),
        ("cargo rustc -- -C linker=a", "cargo rustc -- -C linker=a!"),
        ("cargo test --lib", "cargo test --lib"),
        ("rustc -Clinker=a b.rs", "rustc -Clinker=a b.rs!"),
        ("rustup run stable cargo test", "rustup run stable cargo test ; cargo test"),
        ("rustup +nightly run --install stable a", "rustup +nightly run --install stable a ; a"),
        ("rustup show", "rustup show"),
        ("gcc -c a.c", "gcc -c a.c"),
        ("c99 -wrapper a b.c", "c99 -wrapper a b.c!"),
        ("gcc @a b.c", "gcc @a b.c!"),
        ("npm exec -c a", "npm exec -c a!"),
        ("npm exec tsc", "npm exec tsc"),
        ("npm explore a -- b", "npm explore a -- b!"),
        ("npm config set editor a", "npm config set editor a!"),
        ("npm config set registry a", "npm config set registry a"),
        ("npm run x", "npm run x"),
        ("npm ci", "npm ci"),
        ("pip --pyth a list", "pip --pyth a list!"),
        ("python3 -m pip --python a list", "python3 -m pip --python a list! ; ~pip --python a list"),
        ("pip install --python-version 3 a", "pip install --python-version 3 a"),
        ("python3 -m pip install a", "python3 -m pip install a ; ~pip install a"),
        ("dpkg --pre-invoke=a -i b", "dpkg --pre-invoke=a -i b!"),
        ("dpkg -l", "dpkg -l"),
        ("gpg --agent-program a -d b", "gpg --agent-program a -d b!"),
        ("logsave f a b", "logsave f a b ; a b"),
        ("service ../a start", "service ../a start!"),
        ("service a start", "service a start"),
        ("xdg-user-dir 'a;b'", "xdg-user-dir a;b!"),
        ("prove -e a t", "prove -e a t!"),
        ("prove -lr t", "prove -lr t"),
        ("groff -U a", "groff -U a!"),
        ("ccache gcc -c a.c", "ccache gcc -c a.c ; gcc -c a.c"),
        ("gfind . -exec a \\;", "gfind . -exec a ; ; a"),
        ("genv A=1 a", "genv A=1 a ; A= a"),
        ("gnunice a", "gnunice a ; a"),
        ("gtimeout 3 a", "~gtimeout 3 a ; a"),
        ("original-awk 'BEGIN{system(x)}'", "original-awk BEGIN{system(x)}!"),
        ("vim.gtk3 -c a", "vim.gtk3 -c a!"),
        ("sensible-editor -c a", "sensible-editor -c a!"),
        ("gsort --compress-program a", "gsort --compress-program a!"),
        ("x86_64-linux-gnu-gcc-12 -wrapper a b.c", "x86_64-linux-gnu-gcc-12 -wrapper a b.c!"),
        ("make MAKEFILES=a", "make MAKEFILES=a! ; ~a"),
        ("sqlite3 d 'select edit (x)'", "sqlite3 d 'select edit (x)'!"),
        ("sqlite3 d 'select readfile(x)'", "sqlite3 d 'select readfile(x)'!"),
        ("sqlite3 d 'select edited, credit'", "sqlite3 d 'select edited, credit'"),
        ("perl -F'/I/);a' x.pl f", "perl -F/I/);a x.pl f!"),
        ("perl -i.I -e a", "perl -i.I -e a!"),
        ("perl -CI -e a", "perl -CI -e a!"),
        ("perl -Ilib x.pl", "perl -Ilib x.pl"),
        ("perl -l x.pl", "perl -l x.pl"),
        ("npm --prefix d exec -c a", "npm --prefix d exec -c a!"),
        ("npm ex -c a", "npm ex -c a!"),
        ("npm --prefix d config set script-shell a", "npm --prefix d config set script-shell a!"),
        ("npm run exec", "npm run exec"),
        ("npm --silent run lint", "npm --silent run lint"),
        ("ruby -S -e a", "ruby -S -e a!"),
        ("ruby -K -e a", "ruby -K -e a!"),
        ("perl -d x.pl", "perl -d x.pl!"),
        ("git --shallow-file x -c a=b log", "git --shallow-file x -c a=b log!"),
        ("git --foo x -c a=b log", "git --foo x -c a=b log!"),
        ("git --no-pager -C s log", "git --no-pager -C s log"),
        ("sort -S 1k -o -- --compress-program=a f", "sort -S 1k -o -- --compress-program=a f!"),
        ("zip -qr x.zip a -x -- -T", "zip -qr x.zip a -x -- -T!"),
        ("man -L -- -P a ls", "man -L -- -P a ls!"),
        ("rg -n -- '-> x' --pre", "rg -n -- '-> x' --pre"),
        ("wget -qOfile.html u", "wget -qOfile.html u"),
        ("cmake -B b -DCMAKE_BUILD_TYPE=Release", "cmake -B b -DCMAKE_BUILD_TYPE=Release"),
    ] {
        understood(text, expected);
    }
}

#[test]
fn b3_the_command_of_a_wrapper_is_not_always_known() {
    for (text, word) in [
        ("timeout --foo 3 a", "`timeout --foo`"),
        ("env -S 'a b'", "`env -S`"),
        ("env $X a", "`env $X`"),
        ("sudo -s a", "`sudo -s`"),
        ("sudo $X", "`sudo $X`"),
        ("xargs sh", "`sh …`"),
        ("xargs -rI% sh -c %", "`sh %`"),
        ("xargs -I% -n2 env", "`env …`"),
        ("xargs -I '' a", "`xargs -I`"),
        ("a | unshare -r", "`unshare`"),
        ("chroot /", "`chroot`"),
        ("make CC=\"$X\"", "`make CC=$X`"),
        ("make CC='a \"'", "an unclosed `\"`"),
        ("make CC=sh CFLAGS='-c x'", "`sh …`"),
        ("make CC='eval x'", "`eval`"),
        ("a | make -sf-", "`make -sf-`"),
        ("find . -exec a", "`find -exec`"),
        ("sed p \"$x\"", "`sed $x`"),
        ("xargs env", "`env …`"),
        ("xargs -I{} {} x", "`{}`"),
        ("xargs -I X sh -c 'rm X'", "`sh rm X`"),
        ("sh -c \"$X\"", "`sh $X`"),
        ("sh -c 'a $(b' ", "an unclosed `$(`"),
        ("bash --rcfile x -c y", "`bash --rcfile`"),
        ("find . -exec sh -c 'rm {}' \\;", "`sh rm {}`"),
        ("find . $X", "`find $X`"),
        ("git $X log", "`git $X`"),
        ("tar cf x *", "`tar *`"),
        ("sed \"s/$A/b/\" f", "`sed s/$A/b/`"),
        ("env PATH=x a", "`PATH=`"),
        ("env rm$X", "`env rm$X`"),
        ("python3 $X", "`python3 $X`"),
        ("perl", "`perl`"),
        ("perl -lI .", "`perl`"),
        ("perl -0777I .", "`perl`"),
        ("ruby -lI .", "`ruby`"),
        ("valgrind rm x", "`valgrind`"),
        ("nice nice sudo -i", "`sudo -i`"),
        ("env 'BASH_FUNC_a%%=() { b; }' c", "`BASH_FUNC_a%%=`"),
        ("LINES='a[$(b)]' c", "`LINES=`"),
        ("awk -F $x '{print}'", "`awk $x`"),
        ("a | node --check a.js", "`node`"),
        ("node --check /dev/stdin", "`node /dev/stdin`"),
        ("exec -a a b", "`exec -a`"),
        ("exec -aa b", "`exec -aa`"),
        ("find a -name -exec -o -foo b", "`find -foo`"),
        ("a | sh /dev/stdin", "`sh /dev/stdin`"),
        ("awk -f - <<E\nE\n", "`awk -f`"),
        ("cp /bin/a b; ./b", "`./b`"),
        ("echo a > s; sh s", "`s`"),
        ("echo a > s.py; python3 -m s", "`s`"),
        ("echo a >> ~/.bashrc; bash -ic true", "`bash`"),
        ("echo a > m.mk; make -sfm.mk", "`-sfm.mk`"),
        ("echo a > m.awk; awk --file=m.awk", "`--file=m.awk`"),
        ("echo a > index.js; node .", "`node`"),
        ("echo a > json.py; python3 -m json.tool", "`json.tool`"),
        ("cp a .git/hooks/pre-commit; git commit", "`git`"),
        ("cd .git/hooks; tee update < /dev/null; git push", "`git`"),
        ("sed -i s/a/b/ .git/conf*; git y", "`git`"),
        ("curl -so s u; sh s", "`s`"),
        ("python3 -m cProfile -m timeit x", "`python3 -m cProfile`"),
        ("a | python3 -m asyncio.__main__", "`python3 -m asyncio.__main__`"),
        ("PowerShell.exe -c x", "`PowerShell.exe`"),
        ("cmd /c x", "`cmd`"),
        ("zstyle -e a b c", "`zstyle`"),
        ("rustup $X", "`rustup $X`"),
        ("msgfilter sed", "`msgfilter`"),
        ("busybox udhcpc -s a", "`udhcpc`"),
        ("a | gxargs sh", "`sh …`"),
        ("cp a r/hooks/post-index-change; git --git-dir=r add b", "`git`"),
        ("cp -r h/hooks r; cd r; git gc", "`git`"),
        ("a | python3 -i e.py", "`python3 -i`"),
        ("python3 -m imaplib -s a", "`python3 -m imaplib`"),
        ("node --interactive e.js", "`node --interactive`"),
        ("php -a e.php", "`php -a`"),
    ] {
        blamed(text, word);
    }
}

#[test]
fn b1_a_list_of_words_is_taken_as_it_is_and_a_shell_in_it_is_its_text() {
    let argv = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(|w| (*w).to_owned()).collect();
        ScriptReader::new(&ScriptLimits::default(), &|_| false, &Budget::default()).words(&words)
    };
    assert_eq!(parts(&argv(&["rm", "a b", "$x"])), "rm 'a b' '$x'");
    assert_eq!(parts(&argv(&["/bin/bash", "-lc", "rm x"])), "rm x");
    assert_eq!(parts(&argv(&["bash", "-lc", "rm x; ls"])), "rm x ; ls");
    assert_eq!(parts(&argv(&["bash", "-c", "x", "y"])), "bash -c x y ; x");
    assert_eq!(parts(&argv(&["sudo", "rm"])), "sudo rm ; rm");
    assert!(argv(&["eval", "rm"]).not_understood.is_some());
    assert!(argv(&[]).not_understood.is_some());
}

#[test]
fn b6_the_program_is_also_known_by_its_base_name() {
    let analysis = of("/usr/bin/git log");
    let part = &analysis.parts[0];
    assert_eq!((part.text.as_str(), part.based.as_deref()), ("/usr/bin/git log", Some("git log")));
    assert_eq!(of("git log").parts[0].based, None);
}

#[test]
fn b7_assignments_are_to_be_named_unless_they_are_literal_and_harmless() {
    for (text, harmless) in [
        ("LANG=C git log", true),
        ("LC_ALL=C NO_COLOR=1 a", true),
        ("MINE=1 a", true),
        ("A=1 a", false),
        ("LANG=$X a", false),
        ("LANG=~ a", false),
        ("A=1", false),
        ("export CI=1", true),
        ("export A=1", false),
        ("export LANG", false),
        ("git log", true),
    ] {
        let to_name = of(text).parts[0].assignments_to_name(&["MINE".to_owned()]);
        assert_eq!(to_name.is_empty(), harmless, "{text}: {to_name:?}");
    }
}
