use snaphook_adapters::model::{Command, ShellKind};

use super::{Analysis, Base, Touch, analyse};
use crate::policy::settings::Limits;

fn of(text: &str) -> Analysis {
    analyse(&Command::Text(text.into()), ShellKind::Posix, &Limits::default(), &|_| false)
}

/// The parts, `~` before one that is only watched, `!` behind an opaque one.
fn parts(analysis: &Analysis) -> String {
    let part = |part: &std::rc::Rc<super::Part>| {
        let name = |(name, literal): &(String, bool)| format!("{name}{} ", if *literal { "=" } else { "=?" });
        let assigned = part.assigned.iter().map(name).collect::<Vec<_>>().concat();
        let (before, behind) = (if part.watch_only { "~" } else { "" }, if part.opaque.is_some() { "!" } else { "" });
        format!("{before}{assigned}{}{behind}", part.text)
    };
    analysis.parts.iter().map(part).collect::<Vec<_>>().join(" ; ")
}

fn understood(text: &str, expected: &str) {
    let analysis = of(text);
    assert_eq!(analysis.not_understood, None, "{text}");
    assert_eq!(parts(&analysis), expected, "{text}");
}

fn blamed(text: &str, word: &str) {
    let analysis = of(text);
    assert_eq!(analysis.not_understood.as_deref(), Some(word), "{text}: {}", parts(&analysis));
}

#[test]
fn b1_words_are_read_as_every_shell_reads_them_and_b4_printed() {
    for (text, printed) in [
        ("git status", "git status"),
        ("  git \t \"status\"\n", "git status"),
        (r"\git log", "git log"),
        ("e''vil x", "evil x"),
        ("git commit -m \"fix bug\"", "git commit -m 'fix bug'"),
        ("echo '' \"$\"a", "echo '' '$a'"),
        ("echo 'it'\\''s'", r"echo 'it'\''s'"),
        ("ls '*' *", "ls '*' *"),
        ("echo a\\\nb", "echo ab"),
        ("echo a \\\n  b", "echo a b"),
        ("echo \"a\\`b\"", r"echo a`b"),
        ("echo $X \"$X\" ${X:-y} $1 $? $@", "echo $X \"$X\" ${X:-y} $1 $? $@"),
        ("echo $((1 + 2))", "echo $((1 + 2))"),
        ("git show HEAD@{1} stash@{0}", "git show HEAD@{1} stash@{0}"),
        ("find . -name {} x", "find . -name {} x"),
        ("echo a#b c=d e=~", "echo a#b c=d e=~"),
        ("ls # a 'comment", "ls"),
        ("# nothing\nls", "ls"),
        ("[ -f x ]", "[ -f x ]"),
        ("~/bin/x y", "~/bin/x y"),
        ("echo done fi then if", "echo done fi then if"),
        ("echo \u{e9} \u{4e2d}", "echo \u{e9} \u{4e2d}"),
    ] {
        understood(text, printed);
    }
}

#[test]
fn b2_every_simple_command_is_a_part_wherever_it_stands() {
    for (text, expected) in [
        ("a && b || c; d | e & f\ng", "a ; b ; c ; d ; e ; f ; g"),
        ("a &&\n\n b |\n c", "a ; b ; c"),
        ("(a; b)", "a ; b"),
        ("{ a; b; }", "a ; b"),
        ("! a | b", "a ; b"),
        ("if a; then b; elif c; then d; else e; fi", "a ; b ; c ; d ; e"),
        ("for x in 1 2; do echo $x; done", "echo $x"),
        ("while a; do b; done; until c; do d; done", "a ; b ; c ; d"),
        ("case $x in a|b) c;; (d) e; f;; *) ;; esac", "c ; e ; f"),
        ("if a; then for x in y; do { b; (c); }; done; fi", "a ; b ; c"),
        ("echo $(a) `b` \"$(c $(d))\" \"`e`\"", "echo $(a) `b` \"$(c $(d))\" \"`e`\" ; e ; c \"\" ; d ; b ; a"),
        ("cat <(a) >(b)", "cat <(a) >(b) ; b ; a"),
        ("cat <<E\n$(a) `b`\nE\nc", "cat ; c ; a ; b"),
        ("cat <<'E'\n$(a) 'x\nE\nc", "cat ; c"),
        ("cat <<-E | b\n\tx\n\tE\n", "cat ; b"),
        ("git commit -m \"$(cat <<'E'\nit's (a\nE\n)\"", "git commit -m \"$(cat <<'E'\nit's (a\nE\n)\" ; cat"),
        ("for x in $(a); do b; done", "b ; a"),
        ("case $(a) in $(b)) c;; esac", "c ; a ; b"),
        ("a > $(b)", "a ; b"),
        ("X=$(a) b", "X=? b ; a"),
        ("X=1", "X= "),
        ("X=1 Y=\"a b\" c d=e", "X= Y= c d=e"),
        ("echo x 2>&1 >/dev/null", "echo x"),
        ("a &> f", "a"),
        ("a |& b", "a ; b"),
        ("a & b", "a ; b"),
        ("a;", "a"),
        ("a &", "a"),
    ] {
        let analysis = of(text);
        assert_eq!(analysis.not_understood, None, "{text}");
        let mut found: Vec<_> = parts(&analysis).split(" ; ").map(str::to_owned).collect();
        let mut wanted: Vec<_> = expected.split(" ; ").map(|part| part.replace("c \"\"", "c $(d)")).collect();
        found.sort();
        wanted.sort();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn b1_what_is_not_understood_names_the_word() {
    for (text, word) in [
        ("", "no command"),
        ("  ", "no command"),
        ("$P x", "`$P`"),
        ("`a` b", "``a``"),
        ("g* x", "`g*`"),
        ("[a] x", "`[a]`"),
        ("=ls", "`=ls`"),
        ("echo =ls", "`=ls`"),
        ("echo {a,b}", "`{`"),
        ("echo {1..3}", "`{`"),
        ("echo $'a'", "`$'a'`"),
        ("echo $\"a\"", "`$\"`"),
        ("echo ${!x}", "`${!x…}`"),
        ("echo ${x/a/b}", "`${x…}`"),
        ("echo ${x:=$(a)}", "`${x…}`"),
        ("echo $x[1]", "`$x[`"),
        ("echo $x:h", "`$x:`"),
        ("echo $((x))", "`$((x))`"),
        ("echo $(($(a)))", "`$(($(a)))`"),
        ("((a))", "`((`"),
        ("[[ a && b ]]", "`[[`"),
        ("[[ $x -eq 1 ]]", "`[[ $x`"),
        ("eval x", "`eval`"),
        ("source f", "`source`"),
        (". f", "`.`"),
        ("trap x EXIT", "`trap`"),
        ("alias a=b", "`alias`"),
        ("f() { a; }", "`f()`"),
        ("f () { a; }", "`f()`"),
        ("cd () { a; }; cd x && b", "`cd()`"),
        ("function f { a; }", "`{`"),
        ("function f() { a; }", "`f()`"),
        ("coproc a", "`coproc`"),
        ("repeat 3 a", "`repeat`"),
        ("- rm x", "`-`"),
        ("PATH=x a", "`PATH=`"),
        ("LD_PRELOAD=x a", "`LD_PRELOAD=`"),
        ("A+=x b", "`A+=`"),
        ("export PATH=/x", "`export PATH=/x`"),
        ("for PATH in a; do b; done", "`PATH`"),
        ("read PATH", "`read PATH`"),
        ("a[0]=x b", "`a[0]=x`"),
        ("a | sh", "`sh`"),
        ("a | bash -s x", "`bash -s`"),
        ("sh < f", "`sh`"),
        ("python3 <<E\nx\nE\n", "`python3`"),
        ("python3 -", "`python3 -`"),
        ("a | python3", "`python3`"),
        ("a 'b", "an open `'`"),
        ("a \"b", "an open `\"`"),
        ("a $(b", "an open `$(`"),
        ("a `b", "an open backquote"),
        ("a \\", "`\\` at the end"),
        ("cat <<E\nx", "an open here-document"),
        ("a <", "a redirection without a file"),
        ("a\rb", "a control character or an unusual blank"),
        ("a\u{a0}b", "a control character or an unusual blank"),
        ("a && && b", "`&&`"),
        ("a; ; b", "`;`"),
        ("if a; then b", "`if`"),
        ("a )", "`)`"),
        ("a &> f b", "`&>`"),
        ("echo }", "`}`"),
        ("a > {b,c}", "`{`"),
        ("a >! f", "`>!`"),
        ("a 12> f", "`12>`"),
        ("ls <1-5>", "`<`"),
        ("a &\\\n& b", "a line that goes on inside a word"),
        ("$\\\n(rm x)", "`$\\`"),
        ("printf -v x y", "`printf -v`"),
        ("printf %d 'a[$(x)]'", "`printf a[$(x)]`"),
        ("test 'a[$(x)]' -eq 1", "`test a[$(x)]`"),
        ("[ $x = y ]", "`[ $x`"),
        ("set -k", "`set -k`"),
    ] {
        blamed(text, word);
    }
}

#[test]
fn s4_bounds_are_named() {
    let over = format!("a {}", "b".repeat(17_000));
    blamed(&over, "longer than 16384 bytes");
    blamed(&"$(".repeat(100), "nesting over 64");
    blamed(&"( ".repeat(100), "more than 4 `((`");
    blamed(&"(a; ".repeat(100), "nesting over 64");
    blamed(&"\"$(".repeat(100), "nesting over 64");
    blamed(&format!("{}x{}", "if a; then ".repeat(70), "; fi".repeat(70)), "more than 64 compound commands");
    blamed(&format!("{}x{}", "$((1+".repeat(6), "))".repeat(6)), "more than 4 `((`");
    blamed(&format!("{}x{}", "case a in b) ".repeat(8), ";; esac".repeat(8)), "more than 6 `case`");
    // What a command names is looked up from every place that it may be meant from.
    blamed(&format!("find {}-exec rm {}\\;", "a ".repeat(2000), "{} ".repeat(3500)), "more than 20000 words");
    blamed(&format!("cp -t {} {}", "a/".repeat(2000), "b ".repeat(4000)), "more than 20000 words");
    blamed(&format!("cd {}; rm {}", "a/".repeat(2000), "b ".repeat(4000)), "more than 20000 words");
    let few = Limits { nodes: 10, ..Limits::default() };
    let analysis = analyse(&Command::Text("a b c d e f g h i j k l".into()), ShellKind::Posix, &few, &|_| false);
    assert_eq!(analysis.not_understood.as_deref(), Some("more than 10 words"));
    let command = Command::Text("ls".into());
    assert!(analyse(&command, ShellKind::PowerShell, &Limits::default(), &|_| false).not_understood.is_some());
}

#[test]
fn b1_deny_and_ask_see_the_parts_of_what_is_not_understood() {
    for (text, expected) in [
        ("echo $'x'; rm y", "echo x ; rm y"),
        ("rm x; echo 'open", "rm x ; echo"),
        ("f() { rm x; }; f", "rm x ; f"),
        ("eval 'rm x; ls'", "eval 'rm x; ls' ; rm x ; ls"),
        ("trap 'rm x' EXIT", "trap 'rm x' EXIT ; rm x"),
        ("echo ${x:-$(rm y)}", "echo ${x:-$(rm y)} ; rm y"),
        ("[[ -f a && $(rm x) ]]", "[[ -f a ; $(rm x) ]] ; rm x"),
        ("if rm x; then", "rm x"),
        ("echo $((1 + $(rm x)))", "echo $((1 + $(rm x))) ; rm x"),
        ("echo $(rm x", "echo $(rm x ; rm x"),
    ] {
        let analysis = of(text);
        assert!(analysis.not_understood.is_some(), "{text}");
        assert_eq!(parts(&analysis), expected, "{text}");
    }
}

#[test]
fn b3_wrappers_show_what_they_run() {
    for (text, expected) in [
        ("timeout 30 npm test", "~timeout 30 npm test ; npm test"),
        ("timeout -k 5 -s KILL 30 a", "~timeout -k 5 -s KILL 30 a ; a"),
        ("time -p a", "~time -p a ; a"),
        ("time A=b c", "~time A=b c ; A= c"),
        ("watch 'a b' -x", "watch 'a b' -x ; a b -x"),
        ("watch -n1 -x a b", "watch -n1 -x a b ; a b"),
        ("xargs -I% -n2 a %", "xargs -I% -n2 a % ; a %"),
        ("sed 's/[^\\/]*$//;s/[0-9]/[/' f", "sed 's/[^\\/]*$//;s/[0-9]/[/' f"),
        ("sed 's/[]/]/ /e;s/p;/q/p' f", "sed 's/[]/]/ /e;s/p;/q/p' f!"),
        ("git config --rename-section a b", "git config --rename-section a b!"),
        ("git config -f user.x alias.y z", "git config -f user.x alias.y z!"),
        ("make -E x", "make -E x!"),
        ("make 'x:=$(shell a)' SHELL=b", "make 'x:=$(shell a)' SHELL=b!"),
        ("make D=$PWD/out CC=cc", "make D=$PWD/out CC=cc"),
        ("node --import data:x a", "node --import data:x a!"),
        ("node --import=data:x a", "node --import=data:x a!"),
        ("node --import tsx a", "node --import tsx a"),
        ("sed -i s/a/b/ *.md; git diff", "sed -i s/a/b/ *.md ; git diff"),
        ("nice -n 5 nohup a b", "~nice -n 5 nohup a b ; ~nohup a b ; a b"),
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
        ("python3 -m pytest -c x", "python3 -m pytest -c x"),
        ("git -c a=b log", "git -c a=b log!"),
        ("npx rm -rf .", "npx rm -rf ."),
    ] {
        understood(text, expected);
    }
}

#[test]
fn b3_what_a_wrapper_runs_is_not_always_known() {
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
        ("a | make -sf-", "`make -sf-`"),
        ("find . -exec a", "`find -exec`"),
        ("sed p \"$x\"", "`sed $x`"),
        ("xargs env", "`env …`"),
        ("xargs -I{} {} x", "`{}`"),
        ("xargs -I X sh -c 'rm X'", "`sh rm X`"),
        ("sh -c \"$X\"", "`sh $X`"),
        ("sh -c 'a $(b' ", "an open `$(`"),
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
        ("valgrind rm x", "`valgrind`"),
        ("nice nice sudo -i", "`sudo -i`"),
        ("env 'BASH_FUNC_a%%=() { b; }' c", "`BASH_FUNC_a%%=`"),
        ("LINES='a[$(b)]' c", "`LINES=`"),
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
    ] {
        blamed(text, word);
    }
}

#[test]
fn b1_a_list_of_words_is_taken_as_it_is_and_a_shell_in_it_is_its_text() {
    let argv = |words: &[&str]| {
        let words = words.iter().map(|w| (*w).to_owned()).collect();
        analyse(&Command::Argv(words), ShellKind::Unknown, &Limits::default(), &|_| false)
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
fn b7_only_literal_assignments_of_harmless_names_leave_a_part_allowed() {
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
        assert_eq!(of(text).parts[0].is_harmless(&["MINE".to_owned()]), harmless, "{text}");
    }
}

#[test]
fn b2_b10_b11_what_a_command_touches() {
    for (text, expected) in [
        ("a > f", "W f"),
        ("a >> ~/.bashrc", "W ~/.bashrc home"),
        ("a >> $HOME/.bashrc", "W ~/.bashrc home"),
        ("a > \"${HOME}/x\"", "W ~/x home"),
        ("a > '$HOME/x'", "W $HOME/x"),
        ("a < $PWD/f", "R ./f"),
        ("a 2>/dev/null >&2 <&- 2>&1", ""),
        ("a 2< f > /dev/stderr", "R f, W /dev/stderr"),
        ("a < f 1>&0 > /dev/stdout", "R f, W /dev/stdout"),
        ("a 3< f 2>&3 | tee /dev/stderr", "R f, W /dev/stderr"),
        ("a < f 2>&1 > /dev/stderr", "R f"),
        ("a <> f", "R f, W f"),
        ("a &>> f", "W f"),
        ("a >& f", "W f"),
        ("> f", "W f"),
        ("{ a; } > f", "W f"),
        ("while a; do b; done < f", "R f"),
        ("a > \"$D/x/f\"", "W ?/x/f"),
        ("a > src/$D", "W ? below src"),
        ("a > /etc/$D.conf", "W ?.conf below /etc"),
        ("a > ~/x/$D", "W ? below ~/x home"),
        ("rm -rf \"$D\"/*", "D ?/*"),
        ("rm -rf ~/*", "D ~/* home"),
        ("cat $(a)/f", "R ?/f"),
        ("cd sub && cat f", "R f in sub"),
        ("cd sub; cd ..; cat f", "R f in own sub .. sub/.."),
        ("cd sub && cd .. && cat f", "R f in sub/.."),
        ("cd sub && a; cat f", "R f in own sub"),
        ("time -p cd sub; cat f", "R f in own ?"),
        ("while a; do cat f; cd ..; done", "R f in own ?"),
        ("cd /x && cd y && cat f", "R f in /x/y"),
        ("cd && cat f", "R f in ~"),
        ("cd $X && cat f", "R f in ?"),
        ("cd - && cat f", "R f in ?"),
        ("(cd sub && cat f); cat g", "R f in sub, R g in own sub"),
        ("cd a || cat f", "R f in own a"),
        ("(cd a && b) && cat f", "R f in own a"),
        ("if b; then cd a && b; fi && cat f", "R f in own a"),
        ("! (cd a && b) && cat f", "R f in own a"),
        ("b | (cd a && b) && cat f", "R f in own a"),
        ("b || cd a && cat f", "R f in own a"),
        ("{ b; } || cd a && cat f", "R f in own a"),
        ("{ b; } && cd a && cat f", "R f in a"),
        ("cd a | b; cat f", "R f in own a"),
        ("cd a && cat \"$(cat g)\" f", "R ? in a, R f in a, R g in a"),
        ("find / -delete", "D /, D ? below /"),
        ("find . -name '*.o' -delete", "D ./*.o, D ?/*.o below ."),
        ("find ~ -exec rm {} +", "D ~ home, D ? below ~ home"),
        ("find . -size 0 -exec env rm {} \\;", "D ? below ."),
        ("find . -type f -delete", "D ? below ."),
        ("find . -empty -delete", "D ? below ."),
        ("find . ! -type f -delete", "D ., D ? below ."),
        ("find . -iname a.b -delete", "D ./?.?, D ?/?.? below ."),
        ("find s -execdir rm ../k \\;", "D ../k in ?"),
        ("chroot /x rm /k", "D /k in another"),
        ("sudo rm x", "D x"),
        ("env cat .env", "R .env"),
        ("sh -c 'rm x'", "D x"),
        ("cd s && sh -c 'rm x'", "D x in s"),
    ] {
        let analysis = of(text);
        let one = |touched: &super::Touched| {
            let letter = match touched.touch {
                Touch::Read => 'R',
                Touch::Write => 'W',
                Touch::Delete => 'D',
                Touch::MoveFrom => 'F',
                Touch::MoveTo => 'T',
            };
            let place = &touched.place;
            let path = place.tail.as_ref().map_or_else(|| place.path.clone(), |tail| format!("?{tail}"));
            let below = place.below.as_ref().map(|below| format!(" below {below}")).unwrap_or_default();
            let bases: Vec<_> = touched
                .bases
                .iter()
                .map(|base| match base {
                    Base::Own => "own".to_owned(),
                    Base::Dir(dir) => dir.path.clone(),
                    Base::Unknown => "?".to_owned(),
                    Base::Apart => "another".to_owned(),
                })
                .collect();
            let bases = if *touched.bases == [Base::Own] { String::new() } else { format!(" in {}", bases.join(" ")) };
            format!("{letter} {path}{below}{}{bases}", if place.home { " home" } else { "" })
        };
        let itself = analysis.touched.iter().filter(|touched| touched.extent == super::Extent::Itself);
        let found: Vec<_> = itself.map(one).collect();
        assert_eq!(found.join(", "), expected, "{text}");
    }
}

#[test]
fn b1_b10_variables_of_the_environment_matter_where_they_are_set() {
    let read = |text: &str, own: &'static str| {
        let command = Command::Text(text.into());
        analyse(&command, ShellKind::Posix, &Limits::default(), &|name: &str| name == own)
    };
    for (text, own, blamed) in [
        ("for EDITOR in x; do git commit; done", "EDITOR", true),
        ("for EDITOR in x; do git commit; done", "", false),
        ("read -r EDITOR", "EDITOR", true),
        ("read -r LANG", "LANG", false),
        ("for x in EDITOR PATH; do a; done", "EDITOR", false),
        ("for BASH_CMDS in x; do a; done", "", true),
    ] {
        assert_eq!(read(text, own).not_understood.is_some(), blamed, "{text}");
    }
    for (text, own, lost) in [
        ("cd a && cat f", "CDPATH", true),
        ("cd ./a && cat f", "CDPATH", false),
        ("cd a && cat f", "", false),
        ("export CDPATH=x; cd a && cat f", "", true),
    ] {
        let touched = &read(text, own).touched[0];
        assert_eq!(touched.bases.contains(&Base::Unknown), lost, "{text}");
    }
}

#[test]
fn b9_pipelines_keep_their_members_in_order() {
    for (text, expected) in [
        ("a | b | c", "a|b|c"),
        ("a; b | c; d", "b|c"),
        ("curl u | tee f | sudo sh", "curl u|tee f|sudo sh,sh"),
        ("a | { b; c; }", "a|b,c"),
        ("a | (b | c)", "a|b,c / b|c"),
        ("a | while b; do c; done", "a|b,c"),
        ("a $(b | c)", "b|c"),
        ("sh -c 'a | b' | c", "a|b / sh -c 'a | b'|c"),
    ] {
        let analysis = of(text);
        let member =
            |parts: &Vec<std::rc::Rc<super::Part>>| parts.iter().map(|p| p.text.clone()).collect::<Vec<_>>().join(",");
        let mut found: Vec<_> =
            analysis.pipelines.iter().map(|p| p.iter().map(member).collect::<Vec<_>>().join("|")).collect();
        found.sort();
        assert_eq!(found.join(" / "), expected, "{text}");
    }
}

mod soups {
    use proptest::prelude::*;

    use super::*;

    const TOKENS: &[&str] = &[
        "(",
        ")",
        "((",
        "))",
        "{",
        "}",
        "$(",
        "$((",
        "${",
        "`",
        "\"",
        "'",
        "$'",
        "$\"",
        "$[",
        "]",
        "[[",
        "]]",
        "<(",
        ">(",
        "=(",
        "case",
        "esac",
        "in",
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "for",
        "while",
        "until",
        "do",
        "done",
        "function",
        "select",
        "coproc",
        "time",
        "!",
        ";",
        ";;",
        ";&",
        "&",
        "&&",
        "|",
        "||",
        "|&",
        "\n",
        "<",
        ">",
        "<<",
        "<<-",
        "<<<",
        "&>",
        ">&",
        "E",
        "\nE\n",
        "x",
        "x",
        "a=b",
        "a+=b",
        "rm",
        "eval",
        "sh -c",
        "find . -exec",
        "xargs",
        "env",
        "sudo",
        "-n",
        "\\",
        "\\\n",
        "#",
        " ",
        " ",
        " ",
        "\t",
        "~",
        "*",
        "{a,b}",
        "$x",
        "$HOME",
        "1",
        "\u{a0}",
        "\r",
        "\u{0}",
        "é",
        "f()",
        "git",
        "sed s/a/b/e",
        "python3 -c",
        "trap",
        "cd",
        "--",
        ":-",
        "}",
        ")",
    ];

    /// An answer in no more than what plain words of the greatest length take, some hundred times over:
    /// far from what an exponential rule takes.
    fn quick(text: &str) {
        static PLAIN: std::sync::OnceLock<std::time::Duration> = std::sync::OnceLock::new();
        let took = |text: &str| {
            let begun = std::time::Instant::now();
            of(text);
            begun.elapsed()
        };
        let plain = PLAIN.get_or_init(|| (0..3).map(|_| took(&"ls a; ".repeat(2700))).max().unwrap());
        let shown: String = text.chars().take(200).collect();
        assert!(took(text) < *plain * 300, "{shown}");
    }

    proptest! {
        #[test]
        fn s4_any_soup_of_tokens_is_answered(
            soup in proptest::collection::vec(proptest::sample::select(TOKENS), 0..60),
            glue in prop_oneof![Just(""), Just(" "), Just("\n"), Just("; ")],
        ) {
            quick(&soup.join(glue));
        }

        #[test]
        fn s4_anything_that_nests_is_answered(
            before in proptest::collection::vec(proptest::sample::select(TOKENS), 1..5),
            middle in proptest::collection::vec(proptest::sample::select(TOKENS), 0..4),
            after in proptest::collection::vec(proptest::sample::select(TOKENS), 0..5),
            times in 1..2000_usize,
            glue in prop_oneof![Just(""), Just(" "), Just("\n"), Just("; ")],
        ) {
            let times = times.min(16_000 / (before.concat().len() + after.concat().len() + 8 * glue.len() + 1));
            let (open, shut) = (format!("{}{glue}", before.join(glue)), format!("{glue}{}", after.join(glue)));
            quick(&format!("{}{}{}", open.repeat(times), middle.join(glue), shut.repeat(times)));
        }

        #[test]
        fn s4_any_bytes_are_answered(text in any::<String>()) {
            quick(&text);
        }
    }
}
