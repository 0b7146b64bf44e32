//! The pages that aidd ships. Rule pages are in `rules/<kind>/<name>.md`; guidance is in the other
//! directories. The build script finds the pages, parses their headers and compiles them into
//! tables, so that no Markdown is parsed at startup.

use aidd_page::{Form, Guide, Severity, ShippedPage, StartupFields, Tables, Template, WordIndex};

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
include!(concat!(env!("OUT_DIR"), "/packs.rs"));
include!(concat!(env!("OUT_DIR"), "/guidance.rs"));
include!(concat!(env!("OUT_DIR"), "/clients.rs"));

/// The shipped rule pages, packs and guidance.
pub static RULES: Tables = Tables {
    pages: PAGES,
    startup_fields: STARTUP_FIELDS,
    headers: HEADERS,
    names: NAMES,
    keywords: KEYWORDS,
    languages: LANGUAGES,
    packs: PACKS,
    pack_headers: PACK_HEADERS,
    packs_at: PACKS_AT,
    reviewed: REVIEWED,
    guides: GUIDANCE,
    templates: TEMPLATES,
    client_rules: include_str!("../hooks/rules.md"),
    tasks: include_str!("../routing/tasks.txt"),
};

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_page as page;

    #[test]
    fn the_tables_agree_with_the_headers_of_the_pages() {
        assert_eq!(STARTUP_FIELDS.len(), PAGES.len());
        for (index, (shipped, fields)) in PAGES.iter().zip(STARTUP_FIELDS).enumerate() {
            let header = page::header(shipped.text).expect("a header");
            let (stored, summary) = RULES.header(index).expect("a page");
            assert_eq!(stored, header, "{}", shipped.id);
            assert!(!summary.is_empty(), "{}", shipped.id);
            let check = header.check.as_ref();
            assert_eq!(
                (
                    fields.severity,
                    fields.enabled,
                    fields.form,
                    fields.has_condition,
                    fields.requires
                ),
                (
                    header.severity,
                    header.enabled,
                    check.and_then(aidd_page::CheckHeader::form),
                    check.is_some_and(|check| !check.when.is_empty()),
                    check.is_some_and(aidd_page::CheckHeader::requires),
                ),
                "{}",
                shipped.id
            );
            for name in header.aliases.iter().map(String::as_str).chain([shipped.id]) {
                let name = name.to_ascii_lowercase();
                assert!(NAMES.pages(&name).any(|page| page == index), "{name}");
            }
            let text = check.and_then(|check| check.text.as_ref());
            for word in text.into_iter().flat_map(aidd_page::TextHeader::words) {
                assert!(KEYWORDS.pages(&word).any(|page| page == index), "{word}");
            }
            let syntax = check.and_then(|check| check.syntax.as_deref());
            for language in syntax.into_iter().flat_map(|syntax| &syntax.language) {
                let language = language.to_ascii_lowercase();
                assert!(LANGUAGES.pages(&language).any(|page| page == index), "{language}");
            }
        }
        assert_eq!(RULES.header(PAGES.len()), None);
        assert_eq!(NAMES.pages("").chain(NAMES.pages("no/such-rule")).count(), 0);
        assert_eq!(
            LANGUAGES.all().filter(|(word, _)| *word == "rust").count(),
            LANGUAGES.pages("rust").count()
        );
    }

    #[test]
    fn the_stored_headers_of_packs_equal_the_headers_of_their_pages() {
        for shipped in PACKS {
            assert_eq!(
                RULES.pack(shipped.id),
                aidd_page::pack(shipped.text).ok(),
                "{}",
                shipped.id
            );
        }
        assert_eq!(RULES.pack("no-such-pack"), None);
    }
}
