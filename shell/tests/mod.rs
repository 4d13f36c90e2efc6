use super::{Base, Budget, Extent, Script, ScriptLimits, ScriptReader, Touch, Touched, read};

mod files;
mod patches;
mod soups;
mod touched;
mod wrapped;

fn of(text: &str) -> Script {
    read(text, &ScriptLimits::default())
}

/// The parts; `~` before a part that is only watched, `!` after an opaque one.
fn parts(analysis: &Script) -> String {
    let part = |part: &std::rc::Rc<super::Part>| {
        let name = |made: &super::Assignment| format!("{}{} ", made.name, if made.literal { "=" } else { "=?" });
        let assigned = part.assigned.iter().map(name).collect::<Vec<_>>().concat();
        let (before, behind) = (if part.watch_only { "~" } else { "" }, if part.opaque.is_some() { "!" } else { "" });
        format!("{before}{assigned}{}{behind}", part.text)
    };
    analysis.parts.iter().map(part).collect::<Vec<_>>().join(" ; ")
}

/// The letter of an effect in test tables.
pub(super) fn letter(touch: Touch) -> char {
    match touch {
        Touch::Read => 'R',
        Touch::Write => 'W',
        Touch::Make => 'M',
        Touch::Delete => 'D',
        Touch::MoveFrom => 'F',
        Touch::MoveTo => 'T',
        Touch::Name => 'N',
        Touch::Restrict => 'O',
        Touch::MayRead => 'n',
    }
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
        // bash and zsh expand the list, dash does not.
        ("mkdir -p src/{a,b}", "mkdir -p src/a src/b ; mkdir -p src/{a,b}"),
        ("for i in {1..5}; do a $i; done", "a $i"),
        ("i=0; a $((i + 1)) ${PIPESTATUS[0]}", "i=  ; a $((i + 1)) ${PIPESTATUS[0]}"),
        ("i=0; while [ $i -lt 5 ]; do i=$((i + 1)); done", "i=  ; [ $i -lt 5 ] ; i=? "),
        ("pushd a && b; popd", "pushd a ; b ; popd"),
        ("find . -name {} x", "find . -name {} x"),
        ("echo a#b c=d e=~", "echo a#b c=d e=~"),
        ("ls # a 'comment", "ls"),
        ("# nothing\nls", "ls"),
        ("[ -f x ]", "[ -f x ]"),
        ("[[ \"$a\" == b ]]", "[[ \"$a\" == b ]]"),
        ("if ! [[ $a == *.rs ]]; then b; fi", "[[ $a == *.rs ]] ; b"),
        ("[[ $a =~ ^b$ ]] && c", "[[ $a =~ '^b$' ]] ; c"),
        ("exit 1", "exit 1"),
        ("exit $?", "exit $?"),
        ("return -1", "return -1"),
        ("read -r x", "read -r x"),
        ("while IFS= read -r x; do a; done", "read -r x ; a"),
        ("IFS=, read -r x y", "read -r x y"),
        ("read -ra x", "read -ra x"),
        ("ulimit -c unlimited", "ulimit -c unlimited"),
        ("printf '%-20s %5d\\n' \"$a\" 5", "printf '%-20s %5d\\n' \"$a\" 5"),
        ("sqlite3 f; a \"$(sqlite3 g)\"", "sqlite3 f ; a \"$(sqlite3 g)\" ; sqlite3 g"),
        ("printf '%s\\n' $a b", "printf '%s\\n' $a b"),
        ("printf '%5.1f%% %x' -2.5 0x1F", "printf '%5.1f%% %x' -2.5 0x1F"),
        ("printf '\\u2713 %s' \"$a\"", "printf '\\u2713 %s' \"$a\""),
        ("~/bin/x y", "~/bin/x y"),
        ("echo done fi then if", "echo done fi then if"),
        ("echo \u{e9} \u{4e2d}", "echo \u{e9} \u{4e2d}"),
    ] {
        understood(text, printed);
    }
}

#[test]
fn b2_every_simple_command_is_a_part_in_any_position() {
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
        ("case $x in\na)\nb\n;;\n\nc) d\nesac", "b ; d"),
        ("case a in esac", ""),
        ("case in in in) a;; esac", "a"),
        ("for x in a\ndo b\ndone", "b"),
        ("for x; do b; done", "b"),
        ("for x in; do b; done", "b"),
        ("if ! a | b; then { (c) }; fi", "a ; b ; c"),
        ("{ a; } >f 2>&1 && b", "a ; b"),
        ("if a; then for x in y; do { b; (c); }; done; fi", "a ; b ; c"),
        ("echo $(a) `b` \"$(c $(d))\" \"`e`\"", "echo $(a) `b` \"$(c $(d))\" \"`e`\" ; e ; c \"\" ; d ; b ; a"),
        ("cat <(a) >(b)", "cat <(a) >(b) ; b ; a"),
        ("cat <<E\n$(a) `b`\nE\nc", "cat ; c ; a ; b"),
        ("cat <<'E'\n$(a) 'x\nE\nc", "cat ; c"),
        ("cat <<-E | b\n\tx\n\tE\n", "cat ; b"),
        // A literal `$` quotes nothing.
        ("cat <<E$\n$(a) `b`\nE$\nc", "cat ; c ; a ; b"),
        ("cat <<$\n$(a)\n$\n", "cat ; a"),
        ("cat <<-E$.\n\t`a`\n\tE$.\n", "cat ; a"),
        ("cat <<'E$'\n$(a)\nE$\nc", "cat ; c"),
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
fn b1_a_command_that_is_not_understood_names_the_word() {
    for (text, word) in [
        ("", "no command"),
        ("  ", "no command"),
        ("$P x", "`$P`"),
        ("`a` b", "``a``"),
        ("g* x", "`g*`"),
        ("[a] x", "`[a]`"),
        ("echo {a,{b,c}}", "`{`"),
        ("echo {01..03}", "`{`"),
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
        ("source $f", "`source`"),
        (". $f", "`.`"),
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
        ("IFS= a", "`IFS=`"),
        ("IFS=", "`IFS=`"),
        ("IFS=$x read y", "`IFS=`"),
        ("IFS= PATH=x read y", "`PATH=`"),
        ("LD_PRELOAD=x a", "`LD_PRELOAD=`"),
        ("A+=x b", "`A+=`"),
        ("export PATH=/x", "`export PATH=/x`"),
        ("for PATH in a; do b; done", "`PATH`"),
        ("read PATH", "`read PATH`"),
        ("a[0]=x b", "`a[0]=x`"),
        ("a | sh", "`sh`"),
        ("a | bash -s x", "`bash -s`"),
        ("sh < f", "`sh`"),
        ("python3 < f", "`python3`"),
        ("cat <<E; for x in a\nb\nE\ndo c; done", "a here-document before `for`"),
        ("case a in (b)(c);; esac", "`(` after a pattern"),
        ("a $x=b", "`=` after an expansion"),
        ("a $(b)~/c", "`~` after an expansion"),
        ("a ''=b", "`=` after an expansion"),
        ("a \"\"~/c", "`~` after an expansion"),
        ("case a in b|&c) d;; esac", "`|&`"),
        ("a ~2", "`~2`"),
        ("a ~+1/b", "`~+1`"),
        ("a | python3 - <<E\nx\nE\n", "`python3 -`"),
        ("python3 -", "`python3 -`"),
        ("a | python3", "`python3`"),
        ("a 'b", "an unclosed `'`"),
        ("a \"b", "an unclosed `\"`"),
        ("a $(b", "an unclosed `$(`"),
        ("a `b", "an unclosed backquote"),
        ("a \\", "`\\` at the end"),
        ("cat <<E\nx", "an unclosed here-document"),
        ("echo \"$(cat <<'E'\nE$(a)\nE\n)\"", "`<<E`"),
        ("echo $(cat <<-'E'\n\tE) ; a\n\tE\n)", "`<<E`"),
        ("echo `cat <<E\nEE\nE\n`", "`<<E`"),
        ("cat <(cat <<E\nEE\nE\n)", "`<<E`"),
        ("a <", "a redirection without a file"),
        ("a\rb", "a control character or an unusual blank"),
        ("a\u{a0}b", "a control character or an unusual blank"),
        ("a && && b", "`&&`"),
        ("a; ; b", "`;`"),
        ("if a; then b", "`if`"),
        ("a )", "`)`"),
        ("a &> f b", "`&>`"),
        ("echo }", "`}`"),
        ("a > {b,c}", "`{b,c}`"),
        ("a >! f", "`>!`"),
        ("a 12> f", "`12>`"),
        ("ls <1-5>", "`<`"),
        ("a &\\\n& b", "a line continuation inside a word"),
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
fn b1_a_word_that_zsh_expands_at_its_equals_sign_is_named() {
    for (text, word) in [
        ("=ls", "`=ls`"),
        ("echo =ls", "`=ls`"),
        ("echo ==", "`==`"),
        ("[ a == b ]", "`==`"),
        ("[[ a == =ls ]]", "`=ls`"),
        ("[[ a ==b ]]", "`==b`"),
        ("a=b [[ a == b ]]", "`==`"),
        ("echo [[ a == b ]]", "`==`"),
    ] {
        blamed(text, word);
    }
}

#[test]
fn b1_syntax_that_the_shells_do_not_share_is_not_understood() {
    for (text, word) in [
        ("a ~:/b", "`~:`"),
        ("a ~b:/c", "`~b:`"),
        ("if a; then for x in b; do c; done fi", "`fi`"),
        ("if for x in a; do b; done then c; fi", "`then`"),
        ("for x in a; do if b; then c; fi done", "`done`"),
        ("case a in b) if c; then d; fi esac", "`esac`"),
        ("a >!\"f\"", "`>!`"),
        ("a>!=\\f", "`>!`"),
        ("a > <(b)", "`<(`"),
        ("a >|<(b)", "`<(`"),
        ("a <((b); c)", "`<((`"),
        ("a > >((b); c)", "`>((`"),
        ("a {b,,c}", "`{`"),
        ("! ! a", "`!`"),
        ("! ; a", "`;`"),
        ("a &&", "`&&` at the end"),
        ("a |\n", "a line break at the end"),
        ("{ ; a; }", "`;`"),
        ("( )", "`)`"),
        ("() { a; }", "`)`"),
        ("(a", "`(`"),
        ("(a))", "`)`"),
        ("{ a; } b", "`b`"),
        ("{ a; } always b", "`always`"),
        ("{ { a; } >f }", "`}`"),
        (">f if a; then b; fi", "`if`"),
        ("A=b if a; then b; fi", "`if`"),
        ("a (b)", "`b`"),
        ("a b () { c; }", "`(`"),
        ("f () a", "`a`"),
        ("if a; then b; else c; elif d; then e; fi", "`elif`"),
        ("if (a) { b; }", "`{`"),
        ("if a; then; fi", "`;`"),
        ("while a; b; done", "`done`"),
        ("for x in a; b", "`b`"),
        ("for x in >f a; do b; done", "a redirection"),
        ("for x; in a; do b; done", "`in`"),
        ("for x\nin a; do b; done", "`in`"),
        (">f &", "`&`"),
        ("A=b & c", "`&`"),
        ("a &!b", "`&!`"),
        ("a 2>2>f", "a redirection without a file"),
        ("a {x} >f", "`}>`"),
        ("a >&f", "`>&f`"),
        ("a >&\"$X\"", "`>&$X`"),
        ("&>f", "a redirection"),
        ("A=b time a", "`time`"),
        ("time | a", "`time`"),
        ("a |\n\ntime b", "`time`"),
        ("command |& a", "`command`"),
        ("a 3&> f", "`3&>`"),
        ("a 3&>> f", "`3&>`"),
        ("]] a", "`]]`"),
        ("a ~\"b\"", "`~`"),
        ("a $x\u{e9}", "`$x\u{e9}`"),
        ("/proc/self/exe -c a", "`/proc/self/exe`"),
        ("cd /proc/self && ./exe -c a", "`./exe`"),
        ("/dev/fd/3 -c a 3</bin/sh", "`/dev/fd/3`"),
        ("make D=$PWD/out", "`make D=$PWD/out`"),
        ("find $PWD -name x", "`find $PWD`"),
        ("LC_ALL=zh_CN.GBK; a", "`LC_ALL=`"),
        ("export LANG=zh_TW", "`export LANG=zh_TW`"),
        ("read LC_CTYPE", "`LC_CTYPE`"),
        ("LC_ALL=$X a", "`LC_ALL=`"),
        ("a <<}\n}\n", "`}`"),
        ("case } in a) b;; esac", "`}`"),
        ("case a in (a)b;; esac", "a word directly after `)`"),
        ("cat <<\\\n-E\n-E\n", "a line continuation inside a word"),
        ("a &\\\n\\\n& b", "a line continuation inside a word"),
        ("for a b in c d; do e; done", "`b`"),
        ("for 1 in a; do b; done", "`for 1`"),
        ("for x (a b) c", "`(`"),
        ("case a in b) c", "`case`"),
        ("case a in b) c; d) e;; esac", "`)`"),
        ("case a in b c) d;; esac", "`c`"),
        ("case a in b|) d;; esac", "`)`"),
        ("case a in (esac) b;; esac", "`esac`"),
        ("case a { b) c;; }", "`{`"),
        ("select x in a; do b; done", "`select`"),
        ("in a", "`in`"),
    ] {
        blamed(text, word);
    }
}

#[test]
fn b1_words_that_one_shell_reads_as_a_name_or_number_are_not_understood() {
    for (text, word) in [
        ("1=x a", "`1=x`"),
        ("1='b c' a", "`1=b c`"),
        ("2=>f a", "`2=`"),
        ("A=b 10+=x a", "`10+=x`"),
        ("\u{e9}=1 a", "`\u{e9}=1`"),
        ("time \u{2160}=v a", "`\u{2160}=`"),
        ("read -A functions", "`read -A`"),
        ("read -rA x", "`read -rA`"),
        ("read -aPATH", "`read -aPATH`"),
        ("getln 'a[$(x)]'", "`getln a[$(x)]`"),
        ("private 'a[$(x)]'", "`private`"),
        ("(sqlite3 f) <<< '.shell a'", "`sqlite3`"),
        ("exec <<E\n.shell a\nE\nsqlite3", "`sqlite3`"),
        ("command exec 3< f; { sqlite3 <&3; }", "`sqlite3`"),
        ("a | b \"$(sqlite3)\"", "`sqlite3`"),
        ("a | b <(sqlite3)", "`sqlite3`"),
        ("a > >(sqlite3)", "`sqlite3`"),
        ("a | sh -c 'b; echo `sqlite3`'", "`sqlite3`"),
        ("{ bash -c sqlite3; } <<< x", "`sqlite3`"),
        ("if a; then { sqlite3; }; fi <<E\n.shell a\nE\n", "`sqlite3`"),
        ("while a; do node --b; done < f", "`node`"),
        ("exit x", "`exit x`"),
        ("exit -x", "`exit -x`"),
        ("bye 'a[$(x)]'", "`bye a[$(x)]`"),
        ("for x in a; do shift x; done", "`shift x`"),
        ("return '$?'", "`return $?`"),
        ("printf %d x", "`printf x`"),
        ("printf '%s %d' a x", "`printf x`"),
        ("printf '%d %s' 1 x y z", "`printf y`"),
        ("printf '%*s' x y", "`printf x`"),
        ("printf '%n' x", "`printf x`"),
        ("printf '%2$s' 1 x", "`printf x`"),
        ("printf '%\\x64' x", "`printf x`"),
        ("printf '\\u0025d' x", "`printf x`"),
        ("printf '%s %d' $x 1 2", "`printf $x`"),
        ("printf -- %d x", "`printf x`"),
        ("printf \"a$x\" b", "`printf b`"),
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
    blamed(&format!("{}x{}", "if a; then ".repeat(70), "; fi".repeat(70)), "nesting over 64");
    blamed(&format!("{}x{}", "$((1+".repeat(6), "))".repeat(6)), "more than 4 `((`");
    blamed(&format!("{}x{}", "case a in b) ".repeat(65), ";; esac".repeat(65)), "nesting over 64");
    // The files named by a command are looked up from each of its possible working directories.
    blamed(&format!("find {}-exec rm {}\\;", "a ".repeat(2000), "{} ".repeat(3500)), "more than 20000 words");
    blamed(&format!("cp -t {} {}", "a/".repeat(1000), "b ".repeat(5000)), "more than 20000 words");
    blamed(&format!("cd {}; rm {}", "a/".repeat(2000), "b ".repeat(4000)), "more than 20000 words");
    let few = ScriptLimits { words: 10, ..ScriptLimits::default() };
    let analysis = read("a b c d e f g h i j k l", &few);
    assert_eq!(analysis.not_understood.as_deref(), Some("more than 10 words"));
}

#[test]
fn b1_deny_and_ask_see_the_parts_of_a_command_that_is_not_understood() {
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
        ("{ a; b | c; } | d", "a,b,c|d / b|c"),
        ("a | { b; } <f", "a|b"),
        ("a | (b", "a|b"),
        ("! ; a | b; c |d", "a|b / c|d"),
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
