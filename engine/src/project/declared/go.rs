//! Reads `go.mod`: <https://go.dev/ref/mod#go-mod-file-grammar>.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin};
use crate::text::source::Span;

pub(super) fn read(text: &str, manifest: &mut Manifest) {
    // The directive of the open block: `require (`.
    let mut block: Option<&str> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        let Some(first) = words.next() else { continue };
        if first == ")" {
            block = None;
            continue;
        }
        let (directive, name) = match block {
            Some(directive) => (directive, Some(first)),
            None => (first, words.next()),
        };
        let Some(name) = name else { continue };
        if name == "(" || code.trim_end().ends_with('(') {
            block = Some(directive);
            continue;
        }
        let plain = name.trim_matches(['"', '`']);
        match directive {
            "module" => manifest.name = Some(plain.to_owned()),
            // A tool is named by its package path; the path of the module that provides the tool is
            // a prefix of this path.
            "tool" | "replace" => manifest.provided.push(plain.to_owned()),
            "require" => {
                let offset = at + line.find(plain).unwrap_or_default();
                let span = Span::new(offset, offset + plain.len());
                let entry = Span::new(at, at + line.trim_end().len());
                let mut declared = Declared::new(plain, span, entry, Group::Normal);
                declared.requirement = words.next().map(str::to_owned);
                declared.indirect = comment.split([' ', ';', '\n']).any(|word| word == "indirect");
                declared.origin = Origin::Registry;
                manifest.dependencies.push(declared);
            }
            _ => {}
        }
    }
}
