//! The rule on fonts in style sheets.

use super::markup::is_mail;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use std::collections::BTreeMap;
use tree_sitter::Node;

const RULE: &str = "perf/font-display";

/// Parts of names of fonts and of their files that contain icons instead of letters. Another font would
/// show other characters.
const ICON_FONTS: &str = include_str!("icon_fonts.txt");

/// A font without `font-display`, or with a value that hides the text.
struct Font<'t> {
    family: &'t str,
    place: Span,
    edit: Edit,
    /// Whether the style sheet sets the value.
    is_set: bool,
}

/// Reports fonts that hide the text until they have loaded, once for each family.
pub(super) fn check(tree: &Tree<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let (path, text) = (source.path(), source.text());
    if !report.begin(RULE) || is_mail(path) || has_icons(text) {
        return;
    }
    let Some(root) = tree.root() else { return };
    let fonts = fonts(root, text);
    let mut families: BTreeMap<&str, Vec<&Font<'_>>> = BTreeMap::new();
    for font in &fonts {
        families.entry(font.family).or_default().push(font);
    }
    for same in families.into_values() {
        let edits: Vec<Edit> = same.iter().map(|it| it.edit.clone()).collect();
        let finding = report.at(same[0].place, super::FONT_DISPLAY);
        finding.help("Add `font-display: swap`.");
        let title = "Set `font-display: swap`";
        if same.iter().any(|it| it.is_set) {
            finding.fix_unsafe(title, edits);
        } else {
            finding.fix(title, edits);
        }
    }
}

/// Whether a style sheet inserts characters for private use, as those of icons do.
fn has_icons(text: &str) -> bool {
    ["\"\\e", "'\\e", "\"\\f", "'\\f", "\"\\E", "'\\E", "\"\\F", "'\\F"]
        .iter()
        .any(|start| memchr::memmem::find(text.as_bytes(), start.as_bytes()).is_some())
}

/// The fonts of a style sheet whose text is invisible at first.
fn fonts<'t>(root: Node<'_>, text: &'t str) -> Vec<Font<'t>> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    let mut is_up = false;
    loop {
        step();
        let node = cursor.node();
        let is_font = node.kind() == "at_rule"
            && text[node.byte_range()]
                .get(..10)
                .is_some_and(|it| it.eq_ignore_ascii_case("@font-face"));
        if !is_up && is_font {
            found.extend(read_font(node, text));
        }
        let descends = !is_up && !is_font && cursor.goto_first_child();
        is_up = !descends && !cursor.goto_next_sibling();
        if is_up && !cursor.goto_parent() {
            return found;
        }
    }
}

/// Reads `@font-face { … }`; `None` if its text is visible at once, or it is not understood.
fn read_font<'t>(rule: Node<'_>, text: &'t str) -> Option<Font<'t>> {
    let mut cursor = rule.walk();
    let block = rule.named_children(&mut cursor).find(|child| child.kind() == "block")?;
    if rule.has_error() || text[block.byte_range()].contains(['@', '#']) {
        return None;
    }
    let (mut family, mut source, mut display, mut last) = (None, None, None, None);
    let mut cursor = block.walk();
    for declaration in block.named_children(&mut cursor) {
        if declaration.kind() != "declaration" {
            continue;
        }
        let span = declaration.byte_range();
        let (name, value) = text[span.clone()].trim_end_matches(';').split_once(':')?;
        match name.trim().to_ascii_lowercase().as_str() {
            "font-family" => family = Some(value.trim().trim_matches(['"', '\''])),
            "src" => source = Some(value.to_ascii_lowercase()),
            "font-display" => {
                let start = span.start + name.len() + 1;
                display = Some((value.trim(), Span::new(start, start + value.len())));
            }
            _ => {}
        }
        last = Some(span);
    }
    let (family, source, last) = (family?, source?, last?);
    let is_hidden = display
        .is_none_or(|(value, _)| matches!(value.to_ascii_lowercase().as_str(), "block" | "auto"));
    // Fonts of the system and in the style sheet itself are there at once.
    let is_loaded = source.contains("url(") && !source.contains("data:");
    if !is_hidden || !is_loaded || is_icon_font(family) || is_icon_font(&source) {
        return None;
    }
    let edit = match display {
        Some((_, value)) => Edit::replace(value, " swap"),
        None => {
            let has_semicolon = text[last.clone()].ends_with(';');
            let before = &text[..last.start];
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            let indent = &before[line..];
            let gap = if indent.trim().is_empty() && line > 0 {
                format!("\n{indent}")
            } else {
                " ".to_owned()
            };
            let (open, close) = if has_semicolon { ("", ";") } else { (";", "") };
            Edit::insert(
                u32::try_from(last.end).ok()?,
                format!("{open}{gap}font-display: swap{close}"),
            )
        }
    };
    let place = text[rule.byte_range()].find('{').unwrap_or(0);
    let head = text[rule.start_byte()..rule.start_byte() + place].trim_end().len();
    Some(Font {
        family,
        place: Span::new(rule.start_byte(), rule.start_byte() + head),
        edit,
        is_set: display.is_some(),
    })
}

fn is_icon_font(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ICON_FONTS.lines().any(|part| name.contains(part))
}
