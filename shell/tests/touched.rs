//! Tests of the files that a command touches.

use super::*;

#[test]
fn b2_b10_b11_touched_files_of_commands() {
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
        ("diff <(cat f) <(sort g)", "R g, R f"),
        ("a < <(cat f) > >(tee g)", "W g, R f"),
        ("cat <(a)/f", "R ?/f"),
        ("cat x<(a)", "R ?"),
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
        ("cd -P a && cat f", "R f in ?"),
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
        ("find . -name '*.o' -delete", "D ?/*.o below ."),
        ("find ~ -exec rm {} +", "D ~ home, D ? below ~ home"),
        ("find . -size 0 -exec env rm {} \\;", "D ? below ."),
        ("find . -type f -delete", "D ? below ."),
        ("find . -empty -delete", "D ? below ."),
        ("find . ! -type f -delete", "D ., D ? below ."),
        ("find . -iname a.b -delete", "D ?/?.? below ."),
        ("find s -execdir rm ../k \\;", "D ../k in ?"),
        ("chroot /x rm /k", "D /k in another"),
        ("sudo rm x", "D x"),
        ("env cat .env", "R .env"),
        ("sh -c 'rm x'", "D x"),
        ("cd s && sh -c 'rm x'", "D x in s"),
    ] {
        let analysis = of(text);
        let one = |touched: &Touched| {
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
            format!("{} {path}{below}{}{bases}", letter(touched.touch), if place.home { " home" } else { "" })
        };
        let itself = analysis.touched.iter().filter(|touched| {
            touched.extent == Extent::Itself && !matches!(touched.touch, Touch::Name | Touch::Restrict | Touch::MayRead)
        });
        let found: Vec<_> = itself.map(one).collect();
        assert_eq!(found.join(", "), expected, "{text}");
    }
}

#[test]
fn b11_the_parent_of_an_alias_folder_may_be_any_folder() {
    for (text, odd) in [
        ("cat /dev/fd/../cwd/f", true),
        ("cat /proc/net/../cwd/f", true),
        ("cat /dev/./fd/../cwd/f", true),
        ("cat /dev//fd/../cwd/f", true),
        ("cat /dev/pts/../fd/../cwd/f", true),
        ("cat /dev/./fd/../../self/cwd/f", true),
        ("cat x/../dev/fd/../cwd/f", true),
        ("cat /proc/cpuinfo ../proc", false),
        ("cat a/../fd/../f", false),
    ] {
        assert_eq!(of(text).touched[0].place.may_alias, odd, "{text}");
    }
}

#[test]
fn b1_b10_variables_of_the_environment_matter_where_they_are_set() {
    let read = |text: &str, own: &'static str| {
        ScriptReader::new(&ScriptLimits::default(), &|name: &str| name == own, &Budget::default()).text(text)
    };
    for (text, own, blamed) in [
        ("for EDITOR in x; do git commit; done", "EDITOR", true),
        ("for EDITOR in x; do git commit; done", "", false),
        ("read -r EDITOR", "EDITOR", true),
        ("read -r LC_TIME", "LC_TIME", false),
        ("read -r LANG", "", true),
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
fn b10_b11_one_word_may_be_the_option_that_writes_where_the_command_makes_it_one() {
    for (text, may_be) in [
        ("curl \"$X\"", false),
        ("curl \"$X/y\" \"${Y%/}\" \"${Z:-a}\"", false),
        ("curl \"$X\" $Y", true),
        ("git log \"$X\"..\"$Y\" -- \"$(a)\"", false),
        ("for x in a b*; do curl \"$x\"; done", false),
        ("for x in a -ob; do curl \"$x\"; done", true),
        ("for x in *; do curl \"$x\"; done", true),
        ("for x; do curl \"$x\"; done", true),
        ("for x in $Y; do git log \"$x\"; done", true),
        ("for x in a-b; do git log \"${x#a}\"; done", true),
        ("while read -r x; do curl -s \"https://$x\"; done", false),
        ("while read -r x; do curl -s \"$x\"; done", true),
        ("read; git diff \"$REPLY\"", true),
        ("X=a git log \"$X\"; X=b", false),
        ("X=-ob; curl \"$X\"", true),
        ("export X=-ob; sh -c 'curl \"$X\"'", true),
        ("env X=-ob sh -c 'curl \"$X\"'", true),
        ("sh -c 'curl \"$1\"' _ -ob", true),
        ("X=$(a); git show \"$X\"", true),
        ("git show \"$(a)\"", true),
        ("git show \"a$(b)\"", false),
        ("git show \"$(git rev-parse HEAD~2)\" \"$(git merge-base HEAD origin/main)\"", false),
        ("git show \"$(git rev-parse --output=x)\"", true),
        ("git show \"$(git rev-parse HEAD; a)\"", true),
        ("curl \"$X-ob\"", true),
        ("curl \"$X${Y}$(a)\"", true),
        ("curl \"${X:--ob}\"", true),
        (": -ob; curl \"$_\"", true),
        ("xargs -I% curl \"$x%\"", true),
        ("cat \"$(a)\"", false),
    ] {
        let anywhere = |touched: &&Touched| touched.extent == Extent::Perhaps && touched.touch == Touch::Write;
        assert_eq!(of(text).touched.iter().any(|touched| anywhere(&touched)), may_be, "{text}");
    }
}
