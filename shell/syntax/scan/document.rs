//! Here-documents. A body starts after the line that contains its operator.

use super::super::token::Op;
use super::{Doc, Pending, ScanContext, Stop, Tokenizer};

impl Tokenizer<'_> {
    pub(super) fn newline(&mut self) -> Result<(), Stop> {
        self.op(Op::Newline, 1)?;
        let docs = std::mem::take(&mut self.frame()?.docs);
        for doc in docs {
            self.document(&doc)?;
        }
        Ok(())
    }

    /// Reads the body of a here-document up to the line with its delimiter.
    fn document(&mut self, doc: &Doc) -> Result<(), Stop> {
        let text = self.text;
        let substitution =
            |context: &ScanContext| matches!(context, ScanContext::Script(frame) if frame.from.is_some());
        let within = self.depth > 0 || self.stack.iter().any(substitution);
        let mut body = String::new();
        loop {
            if self.at >= text.len() {
                return Err(self.stop("an unclosed here-document"));
            }
            let rest = text.get(self.at..).unwrap_or_default();
            let line = rest.split('\n').next().unwrap_or_default();
            let length = line.len();
            let plain = if doc.tabs { line.trim_start_matches('\t') } else { line };
            let ends = plain == doc.end;
            // Some shells join such a line with the next one before they compare it with the delimiter.
            let joined = line.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
            if !ends {
                body.push_str(line);
                body.push('\n');
            }
            self.at = (self.at + length + 1).min(text.len());
            if ends {
                break;
            }
            // In a substitution, bash ends the body at a line that only starts with the delimiter, and runs the
            // rest.
            if within && plain.starts_with(&doc.end) {
                self.blame(format!("`<<{}`", doc.end));
            }
            if joined && doc.script.is_some() {
                return Err(self.stop("`\\` at the end of a line of a here-document"));
            }
        }
        if let Some(id) = doc.script
            && body.contains(['$', '`', '\\'])
        {
            let depth = self.depth + self.stack.len();
            if depth >= self.limits.depth {
                return Err(self.over(format!("nesting over {}", self.limits.depth)));
            }
            self.pending.push(Pending { id, text: body, body: true, depth });
        }
        Ok(())
    }
}
