//! The users who can write a file (F2).

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::platform::Writers;

/// Determines who can write an open file.
pub(crate) fn writers(file: &File, found: &Metadata) -> Writers {
    let user = rustix::process::geteuid().as_raw();
    if found.uid() != user && found.uid() != 0 {
        return Writers::Owner;
    }
    match found.mode() & 0o022 {
        0 => Writers::User,
        0o020 if !may_have_acl(file) && is_private_group(user, found.gid()) => Writers::PrivateGroup,
        _ => Writers::Mode,
    }
}

/// Returns true unless the file certainly has no access control list. With a list, the group bits of the mode are the
/// rights of every user and group that the list names.
fn may_have_acl(file: &File) -> bool {
    use rustix::io::Errno;
    ["system.posix_acl_access", "system.nfs4_acl"].iter().any(|name| {
        let found = rustix::fs::fgetxattr(file, *name, &mut [0u8; 0]);
        !matches!(found, Err(Errno::NODATA | Errno::OPNOTSUPP))
    })
}

fn is_private_group(user: u32, group: u32) -> bool {
    let read = |path: &str| crate::files::read_text(Path::new(path)).ok();
    let (users, groups) = (read("/etc/passwd"), read("/etc/group"));
    users.zip(groups).is_some_and(|(users, groups)| is_private(user, group, &users, &groups))
}

/// Returns true if a group is the user's primary group, has the user's name or number, and has no other member.
/// Anything that these two files do not say for certain makes the group a shared one.
fn is_private(user: u32, group: u32, users: &str, groups: &str) -> bool {
    let mut names = Vec::new();
    for line in lines(users) {
        match line[..] {
            // Entries of a directory service.
            [name, ..] if name.starts_with(['+', '-']) => return false,
            [name, _, id, primary, ..] if is_number(id, user) => {
                if !is_number(primary, group) {
                    return false;
                }
                names.push(name);
            }
            [_, _, _, primary, ..] if is_number(primary, group) => return false,
            _ => {}
        }
    }
    let mut is_listed = false;
    for line in lines(groups) {
        match line[..] {
            [name, ..] if name.starts_with(['+', '-']) => return false,
            [name, _, id, members] if is_number(id, group) => {
                let is_own = group == user || names.contains(&name);
                let mut members = members.split(',').map(str::trim).filter(|member| !member.is_empty());
                if !is_own || !members.all(|member| names.contains(&member)) {
                    return false;
                }
                is_listed = true;
            }
            [_, _, id, ..] if is_number(id, group) => return false,
            _ => {}
        }
    }
    is_listed && !names.is_empty()
}

fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().map(|line| line.split(':').map(str::trim).collect())
}

fn is_number(text: &str, number: u32) -> bool {
    text.parse() == Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str =
        "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nben:x:1001:100::/home/ben:/bin/sh\n";
    const GROUPS: &str = "root:x:0:\nusers:x:100:\nann:x:1000:\nteam:x:2000:ann,ben\n";

    #[test]
    fn a_private_group_has_the_users_name_and_no_other_member() {
        let is = |users: &str, groups: &str| is_private(1000, 1000, users, groups);
        assert!(is(USERS, GROUPS));
        assert!(is(USERS, &GROUPS.replace("ann:x:1000:", "ann:x:1000:ann")), "the user is a member by name");
        assert!(is(USERS, &GROUPS.replace("ann:x:1000:", "devs:x:1000:")), "it has the user's number");
        assert!(is_private(0, 0, USERS, GROUPS), "root");
        assert!(is_private(1000, 50, &USERS.replace("1000:1000", "1000:50"), "ann:x:50:\n"), "it has the user's name");
    }

    #[test]
    fn any_other_group_is_shared() {
        let is = |users: &str, groups: &str| is_private(1000, 1000, users, groups);
        assert!(!is(USERS, &GROUPS.replace("ann:x:1000:", "ann:x:1000:ann,ben")), "another member");
        assert!(!is(&USERS.replace("1001:100:", "1001:1000:"), GROUPS), "the primary group of another user");
        assert!(!is(&USERS.replace("1000:1000", "1000:100"), GROUPS), "not the primary group of the user");
        assert!(!is_private(1000, 2000, USERS, GROUPS), "a team");
        assert!(!is_private(1001, 100, USERS, GROUPS), "the group of all users, which has another name and number");
        assert!(!is(USERS, &GROUPS.replace("ann:x:1000:", "")), "a group without an entry");
        assert!(!is_private(1002, 1002, USERS, "carl:x:1002:\n"), "a user without an entry");
        assert!(!is(USERS, &format!("{GROUPS}+\n")), "more groups from a directory service");
        assert!(!is(&format!("{USERS}+@team\n"), GROUPS), "more users from a directory service");
        assert!(!is(USERS, &format!("{GROUPS}ann:x:1000:ben\n")), "a second entry of the group");
        assert!(!is(USERS, &GROUPS.replace("ann:x:1000:", "ann:x:1000")), "an incomplete entry");
    }
}
