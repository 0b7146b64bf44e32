//! The shapes of sentences that a check can be made of, the surest first.

use super::code;
use super::commits;
use super::drafts;
use super::hedges::{is_soft, takes_back};
use super::imports;
use super::marks;
use super::swap;
use super::words;
use super::{Draft, Ground, Sentence, Trust, Verdict};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// A shape: an expression on [`Sentence::shape`], and what is made of what it caught.
struct Shape {
    expression: LazyLock<Regex>,
    make: fn(&Caught<'_>, &Ground) -> Option<Made>,
    /// Whether a check may come of it.
    drafts: bool,
    /// Whether that can be told without the project.
    is_plain: bool,
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

    /// All that was caught.
    pub(super) fn all(&self) -> &'a str {
        self.groups.get(0).map_or("", |found| found.as_str())
    }

    /// The words before what was caught.
    pub(super) fn before(&self) -> &'a str {
        let start = self.groups.get(0).map_or(0, |found| found.start());
        &self.sentence.english[..start]
    }

    /// The words after what was caught, up to where another thought begins.
    pub(super) fn after(&self) -> &'a str {
        let end = self.groups.get(0).map_or(0, |found| found.end());
        self.sentence.english[end..].split(';').next().unwrap_or_default()
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
            is_plain: stringify!($make).starts_with("commits::") && stringify!($make) != "commits::together",
        },)*]
    };
}

/// Tried in order; the first that makes something of a sentence counts.
static SHAPES: LazyLock<Vec<Shape>> = LazyLock::new(|| {
    Vec::from(shapes! {
        r"(?i)\bconventional[ -]commits?\b" => commits::conventional,
        r"(?i)\bcommit messages? (?:must be |should be |are )?(?:always )?(?:written )?in (?<language>korean|english|japanese|chinese)\b" => commits::language,
        r"(?i)\b(?:no|never|not|without|avoid|don't)\b[^.]{0,30}\b(?<who>ai|claude|copilot|agent|llm|bot)s?\b[^.]{0,12}\bco-?author\w*" => commits::no_machine,
        r"(?i)\b(?:format|messages?|titles?|commits?)\b[^«]{0,40}«(?<form>\d+)»" => commits::form,
        r"(?i)\b(?:push|force-push|commit|merge)(?:ing|ed)? (?:directly |straight )?(?:on|to|into) (?:the )?(?<branch>«\d+»|main\b|master\b)" => code::protected,
        r"(?i)\bcommit (?:messages?|subjects?|titles?).{0,30}\b(?:start|begin)s? with (?:a |an |the )?«(?<start>\d+)»" => commits::subject_start,
        r"(?i)\bcommit (?:messages?|subjects?|titles?|headers?|summar(?:y|ies)).{0,60}(?:at most|no more than|under|below|longer than|exceed|within|to) (?<max>\d+) (?:characters|chars)" => commits::subject_length,
        r"(?i)\b(?:header|subject|title|summary|first line)s?\b.{0,40}?(?<max>\d+) (?:characters|chars)" => commits::subject_length_here,
        r"(?i)\b(?:header|subject|title|summary|first line|description)s?\b.{0,40}\b(?:lower ?-?case)" => commits::subject_case,
        r"(?i)\b(?:not|no|never|without|don't)\b.{0,25}\b(?:period|full stop|dot)\b" => commits::subject_end,
        r"(?i)\bcommits?\b.{0,60}«(?<trailer>\d+)» (?:line|trailer|footer)" => commits::trailer,
        r"(?i)\b(?:branch(?:es| names?)?)\b.{0,40}\b(?:start|begin|prefixed)s? with «(?<first>\d+)»" => commits::branch,
        r"(?i)\b(?:never|must not|must never|should not|do not|don't|may not) (?:commit|check in|track|version)\b[^«]{0,30}«(?<first>\d+)»" => drafts::untracked,
        r"(?i)«(?<first>\d+)»(?:(?:,|,? and|,? or) «\d+»)*(?: files?| folders?| director(?:y|ies))? (?:must not|must never|should never|should not|may not|is never|are never) (?:be )?(?:committed|checked in|tracked)" => drafts::untracked,
        r"(?i)«(?<trailer>\d+)» (?:line|trailer|footer)\b.{0,30}\bcommit" => commits::trailer,
        r"(?i)\bonly «(?<who>\d+)» (?:may|can|should|is allowed to|are allowed to) (?:import|use|depend on|touch|know|access|talk to)(?: from)? «(?<what>\d+)»" => imports::only,
        r"(?i)«(?<what>\d+)» (?:must|may|should|can) only be (?:imported|used|accessed)(?: directly)? (?:from|by|in|inside|within) «(?<who>\d+)»" => imports::only,
        r"(?i)«(?<from>\d+)» (?:\w+ )?(?:(?:must|may|should|shall|can|does|do) ?(?:not|never)|cannot|never)(?: ever)? (?:import|depend on|use|know|reference|reach into)(?: anything| code| modules)?(?: directly)?(?: from| of| in)? (?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden_from,
        r"(?i)\b(?:never|do not|don't|must not|must never|should not|avoid|no) import(?:ing|s)? (?:anything |code |modules )?(?:from |of )?(?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*) (?:in|into|inside|within|from) (?:the )?«(?<from>\d+)»" => imports::forbidden,
        r"(?i)\b(?:in|inside|within) «(?<from>\d+)»,? (?:never|do not|don't|must not) import (?:anything |code |modules )?(?:from )?(?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden,
        r"(?i)\b(?:every|each|all)\b(?<kind>[^«]{0,20})«(?<each>\d+)»[^«]{0,30}\b(?:has|have|contains?|needs?|comes? with|gets?|requires?)\b[^«]{0,25}«(?<has>\d+)»" => drafts::companion,
        r"(?i)\b(?:every|each|all) (?:new )?(?<noun>packages?|crates?|apps?|services?|modules?|plugins?|skills?|examples?)\b[^«]{0,20}\b(?:has|have|contains?|needs?|comes? with|gets?|requires?|includes?)\b[^«]{0,25}«(?<has>\d+)»" => drafts::member_has,
        r"(?i)\b(?:when(?:ever)?|if|after) (?:something (?:in|below|under) |you (?:change|edit|touch|modify|update) |changing |editing |modifying )?(?:anything (?:in|under|below) |files? (?:in|under) )?«(?<touches>\d+)»(?: (?:is|are)? ?(?:changed?s?|edited|modified|touched)| changes)?,? [^«]{0,30}\b(?:update|change|touch|add|edit|extend|regenerate)\b[^«]{0,30}«(?<requires>\d+)»" => commits::together,
        r"(?i)\bchanges? (?:to|in|under|below) «(?<touches>\d+)» (?:must|should|need|require|always)[^«]{0,40}«(?<requires>\d+)»" => commits::together,
        r"(?i)\b(?:file ?names?|filenames?|files|folders?|director(?:y|ies)|components|modules|scripts)\b.{0,60}?(?<case>kebab-case|snake_case|camelCase|PascalCase|«\d+»)" => drafts::file_names,
        r"(?i)(?<case>kebab-case|snake_case|camelCase|PascalCase) (?:for |in )?(?:all )?(?:file ?names?|filenames?|files?|folders?|director(?:y|ies)|component files|components)\b" => drafts::file_names,
        r"(?i)(?:at most|no more than|not exceed|never exceed|no longer than|under|below|up to|longer than|over|more than|maximum(?: of)?|limit(?:ed)? (?:of|to)) (?<max>\d[\d,_]*) (?<unit>lines|bytes|tokens)" => drafts::limit,
        r"(?i)\blines?\b.{0,40}?\b(?:at most|no more than|exceed(?:ing)?|longer than|beyond|under|below|over|within|limit(?:ed)?(?: of| to)?|max(?:imum)?(?: of)?|to|than) (?<max>\d{2,3}) (?:characters?|chars?|columns?|cols?)" => drafts::line_length,
        r"(?i)\b(?:line (?:length|width)|column limit)\b.{0,25}?(?<max>\d{2,3})\b" => drafts::line_length,
        r"(?i)\b(?:sections?|headings?)\b[^«]{0,20}«(?<first>\d+)»" => drafts::sections,
        r"«\d+»" => words::compiler_option,
        r"(?i)\b(?:typescript|ts|compiler)\b.{0,30}\bstrict(?: mode| flag)?\b|^strict mode\b" => drafts::strict,
        r"(?i)\b(?:set|pin|require|enable|keep|leave)s? «(?<key>\d+)»(?: (?:set |enabled |on )?(?:to|at|=|as) «(?<value>\d+)»)?(?: enabled| on| set)? in «(?<file>\d+)»" => drafts::setting,
        r"(?i)«(?<key>\d+)» (?:must|should|has to) (?:always )?(?:be|stay|remain) (?:set (?:to )?)?(?:«(?<value>\d+)»|enabled|set|on) in «(?<file>\d+)»" => drafts::setting,
        r"(?i)\b(?:use|using|prefer|only)\b[^«]{0,15}«?\b(?<good>\d+|pnpm|yarn|npm|bun|uv|poetry)»?[^«]{0,25}\b(?:instead of|over|rather than|not|never|do not use|don't use)\b(?: use)? (?<bad>(?:(?:«\d+»|npm|yarn|pnpm|bun|pip\b|poetry)(?:,? or |,? and |, |/)?)+)" => drafts::package_manager,
        r"(?i)\b(?:use|uses|using|with)\b[^«.]{0,12}«?\b(?<good>\d+|pnpm|yarn|npm|bun|uv|poetry)»?[^«.]{0,12}\b(?:as|for)\b[^«.]{0,20}\bpackage (?:manager|management|installation)" => drafts::one_manager,
        r"(?i)\bpackage manager\b[^«.]{0,15}«?\b(?<good>\d+|pnpm|yarn|npm|bun|uv|poetry)»?" => drafts::one_manager,
        r"(?i)\b(?:say|write|spell)\b[^«]{0,20}«(?<good>\d+)»[^«]{0,20}\b(?:instead of|over|rather than|not|never)\b[^«]{0,10}«(?<bad>\d+)»" => swap::wording,
        r#"(?i)\b(?:use|say|write|spell|prefer)\b[^"“«]{0,30}["“](?<good>[^"”“]{2,40})["”][^"“«]{0,20}\b(?:instead of|over|rather than|not|never)\b[^"“«]{0,10}["“](?<bad>[^"”“]{2,40})["”]"# => swap::wording,
        r"(?i)\b(?:use|prefer) (?:the )?(?<good>«\d+»)[^«]{0,40}\b(?:instead of|over|rather than|and not|not|never|in favou?r of|in place of)(?: (?:using|raw|the|direct|plain|bare|a|an))* (?<bad>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => swap::instead,
        r"(?i)\binstead of (?<bad>«\d+»(?:(?:,|,? and|,? or) «\d+»)*),? (?:always )?use (?<good>«\d+»)" => swap::instead,
        r"(?i)\b(?:only )?use «(?<bad>\d+)» only (?:in|inside|within|from) (?<place>(?:the )?«\d+»(?:(?:,|,? and|,? or) «\d+»)*|tests?)" => code::only_in,
        r"(?i)\bonly use «(?<bad>\d+)» (?:in|inside|within|from) (?<place>(?:the )?«\d+»(?:(?:,|,? and|,? or) «\d+»)*|tests?)" => code::only_in,
        r"(?i)\b(?:never|must not|must never|should not|should never|do not|don't|may not|avoid)\b(?: (?:use|call|write|leave|add|have|read|access|using|calling|leaving|adding|reading|accessing|introduce|import|importing|rely|on|uses? of|calls? (?:of|to)|the|any|new|a|an|with|to|direct|raw|ever|plain|bare|cjs|commonjs|next\.js|react|node\.js|node|vue|native|global|built-in|browser))* (?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))?" => code::banned,
        r"(?i)(?:^|[:;,.] )no\b(?: (?:use of|uses of|calls? to|direct|raw|new|more|stray|bare|plain))* (?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))?" => code::banned,
        r"(?i)^(?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))? (?:is|are) (?:strictly )?(?:forbidden|banned|prohibited|not allowed|disallowed)" => code::banned,
        r"(?i)^(?:the (?:use|usage) of )?(?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)(?: (?:statements?|calls?|comments?|macros?|types?|imports?|functions?|methods?|hooks?|blocks?|keywords?|usages?|directives?|attributes?))? (?:must|should|may) (?:not|never) (?:be used|be called|appear|be added|be left|be imported)" => code::banned,
        r"(?i)\b(?:never|do not|don't|must not|avoid|no)\b(?: (?:create|creating|add|adding|reintroduce|re-add|introduce|generate|use|have|a|an|any|new|the|more))* (?<first>«\d+»)(?: (?:files?|folders?|director(?:y|ies)))?(?: (?:anywhere|here|again|in the repo(?:sitory)?))?(?:$|[.,;:(]| [—–-]| because| since)" => drafts::no_file,
        r"(?i)\b(?:never|do not|don't|must not|avoid|no|remove)\b[^.«]{0,25}\b(?<what>print(?:\(\))? statements?|print calls?|console logs?|console logging|console statements?|debugger statements?|default exports?|inline styles?|inline css|ternar(?:y|ies)(?: operators?)?)\b" => marks::named,
        r"(?i)\bnamed exports?\b(?: \([^()]*\))?,? (?:over|instead of|rather than|not|never)(?: (?:use|using))? default exports?\b" => marks::named_exports,
        r"(?i)\b(?:use|prefer|favou?r)(?: using)? named exports?\b(?: \([^()]*\))?" => marks::named_exports,
        r"(?i)\b(?:no|never|avoid)(?: (?:use|using|write|writing|any|the|es6|javascript))* (?<what>class(?: components?| syntax|es))(?:$|[^-\w ]| (?:[—–-]|in|unless|except|and|or|components?|when|if|without|where|for)(?: |$))" => words::classes,
        r"(?i)\b(?:use|only|prefer|write|favou?r)\b[^«.,;]{0,12}\bfunction(?:al)? components?\b|\bfunction(?:al)? components? (?:only|exclusively)\b" => words::function_components,
        r"(?i)\btypes?(?: aliases| declarations)? (?:over|instead of|rather than) interfaces?\b" => words::types,
        r"(?i)\binterfaces? (?:over|instead of|rather than) types?(?: aliases)?\b" => words::interfaces,
        r"(?i)\b(?:always|must|require|never (?:omit|skip|leave out)|never missing)\b[^.;]{0,50}\bcurly braces?\b|\bcurly braces? (?:are )?(?:always|required)\b" => words::braces,
        r"(?i)\b(?<what>named exports?) only\b|\b(?:only|always) (?:use )?(?<what2>named exports?)\b" => marks::named_exports,
        r"(?i)\b(?:instead of|over|rather than|not|never|no|avoid)\b[^.«]{0,20}\b(?:parent |deep |deeply nested )?relative (?:imports?|paths? (?:in|for|when) import\w*|import paths?|paths?)\b" => marks::relative_import,
        r"(?i)\b(?:no|never|avoid|do not|don't|without)\b[^.«]{0,30}\b(?<what>emojis?|em[- ]dash(?:es)?)\b" => marks::signs,
        r"(?i)\b(?:never|do not|don't|must not|avoid|no)\b(?: (?:use|add|any|new|the|more))* «(?<attribute>\d+)» attributes?\b" => marks::attribute,
        r"(?i)\bimports?\b.{0,30}\b(?:at|on) (?:the )?(?:module |file )?(?:top|top[- ]level)\b|\b(?:never|no|avoid|don't|do not)\b.{0,20}\b(?:inline|local|function-level|lazy|deferred|nested) imports?\b|\b(?:never|avoid|don't|do not)\b.{0,12}\bimport\w*\b.{0,20}\b(?:inside|in|within) (?:a |the )?(?:functions?|methods?)\b" => marks::inline_import,
        r"(?i)\b(?:never|do not|don't|must not) call «(?<call>\d+)» without (?:passing |setting |giving |an? |the |explicit )*(?<keywords>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => marks::keywords,
        r"(?i)\b(?:never|do not|don't|must not|avoid)\b (?:suppress|silence|disabl|ignor)\w*\b[^«]{0,40}(?<bad>«\d+»(?:(?:, and|, or|,| and| or|/) «\d+»)*)" => marks::suppressed,
        r"(?i)\balways (?:pass|set|specify|give|provide|use) (?:an? |the |explicit )*«(?<keyword>\d+)»[^«]{0,30}\b(?:to|in|on|for|when calling|with)\b[^«]{0,20}«(?<call>\d+)»" => marks::keyword,
        r"(?i)\b(?:every|each|all) (?:new )?(?<noun>packages?|crates?|apps?|services?|modules?|plugins?|skills?|examples?)\b[^«]{0,20}\b(?:has|have|contains?|needs?|requires?|includes?)\b[^«]{0,12}\b(?<file>readme|changelog|license)\b" => drafts::member_file,
        r"(?i)\bbranch(?:es| names?)?\b.{0,60}\b(?<case>kebab-case)" => commits::branch_case,
        r"(?i)^(?:the )?(?<word>[\w-]+)(?: code| layer| modules?| package)? (?:(?:must|may|should|shall|can|do|does) ?(?:not|never)|cannot|never)(?: ever)? (?:import|depend on)(?: anything| code| modules)?(?: directly)?(?: from| of)? (?<to>«\d+»(?:(?:,|,? and|,? or) «\d+»)*)" => imports::forbidden_word,
        r"(?i)\b(?:run|execute|running) (?:the )?«(?<command>\d+)»" => code::to_run,
        r"(?i)\b(?:use|used) «(?<command>\d+)» (?:to (?:run|build|test|format|lint|install|start|generate)|for (?:building|testing|formatting|linting|running))" => code::used,
        r"(?i)\b(?:format\w*|lint\w*|tests?|testing|check\w*|pass\w*|succeeds?|verif\w+|ensure|make sure|before|clippy|build)\b" => code::commands,
    })
});

/// What becomes of a sentence by its shape; `None`: no shape fits.
pub(super) fn read(sentence: &Sentence, ground: &Ground) -> Option<Verdict> {
    if takes_back(&sentence.english) || takes_back(&sentence.shape) {
        return None;
    }
    let is_soft = is_soft(&sentence.english) || is_soft(&sentence.shape);
    SHAPES.iter().find_map(|shape| {
        let groups = shape.expression.captures(&sentence.english)?;
        match (shape.make)(&Caught { sentence, groups }, ground)? {
            Made::Draft(mut draft) => {
                if is_soft {
                    draft.trust = draft.trust.min(Trust::Medium);
                }
                Some(Verdict::Draft(*draft))
            }
            Made::Run(command) => Some(Verdict::Run(command)),
        }
    })
}

/// Whether a shape that a check may come of fits.
pub(super) fn may_draft(sentence: &Sentence) -> bool {
    let fits = |shape: &Shape| {
        let Some(groups) = shape.expression.captures(&sentence.english) else { return false };
        let caught = Caught { sentence, groups };
        shape.drafts && (!shape.is_plain || (shape.make)(&caught, &Ground::default()).is_some())
    };
    !takes_back(&sentence.english) && !takes_back(&sentence.shape) && SHAPES.iter().any(fits)
}
