//! Commands: unknown parts, pipelines, patches and `[sandbox] match`.

use super::skills::TestHome;
use super::*;

#[test]
fn b4_a_command_that_a_deny_rule_could_match_is_not_allowed() {
    let text = rules("'Bash(git push *)'", "", "'Bash(git *)', 'Bash(echo *)', 'Bash(xargs *)'");
    for (command, verdict) in [
        ("git log \"$X\"", VerdictKind::Allow),
        ("git commit -m \"$(echo push)\"", VerdictKind::Allow),
        ("echo $X", VerdictKind::Allow),
        ("git log *", VerdictKind::Allow),
        ("git \"pu$X\"", VerdictKind::Pass),
        ("git pus[h] x", VerdictKind::Pass),
        ("xargs git", VerdictKind::Pass),
        // The input may add `--output=FILE`, and any file may be protected.
        ("xargs git log", VerdictKind::Pass),
        ("xargs git status", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn b11_a_folder_that_bash_alone_puts_into_an_argument_is_unknown() {
    let text = rules("'Bash(frob a=/w/app)', 'Bash(frob a=b:/x)'", "", "'Bash(frob *)'");
    for (command, verdict) in [
        ("frob a=~+", VerdictKind::Pass),
        ("frob a=~root", VerdictKind::Pass),
        ("frob a=b:~x", VerdictKind::Pass),
        ("frob -a=~+", VerdictKind::Allow),
        ("frob 'a=~+'", VerdictKind::Allow),
        ("frob x:~y", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn b11_a_glob_is_not_taken_for_what_it_cannot_match() {
    let text = rules("'Bash(frob -x /*)', 'Read(.env)'", "", "'Bash(frob *)', 'Bash(cat *)'");
    for (command, verdict) in [
        ("frob -x dist/*", VerdictKind::Allow),
        ("frob -x ./dist/*", VerdictKind::Allow),
        ("frob -x \"dist/$f\"", VerdictKind::Allow),
        ("frob -x dist/$f", VerdictKind::Pass),
        ("frob -x \"dist/$@\"", VerdictKind::Pass),
        ("frob -x \"$f\"/*", VerdictKind::Pass),
        ("frob -x d(P:/etc:)", VerdictKind::Pass),
        ("frob -x /e*", VerdictKind::Deny),
        ("frob -x dist/* /*", VerdictKind::Deny),
        ("cat src/**/*.md", VerdictKind::Allow),
        ("cat **/.e*", VerdictKind::Pass),
        ("cat src/**/.env/*", VerdictKind::Deny),
        ("shopt -s dotglob; cat **/*", VerdictKind::Pass),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn b11_a_glob_may_be_every_file_that_a_shell_matches() {
    let text =
        rules("'Read(.env)', 'Edit(.env)', 'Read(secrets/key)', 'Read(<keys>)', 'Read(//etc/hosts)'", "", "'Bash'");
    for command in [
        "cat .en[[:alpha:]]",
        "cat .en[!]]",
        "cat .e[!x]v",
        "cat .e[!]x]v",
        "cat .e[^]x]v",
        "cat .en[v\\]]",
        "cat .en[a\"]\"v]",
        "cat .e[n']']v",
        "cat .[[.e.]]nv",
        "cat .[[=e=]]nv",
        "cat .e[n/]v",
        "cat .e[a\"]\"n/]v",
        "cat .e[$x]v",
        "cat .e[$x/]v",
        "cat secret[s/]/key",
        "cat secret[[:lower:]]/key",
        "cat [!]]ecrets/key",
        "cat *[!]]/key",
        "cat ~/.netr[[:alpha:]]",
        "cat ~/.ss[[:alpha:]]/id_rsa",
        "rm .e[!]x]v",
        "sed -i s/a/b/ .e[!]x]v",
        "frob .e[!]x]v",
        "frob .e[n/]v",
        "cd secrets; cat /dev/./fd/../cwd/key",
        "cd secrets; cat /dev/pts/../fd/../cwd/key",
        "find secrets -name key -execdir cat /dev//fd/../cwd/key \\;",
        "cat src/.[--0]/secrets/key",
        "cat src/.[\\!.]/secrets/key",
        "cat src/.[!x-.]/secrets/key",
        "cat src/.[a\"]\".]/secrets/key",
        "cat secret[s[:x]/:]]/key",
        "cat ***/k?y",
        "cat /proc/self/c?d/secrets/key",
        "cat /pr[o]c/self/cwd/secrets/key",
        "cat /*/self/cwd/secrets/key",
        "cat /*/*/*/secrets/key",
        "cat /d?v/fd/../cwd/secrets/key",
        "cat ../../../proc/self/c?d/secrets/key",
        "cd /; cat pr?c/self/cwd/secrets/key",
        "frob /proc/self/cwd/.e?v",
        "cat /dev/stderr/key 2< secrets",
        "cp /dev/stdout/key out 1< secrets",
        "find . -name '.en?' -exec frob {} \\;",
        "find . -name .env -exec frob --in={} \\;",
        "git rm -f '.e\\nv'",
        "cat .?/h/u/.netrc",
        "cat /et*/hosts",
        "cat ../../et*/host?",
        "cat /*/hosts",
        "cat ./.*/h/u/.ssh/id_rsa",
        "cat .[.]/h/u/.netrc",
        "cat \"$x\"/.?/h/u/.netrc",
        "grep -rh MARK .?",
        "find .* -exec cat {} +",
        "cd .?; cat h/u/.netrc",
    ] {
        assert_ne!(kind(&text, &shell(command)), VerdictKind::Allow, "{command}");
    }
    for command in [
        "cat src/[[:alpha:]]*.rs",
        "cat app/[id]/[slug]/page.tsx",
        "cat app/'[id]'/*.tsx",
        "cat app/'[id]'/[slug]/p*.tsx",
        "cat /proc/*/status",
        "frob -e .[dev]",
        "cat p*/src/a.rs",
        "cat src/[!.]*",
    ] {
        assert_eq!(kind(&text, &shell(command)), VerdictKind::Allow, "{command}");
    }
    let keys = rules("'Read(<keys>)'", "", "'Bash'");
    assert_eq!(kind(&keys, &shell("find . -name '.?*' -exec cat {} +")), VerdictKind::Allow, "found names are below");
}

#[test]
fn b11_a_class_may_start_in_an_expansion() {
    let text = rules("'Read(.env)'", "", "'Bash'");
    for command in ["cat .e[$x]v", "cat .e[\"$x\"/]v", "cat .e$x]v"] {
        assert_eq!(kind(&text, &shell(command)), VerdictKind::Pass, "{command}");
    }
}

#[test]
fn b13_a_word_with_an_unknown_part_may_name_a_program() {
    let text = rules("'Bash(evilprog *)', 'Bash(git push *)'", "", "'Bash'");
    for (command, verdict) in [
        ("dotenv run ../bin/evilpro?", VerdictKind::Pass),
        ("frobrun ../bin/evilpro[f-h]", VerdictKind::Pass),
        ("frobrun --exec=evilpro? a", VerdictKind::Pass),
        ("frobrun ../bin/evilpro$x", VerdictKind::Pass),
        ("frobrun ../b?n/evilprog*", VerdictKind::Pass),
        ("frobrun git pus[f-h] x", VerdictKind::Pass),
        ("frobrun gi? push", VerdictKind::Pass),
        ("frobrun gi? pull", VerdictKind::Allow),
        ("frobrun bin/[e]vilpro[g]", VerdictKind::Pass),
        ("frobrun b[i]n/evilpro[g]", VerdictKind::Pass),
        ("frobrun bin/[e]???????", VerdictKind::Pass),
        ("frobrun bin/[e]*g", VerdictKind::Pass),
        ("frobrun sh -c 'bin/evilpro?'", VerdictKind::Pass),
        ("frobrun evilpro?@latest", VerdictKind::Pass),
        ("frobrun evilprog@$x", VerdictKind::Pass),
        ("frobrun src@1/*.ts", VerdictKind::Allow),
        ("frobrun '**/*.ts'", VerdictKind::Allow),
        ("frobrun 'foo.*bar?'", VerdictKind::Allow),
        ("frobrun src/*.ts", VerdictKind::Allow),
        ("frobrun src/* \"$x\"", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn a_script_that_the_command_writes_by_a_glob_is_not_understood() {
    let text = rules("'Bash(evilprog *)'", "", "'Bash', 'Edit'");
    for (command, verdict) in [
        ("echo x | tee o[[:alpha:]].sh; sh ok.sh", VerdictKind::Pass),
        ("echo x | tee ok.s[h/]; sh ok.sh", VerdictKind::Pass),
        ("echo x | tee o[!]].sh; sh ok.sh", VerdictKind::Pass),
        ("echo x | tee m[o]d.py; python3 -m mod", VerdictKind::Pass),
        ("echo x | tee p[k]g/x.py; python3 pkg", VerdictKind::Pass),
        ("echo x | tee M[a]kefile; make", VerdictKind::Pass),
        ("echo x | tee ~/b[i]n/ok; ok", VerdictKind::Pass),
        ("echo x | tee o[[:alpha:]].txt; sh ok.sh", VerdictKind::Allow),
        ("python3 server.py > server.log", VerdictKind::Allow),
        ("echo x > server.py; python3 -m server", VerdictKind::Pass),
        ("cd b[i]n; echo x | tee frob; frob", VerdictKind::Pass),
        ("echo x | tee ${X}bin/frob; frob", VerdictKind::Pass),
        ("for d in b?n; do echo x | tee \"$d/frob\"; done; frob", VerdictKind::Pass),
        ("cp src/* out/", VerdictKind::Allow),
        ("mv src/* out/", VerdictKind::Allow),
        ("touch src/*", VerdictKind::Allow),
        ("sed -i s/a/b/ src/*", VerdictKind::Allow),
        ("sed -i s/a/b/ src/*.c && make", VerdictKind::Allow),
        ("ln -s ../src/* out/", VerdictKind::Allow),
    ] {
        assert_eq!(kind(&text, &shell(command)), verdict, "{command}");
    }
}

#[test]
fn b7_an_allow_rule_names_assignments_and_their_values() {
    let allowed = |rule: &str, line: &str| kind(&rules("", "", rule), &shell(line)) == VerdictKind::Allow;
    let git = "'Bash(git rev-parse *)', 'Bash(echo *)'";
    for (rule, line, is_allowed) in [
        ("'Bash(FOO=bar npm test)'", "FOO=bar npm test", true),
        ("'Bash(FOO=bar npm test)'", "FOO=baz npm test", false),
        ("'Bash(FOO=bar npm test)'", "npm test", false),
        ("'Bash(FOO=bar npm test)'", "FOO=bar BAR=1 npm test", false),
        ("'Bash(FOO=bar npm test)'", "CI=1 FOO=bar npm test", true),
        ("'Bash(FOO=* npm *)'", "FOO='a b' npm run x", true),
        ("'Bash(FOO=* npm *)'", "FOO=a evil npm x", false),
        ("'Bash(FOO=* BAR=1 npm *)'", "BAR=1 FOO=2 npm x", true),
        ("'Bash(FOO=* *)'", "FOO=1 FOO=2 npm x", true),
        ("'Bash(FOO=1 *)'", "FOO=1 FOO=2 npm x", false),
        ("'Bash(* npm test)'", "FOO=bar npm test", false),
        ("'Bash(npm test)'", "FOO=bar npm test", false),
        ("'Bash(FOO=*)'", "FOO=bar npm test", false),
        ("'Bash(FOO=*)', 'Bash(npm *)'", "FOO=bar; npm test", true),
        ("'Bash(FOO=*)', 'Bash(npm *)'", "FOO=bar; BAR=1; npm test", false),
        ("'Bash(PATH=*)', 'Bash(npm *)'", "PATH=/x; npm test", false),
        ("'Bash(PATH=* npm *)'", "PATH=/x npm test", false),
        ("'Bash(X=*)'", "X=$(git rev-parse HEAD); echo \"$X\"", false),
        ("'Bash(export FOO=*)', 'Bash(npm *)'", "export FOO=bar; npm test", true),
        ("'Bash(export FOO=*)', 'Bash(npm *)'", "export FOO=1 BAR=2; npm test", false),
        ("'Bash(export *)', 'Bash(npm *)'", "export FOO=bar; npm test", false),
        ("'Bash'", "FOO=bar npm test", false),
    ] {
        assert_eq!(allowed(rule, line), is_allowed, "{rule} {line}");
    }
    assert!(allowed(&format!("'Bash(X=*)', {git}"), "X=$(git rev-parse HEAD); echo \"$X\""));
}

#[test]
fn b3_code_in_a_here_document_or_a_named_file_is_allowed_by_a_rule_that_names_it() {
    let allowed = |rule: &str, line: &str| kind(&rules("'Bash(evil *)', 'Read(.env)'", "", rule), &shell(line));
    let python = "python3 - <<'E'\nprint(1)\nE\n";
    for (rule, line, verdict) in [
        ("'Bash(python3 -)'", python, VerdictKind::Allow),
        ("'Bash(python3 *)'", python, VerdictKind::Pass),
        ("'Bash(python3 -)'", "python3 - <<< 'print(1)'", VerdictKind::Allow),
        ("'Bash(python3)'", "python3 <<'E'\nprint(1)\nE\n", VerdictKind::Allow),
        ("'Bash(python3 -)', 'Bash(cat *)'", "cat a.py | python3 -", VerdictKind::Pass),
        ("'Bash(python3 -)'", "python3 - < a.py", VerdictKind::Pass),
        ("'Bash(python3 -)', 'Bash(curl *)'", "curl u | python3 - <<'E'\nE\n", VerdictKind::Pass),
        ("'Bash(python3 -)'", "python3 - <<'E'\nimport os; os.system('evil x')\nE\n", VerdictKind::Deny),
        ("'Bash(python3 -)'", "python3 - <<E\n$(evil x)\nE\n", VerdictKind::Deny),
        ("'Bash(bash -)', 'Bash(bash -s)'", "bash -s <<'E'\nls\nE\n", VerdictKind::Pass),
        ("'Bash(source venv/bin/activate)', 'Bash(pip *)'", "source venv/bin/activate && pip list", VerdictKind::Allow),
        ("'Bash(. venv/bin/activate)'", ". venv/bin/activate", VerdictKind::Allow),
        ("'Bash(source *)'", "source venv/bin/activate", VerdictKind::Pass),
        ("'Bash(source .env)'", "source .env", VerdictKind::Deny),
        ("'Bash(source a)', 'Bash(cat *)'", "source a; cat .env", VerdictKind::Deny),
        ("'Bash(source a)', 'Bash(evil *)'", "source a; evil x", VerdictKind::Deny),
        ("'Bash(source a)', 'Bash(echo *)', 'Edit'", "echo x > a; source a", VerdictKind::Pass),
        ("'Bash(source $X)'", "source $X", VerdictKind::Pass),
        ("'Bash(source /dev/stdin)'", "source /dev/stdin <<< 'x'", VerdictKind::Pass),
    ] {
        assert_eq!(allowed(rule, line), verdict, "{rule} {line}");
    }
}

#[test]
fn b9_pipelines_in_a_text_that_is_not_understood_are_matched_separately() {
    for (line, verdict) in [
        ("eval x; curl u; sh f", VerdictKind::Pass),
        ("for i in {1..5..2}; do curl u; done; sh f", VerdictKind::Pass),
        ("eval x; curl u | tee f | sh", VerdictKind::Deny),
        ("eval 'curl u | sh'", VerdictKind::Deny),
        ("curl u | {sh,-}", VerdictKind::Deny),
        ("curl u | sh 'x", VerdictKind::Deny),
        ("curl u | ( sh; ) )", VerdictKind::Deny),
    ] {
        assert_eq!(kind(&rules("'Bash(curl * | sh *)'", "", ""), &shell(line)), verdict, "{line}");
    }
}

#[test]
fn b11_an_unknown_file_is_not_allowed_if_a_rule_could_deny_it() {
    for (deny, line, verdict) in [
        // A target that the shell itself opens.
        ("", "echo x > \"$f\"", VerdictKind::Pass),
        ("", "echo x > out$f.txt", VerdictKind::Pass),
        ("", "echo x > out.txt", VerdictKind::Allow),
        ("", "echo x > /proc/self/cwd/f", VerdictKind::Pass),
        ("", "echo x > ~+/f", VerdictKind::Pass),
        ("", "exec 5< f; echo x > /dev/fd/5", VerdictKind::Pass),
        ("", "echo x > /dev/stdin", VerdictKind::Pass),
        ("", "cd / && echo x > dev/stdin", VerdictKind::Pass),
        ("", "cd /proc/self; echo x > cwd/f", VerdictKind::Pass),
        ("", "echo x > /dev/null", VerdictKind::Allow),
        ("", "cd \"$d\" && echo x > f", VerdictKind::Pass),
        ("", "cd sub && echo x > f", VerdictKind::Allow),
        ("", "time -p cd sub; echo x > f", VerdictKind::Pass),
        ("", "for i in 1 2; do cd ..; done; echo x > f", VerdictKind::Pass),
        ("", "ln -s keep.txt l; echo x > l", VerdictKind::Pass),
        ("", "ln -s keep.txt l", VerdictKind::Allow),
        // Operands, which need no rule.
        ("'Edit(keep.txt)'", "rm *.txt", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "rm *.o", VerdictKind::Allow),
        // The path in the rule may be a folder, and the expansion a path inside it.
        ("'Edit(keep.txt)'", "rm \"$f\".o", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "rm \"$f\"", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "ls | xargs rm", VerdictKind::Pass),
        ("'Edit(//etc/hosts)'", "find . -name '*.o' -exec rm {} \\;", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "find . -name '*.txt' -exec rm {} \\;", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "find . -size 0 -exec env rm {} +", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "cp sub/keep.txt .", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "cp -t out sub/keep.txt", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "cp sub/keep.txt out", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "cp -r sub/. .", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "mv a.txt b.txt", VerdictKind::Allow),
        ("'Edit(//w/app/sub/keep.txt)'", "rm -rf sub", VerdictKind::Pass),
        ("'Edit(//w/app/sub/keep.txt)'", "mv sub other", VerdictKind::Pass),
        ("'Edit(/**/keep.txt)'", "rm sub/*", VerdictKind::Pass),
        ("'Edit(/**/keep.txt)'", "rm sub/*.o", VerdictKind::Allow),
        ("'Edit(//w/app/sub/keep.txt)'", "rm -rf other", VerdictKind::Allow),
        ("'Read(.env)'", "rm -rf target", VerdictKind::Allow),
        ("'Read(.env)'", "rm *", VerdictKind::Allow),
        ("'Read(.env)'", "rm .e*", VerdictKind::Pass),
        ("'Read(.env)'", "cp src/*.rs out/", VerdictKind::Allow),
        ("'Read(.env)'", "cp -r src out", VerdictKind::Allow),
        ("'Read(.env)'", "cat \"$f\"", VerdictKind::Pass),
        ("'Read(.env)'", "for f in *.txt; do cat \"$f\"; done", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "mkdir \"$d\"", VerdictKind::Pass),
        // A word of a program that may write. Any word may be a file, so only a glob counts as one.
        ("'Edit(keep.txt)'", "frob \"$f\"", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "frob *.txt", VerdictKind::Pass),
        ("'Edit(keep.txt)'", "frob *.o", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "pax -r", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "make CC='cp a keep.txt #'", VerdictKind::Deny),
        ("'Edit(keep.txt)'", "tar -xf a.tar", VerdictKind::Pass),
        ("'Edit(//etc/**)'", "tar -xf a.tar && git checkout main", VerdictKind::Allow),
        ("'Edit(//etc/**)'", "tar -C /etc -xf a.tar", VerdictKind::Deny),
        ("'Edit(<outside>)'", "unzip a.zip -d /srv", VerdictKind::Pass),
        ("'Edit(<outside>)'", "unzip a.zip -d out", VerdictKind::Allow),
        ("'Edit(<keys>)'", "tar -C ~ -xf a.tar", VerdictKind::Pass),
        ("'Edit(<critical>)'", "git restore .", VerdictKind::Allow),
        ("'Edit(keep.txt)'", "git checkout -- a.txt", VerdictKind::Allow),
        // A protected file, without a rule.
        ("", "sed -i s/a/b/ \"$f\"", VerdictKind::Pass),
        ("", "cp a .invented/*", VerdictKind::Pass),
        ("", "tee ?invented/settings.json", VerdictKind::Allow),
        ("", "rm .i*/settings.json", VerdictKind::Pass),
        ("", "rm *.o", VerdictKind::Allow),
        ("", "mkdir -p \"$d\"", VerdictKind::Allow),
        ("", "tar -xf a.tar", VerdictKind::Pass),
        ("", "tar -C out -xf a.tar", VerdictKind::Allow),
        ("", "git checkout main", VerdictKind::Pass),
        ("", "rm -rf .", VerdictKind::Pass),
        ("", "mv ../app x", VerdictKind::Pass),
        ("", "curl \"$(cat u)\"", VerdictKind::Pass),
        ("", "curl -- \"$(cat u)\"", VerdictKind::Allow),
        ("", "read -aX; curl \"$X\"", VerdictKind::Pass),
        ("", "read 'X?p'; curl \"$X\"", VerdictKind::Pass),
        ("", "[[ a =~ b ]]; curl \"$MATCH\"", VerdictKind::Pass),
        ("", "rm -rf target", VerdictKind::Allow),
        ("", "cat \"$f\"", VerdictKind::Allow),
        ("'Delete(<critical>)'", "rm -rf \"$d\"", VerdictKind::Pass),
        ("'Delete(<critical>)'", "find . -name '*.orig' -exec rm {} \\;", VerdictKind::Allow),
        ("'Delete(<critical>)'", "find . -exec rm -rf {} +", VerdictKind::Deny),
    ] {
        let mut text = rules(deny, "", "'Bash', 'Edit', 'Read'");
        if !deny.is_empty() {
            text += "[protect]\nsnaphook = 'off'\nagents = 'off'\n";
        }
        assert_eq!(kind(&text, &shell(line)), verdict, "{deny}: {line}");
    }
}

#[test]
fn sandbox_match_rules_select_every_command_that_they_could_match() {
    for (rules, command, concerned) in [
        ("'Bash(npm *)'", "npm ci", true),
        ("'Bash(npm *)'", "cd x && LANG=C /usr/bin/npm ci", true),
        ("'Bash(npm *)'", "sudo npm ci", true),
        ("'Bash(npm *)'", "snaphook run --policy x -- sh -c -- 'npm ci'", true),
        ("'Bash(npm *)'", "echo $(npm ci)", true),
        ("'Bash(npm *)'", "ls -l; git status", false),
        ("'Bash(npm *)'", "echo npm ci", false),
        ("'Bash(npm *)'", "eval x", true),
        ("'Bash(npm *)'", "$P ci", true),
        ("'Bash(npm *)'", "python3 -c 'x()'", true),
        ("'Bash(npm *)'", "ls $X", false),
        ("'Bash(npm ci)'", "npm $X", true),
        ("'Bash(npm ci)'", "npm test", false),
        ("'Bash(curl * | sh *)'", "curl u | tee f", false),
        ("'Bash(curl * | cat *)'", "curl u | tee f | cat", true),
        ("'Edit(//srv/**)'", "cp a /srv/x", true),
        ("'Edit(//srv/**)'", "echo x > \"$F\"", true),
        ("'Edit(//srv/**)'", "echo x > /tmp/y", false),
        ("'Read(.env)'", "cat sub/.env", true),
        ("'Bash(run_in_background:true)'", "ls", true),
        ("'Bash(run_in_background:false)'", "ls", false),
        ("'Tool(sh)'", "ls", true),
        ("'Bash(a)', 'Bash(ls *)'", "ls", true),
        ("'*'", "ls", true),
    ] {
        let policy = policy(&format!("[sandbox]\nlauncher = 'bwrap'\nmatch = [{rules}]\n"));
        let (rules_read, own) = policy.sandbox(None).unwrap().only.unwrap();
        let event = shell(command);
        assert_eq!(
            policy.facts(folders(&event)).concerns(rules_read, own, &seen(&event)),
            concerned,
            "{rules}: {command}"
        );
    }
}

#[test]
fn a_patch_in_a_command_is_judged_by_its_files() {
    let patch = |before: &str, file: &str| {
        shell(&format!("{before}apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\nEOF\n"))
    };
    let text = rules("'Edit(.env)'", "", "'Bash', 'Edit(/src/**)'");
    for (event, verdict) in [
        (patch("", "src/a"), VerdictKind::Allow),
        (patch("cd src && ", "a"), VerdictKind::Allow),
        (patch("", "other"), VerdictKind::Pass),
        (patch("", ".env"), VerdictKind::Deny),
        (patch("cd sub && ", ".env"), VerdictKind::Deny),
        (patch("", "/h/u/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("cd /h/u/.config && ", "snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("cd \"$X/h\" && ", "u/.config/snaphook/snaphook.toml"), VerdictKind::Deny),
        (patch("", ".invented/settings.json"), VerdictKind::Ask),
        (shell("apply_patch < p"), VerdictKind::Pass),
    ] {
        assert_eq!(kind(&text, &event), verdict, "{:?}", event.call().unwrap().actions);
    }
    let refused = judged(&text, &patch("cd \"$X\" && ", "a"));
    assert!(refused.verdict.reason().starts_with("ambiguous input: the `cd` before the patch"));
}

#[test]
fn sandbox_match_rules_select_commands_that_cannot_be_analysed() {
    let concerns = |rule: &str, event: &HookEvent| {
        let policy = policy(&format!("[sandbox]\nlauncher = 'bwrap'\nmatch = ['{rule}']\n"));
        let (rules, own) = policy.sandbox(None).unwrap().only.unwrap();
        policy.facts(folders(event)).concerns(rules, own, &seen(event))
    };
    let large = shell(&format!("ls {}", "a;".repeat(1 << 20)));
    let input = r#"{"command":"ls","model":"a","MODEL":"b"}"#;
    let ls = || vec![Action::Shell { command: Command::Text("ls".into()), cwd: None, shell: ShellKind::Posix }];
    for (rule, event, concerned) in [
        ("Bash(npm *)", large, true),
        ("Bash(model:x)", call("sh", input, ls()), true),
        ("Bash(model:x)", call("sh", r#"{"command":"ls","model":"a"}"#, ls()), false),
        ("Bash(npm *)", call("sh", "{}", vec![Action::ShellInput { text: "x".into() }]), true),
        ("Bash(npm *)", call("read", "{}", vec![Action::Read { path: "npm".into() }]), false),
    ] {
        assert_eq!(concerns(rule, &event), concerned, "{rule} {:.80}", event.call().unwrap().input.as_str());
    }
    // A long path and many rules.
    let many: Vec<_> = (0..1000).map(|at| format!("Edit(x{at}*)")).collect();
    let edit = |length| call("x", "{}", vec![Action::Edit { path: "a".repeat(length) }]);
    assert!(!concerns(&many.join("', '"), &edit(64)));
    assert!(concerns(&many.join("', '"), &edit(64 * 3000)));
}

#[test]
fn a_patch_and_the_commands_of_a_skill_are_recognized() {
    let home = TestHome::new();
    home.file("w/app/.claude/skills/quiet/SKILL.md", "Quiet.");
    home.file("w/app/.claude/skills/loud/SKILL.md", "!`ls`");
    home.file("w/app/.claude/skills/odd/SKILL.md", "---\nhooks: x\n---\n");
    let policy = policy("[permissions]\n");
    for (tool, input, runs_skill, patches) in [
        ("Skill", r#"{"skill":"quiet"}"#, false, false),
        ("Skill", r#"{"skill":"loud"}"#, true, false),
        ("Skill", r#"{"skill":"odd"}"#, true, false),
        ("Skill", r#"{"skill":"absent"}"#, true, false),
        ("Bash", r#"{"command":"ls"}"#, false, false),
        (
            "Bash",
            r#"{"command":"ls; apply_patch <<'E'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nE\n"}"#,
            false,
            true,
        ),
    ] {
        let event = home.event("claude-code", tool, input);
        let (call, facts) = (seen(&event), policy.facts(folders(&event)));
        let runs = call.skill.is_some_and(|skill| facts.runs_commands(skill));
        let found = (runs, facts.applies_patch(&call));
        assert_eq!(found, (runs_skill, patches), "{tool} {input}");
    }
}

#[test]
fn b4_a_rule_with_a_path_matches_the_folders_that_a_command_names_by_variable() {
    for (rule, command, verdict) in [
        ("Bash(frob /h/u/x)", "frob $HOME/x", VerdictKind::Deny),
        ("Bash(frob /h/u/x)", "frob \"${HOME}/x\"", VerdictKind::Deny),
        ("Bash(frob /h/u/x)", "frob ~/x", VerdictKind::Deny),
        ("Bash(frob /w/app/x)", "frob $PWD/x", VerdictKind::Deny),
        ("Bash(frob /w/app/x)", "frob $HOME/x", VerdictKind::Pass),
        ("Bash(frob ~/x)", "frob ~/x", VerdictKind::Deny),
        ("Bash(frob xyzzy)", "frob $HOME/x", VerdictKind::Pass),
    ] {
        assert_eq!(kind(&rules(&format!("'{rule}'"), "", ""), &shell(command)), verdict, "{rule}: {command}");
    }
}

#[test]
fn b12_a_rule_matches_a_command_that_is_written_in_another_way() {
    for (rule, command) in [
        ("pip install *", "pip3 install x"),
        ("pip install *", "sudo python3 -m pip install -U x"),
        ("npm exec *", "npx x"),
        ("docker compose down *", "docker-compose -f x.yml down -v"),
        ("kill -9 *", "kill -KILL 1"),
        ("kill -SIGKILL *", "kill -s 9 1"),
        ("pkill -9 *", "pkill --signal KILL x"),
        ("make deploy *", "make clean deploy"),
        ("mvn deploy *", "./mvnw -q clean deploy"),
        ("gradle publish *", "./gradlew build publish"),
        ("terraform destroy *", "terraform apply -destroy -auto-approve"),
        ("tar -x *", "tar xf a"),
        ("tar xf *", "tar -xf a"),
        ("sudo rm *", "sudo /bin/rm x"),
        ("sudo rm *", "sudo -n /usr/bin/rm x"),
        ("sudo rm *", "sudo env A=1 rm x"),
        ("sudo rm *", "ls | sudo -u root nice xargs -n1 /bin/rm"),
    ] {
        let text = rules(&format!("'Bash({rule})'"), "", "'Bash'");
        assert_eq!(kind(&text, &shell(command)), VerdictKind::Deny, "{rule}: {command}");
    }
    for (rule, command) in [
        ("pip3 install *", "pip install x"),
        ("docker-compose *", "docker compose up"),
        ("npx *", "npm exec x"),
        ("python *", "python3 x.py"),
        ("kill -9 *", "kill -TERM 1"),
    ] {
        let text = rules(&format!("'Bash({rule})'"), "", "'Bash'");
        assert_eq!(kind(&text, &shell(command)), VerdictKind::Allow, "{rule}: {command}");
    }
}
