//! `apply_patch` in a shell command.

use super::*;

fn patch(files: &[&str]) -> String {
    let files: Vec<_> = files.iter().map(|file| format!("*** {file}\n+x\n")).collect();
    format!("*** Begin Patch\n{}*** End Patch\n", files.concat())
}

/// The files that are certainly touched, as `W path in base`, or `refused`.
fn touched(text: &str) -> String {
    let analysis = of(text);
    if analysis.refused.is_some() {
        return "refused".to_owned();
    }
    let one = |touched: &Touched| {
        let base = |base: &Base| match base {
            Base::Own => String::new(),
            Base::Dir(place) => format!(" in {}", place.path),
            _ => " in ?".to_owned(),
        };
        let bases: String = touched.bases.iter().map(base).collect();
        format!("{} {}{bases}", letter(touched.touch), touched.shown)
    };
    let known = analysis.touched.iter().filter(|touched| !touched.watch_only);
    known.map(one).collect::<Vec<_>>().join(", ")
}

#[test]
fn a_patch_in_a_command_is_the_edits_it_makes() {
    let add = patch(&["Add File: a"]);
    let all = patch(&["Add File: a", "Update File: b", "Move to: c", "Delete File: d"]);
    let large =
        format!("apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n{}*** End Patch\nEOF", "+x\n".repeat(9000));
    for (text, expected) in [
        (format!("apply_patch <<'EOF'\n{all}EOF\n"), "W a, W b, F b, T c, D d"),
        (format!("applypatch <<\"X\"\n{add}X"), "W a"),
        (format!("apply_patch <<EOF\n{add}EOF"), "W a"),
        (format!("apply_patch <<-\\EOF\n\t{add}EOF"), "W a"),
        (format!("cd sub && apply_patch <<'EOF'\n{add}EOF"), "W a in sub"),
        (format!("cd '/x y' && apply_patch <<'EOF'\n{add}EOF"), "W a in /x y"),
        (format!("apply_patch '{add}'"), "W a"),
        (format!("apply_patch \"{add}\""), "W a"),
        (format!("apply_patch $'{}'", add.replace('\n', "\\n")), "W a"),
        (format!("bash -lc 'apply_patch \"{add}\"'"), "W a"),
        (format!("bash -lc 'apply_patch <<\"E\"\n{add}E'"), "W a"),
        (format!("env A=b apply_patch <<'EOF'\n{add}EOF"), "W a"),
        (format!("/x/bin/apply_patch <<'EOF'\n{add}EOF"), "W a"),
        (format!("cat <<'EOF' | apply_patch\n{add}EOF"), "W a"),
        (format!("printf '{}' | apply_patch", add.replace('\n', "\\n")), "W a"),
        (format!("apply_patch <<< \"{add}\""), "W a"),
        (format!("if true; then apply_patch <<'EOF'\n{add}EOF\nfi"), "W a"),
        // Codex compares with the delimiter as written, a shell with its unquoted form.
        (
            format!(
                "apply_patch <<+E'O'F\n{}+EOF\n*** Add File: b\n+y\n*** End Patch\n+E'O'F",
                "*** Begin Patch\n*** Add File: a\n"
            ),
            "W a, W b",
        ),
        // A name that starts with `~` may be a folder of that name.
        (format!("apply_patch <<'EOF'\n{}EOF", patch(&["Add File: ~/a"])), "W ~/a, W ~/a"),
        (format!("apply_patch <<'EOF'\n{}EOF", patch(&["Add File: app/$id.tsx"])), "W app/$id.tsx"),
        // A character that only Codex's parser treats as a blank.
        (format!("apply_patch\u{c}<<'EOF'\n{add}EOF"), "W a"),
        (format!("cd /x \u{c}&& apply_patch <<'EOF'\n{add}EOF"), "W a in ? in /x"),
        // Over the limit, so that it is not split at all.
        (large.clone(), "W a"),
        (format!("cd /x && {large}"), "W a in /x"),
        (format!("apply_patch <<'EOF'\n{add}EOF\n)"), "W a"),
        ("apply_patch < p".to_owned(), "R p"),
        (format!("cat > notes.md <<'EOF'\nUse apply_patch:\n{add}EOF"), "W notes.md"),
        (format!("grep -c apply_patch x; echo '{add}'"), ""),
    ] {
        assert_eq!(touched(&text), expected, "{text:.200}");
    }
    assert!(of("apply_patch < p").touched.iter().any(|touched| touched.extent == Extent::Below));
}

#[test]
fn a_text_that_starts_like_a_patch_but_cannot_be_parsed_is_refused() {
    let add = patch(&["Add File: a"]);
    for text in [
        // Codex goes to `/sub`, a shell to a folder below the value of the variable.
        format!("cd \"$PWD/sub\" && apply_patch <<'EOF'\n{add}EOF"),
        format!("cd \"$X/etc\" && apply_patch <<'EOF'\n{add}EOF"),
        format!("cd ~/x && apply_patch <<'EOF'\n{add}EOF"),
        format!("cd\u{c}/x && apply_patch <<'EOF'\n{add}EOF"),
        format!("cd a\\ b && apply_patch <<'EOF'\n{add}EOF"),
        format!("cd \"apply_patch$X/etc\" && apply_patch <<'EOF'\n{add}EOF"),
        format!("apply_patch <<EOF\n{}EOF", patch(&["Add File: $X"])),
        format!("apply_patch <<EOF\n{add}$X\nEOF"),
        format!("apply_patch \"{}\"", patch(&["Add File: $X"])),
        "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF".to_owned(),
        format!("cd \"$X/etc\" && apply_patch <<'EOF'\n{}{}EOF", "+x\n".repeat(9000), add),
    ] {
        assert_eq!(touched(&text), "refused", "{text:.200}");
    }
}
