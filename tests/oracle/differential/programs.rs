//! Generates shell programs, valid and broken ones, from a seed.

/// Words that are not quoted, and expansions that are.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "a", "b", "x", "-c", "--", "a=b", "a:b", "a#b", "#", "if", "then", "fi", "do", "done", "esac", "in", "case", "for",
    "{", "}", "!", "[", "]", "=", "=x", "~", "~/x", "x~", "'q r'", "\"d e\"", "''", "\"\"", "a'b'\"c\"", "\\ ", "\\x",
    "\\$", "'\\'", "\"\\\\\"", "\"\\n\"", "'it'\\''s'", "\"'\"", "'\"'", "'#'", "\";\"", "\\;", "\\&", "$", "a$", "\"$\"",
    "$A", "\"$A\"", "${A}", "\"${A}\"", "$E", "\"$E\"", "${U:-x}", "${U:-x y}", "\"${U:-x y}\"", "${#A}", "$#", "$?",
    "$((1+2))", "$(( 1 + 2 ))", "\"$((3))\"", "$1", "\"$@\"", "$$x", "*", "z*", "{a,b}", "a{1..2}", "{}", "{x}", "a}b",
    "@", "%", "+", "^", ",", ".", "..", "/", "a\\\nb", "\"a\\\nb\"", "'a\\\nb'", "\"a\nb\"", "1", "2", "1a", "é", "$'q'",
    "$\"d\"", "a=(b)", "[[", "]]", "-", "!!", "!x", "a!", "&1", "~+", "~x", "a=~", "x[1]", "$A[1]", "$A:h", "${A%w}",
    "time", "function", "repeat", "E", "EOF",
];

/// Texts that a mutation inserts.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "(", ")", ";", "&", "|", "<", ">", "\"", "'", "`", "$", "{", "}", "\n", "\\", "#", "!", " ", "\t", "=", "~", "[", "]",
    "*", "?", "2", "-", ";;", "&&", "||", "&!", "&|", "|&", ";&", "$(", "${", "$((", "))", "((", "<(", ">(", "=(", "<<",
    "<<<", "<<-", ">&", "&>", "<&", "<>", ">|", ">!", "\\\n", " do ", " done ", " fi ", " then ", " esac ", " in ",
    " else ", " m0 ", "E\n", "\nE\n", "''", "\"\"", " { ", " } ", " ! ", "()", "() { ", "\r", "\u{a0}", ":", "^",
    "time ", "function ", "if ", "case ", "for x ", "a=", "a+=", " a", "$[", "$'", "$\"", "{a,b}", "<1-2>",
];

const NAMES: usize = 20;

/// Generates the program of a number.
pub(crate) fn program(seed: u64) -> String {
    let mut maker = Maker { state: seed, text: String::new(), bodies: Vec::new(), markers: 0, room: 14 };
    maker.list(0);
    maker.end();
    let mut text = maker.text.clone();
    if maker.one_in(2) {
        for _ in 0..=maker.below(3) {
            text = maker.mutated(&text);
        }
    }
    // A judgement names the parts of a program only if it has several.
    format!(":\n{text}")
}

/// The names of the programs that a generated program may start.
pub(crate) fn stubs() -> impl Iterator<Item = String> {
    let plain = |word: &&&str| {
        ![".", "..", "[", "]]", "-", "!"].contains(*word) && word.chars().all(|c| !"/\\'\"$`*?\n ;&{}#=~".contains(c))
    };
    let words = WORDS.iter().filter(plain).map(|word| (*word).to_owned());
    (0..NAMES).flat_map(|at| [format!("m{at}"), format!("n{at}")]).chain(words)
}

struct Maker {
    state: u64,
    text: String,
    /// The bodies of here-documents that start after the current line.
    bodies: Vec<String>,
    markers: usize,
    /// The number of commands that may still be made.
    room: usize,
}

impl Maker {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, of: usize) -> usize {
        usize::try_from(self.next() % of.max(1) as u64).unwrap_or_default()
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    fn any<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn pick(&mut self, of: &[&str]) {
        let text = self.any(of);
        self.put(text);
    }

    fn blank(&mut self) {
        self.pick(&[" ", " ", " ", " ", "  ", "\t", " \\\n", "\\\n "]);
    }

    /// Ends a line, behind which the bodies of its here-documents stand.
    fn newline(&mut self) {
        if self.one_in(8) {
            self.pick(&[" # c", " # it's", " # \" ` $(", " # c \\", "#"]);
        }
        self.put("\n");
        for body in std::mem::take(&mut self.bodies) {
            self.put(&body);
        }
        while self.one_in(6) {
            self.pick(&["\n", " ", "\t"]);
        }
    }

    fn end(&mut self) {
        if !self.bodies.is_empty() || self.one_in(3) {
            self.newline();
        }
    }

    /// The end of a command before a reserved word.
    fn separate(&mut self) {
        match self.below(5) {
            0 => self.newline(),
            1 if self.bodies.is_empty() => self.put(" & "),
            _ if self.bodies.is_empty() => self.pick(&[";", "; ", " ; "]),
            _ => self.newline(),
        }
    }

    fn list(&mut self, depth: usize) {
        loop {
            self.and_or(depth);
            if self.room == 0 || self.below(3) > 0 {
                return;
            }
            self.separate();
        }
    }

    fn and_or(&mut self, depth: usize) {
        if self.one_in(12) {
            self.put("! ");
        }
        self.command(depth);
        while self.room > 0 && self.one_in(4) {
            self.pick(&[" && ", "&&", " || ", "||", " | ", "|", "\\\n&& ", " \\\n| ", " |& "]);
            if self.one_in(5) {
                self.newline();
            }
            self.command(depth);
        }
    }

    fn command(&mut self, depth: usize) {
        self.room = self.room.saturating_sub(1);
        if depth >= 3 || self.below(3) > 0 {
            return self.simple(depth);
        }
        let inside = depth + 1;
        match self.below(9) {
            0 => {
                self.pick(&["{ ", "{\n", "{\t"]);
                self.list(inside);
                self.separate();
                self.put("}");
            }
            1 => {
                self.pick(&["(", "( "]);
                self.list(inside);
                self.pick(&[")", " )", ";)"]);
            }
            2 | 3 => {
                self.pick(&["if ", "if\n"]);
                self.list(inside);
                self.separate();
                self.put("then ");
                self.list(inside);
                self.separate();
                if self.one_in(3) {
                    self.put("elif ");
                    self.list(inside);
                    self.separate();
                    self.put("then\n");
                    self.list(inside);
                    self.separate();
                }
                if self.one_in(3) {
                    self.put("else ");
                    self.list(inside);
                    self.separate();
                }
                self.put("fi");
            }
            4 => {
                self.put("while ");
                self.marker('n');
                self.separate();
                self.put("do ");
                self.list(inside);
                self.separate();
                self.put("done");
            }
            5 => {
                self.put("until ");
                self.list(inside);
                self.put("; ");
                self.marker('m');
                self.separate();
                self.pick(&["do ", "do\n"]);
                self.list(inside);
                self.separate();
                self.put("done");
            }
            6 => {
                self.pick(&["for x in", "for x\nin", "for x  in"]);
                for _ in 0..self.below(3) {
                    self.blank();
                    self.word(inside);
                }
                self.separate();
                self.pick(&["do ", "do\n"]);
                self.list(inside);
                self.separate();
                self.put("done");
            }
            7 => self.case(inside),
            _ => {
                self.pick(&["f() { ", "f () {\n", "f()\n{ ", "function f { "]);
                self.list(inside);
                self.separate();
                self.put("}; f");
            }
        }
        if self.one_in(5) {
            self.blank();
            self.redirect(inside);
        }
    }

    fn case(&mut self, depth: usize) {
        self.put("case ");
        self.word(depth);
        self.pick(&[" in ", " in\n", "\nin "]);
        for _ in 0..self.below(3) {
            self.pick(&["", "(", "( "]);
            self.pick(&["a", "*", "[ab]", "'a'", "a|b", "a | b", "\"$A\"", "in", "done", "x*y", "?", "w"]);
            self.pick(&[") ", ")", " )\n"]);
            if self.below(4) > 0 {
                self.list(depth);
            }
            if !self.bodies.is_empty() {
                self.newline();
            }
            self.pick(&[";; ", ";;\n", "\n;;\n"]);
        }
        if self.one_in(4) {
            self.put("*) ");
            self.list(depth);
            self.separate();
        }
        self.put("esac");
    }

    fn marker(&mut self, letter: char) {
        let name = format!("{letter}{}", self.markers % NAMES);
        self.markers += 1;
        match self.below(16) {
            0 => self.put(&format!("'{name}'")),
            1 => self.put(&format!("\"{name}\"")),
            2 => self.put(&format!("\\{name}")),
            3 => self.put(&format!("{letter}\\\n{}", name.split_at(1).1)),
            4 => self.put(&format!("{letter}''{}", name.split_at(1).1)),
            _ => self.put(&name),
        }
    }

    fn simple(&mut self, depth: usize) {
        if self.one_in(10) {
            self.pick(&["B=", "B=c", "B='c d'", "B=\"$A\"", "B=$A", "B+=c", "B=~", "B=c C=d"]);
            self.blank();
        }
        if self.one_in(20) {
            self.redirect(depth);
            self.blank();
        }
        if self.one_in(20) {
            self.pick(&["command ", "exec ", "time ", "eval ", "noglob ", "env ", "- "]);
        }
        let letter = if self.one_in(4) { 'n' } else { 'm' };
        self.marker(letter);
        while self.below(5) > 1 {
            self.blank();
            if self.one_in(6) { self.redirect(depth) } else { self.word(depth) }
        }
        if self.one_in(10) {
            self.pick(&[" ", "\t", "  "]);
        }
    }

    fn word(&mut self, depth: usize) {
        let substitutes = depth < 3 && self.room > 0 && self.bodies.is_empty();
        match self.below(12) {
            0 if substitutes => self.substitution(depth, "$(", ")"),
            1 if substitutes => self.substitution(depth, "\"$(", ")\""),
            2 if substitutes && depth == 0 => self.substitution(3, "`", "`"),
            3 if substitutes && self.one_in(3) => self.substitution(depth, "<(", ")"),
            4 => {
                self.pick(WORDS);
                self.pick(WORDS);
            }
            _ => self.pick(WORDS),
        }
    }

    fn substitution(&mut self, depth: usize, open: &str, close: &str) {
        self.put(open);
        self.command(depth + 1);
        if !self.bodies.is_empty() {
            self.newline();
        }
        self.put(close);
    }

    fn redirect(&mut self, depth: usize) {
        match self.below(6) {
            0 if self.bodies.len() < 2 => {
                let end = self.any(&["E", "'E'", "\\E", "\"E\"", "EOF", "E1", "-E", "E$", "}"]);
                let tabs = self.one_in(4);
                self.pick(if tabs { &["<<-", "<<- "] } else { &["<<", "<< ", "<<\\\n"] });
                self.put(end);
                let before = std::mem::take(&mut self.text);
                let waiting = std::mem::take(&mut self.bodies);
                for _ in 0..self.below(3) {
                    self.pick(&["", "\t"]);
                    match self.below(4) {
                        0 if depth < 3 => self.substitution(3, "$(", ")"),
                        _ => self.pick(&[
                            "text", "it's", "$A", "`", "\\$(m0)", "$((1))", "E ", " E", "EE", "m0 x", "\\", "\"",
                        ]),
                    }
                    self.put("\n");
                }
                let bare: String = end.chars().filter(|c| !"'\"\\".contains(*c)).collect();
                self.put(if tabs { "\t" } else { "" });
                self.put(&format!("{bare}\n"));
                let body = std::mem::replace(&mut self.text, before);
                self.bodies = waiting;
                self.bodies.push(body);
            }
            1 => {
                self.put("<<<");
                self.word(3);
            }
            _ => self.pick(&[
                ">o",
                "> o",
                ">>o",
                ">|o",
                "2>o",
                "2>&1",
                ">&2",
                "1>&2",
                "</dev/null",
                "< /dev/null",
                ">/dev/null",
                "&>o",
                "&>>o",
                "3>o",
                "3<&0",
                "<&-",
                "2>&-",
                "<>o",
                "10>o",
                ">'o p'",
                ">$A",
                ">&o",
                "{x}>o",
                ">\\\no",
            ]),
        }
    }

    /// Changes a text in one place.
    fn mutated(&mut self, text: &str) -> String {
        let chars: Vec<char> = text.chars().collect();
        let at = self.below(chars.len() + 1);
        let (before, behind): (String, String) = (chars[..at].iter().collect(), chars[at..].iter().collect());
        let mut rest = behind.chars();
        match self.below(5) {
            0 => {
                rest.next();
                format!("{before}{}", rest.as_str())
            }
            1 => {
                let again: String = behind.chars().take(1 + self.below(6)).collect();
                format!("{before}{again}{behind}")
            }
            2 => {
                let (length, to) = (1 + self.below(5), self.below(chars.len() + 1));
                let moved: String = chars.iter().skip(to).take(length).collect();
                format!("{before}{moved}{behind}")
            }
            _ => format!("{before}{}{behind}", self.any(PIECES)),
        }
    }
}
