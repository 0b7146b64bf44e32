//! The shapes of sentences that a check can be made of, the surest first.

use super::code;
use super::drafts;
use super::imports;
use super::{Draft, Ground, Sentence, Verdict};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A shape: an expression on [`Sentence::shape`], and what is made of what it caught.
struct Shape {
    expression: LazyLock<Regex>,
    make: fn(&Caught<'_>, &Ground) -> Option<Made>,
    /// Whether a check may come of it.
    drafts: bool,
}

/// What a shape makes of a sentence.
pub(super) enum Made {
    Draft(Box<Draft>),
    Run(String),
}

/// A sentence and what the expression caught of it.
pub(super) struct Caught<'a> {
    pub(super) sentence: &'a Sentence,
    groups: Captures<'a>,
}

impl<'a> Caught<'a> {
    /// What stands in the backticks that a group caught.
    pub(super) fn code(&self, group: &str) -> Option<&'a str> {
        let number: usize = self.groups.name(group)?.as_str().parse().ok()?;
        Some(self.sentence.code.get(number)?.trim())
    }

    /// The words that a group caught.
    pub(super) fn words(&self, group: &str) -> Option<&'a str> {
        Some(self.groups.name(group)?.as_str())
    }

    /// What stands in all backticks of a group.
    pub(super) fn codes_in(&self, group: &str) -> Vec<&'a str> {
        codes_of(self.sentence, self.words(group).unwrap_or_default())
    }

    /// Everything in backticks from a group on.
    pub(super) fn codes_from(&self, group: &str) -> Vec<&'a str> {
        let first = self.groups.name(group).and_then(|found| found.as_str().parse().ok());
        let codes = self.sentence.code.iter().skip(first.unwrap_or(usize::MAX));
        codes.map(|code| code.trim()).collect()
    }

    /// The words before what was caught.
    pub(super) fn before(&self) -> &'a str {
        let start = self.groups.get(0).map_or(0, |found| found.start());
        &self.sentence.shape[..start]
    }

    /// The words after what was caught, up to where another thought begins.
    pub(super) fn after(&self) -> &'a str {
        let end = self.groups.get(0).map_or(0, |found| found.end());
        self.sentence.shape[end..].split(';').next().unwrap_or_default()
    }
}

/// What stands in the backticks that words of a sentence hold.
pub(super) fn codes_of<'a>(sentence: &'a Sentence, words: &str) -> Vec<&'a str> {
    let numbers = words.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    let codes = numbers.filter_map(|number: usize| sentence.code.get(number));
    codes.map(|code| code.trim()).collect()
}

macro_rules! shapes {
    ($($expression:literal => $make:path,)*) => {
        [$(Shape {
            expression: LazyLock::new(|| Regex::new($expression).expect("an expression")),
            make: $make,
            drafts: !matches!(stringify!($make), "code::to_run" | "code::protected" | "code::commands" | "code::used"),
        },)*]
    };
}

/// What takes a demand back: nothing is forbidden by these words.
static NO_DEMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:do not|don't|does not|doesn't) (?:have|need) to\b|\bno need to\b|\bnot (?:required|necessary)\b|\boptional(?:ly)?\b|\bdo not hesitate\b|\bdon't hesitate\b|\b(?:is|are) (?:fine|allowed|welcome)\b|\?$",
    )
    .expect("an expression")
});

/// Tried in order; the first that makes something of a sentence counts.
static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    Vec::from(shapes! {
        r"(?i)\bconventional[ -]commits?\b" => drafts::conventional,
        r"(?i)\b(?:push|force-push|commit|merge)(?:ing|ed)? (?:directly |straight )?(?:on|to|into) (?:the )?(?<branch>«\d+»|main\b|master\b)" => code::protected,
        r"(?i)\bcommit (?:messages?|subjects?|titles?).{0,30}\b(?:start|begin)s? with (?:a |an |the )?«(?<start>\d+)»" => drafts::subject_start,
        r"(?i)\bcommit (?:messages?|subjects?|titles?|headers?|summar(?:y|ies)).{0,60}(?:at most|no more than|under|below|longer than|exceed|within|to) (?<max>\d+) (?:characters|chars)" => drafts::subject_length,
        r"(?i)\bcommits?\b.{0,60}«(?<trailer>\d+)» (?:line|trailer|footer)" => drafts::trailer,
        r"(?i)\b(?:branch(?:es| names?)?)\b.{0,40}\b(?:start|begin|prefixed)s? with «(?<first>\d+)»" => drafts::branch,
        r"(?i)\b(?:never|must not|must never|should not|do not|don't|may not) (?:commit|check in|track|version)\b[^«]{0,30}«(?<first>\d+)»" => drafts::untracked,
        r"(?i)«(?<first>\d+)»(?:(?:,|,? and|,? or) «\d+»)*(?: files?| folders?| director(?:y|ies))? (?:must not|must never|should never|should not|may not|is never|are never) (?:be )?(?:committed|checked in|tracked)" => drafts::untracked,
        r"(?i)\bonly «(?<who>\d+)» (?:may|can|should|is allowed to|are allowed to) (?:import|use|depend on|touch|know|access|talk to)(?: from)? «(?<what>\d+)»" => imports::only,
        r"(?i)«(?<what>\d+)» (?:must|may|should|can) only be (?:imported|used|accessed)(?: directly)? (?:from|by|in|inside|within) «(?<who>\d+)»" => imports::only,
        r"(?i)«(?<from>\d+)» (?:\w+ )?(?:(?:must|may|should|shall|can|does|do) ?(?:not|never)|cannot|never)(?: ever)? (?:import|depend on|use|know|reference|reach into)(?: anything| code| modules)?(?: directly)?(?: from| of| in)? (?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden_from,
        r"(?i)\b(?:never|do not|don't|must not|must never|should not|avoid|no) import(?:ing|s)? (?:anything |code |modules )?(?:from |of )?(?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*) (?:in|into|inside|within|from) (?:the )?«(?<from>\d+)»" => imports::forbidden,
        r"(?i)\b(?:in|inside|within) «(?<from>\d+)»,? (?:never|do not|don't|must not) import (?:anything |code |modules )?(?:from )?(?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden,
        r"(?i)\b(?:every|each|all)\b(?<kind>[^«]{0,20})«(?<each>\d+)»[^«]{0,30}\b(?:has|have|contains?|needs?|comes? with|gets?|requires?)\b[^«]{0,25}«(?<has>\d+)»" => drafts::companion,
        r"(?i)\b(?:every|each|all) (?:new )?(?<noun>packages?|crates?|apps?|services?|modules?|plugins?|skills?|examples?)\b[^«]{0,20}\b(?:has|have|contains?|needs?|comes? with|gets?|requires?|includes?)\b[^«]{0,25}«(?<has>\d+)»" => drafts::member_has,
        r"(?i)\b(?:when(?:ever)?|if|after) (?:something (?:in|below|under) |you (?:change|edit|touch|modify|update) |changing |editing |modifying )?(?:anything (?:in|under|below) |files? (?:in|under) )?«(?<touches>\d+)»(?: (?:is|are)? ?(?:changed?s?|edited|modified|touched)| changes)?,? [^«]{0,30}\b(?:update|change|touch|add|edit|extend|regenerate)\b[^«]{0,30}«(?<requires>\d+)»" => drafts::together,
        r"(?i)\bchanges? (?:to|in|under|below) «(?<touches>\d+)» (?:must|should|need|require|always)[^«]{0,40}«(?<requires>\d+)»" => drafts::together,
        r"(?i)\b(?:file ?names?|filenames?|files|folders|directories|components|modules|scripts)\b.{0,60}?(?<case>kebab-case|snake_case|camelCase|PascalCase|«\d+»)" => drafts::file_names,
        r"(?i)(?<case>kebab-case|snake_case|camelCase|PascalCase) (?:for |in )?(?:all )?(?:file ?names?|filenames?|files|directories|component files|components)" => drafts::file_names,
        r"(?i)(?:at most|no more than|not exceed|never exceed|no longer than|under|below|up to|longer than|over|more than|maximum(?: of)?|limit(?:ed)? (?:of|to)) (?<max>\d[\d,_]*) (?<unit>lines|bytes|tokens)" => drafts::limit,
        r"(?i)\b(?:sections?|headings?)\b[^«]{0,20}«(?<first>\d+)»" => drafts::sections,
        r"(?i)\b(?:typescript|ts|compiler)\b.{0,30}\bstrict(?: mode| flag)?\b" => drafts::strict,
        r"(?i)\b(?:set|pin|require|enable|keep|leave)s? «(?<key>\d+)»(?: (?:set |enabled |on )?(?:to|at|=|as) «(?<value>\d+)»)?(?: enabled| on| set)? in «(?<file>\d+)»" => drafts::setting,
        r"(?i)«(?<key>\d+)» (?:must|should|has to) (?:always )?(?:be|stay|remain) (?:set (?:to )?)?(?:«(?<value>\d+)»|enabled|set|on) in «(?<file>\d+)»" => drafts::setting,
        r"(?i)\b(?:use|using|prefer|only)\b[^«]{0,15}«?\b(?<good>\d+|pnpm|yarn|npm|bun)»?[^«]{0,25}\b(?:instead of|over|rather than|not|never|do not use|don't use)\b(?: use)? (?<bad>(?:(?:«\d+»|npm|yarn|pnpm|bun)(?:,? or |,? and |, )?)+)" => drafts::package_manager,
        r"(?i)\b(?:use|prefer) (?:the )?(?<good>«\d+»)[^«]{0,40}\b(?:instead of|over|rather than|and not|, not|, never|in favou?r of|in place of)(?: using)? (?<bad>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => code::instead,
        r"(?i)\binstead of (?<bad>«\d+»(?:(?:,|,? and|,? or) «\d+»)*),? (?:always )?use (?<good>«\d+»)" => code::instead,
        r"(?i)\b(?:only )?use «(?<bad>\d+)» only (?:in|inside|within|from) (?<place>(?:the )?«\d+»(?:(?:,|,? and|,? or) «\d+»)*|tests?)" => code::only_in,
        r"(?i)\bonly use «(?<bad>\d+)» (?:in|inside|within|from) (?<place>(?:the )?«\d+»(?:(?:,|,? and|,? or) «\d+»)*|tests?)" => code::only_in,
        r"(?i)\b(?:never|must not|must never|should not|should never|do not|don't|may not|avoid)\b(?: (?:use|call|write|leave|add|have|using|calling|leaving|adding|introduce|import|importing|rely|on|uses? of|calls? (?:of|to)|the|any|new|a|an|with|to|direct|raw|ever|plain|bare))* (?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))?" => code::banned,
        r"(?i)(?:^|[:;,.] )no\b(?: (?:use of|uses of|calls? to|direct|raw|new|more|stray|bare|plain))* (?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))?" => code::banned,
        r"(?i)^(?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))? (?:is|are) (?:strictly )?(?:forbidden|banned|prohibited|not allowed|disallowed)" => code::banned,
        r"(?i)^(?:the (?:use|usage) of )?(?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))? (?:must|should|may) (?:not|never) (?:be used|be called|appear|be added|be left|be imported)" => code::banned,
        r"(?i)\bbranch(?:es| names?)?\b.{0,60}\b(?<case>kebab-case)" => drafts::branch_case,
        r"(?i)^(?:the )?(?<word>[\w-]+)(?: code| layer| modules?| package)? (?:(?:must|may|should|shall|can|do|does) ?(?:not|never)|cannot|never)(?: ever)? (?:import|depend on)(?: anything| code| modules)?(?: directly)?(?: from| of)? (?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden_word,
        r"(?i)\b(?:run|execute|running) (?:the )?«(?<command>\d+)»" => code::to_run,
        r"(?i)\b(?:use|used) «(?<command>\d+)» (?:to (?:run|build|test|format|lint|install|start|generate)|for (?:building|testing|formatting|linting|running))" => code::used,
        r"(?i)\b(?:format\w*|lint\w*|tests?|testing|check\w*|pass\w*|succeeds?|verif\w+|ensure|make sure|before|clippy|build)\b" => code::commands,
    })
});

/// What becomes of a sentence by its shape; `None`: no shape fits.
pub(super) fn read(sentence: &Sentence, ground: &Ground) -> Option<Verdict> {
    if NO_DEMAND.is_match(&sentence.shape) {
        return None;
    }
    SHAPES.iter().find_map(|shape| {
        let groups = shape.expression.captures(&sentence.shape)?;
        match (shape.make)(&Caught { sentence, groups }, ground)? {
            Made::Draft(draft) => Some(Verdict::Draft(*draft)),
            Made::Run(command) => Some(Verdict::Run(command)),
        }
    })
}

/// Whether a shape that a check may come of fits.
pub(super) fn may_draft(sentence: &Sentence) -> bool {
    let fits = |shape: &Shape| shape.drafts && shape.expression.is_match(&sentence.shape);
    !NO_DEMAND.is_match(&sentence.shape) && SHAPES.iter().any(fits)
}
