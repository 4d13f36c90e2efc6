//! The files that known programs open, from their operands (B10). Only deny and ask rules use them, because a
//! program without an entry may open any file.

use super::options::{Given, given};
use super::programs::family;
use super::{Word, base_name, find, git, output_files, sed, unpack};

/// The effect of a command on a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Touch {
    /// Reads the file.
    Read,
    /// Writes the file, or anything in the folder.
    Write,
    /// Creates a folder and changes no file.
    Make,
    /// Removes the file or folder.
    Delete,
    /// Takes it away under its old name.
    MoveFrom,
    /// Puts it to its new name.
    MoveTo,
    /// A word may name the file, and the program may change it.
    Name,
    /// The same for a program that only takes the rights of others away, which no rule is about.
    Restrict,
    /// A word may name the file, and the program may read it.
    MayRead,
}

/// The part of a path that is affected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Extent {
    /// The path itself.
    Itself,
    /// It is unknown whether the path is touched at all.
    Perhaps,
    /// Unknown files below the path.
    Below,
    /// The same if the path is a folder, which it usually is not.
    Folder,
    /// The same for the whole working tree that contains the path.
    Tree,
}

/// One effect of a command on a path.
pub(super) type FileEffect = (Touch, Word, Extent);

/// The files that a command names, in order, and those that it touches without naming them.
pub(super) fn operands(words: &[Word]) -> Vec<FileEffect> {
    use Touch::{Delete, Read, Write};
    let Some((program, words)) = words.split_first() else { return Vec::new() };
    let name = family(base_name(&program.value));
    let given = || given(name, words);
    match name {
        "grep" | "egrep" | "fgrep" | "rg" => read_for(&given()),
        "awk" | "gawk" | "mawk" | "nawk" => {
            let given = given();
            read_for(&given).into_iter().chain(dumps(&given)).chain(opened(words)).collect()
        }
        "sed" => sed::operands(words),
        "sort" => {
            let given = given();
            all(Read, given.files()).chain(all(Write, given.values('o', "output"))).chain(listed(&given)).collect()
        }
        "uniq" => second(&given()),
        "xxd" => second(&dumped(words)),
        "git" => git::operands(words),
        "cat" | "head" | "tail" | "less" | "more" | "tac" | "nl" | "wc" | "cut" | "diff" | "cmp" | "od" | "strings"
        | "base64" | "file" | "stat" | "ls" | "tree" => {
            let given = given();
            all(Read, given.files()).chain(listed(&given)).chain(output_files::written(name, words)).collect()
        }
        "tee" | "touch" | "truncate" | "sponge" => all(Write, given().files()).collect(),
        "mkdir" => all(Touch::Make, given().files()).collect(),
        "rmdir" | "unlink" | "shred" => all(Delete, given().files()).collect(),
        "rm" => {
            let given = given();
            let below = given.files().filter(|_| is_recursive(&given));
            let below = below.map(|word| (Delete, word.clone(), Extent::Below)).collect::<Vec<_>>();
            all(Delete, given.files()).chain(below).collect()
        }
        "du" => listed(&given()).collect(),
        "install" if given().has('d', "directory") => all(Touch::Make, given().files()).collect(),
        "cp" | "mv" | "install" | "ln" | "link" => {
            let given = given();
            // A write through a hard link changes the original file.
            let links = given.has('l', "link") && name == "cp";
            CopyOperands::of(&given)
                .done(name)
                .into_iter()
                .chain(all(Touch::Name, given.files().filter(|_| links)))
                .collect()
        }
        "." | "source" => all(Read, words.first()).collect(),
        "find" => {
            let find = find::read(words);
            let found = if find.deletes { find.found() } else { Vec::new() };
            all(Write, find.writes.iter().copied()).chain(all(Delete, &found)).collect()
        }
        "dd" => words.iter().filter_map(copied).collect(),
        "tar" | "bsdtar" => unpack::tar(words),
        "unzip" => unpack::unzip(words),
        "cpio" => unpack::cpio(words),
        "patch" => unpack::patch(words),
        "split" => unpack::split(words),
        "csplit" => unpack::csplit(words),
        _ => output_files::written(name, words),
    }
}

/// Applies the same effect to every word.
pub(super) fn all<'w>(touch: Touch, words: impl IntoIterator<Item = &'w Word>) -> impl Iterator<Item = FileEffect> {
    words.into_iter().map(move |word| (touch, word.clone(), Extent::Itself))
}

/// The search pattern is the first operand, unless an option gives it.
fn read_for(given: &Given<'_>) -> Vec<FileEffect> {
    let lists = given.values('f', "file");
    let named = given.has('e', "regexp") || given.has('f', "file");
    if named || given.unsure.is_some() {
        return all(Touch::Read, lists.chain(given.files())).collect();
    }
    all(Touch::Read, lists).chain(all(Touch::Read, given.but_first())).collect()
}

/// A read of an unknown file.
pub(super) fn read_somewhere() -> FileEffect {
    (Touch::Read, Word::somewhere(), Extent::Itself)
}

/// Files whose names are listed in a file.
fn listed(given: &Given<'_>) -> impl Iterator<Item = FileEffect> {
    given.has(' ', "files0-from").then(read_somewhere).into_iter()
}

/// The files that an awk program opens itself.
fn opened(words: &[Word]) -> Option<FileEffect> {
    let opens =
        |word: &Word| (word.value.contains("getline") && word.value.contains('<')) || word.value.contains("ARGV");
    words.iter().any(opens).then(read_somewhere)
}

/// The files in which gawk dumps its program and variables.
fn dumps(given: &Given<'_>) -> Vec<FileEffect> {
    let options =
        [('d', "dump-variables", "awkvars.out"), ('o', "pretty-print", "awkprof.out"), ('p', "profile", "awkprof.out")];
    let file = |(letter, long, file): (char, &str, &str)| {
        let named = given.values(letter, long).filter(|word| word.value != "-").cloned().collect::<Vec<_>>();
        let bare = given.has(letter, long) && given.values(letter, long).next().is_none();
        named.into_iter().chain(bare.then(|| Word::literal(file))).collect::<Vec<_>>()
    };
    let files: Vec<_> = options.into_iter().flat_map(file).collect();
    all(Touch::Write, &files).collect()
}

/// All operands are read and the second is written.
fn second(given: &Given<'_>) -> Vec<FileEffect> {
    let perhaps = |word: &&Word| (Touch::Write, (*word).clone(), Extent::Perhaps);
    // `+N` is an obsolete option.
    let operands: Vec<_> = given.operands.iter().copied().filter(|word| !word.value.starts_with('+')).collect();
    let writes: Vec<_> = match given.unsure {
        Some(_) => operands.iter().map(perhaps).collect(),
        None => all(Touch::Write, operands.get(1).copied()).collect(),
    };
    all(Touch::Read, given.files()).chain(writes).collect()
}

/// Parses the arguments of `xxd`, whose options are words with one dash that can be abbreviated.
fn dumped(words: &[Word]) -> Given<'_> {
    let mut found = Given::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let value = word.value.as_str();
        if word.may_be_option() {
            found.unsure.get_or_insert(word);
        }
        if value == "--" {
            found.operands.extend(rest.by_ref());
            break;
        }
        let given = value.strip_prefix("--").or_else(|| value.strip_prefix('-')).filter(|given| !given.is_empty());
        let next = |given: &str| {
            let names = ["cols", "group", "len", "name", "offset", "skip", "seek", "R"];
            names.iter().any(|name| given.starts_with(name) || name.get(..1) == Some(given))
        };
        match given {
            Some(given) if next(given) => drop(rest.next()),
            Some(_) => {}
            None => found.operands.push(word),
        }
    }
    found
}

/// `if=` and `of=`.
fn copied(word: &Word) -> Option<FileEffect> {
    let key = word.value.find('=').unwrap_or(word.value.len());
    if word.splits() || word.glob || word.spans.iter().any(|span| span.start < key) {
        return Some((Touch::Write, Word::somewhere(), Extent::Perhaps));
    }
    let (key, path) = word.value.split_once('=')?;
    let touch = match key {
        "if" => Touch::Read,
        "of" => Touch::Write,
        _ => return None,
    };
    Some((touch, word.tail(word.value.len() - path.len()), Extent::Itself))
}

fn is_recursive(given: &Given<'_>) -> bool {
    let asked = given.has('r', "recursive") || given.has('R', "") || given.has('a', "archive");
    asked || given.operands.iter().any(|word| word.unseen)
}

/// The operands of a program that copies, moves or links.
pub(super) struct CopyOperands {
    /// The value of `-t`.
    folder: Option<Word>,
    sources: Vec<Word>,
    /// The last operand, if there is no `-t`.
    target: Option<Word>,
    /// True if a source keeps its parent folders.
    parents: bool,
    recursive: bool,
    /// The possible suffixes of backup files; absent if there are too many.
    suffixes: Option<Vec<Word>>,
    /// True if the target operand is unknown.
    unsure: bool,
}

impl CopyOperands {
    pub(super) fn of(given: &Given<'_>) -> Self {
        let folder = given.values('t', "target-directory").last().cloned();
        let mut sources: Vec<Word> = given.files().cloned().collect();
        let target = if folder.is_none() && sources.len() > 1 { sources.pop() } else { None };
        let recursive = is_recursive(given);
        let suffixes = suffixes(given.values('S', "suffix"));
        let (parents, unsure) = (given.has(' ', "parents"), given.unsure.is_some());
        Self { folder, sources, target, parents, recursive, suffixes, unsure }
    }

    /// The effects of a program on its operands.
    fn done(self, program: &str) -> Vec<FileEffect> {
        use Touch::{Read, Write};
        match program {
            "cp" => {
                let below = self.folder.iter().chain(&self.target).filter(|_| self.recursive);
                let below = below.map(|word| (Write, word.clone(), Extent::Below)).collect::<Vec<_>>();
                all(Read, &self.sources).chain(self.to(Write)).chain(below).collect()
            }
            "install" => all(Read, &self.sources).chain(self.to(Write)).collect(),
            "mv" => self.moved(),
            _ => self.to(Write),
        }
    }

    /// The effects of a copy whose sources may start with a host name.
    pub(super) fn fetched(mut self, begins: impl Fn(&Word) -> usize) -> Vec<FileEffect> {
        for word in &mut self.sources {
            *word = word.tail(begins(word));
        }
        let below = self.folder.iter().chain(&self.target).filter(|_| self.recursive);
        let below = below.map(|word| (Touch::Write, word.clone(), Extent::Below)).collect::<Vec<_>>();
        self.to(Touch::Write).into_iter().chain(below).collect()
    }

    /// The effects of a move.
    pub(super) fn moved(&self) -> Vec<FileEffect> {
        let away = self.sources.iter().map(|word| (Touch::MoveFrom, word.clone(), Extent::Folder));
        all(Touch::MoveFrom, &self.sources).chain(self.to(Touch::MoveTo)).chain(away).collect()
    }

    /// The target, and the paths of the sources inside the target if it is a folder.
    fn to(&self, touch: Touch) -> Vec<FileEffect> {
        let named = self.folder.is_some() || self.target.is_none();
        let target = self.folder.as_ref().or(self.target.as_ref());
        let folder = target.cloned().unwrap_or_else(|| Word::literal("."));
        let ends = |end: &str| folder.value == end || folder.value.ends_with(&format!("/{end}"));
        let extent = if named || ends("") || ends(".") || ends("..") { Extent::Itself } else { Extent::Perhaps };
        let name = |source: &Word| if self.parents { source.clone() } else { last(source) };
        let mut done: Vec<_> = all(touch, target).collect();
        done.extend(self.sources.iter().map(|source| (touch, within(&folder, &name(source)), extent)));
        let kept: Vec<_> = match &self.suffixes {
            Some(suffixes) => {
                let kept = done.iter().flat_map(|(_, word, _)| suffixes.iter().map(|suffix| concat(word, suffix)));
                kept.map(|word| (Touch::Write, word, Extent::Perhaps)).collect()
            }
            None => vec![(Touch::Write, Word::somewhere(), Extent::Perhaps)],
        };
        done.extend(kept);
        if self.unsure {
            let operands = self.sources.iter().chain(&self.target);
            let perhaps = operands.flat_map(|word| [word.clone(), within(&Word::somewhere(), &last(word))]);
            done.extend(perhaps.map(|word| (touch, word, Extent::Perhaps)));
        }
        done
    }
}

/// The suffixes of backup files. Programs use the last one; others may be abbreviations of other options.
pub(super) fn suffixes<'w>(given: impl Iterator<Item = &'w Word>) -> Option<Vec<Word>> {
    const MOST: usize = 4;
    let all: Vec<_> = given.take(MOST + 1).cloned().collect();
    (all.len() <= MOST).then_some(all)
}

/// The last component of a path; the whole path if the start of the component is unknown.
fn last(word: &Word) -> Word {
    if word.is_dynamic() && !word.spans.is_empty() {
        return word.clone();
    }
    let mut word = word.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    let from = word.value.rfind('/').map_or(0, |at| at + 1);
    word.tail(from)
}

/// Joins a path to the folder that it is relative to.
pub(super) fn placed(folder: Option<&Word>, word: &Word) -> Word {
    match folder {
        Some(folder) if !word.value.starts_with('/') && !word.tilde && folder.value != "." => within(folder, word),
        _ => word.clone(),
    }
}

/// Joins a name to a folder.
pub(super) fn within(folder: &Word, name: &Word) -> Word {
    let mut word = folder.clone();
    word.value.truncate(word.value.trim_end_matches('/').len());
    word.value.push('/');
    concat(&word, name)
}

/// Concatenates two words.
pub(super) fn concat(word: &Word, name: &Word) -> Word {
    let mut word = word.clone();
    let moved = word.value.len();
    word.value.push_str(&name.value);
    word.spans.extend(name.spans.iter().cloned().map(|mut span| {
        span.start += moved;
        span.end += moved;
        span
    }));
    word.glob |= name.glob;
    word.literal |= name.literal;
    word.quoted |= name.quoted;
    word.unseen = false;
    word
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ScriptLimits;
    use crate::read;
    use crate::tests::letter;

    #[test]
    fn b10_the_files_of_known_programs_are_found() {
        for (line, expected) in [
            ("cat .env a", "R .env, R a"),
            ("cat -n -- -x", "R -x"),
            ("grep .env README", "R README"),
            ("grep -e x README", "R README"),
            ("grep --file=pats x", "R pats, R x"),
            ("sed -i s/a/b/ f", "R f, W f"),
            ("sed -n 1p f", "R f"),
            ("rm -rf ~/work x", "D ~/work, D x, D ~/work below, D x below"),
            ("rm x", "D x"),
            ("cp a b c", "R a, R b, W c, W c/a perhaps, W c/b perhaps"),
            ("cp s/a .", "R s/a, W ., W ./a"),
            ("cp s/a d/", "R s/a, W d/, W d/a"),
            ("cp -r s d", "R s, W d, W d/s perhaps, W d below"),
            ("cp -t c a b", "R a, R b, W c, W c/a, W c/b"),
            ("cp --targ=c s/a", "R s/a, W c, W c/a"),
            ("mv a b", "F a, T b, T b/a perhaps, F a folder"),
            ("ln -s a b", "W b, W b/a perhaps"),
            ("ln -sft d s/a", "W d, W d/a"),
            ("ln s/a", "W ./a"),
            ("sort a -uo b", "R a, W b"),
            ("sort -ob a", "R a, W b"),
            ("uniq -f 1 a b", "R a, R b, W b"),
            ("uniq -cf 1 --skip-ch 2 a b", "R a, R b, W b"),
            ("xxd -l 0x4 -cols 16 a b", "R a, R b, W b"),
            ("xxd -cx a b", "R a, R b, W b"),
            ("cp a b -S .x", "R a, W b, W b/a perhaps, W b.x perhaps, W b/a.x perhaps"),
            ("cp --parents s/a d", "R s/a, W d, W d/s/a perhaps"),
            ("install a -m 644 b --own x", "R a, W b, W b/a perhaps"),
            ("sed -nes/a/b/p -i f", "R f, W f"),
            ("sed --e=s/a/b/ --in f", "R f, W f"),
            ("sed -i.x s/a/b/ f", "R f, W f, W f.x perhaps"),
            ("uniq +1 a b", "R +1, R a, R b, W b"),
            ("curl --libcurl f u", "W f"),
            ("git -C d rm f", "D d/f"),
            ("git rm --cached f", ""),
            ("git rm -r f", "D f, D f below"),
            ("git diff --output=f", "W f"),
            ("curl -so f u", "W f"),
            ("xxd -r -p - b", "R b, W b"),
            ("sed --in-pl s/a/b/ f", "R f, W f"),
            ("git rm -q f", "D f"),
            ("dd if=/dev/zero of=/dev/sda bs=1", "R /dev/zero, W /dev/sda"),
            ("tee -a f", "W f"),
            ("mkdir -p -m 700 d", "M d"),
            ("gpg --yes -o f -d a", "W f"),
            ("gcc -flto -O2 a.c -of", "W f"),
            ("go test -coverprofile=f ./...", "W f"),
            ("openssl rand -out f 4", "W f"),
            ("rsync -a s/ d", "R s/, W d, W d/s perhaps, W d below"),
            ("scp h:x/f .", "W ., W ./f"),
            ("scp f h:", "R f"),
            ("gzip f", "D f, W f.gz"),
            ("gzip -d f.gz", "D f.gz, W f perhaps"),
            ("xz -k f", "W f.xz"),
            ("zip -m f a", "W f, W f.zip, D a, D a below"),
            ("curl -O 'https://x.org/a/f?y'", "W ./f"),
            ("curl -K c u", "W ? perhaps"),
            ("curl -OJ https://x.org/a", "W . below"),
            ("wget -P d https://x.org/f", "W d/f"),
            ("wget -r https://x.org/f", "W . below"),
            ("wget -qO- https://x.org/f", ""),
            ("perl -i.bak x.pl f", "W f"),
            ("less -of a", "R a, W f"),
            ("gawk -o -dv -f p a", "R p, R a, W v, W awkprof.out"),
            ("gawk --profile=f --dump-var 1 a", "R a, W awkvars.out, W f"),
            ("tar -cf f a", "W f"),
            ("tar czf - a", ""),
            ("tar xzfC a.tgz d", "R a.tgz, W d below"),
            ("tar -xzf a.tgz -C d -C e", "R a.tgz, W d/e below"),
            ("tar --get --file a -O", "R a"),
            ("tar -tf a", "R a"),
            ("tar -xPf a", "R a, W ? below"),
            ("unzip -qo a.zip -d d", "R a.zip, W d below"),
            ("unzip -l a.zip", "R a.zip"),
            ("patch -p1 -i a", "W . below"),
            ("patch -d d f < p", "R p, W d/f"),
            ("cpio -id --no-absolute-filenames -D d", "W d below"),
            ("cpio -oF f", "W f"),
            ("split -b 1 f p", "R f, W p* perhaps"),
            ("csplit -fp f 2", "R f, W p* perhaps"),
            ("git bundle create f HEAD", "W f"),
            ("git archive -of HEAD", "W f"),
            ("git format-patch -o d -1", "W d/*.patch perhaps"),
            ("git worktree add -b x ../d", "W ../d, W ../d below"),
            ("git clone --depth 1 u d", "W d, W d below"),
            ("git -C s clone https://x/y.git", "W s/y, W s/y below"),
            ("git clone u .", "W . below"),
            ("git init -qb main", "M ./.git"),
            ("git -C s init --template t d", "M s/d/.git"),
            ("git checkout main", "W . below"),
            ("git checkout -b x", ""),
            ("git checkout HEAD -- f", "W f, W f folder"),
            ("git restore .", "W . below"),
            ("git restore --staged f", ""),
            ("git apply --check p", ""),
            ("git -C s apply p", "W s/. below"),
            ("git stash pop", "W . below"),
            ("git stash list", ""),
            ("git reset --hard", "W . below"),
            ("git reset f", ""),
            ("git clean -fd", "D . below"),
            ("python3 r.py", ""),
            ("git config -f f a.b c", "W f"),
            ("git config --file f --get a.b", "R f"),
            ("git merge-file f a b", "W f, R f, R a, R b"),
            ("git merge-file -p f a b", "R f, R a, R b"),
            ("git interpret-trailers --in-place f", "W f"),
            ("git credential-store --file f store", "W f"),
            ("git clean -fd f", "D . below, D f"),
            ("git diff --no-index a f", "R a, R f"),
            ("git -C s grep --no-index x f", "R s/f"),
            ("git blame --contents f a", "R f"),
            ("curl file:///a/f", "R /a/f"),
            ("curl FILE://localhost/a/f", "R /a/f"),
            ("curl 'file:///a/[f-g]'", "R ?"),
            ("curl -T f u", "R f"),
            ("curl -d @f u", "R f"),
            ("curl --data a@b u", ""),
            ("curl -F 'a=@f;type=x' u", "R f"),
            ("curl --data-urlencode a@f u", "R f"),
            ("curl -o '#1' u", "W #1, W ? perhaps"),
            ("wget --post-file=f -O- u", "R f"),
            ("sort --files0-from=l", "R ?"),
            ("wc --files0-from=l", "R ?"),
            ("awk 'BEGIN { getline < \"f\" }'", "R ?"),
            ("awk 'BEGIN { ARGV[1] = \"f\" }'", "R ?"),
            ("awk '{ getline; print }' f", "R f"),
            ("install -d a", "M a"),
            ("install a d/", "R a, W d/, W d/a"),
            ("gcp a b", "R a, W b, W b/a perhaps"),
            ("gawk-5.2.1 -o 1 f", "R f, W awkprof.out"),
            ("curl -s --user-agent -- -o f u", "W f"),
            ("curl -s --interface -- -o f u", "W ? perhaps, W f"),
            ("curl -o a --output-dir d u", "W d/a"),
            ("zstd --rm f", "D f, W f.zst"),
            ("zstd --output-dir-flat=/x f", "W f.zst, W /x below"),
            ("gcc -MD -MF d -c a.c", "W d"),
            ("gcc -MFd -oo a.c", "W d, W o"),
            ("tar xf a.tar --one-top-level=/x", "R a.tar, W /x below, W . below"),
            ("git -c a.b=c rm -f f", "D f"),
            ("git --new rm -f f", "D f"),
            ("git stash -m x", "W . below"),
            ("git stash -- f", "W . below"),
            ("git stash list", ""),
            ("git checkout -f -b x", "W . below"),
            ("git rm --cached --no-cached f", "D f"),
            ("rsync -n --no-n a b", "R a, W b, W b/a perhaps"),
            ("git diff -S -- --output=f", "W f, W ? perhaps"),
            ("git diff --stat -- f", ""),
            ("/bin/cat .env", "R .env"),
        ] {
            let analysis = read(line, &ScriptLimits::default());
            let found: Vec<_> = analysis
                .touched
                .iter()
                .filter(|touched| !matches!(touched.touch, Touch::Name | Touch::Restrict | Touch::MayRead))
                .map(|touched| {
                    let extent = match touched.extent {
                        Extent::Itself => "",
                        Extent::Perhaps => " perhaps",
                        Extent::Below => " below",
                        Extent::Folder => " folder",
                        Extent::Tree => " tree",
                    };
                    format!("{} {}{extent}", letter(touched.touch), touched.shown)
                })
                .collect();
            assert_eq!(found.join(", "), expected, "{line}");
        }
    }
}
