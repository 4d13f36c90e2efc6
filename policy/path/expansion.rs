//! Expands globs on the machine, and follows the links that a glob matches or `find` finds.

use std::collections::HashSet;
use std::path::Path;

use super::partial::{PathSyntax, Segment, known_folder, may_be_below, steps};
use super::walked::is_folder;
use super::{PathContext, text_of};
use crate::machine::Lookup;
use snaphook_shell::{CommandPath, base_name};

/// The maximum number of entries that are looked at for a glob.
const MAX_GLOB_ENTRIES: usize = 2_000;
/// The maximum number of links behind which a glob is followed.
const MAX_LINKS: usize = 64;

/// The syntax of the absolute path of a glob. Its folder, or a quoted part of it, may have a name such as `[id]`.
pub(super) fn syntax_of(path: &str, place: &CommandPath) -> PathSyntax {
    let classes = |path: &str| path.bytes().filter(|byte| *byte == b'[').count();
    let is_joined = place.found || place.has_literal_class || classes(path) > classes(&place.path);
    if is_joined { PathSyntax::LooseGlob } else { PathSyntax::ShellGlob }
}

/// The paths on the machine that a glob matches.
#[derive(Default)]
pub(super) struct GlobMatches {
    /// The paths that it matches.
    paths: Vec<String>,
    /// The globs that remain behind the links that it matches or leads through, each below the target of the link.
    pub(super) behind_links: Vec<String>,
    /// True if the folder before the first wildcard does not exist.
    is_missing: bool,
    /// True if there are too many entries.
    is_incomplete: bool,
    /// True if the name of a folder or link is not UTF-8, so that it cannot be looked up.
    has_odd_names: bool,
}

impl GlobMatches {
    /// Follows the links that a glob matches or leads through, too.
    pub(super) fn of(glob: &str, syntax: PathSyntax, context: &PathContext) -> Self {
        let mut all = Self::without_links(glob, syntax, context);
        let mut at = 0;
        while let Some(glob) = all.behind_links.get(at).filter(|_| at < MAX_LINKS) {
            let found = Self::without_links(glob, PathSyntax::LooseGlob, context);
            all.paths.extend(found.paths);
            all.behind_links.extend(found.behind_links);
            all.is_incomplete |= found.is_incomplete;
            all.has_odd_names |= found.has_odd_names;
            at += 1;
        }
        all
    }

    /// Returns true if the glob leads to too many links, so that it may lead to any file.
    pub(super) fn is_lost(&self) -> bool {
        self.has_odd_names || self.behind_links.len() > MAX_LINKS
    }

    /// Returns the matches, and the glob itself, which some shells take for a name if it matches nothing. `None` if they are not all
    /// known.
    pub(super) fn existing(&self, glob: &str) -> Option<Vec<Vec<Segment>>> {
        let is_known = !(self.is_missing || self.is_incomplete || self.is_lost());
        let names = self.paths.iter().chain(&self.behind_links).map(String::as_str).chain([glob]);
        is_known.then(|| names.map(|path| steps(path, PathSyntax::Literal)).collect())
    }

    fn without_links(glob: &str, syntax: PathSyntax, context: &PathContext) -> Self {
        let has_no_glob = |segment: &&str| !segment.contains(['*', '?', '[']);
        let segments: Vec<_> = glob.split('/').filter(|segment| !segment.is_empty()).collect();
        let literal = segments.iter().copied().take_while(has_no_glob).count();
        let folder: String = segments.iter().take(literal).flat_map(|segment| ["/", segment]).collect();
        let is_missing = literal < segments.len() && !is_folder(&folder, context);
        let mut found = Self { is_missing, ..Self::default() };
        let mut left = vec![(folder, literal)];
        let mut entries = MAX_GLOB_ENTRIES;
        while let Some((folder, at)) = left.pop() {
            let Some(segment) = segments.get(at) else {
                found.paths.push(folder);
                continue;
            };
            let is_deep = segment.len() > 1 && segment.bytes().all(|byte| byte == b'*');
            let step = steps(segment, syntax);
            let may_be =
                |name: &str| is_deep || step.first().is_some_and(|step| step.may_match(name, context.budget()));
            if is_deep {
                left.push((folder.clone(), at + 1));
            }
            let is_last = at + 1 == segments.len();
            let listed: Vec<_> = if has_no_glob(segment) {
                vec![([&folder, "/", segment].concat(), true)]
            } else {
                let listed = context.machine().entries(Path::new(if folder.is_empty() { "/" } else { &folder }));
                found.is_incomplete |= listed.is_none();
                let listed = listed.into_iter().flatten().take(entries);
                listed.map(|entry| (text_of(&entry.path), entry.may_be_folder)).collect()
            };
            entries = entries.saturating_sub(1 + listed.len());
            found.is_incomplete |= entries == 0 || !context.budget().spend(1 + listed.len() / 4);
            for (path, may_be_folder) in listed.into_iter().filter(|(path, _)| may_be(base_name(path))) {
                found.has_odd_names |= may_be_folder && path.contains(char::REPLACEMENT_CHARACTER);
                match if may_be_folder { context.entry(&path) } else { Lookup::NotALink } {
                    Lookup::Link(_) => {
                        // zsh enters links for `***`.
                        let rest = segments.get(if segment.starts_with("***") { at } else { at + 1 }..);
                        let target = context.resolve(&path);
                        let glob = [&[target.as_str()], rest.unwrap_or_default()].concat().join("/");
                        found.behind_links.push(context.resolve(&glob));
                        if is_last {
                            found.paths.push(path);
                        }
                    }
                    Lookup::NotALink if is_deep => {
                        if is_last {
                            found.paths.push(path.clone());
                        }
                        left.extend(may_be_folder.then_some((path, at)));
                    }
                    Lookup::NotALink => left.extend((is_last || may_be_folder).then_some((path, at + 1))),
                    Lookup::Absent => {}
                }
            }
        }
        found
    }
}

/// The paths to which links below the start points of `find` lead: the program that opens what was found follows them. `found` are
/// the paths that may be found, and `tail` is the text behind the found part.
pub(super) fn link_targets(
    place: &CommandPath,
    tail: &str,
    starts: &[Vec<Segment>],
    found: &[Vec<Segment>],
    context: &PathContext,
) -> Vec<Vec<Segment>> {
    let syntax = if place.glob { PathSyntax::LooseGlob } else { PathSyntax::Literal };
    // Behind the name for which `find` looks, the text may go on.
    let rest = tail.strip_prefix('/').and_then(|tail| tail.split_once('/'));
    let named =
        |(name, _): (&str, &str)| starts.iter().map(|start| [start.clone(), steps(name, syntax)].concat()).collect();
    let named: Vec<Vec<Segment>> = rest.map(named).unwrap_or_default();
    let mut targets = Vec::new();
    for folder in starts.iter().filter_map(|start| known_folder(start)).collect::<HashSet<_>>() {
        let Some(links) = context.links_below(&folder) else {
            targets.push(vec![Segment::Any]);
            continue;
        };
        for link in links {
            if may_be_below(&link, found, context) {
                targets.push(steps(&context.resolve(&link), PathSyntax::Literal));
            }
            if tail.contains('/') && is_folder(&link, context) && may_be_below(&link, starts, context) {
                targets.push(steps(&context.resolve(&[&link, tail].concat()), syntax));
            }
            if let Some((_, rest)) = rest.filter(|_| may_be_below(&link, &named, context)) {
                targets.push(steps(&context.resolve(&[&link, "/", rest].concat()), syntax));
            }
        }
    }
    targets
}
