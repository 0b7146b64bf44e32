//! What people call the things that rules of ours are on.

/// What people call something, and our rules on it with the language that each is for.
pub(super) type Topic = (&'static str, &'static [(&'static str, &'static str)]);

pub(super) const SCRIPT: &str = "javascript";

/// Demands in words that rules of ours make.
pub(super) const TOPICS: &[Topic] = &[
    (
        r"(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)\b.{0,60}\b(?:commit|hard-?cod|check(?:ed)? in|in (?:the )?(?:code|source|repo|git))|(?:commit|hard-?cod\w*|check in|push)\b.{0,40}\b(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)|\b(?:commit|push)\w*\b.{0,12}\b(?:real|live|production) keys?\b|\bnever (?:place|put|store|embed)\b.{0,25}\b(?:credentials?|secrets?|passwords?)\b",
        &[("secrets/", "")],
    ),
    (
        r"commented[- ]out code|code in comments",
        &[
            ("compliance/commented-out-code", SCRIPT),
            ("compliance/python-commented-out-code", "python"),
            ("compliance/go-commented-out-code", "go"),
            ("compliance/java-commented-out-code", "java"),
            ("compliance/rust-commented-out-code", "rust"),
        ],
    ),
    (
        r"\b(?:no|never|not|don't|avoid|without|forbid\w*|remove)\b.{0,30}\b(?:skip|disabl|ignor)(?:ped|ed|ping|ing|e)?\b.{0,12}\b(?:failing |flaky |broken )?tests?\b|\btests?\b.{0,20}\b(?:not|never) be (?:skipped|disabled|ignored)|(?:skip|disabl|ignor)(?:ped|ing|ping|ed) tests? (?:is|are) (?:forbidden|banned|not allowed)",
        &[
            ("compliance/disabled-test", SCRIPT),
            ("compliance/python-disabled-test", "python"),
            ("compliance/go-disabled-test", "go"),
            ("compliance/java-disabled-test", "java"),
            ("compliance/rust-disabled-test", "rust"),
        ],
    ),
    (
        r"\b(?:no|never|leave|commit\w*|remove)\b.{0,25}\bfocuss?ed tests?|\.only\b",
        &[("compliance/focused-test", SCRIPT), ("compliance/ruby-focused-test", "ruby")],
    ),
    (
        r"sleeps?\b.{0,20}\btests?|fixed (?:waits?|sleeps?|delays?)|tests?\b.{0,40}\bsleep",
        &[
            ("compliance/sleeping-test", SCRIPT),
            ("compliance/python-sleeping-test", "python"),
            ("compliance/go-sleeping-test", "go"),
            ("compliance/java-sleeping-test", "java"),
            ("compliance/rust-sleeping-test", "rust"),
        ],
    ),
    (
        r"\bsql\b.{0,60}(?:concatenat|interpolat|string format)|(?:parameteri[sz]ed|prepared) (?:quer|statement)|concatenat\w*.{0,30}\b(?:sql|queries)",
        &[
            ("compliance/sql-concatenation", SCRIPT),
            ("compliance/python-sql-concatenation", "python"),
            ("compliance/go-sql-concatenation", "go"),
            ("compliance/java-sql-concatenation", "java"),
            ("compliance/rust-sql-concatenation", "rust"),
        ],
    ),
    (
        r"empty (?:catch|except)|swallow\w*\b.{0,20}\b(?:errors?|exceptions?)|silently (?:ignore|drop|swallow)",
        &[
            ("compliance/empty-catch", SCRIPT),
            ("compliance/python-empty-except", "python"),
            ("compliance/java-empty-catch", "java"),
            ("compliance/go-ignored-error", "go"),
        ],
    ),
    (r"ignore(?:d|s)? (?:returned )?errors?\b", &[("compliance/go-ignored-error", "go")]),
    (r"bare except|except:", &[("compliance/python-bare-except", "python")]),
    (r"mutable default", &[("compliance/python-mutable-default", "python")]),
    (
        r"\b(?:no|never|avoid|prevent|not|forbid\w*|without)\b.{0,30}(?:(?:circular|cyclic)\b.{0,20}(?:import|dependenc|reference)|import cycles?)|\b(?:imports?|dependenc\w+)\b.{0,40}\bacyclic",
        &[("compliance/import-cycle", "")],
    ),
    (
        r"\bactions?\b.{0,60}\b(?:pin(?:ned|ning|s)?|sha|commit hash)\b|\bpin\b.{0,30}\bactions?\b",
        &[("compliance/unpinned-action", "")],
    ),
    (
        r"\b(?:md5|sha-?1)\b",
        &[
            ("compliance/weak-hash", SCRIPT),
            ("compliance/python-weak-hash", "python"),
            ("compliance/go-weak-hash", "go"),
            ("compliance/java-weak-hash", "java"),
            ("compliance/rust-weak-hash", "rust"),
        ],
    ),
    (
        r"(?:tls|ssl|certificate) (?:verification|validation|checks?)",
        &[
            ("compliance/unverified-tls", SCRIPT),
            ("compliance/python-unverified-tls", "python"),
            ("compliance/go-unverified-tls", "go"),
            ("compliance/java-unverified-tls", "java"),
            ("compliance/rust-unverified-tls", "rust"),
        ],
    ),
    (r"non-null assertion", &[("compliance/non-null-assertion", "typescript")]),
    (
        r"(?:wildcard|star|glob) imports?",
        &[
            ("compliance/wildcard-import", SCRIPT),
            ("compliance/java-wildcard-import", "java"),
            ("compliance/python-star-import", "python"),
        ],
    ),
    (
        r"\b(?:no|avoid|never|not|without)\b.{0,20}(?:\bany-type\b|\bany types?(?: allowed| annotations?)?\s*(?:$|[.,;:(\u{2014}-])|type \bany\b\s*(?:$|[.,;])|explicit any|untyped any)|\b(?:unknown|types?)\b.{0,12}\b(?:over|instead of|rather than) (?:any-type|any(?: types?)?\s*(?:$|[.,;:(\u{2014}-]))",
        &[("compliance/any-type", "typescript")],
    ),
    (
        r"\b(?:literals?|unions?|maps?|objects?)\b.{0,20}\b(?:over|instead of|rather than) (?:typescript )?enums?\b|\benums?\b.{0,30}\b(?:union|const object|not)|(?:no|avoid|never use|don't use|do not use) (?:typescript )?enums\b",
        &[("compliance/enum", "typescript")],
    ),
    (
        r"\balt\b.{0,10}\b(?:text|attributes?)|alternative text",
        &[
            ("compliance/image-without-alt", SCRIPT),
            ("compliance/html-image-without-alt", ""),
            ("compliance/markdown-image-without-alt", ""),
        ],
    ),
    (
        r"select \*",
        &[
            ("compliance/select-star", SCRIPT),
            ("compliance/python-select-star", "python"),
            ("compliance/go-select-star", "go"),
            ("compliance/java-select-star", "java"),
        ],
    ),
    (
        r"\b(?:no|never|avoid|fix|without|must not)\b.{0,30}\b(?:broken|dead) links?|\blinks?\b.{0,30}\bmust (?:work|resolve|not be broken)",
        &[("compliance/broken-link", "")],
    ),
    (
        r"(?:todos?|fixmes?)\b.{0,60}\b(?:issue|ticket|tracker|owner|reference)",
        &[("compliance/untracked-todo", "")],
    ),
    (
        r"lock ?files?\b.{0,40}\bcommit|commit\b.{0,30}\block ?files?",
        &[
            ("compliance/missing-lock-file", SCRIPT),
            ("compliance/python-missing-lock-file", "python"),
            ("compliance/go-missing-lock-file", "go"),
        ],
    ),
    (
        r"(?:es|esm|ecmascript) modules?\b|commonjs|\brequire\(\)",
        &[("compliance/commonjs", SCRIPT)],
    ),
    (
        r"deep nesting|deeply nested (?:code|blocks?|ifs?|logic|conditionals?|conditions?|loops?|statements?|structures?|control)|nesting depth|levels? of nesting",
        &[
            ("compliance/deep-nesting", SCRIPT),
            ("compliance/python-deep-nesting", "python"),
            ("compliance/go-deep-nesting", "go"),
            ("compliance/java-deep-nesting", "java"),
            ("compliance/rust-deep-nesting", "rust"),
        ],
    ),
    (
        r"wildcard (?:versions?|dependenc)",
        &[
            ("compliance/wildcard-dependency", SCRIPT),
            ("compliance/rust-wildcard-dependency", "rust"),
        ],
    ),
    (r"unsafe\b.{0,60}\bsafety\b", &[("compliance/rust-unsafe-without-reason", "rust")]),
    (
        r"public (?:items?|functions?|types?|apis?|structs?|methods?)\b.{0,40}\b(?:doc|documented|rustdoc)|(?:doc comments?|documentation|rustdoc)\b.{0,40}\bpublic",
        &[("compliance/rust-undocumented", "rust")],
    ),
    (r"type (?:hints?|annotations?)\b", &[("compliance/python-untyped-function", "python")]),
    (
        r"(?:index|barrel) files?\b.{0,40}\b(?:re-?export|logic)",
        &[("compliance/logic-in-index", SCRIPT)],
    ),
    (
        r"\bdebug(?:ging)? (?:output|statements?|prints?|logs?|code)|\b(?:no|never|remove|leave)\b.{0,20}\bbreakpoints?\b",
        &[
            ("compliance/debug-output", SCRIPT),
            ("compliance/java-debug-output", "java"),
            ("compliance/python-debug-output", "python"),
            ("compliance/go-debug-output", "go"),
            ("compliance/php-debug-output", "php"),
        ],
    ),
    (
        r"merged migrations?|(?:edit|modify|change)\b.{0,30}\b(?:existing|applied|old|committed|merged) migrations?",
        &[("compliance/edited-migration", "")],
    ),
    (
        r"localstorage\b.{0,40}\btokens?|tokens?\b.{0,40}\blocalstorage",
        &[("compliance/stored-token", SCRIPT)],
    ),
    (
        r"math\.random|insecure random|cryptographic(?:ally)? (?:secure )?random",
        &[
            ("compliance/weak-random", SCRIPT),
            ("compliance/python-weak-random", "python"),
            ("compliance/go-weak-random", "go"),
            ("compliance/java-weak-random", "java"),
        ],
    ),
    (
        r"\b(?:images?|docker\w*|containers?)\b.{0,40}\blatest\b|\blatest\b.{0,15}\b(?:image|docker)\b|:latest\b",
        &[("dockerfile/latest-tag", "")],
    ),
    (r"(?:containers?|docker)\b.{0,40}\broot\b", &[("dockerfile/root-user", "")]),
    (
        r"(?:log|print|logging)\b.{0,30}\b(?:passwords?|tokens?|secrets?|personal data|pii)",
        &[("compliance/logged-secret", SCRIPT), ("compliance/python-logged-secret", "python")],
    ),
    (
        r"\b(?:no|never|avoid|don't|not|over|instead of|rather than)\b.{0,40}\b(?:test-?ids?|data-testid|getbytestid)\b|\bgetbytestid\b.{0,30}\blast resort",
        &[("compliance/test-id-query", SCRIPT)],
    ),
    (
        r"\btests?\b.{0,40}\b(?:without|must (?:have|contain|include)|needs?|at least one)\b.{0,20}\bassert",
        &[
            ("compliance/assertion-free-test", SCRIPT),
            ("compliance/python-assertion-free-test", "python"),
            ("compliance/go-assertion-free-test", "go"),
            ("compliance/java-assertion-free-test", "java"),
            ("compliance/rust-assertion-free-test", "rust"),
        ],
    ),
    (
        r"\bworkflows?\b.{0,40}\bpermissions\b|least[- ]privilege\b.{0,30}\b(?:token|workflow|action)|`?permissions:`?.{0,40}\bworkflow",
        &[("compliance/broad-permissions", "")],
    ),
    (
        r"\bclick\w*\b.{0,20}\bdivs?\b|\bdivs?\b.{0,30}\bon-?click",
        &[("compliance/clickable-div", SCRIPT)],
    ),
    (
        r"\biso[- ]?8601\b.{0,30}\bdocs?|dates?\b.{0,30}\byyyy-mm-dd|yyyy-mm-dd\b.{0,20}\bdates?",
        &[("compliance/date-format", "")],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,30}\bdebug mode\b|\bdebug mode\b.{0,30}\bproduction|\bdebug ?= ?true\b",
        &[("compliance/debug-mode", "")],
    ),
    (
        r"\bevery (?:document|doc|page|markdown file)s?\b.{0,30}\b(?:title|h1)\b",
        &[("compliance/document-header", "")],
    ),
    (
        r"\bskip\w* heading levels?|heading levels?\b.{0,20}\b(?:skip|jump)",
        &[("compliance/heading-jump", "")],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,12}\beval\b",
        &[("compliance/eval", SCRIPT), ("compliance/python-eval", "python")],
    ),
    (
        r"\bfloats?\b.{0,30}\b(?:money|monetary|currency|prices?|amounts?)|(?:money|monetary|currency|prices?)\b.{0,40}\b(?:floats?|floating|integer cents|decimal)",
        &[("compliance/float-money", "")],
    ),
    (
        r"\bcontext(?:\.context)?\b.{0,30}\bfirst (?:parameter|argument|param|arg)\b|first (?:parameter|argument|param)\b.{0,20}\bcontext",
        &[("compliance/go-context-position", "go")],
    ),
    (
        r"\berror (?:strings?|messages?)\b.{0,40}\b(?:lower[- ]?case|capital|punctuation)",
        &[("compliance/go-error-string", "go")],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,15}\binit(?:\(\))?(?: functions?)?(?:$|[ .,;])",
        &[("compliance/go-init", "go")],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,15}\bpanic(?:s|king|\(\))?\b",
        &[("compliance/go-panic", "go")],
    ),
    (
        r"\bwrap\w*\b.{0,15}\berrors?\b|\berrors?\b.{0,20}\bwrapped\b|%w\b",
        &[("compliance/go-unwrapped-error", "go")],
    ),
    (r"\bdot imports?\b", &[("compliance/go-dot-import", "go")]),
    (
        r"\bhandlers?\b.{0,30}\b(?:named|prefix\w*|called|start\w*)\b.{0,20}\bhandle",
        &[("compliance/handler-name", SCRIPT)],
    ),
    (
        r"hard-?cod\w*\b.{0,20}\b(?:strings?|text|copy|labels?)\b|user-(?:facing|visible) (?:strings?|text|copy)\b.{0,40}\b(?:translat\w+|i18n|locali[sz]\w+|catalog\w*)",
        &[("compliance/hard-coded-string", SCRIPT)],
    ),
    (
        r"hard-?cod\w*\b.{0,20}\b(?:colou?rs?|hex)\b|(?:hex|raw|literal) colou?rs?\b|\bdesign tokens?\b",
        &[("compliance/hard-coded-style", "")],
    ),
    (
        r"\b(?:group|order|sort)(?:ed|ing)? (?:the |your |all )?imports?\b|\bimports?\b.{0,30}\b(?:grouped|ordered|sorted)\b|\bimport order",
        &[("compliance/import-order", SCRIPT)],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,10}\bmutat\w+\b.{0,20}\barrays?\b",
        &[("compliance/in-place-sort", SCRIPT)],
    ),
    (
        r"\bhttponly\b|\bsecure cookies?\b|\bcookies?\b.{0,30}\bsamesite",
        &[("compliance/insecure-cookie", SCRIPT), ("compliance/python-insecure-cookie", "python")],
    ),
    (
        r"\bconstructor injection\b|\bfield injection\b|@autowired",
        &[("compliance/java-field-injection", "java")],
    ),
    (
        r"\b(?:clean ?up|unsubscribe|remove)\b.{0,40}\b(?:effects?|listeners?|subscriptions?|timers?)\b|useeffect\b.{0,40}\bclean",
        &[("compliance/leaking-effect", SCRIPT)],
    ),
    (
        r"strict equality|triple equals|\bloose equality|=== ?(?:instead|over|not|rather|and not)|always use ===",
        &[("compliance/loose-equality", SCRIPT)],
    ),
    (
        r"(?:more than|at most|max(?:imum)?(?: of)?|no more than|up to|over|limit\w*(?: to)?) (?:\d|three|four|five) (?:function )?(?:parameters|arguments|params|args)\b",
        &[("compliance/many-parameters", SCRIPT), ("compliance/python-many-parameters", "python")],
    ),
    (
        r"\bone component (?:per|in a) file|\bcomponents? per file\b|single component per",
        &[("compliance/many-components", SCRIPT)],
    ),
    (
        r"\b(?:delete|update)\b.{0,25}\bwithout\b.{0,10}\bwhere\b",
        &[("compliance/missing-where", "")],
    ),
    (
        r"\badrs?\b.{0,50}\b(?:status|context|decision|consequences)\b",
        &[("compliance/missing-section", "")],
    ),
    (r"\badrs?\b.{0,30}\bnumber", &[("compliance/adr-number", "")]),
    (
        r"timezone[- ]aware|naive (?:datetimes?|dates?|times?)|\butcnow\b",
        &[("compliance/python-naive-time", "python")],
    ),
    (
        r"\bcors\b.{0,40}(?:\*|wildcard|any origin|all origins)|(?:wildcard|all) origins?\b.{0,20}\bcors",
        &[("compliance/open-cors", SCRIPT), ("compliance/python-open-cors", "python")],
    ),
    (
        r"\bfocus (?:ring|outline|indicator|styles?)s?\b|outline: ?(?:none|0)\b",
        &[("compliance/outline-removed", "")],
    ),
    (
        r"curl\b.{0,30}\|\s*(?:ba|z)?sh\b|pip\w* (?:curl|install scripts?) .{0,15}\bshell",
        &[("compliance/piped-install", "")],
    ),
    (
        r"\bpositive tab-?ind\w+|tabindex\b.{0,25}\b(?:greater|positive|above)",
        &[("compliance/positive-tabindex", "")],
    ),
    (
        r"\bbooleans?\b.{0,50}\b(?:is|has|should|can)(?:[A-Z*]|\b.{0,6}\b(?:has|should|can|prefix))",
        &[("compliance/predicate-name", SCRIPT)],
    ),
    (r"\bprivileged (?:containers?|mode|pods?)", &[("compliance/privileged-container", "")]),
    (
        r"\bassert\b.{0,40}\b(?:production|runtime|validation)|(?:production|runtime)\b.{0,25}\bassert",
        &[("compliance/python-assert", "python")],
    ),
    (
        r"\b(?:always|every|all|each|must|set|explicit)\b.{0,40}\btimeouts?\b.{0,30}\b(?:requests?|http)\b|\b(?:every|all|each)\b.{0,20}\b(?:requests?|http calls?)\b.{0,30}\btimeouts?\b",
        &[("compliance/python-missing-timeout", "python")],
    ),
    (
        r"== none|\bis none\b.{0,20}\b(?:instead|not|over|rather)",
        &[("compliance/python-none-comparison", "python")],
    ),
    (
        r"(?:\b(?:no|never|avoid|don\'t|do not|without|not use)\b|saniti[sz]\w+).{0,40}(?:dangerouslysetinnerhtml|\binnerhtml\b|\bv-html\b|\braw html\b)|(?:dangerouslysetinnerhtml|\binnerhtml\b|\bv-html\b).{0,40}\b(?:saniti[sz]\w+|forbidden|banned)",
        &[("compliance/raw-html", SCRIPT)],
    ),
    (
        r"\bretry\w*\b.{0,15}\b(?:flaky|failing) tests?|flaky tests?\b.{0,25}\bretr",
        &[("compliance/retried-test", SCRIPT), ("compliance/python-retried-test", "python")],
    ),
    (
        r"#!?\[allow.{0,80}\b(?:reason|justif|comment|explain)",
        &[("compliance/rust-allow-without-reason", "rust")],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,20}\bunwraps?\b",
        &[("compliance/rust-unwrap", "rust")],
    ),
    (
        r"\b(?:temp|temporary|scratch|backup|debug) (?:files?|scripts?)\b.{0,30}\b(?:commit|repo|root|checked in)|(?:commit|leave)\w*\b.{0,25}\b(?:temp|temporary|scratch|backup) (?:files?|scripts?)",
        &[("compliance/scratch-file", "")],
    ),
    (r"\bset -e(?:u\w*)?\b|\bpipefail\b", &[("compliance/shell-unsafe-mode", "")]),
    (
        r"\b(?:build|generated) (?:output|outputs|artifacts?)\b.{0,30}\bcommit|commit\w*\b.{0,25}\b(?:build|generated) (?:output|outputs|artifacts?)|commit\w*\b.{0,15}\bnode_modules",
        &[("repository/tracked-output", "")],
    ),
    (
        r"\bcode (?:blocks?|fences?)\b.{0,40}\blanguage\b|\blanguage\b.{0,25}\bcode (?:blocks?|fences?)\b|fenced code\b.{0,30}\blanguage",
        &[("compliance/unnamed-code-block", "")],
    ),
    (
        r"\baria-?labels?\b|accessible names?|icon(?:-only)? buttons?\b.{0,30}\blabel",
        &[("compliance/unnamed-control", SCRIPT)],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,30}(?:\bpickle\b|\byaml\.load\b)|deseriali[sz]\w+\b.{0,20}\buntrusted|untrusted\b.{0,20}\bdeseriali",
        &[
            ("compliance/unsafe-deserialisation", ""),
            ("compliance/java-unsafe-deserialisation", "java"),
            ("compliance/php-unsafe-deserialisation", "php"),
        ],
    ),
    (
        r"\bbcrypt\b.{0,30}\b(?:cost|rounds?|salt)",
        &[
            ("compliance/weak-password-cost", SCRIPT),
            ("compliance/python-weak-password-cost", "python"),
        ],
    ),
    (
        r"\bimport\w*\b.{0,20}\b(?:entire|whole|full) (?:library|lodash|package)\b|import\w* (?:all of|everything from) ",
        &[("compliance/whole-library-import", SCRIPT)],
    ),
    (
        r"\btest files?\b.{0,30}(?:\.test\b|\.spec\b|\bnamed\b.{0,12}\.test)",
        &[("compliance/test-file-name", SCRIPT)],
    ),
    (
        r"snake_case\b.{0,15}\b(?:variables|functions|methods)|\b(?:variables|functions|methods)\b.{0,25}\bsnake_case",
        &[("compliance/python-name-case", "python")],
    ),
    (
        r"camelcase\b.{0,15}\b(?:variables|functions|function|methods)|\b(?:variables|functions)\b.{0,25}\bcamelcase|pascalcase\b.{0,15}\b(?:types|classes|interfaces)|\b(?:types|classes|interfaces)\b.{0,20}\bpascalcase",
        &[("compliance/identifier-case", SCRIPT)],
    ),
    (
        r"\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,30}\b(?:absolute|home|machine-specific|user-specific|local machine) (?:file ?)?paths?\b",
        &[("compliance/home-path", "")],
    ),
    (
        r"\bverbs?\b.{0,20}\b(?:urls?|paths?|endpoints?|routes?)\b|(?:urls?|endpoints?|routes?)\b.{0,30}\b(?:no|without) verbs?|nouns?\b.{0,10}not verbs?",
        &[("compliance/api-path", SCRIPT)],
    ),
    (
        r"\b(?:has|have|needs?|include|add|with) an? table of contents\b",
        &[("compliance/missing-contents", "")],
    ),
    (
        r"\bhealth ?checks?\b.{0,20}\b(?:docker|container|image)|(?:docker|container|image)\w*\b.{0,30}\bhealth ?check",
        &[("dockerfile/no-healthcheck", "")],
    ),
    (
        r"\b(?:var)\b (?:declarations?|keyword)|\b(?:no|never|avoid|don\'t|do not|without|not use)\b.{0,8}\bvar\b",
        &[("compliance/var-declaration", SCRIPT)],
    ),
    (r"pascalcase file|kebab-case (?:for )?scripts?", &[("compliance/script-file-name", "")]),
    (
        r"\b(?:shell|command) injection|shell ?= ?true|\bos\.system\b",
        &[
            ("compliance/shell-concatenation", SCRIPT),
            ("compliance/python-shell-concatenation", "python"),
            ("compliance/go-shell-concatenation", "go"),
            ("compliance/java-shell-concatenation", "java"),
        ],
    ),
    (
        r"\b(?:reversible|down|rollback) migrations?|migrations?\b.{0,30}\b(?:reversible|rollback|downgrade|down\b)",
        &[
            ("compliance/irreversible-migration", ""),
            ("compliance/script-irreversible-migration", SCRIPT),
        ],
    ),
    (
        r"\bbranch(?:es| names?)?\b.{0,40}\b(?:feature|feat|fix|bugfix|chore)/",
        &[("compliance/branch-name", "")],
    ),
];
