//! A table of the forms that lines of error output can have: patterns for errors and their stack
//! frames.
//!
//! Every pattern is matched against one line of bounded length by an engine without backtracking,
//! so that reading takes linear time.

use regex::Regex;
use std::sync::LazyLock;

/// The meaning of a line that matches a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The error: `kind` and `message`, and a location if the form contains a location.
    Headline,
    /// An error that caused the preceding error.
    Cause,
    /// An error whose cause, if any, has the same form and follows its frames.
    Chained,
    /// A message that is used only if no other line is an error: a warning or a summary.
    Fallback,
    /// The message of the preceding error, if its own line does not contain one.
    Detail,
    /// The next line contains the message.
    BeforeMessage,
    /// The file of the following errors, whose lines contain only the position.
    File,
    /// The preceding error caused the following error.
    Chain,
    /// The following error occurred while the preceding one was handled.
    Context,
    /// A location, with the function if the form contains a function.
    Frame,
    /// The innermost location of the preceding error.
    Innermost,
    /// A function whose location is on the next line.
    Function,
    /// The location of the function on the previous line.
    Location,
    /// Part of a trace without useful information.
    Noise,
}

/// A form of line in error output: a pattern, and the meaning of the lines that match it.
pub(super) struct Form {
    pub(super) language: &'static str,
    pub(super) role: Role,
    /// A string that every line of the form contains.
    hint: &'static str,
    pattern: &'static str,
}

/// A form with its pattern compiled to a regular expression.
pub(super) struct CompiledForm {
    pub(super) form: &'static Form,
    pub(super) regex: Regex,
}

impl CompiledForm {
    /// Whether a line can match the pattern; this test is cheap.
    pub(super) fn can_match(&self, line: &str) -> bool {
        line.contains(self.form.hint)
    }
}

/// The compiled forms. A malformed pattern would be omitted; a test checks that all are valid.
pub(super) static COMPILED_FORMS: LazyLock<Vec<CompiledForm>> = LazyLock::new(|| {
    let compile = |form| Some(CompiledForm { form, regex: Regex::new(form.pattern).ok()? });
    FORMS.iter().filter_map(compile).collect()
});

const fn form(
    language: &'static str,
    role: Role,
    hint: &'static str,
    pattern: &'static str,
) -> Form {
    Form { language, role, hint, pattern }
}

/// The first matching form is used, so specific forms precede general forms.
#[rustfmt::skip]
pub(super) const FORMS: &[Form] = &[
    // Rust: panics, backtraces, error chains of anyhow, compiler errors.
    form("rust", Role::Headline, "panicked at '", r"panicked at '(?P<message>.*)', (?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+)$"),
    form("rust", Role::BeforeMessage, "panicked at ", r"panicked at (?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+):?$"),
    form("rust", Role::Headline, "error", r"^error(?:\[(?P<kind>E[0-9]+)\])?: (?P<message>.*)$"),
    form("rust", Role::Location, "--> ", r"^\s*--> +(?P<file>.+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    form("rust", Role::Noise, "note: run with `RUST_BACKTRACE", r"^note: run with"),
    form("rust", Role::Noise, "stack backtrace:", r"^stack backtrace:$"),
    // Python: tracebacks, including those of exception groups and of pytest.
    form("python", Role::Frame, "File \"", r#"^[\s|+-]*File "(?P<file>[^"]+)", line (?P<line>[0-9]+)(?:, in (?P<function>.+))?$"#),
    form("python", Role::BeforeMessage, "Traceback (most recent call last)", r"Traceback \(most recent call last\):?$"),
    form("python", Role::Context, "another exception occurred", r"^[\s|]*During handling of the above exception, another exception occurred:"),
    form("python", Role::Chain, "direct cause of", r"^[\s|]*The above exception was the direct cause of the following exception:"),
    form("python", Role::Headline, "E  ", r"^E\s{2,}(?P<kind>(?:\w+\.)*\w*(?:Error|Exception|Failed|Warning)): (?P<message>.*)$"),
    form("python", Role::Headline, "E  ", r"^E\s{2,}(?P<message>(?:assert|Failed:|fixture) .*)$"),
    form("python", Role::Innermost, ".py:", r"^(?P<file>[^:\s]+\.py):(?P<line>[0-9]+): (?:[\w.]*(?:Error|Exception|Exit|Interrupt)|Failed)$"),
    form("python", Role::Frame, ".py:", r"^(?P<file>[^:\s]+\.py):(?P<line>[0-9]+):(?: in (?P<function>\S+))?$"),
    form("python", Role::Frame, "file ", r"^file (?P<file>\S+\.py), line (?P<line>[0-9]+)$"),
    form("python", Role::Headline, ": (", r"^(?:\?|[\w.]+): \((?P<kind>\w+\.E[0-9]+)\) (?P<message>.*)$"),
    form("python", Role::Fallback, "SystemCheckError: ", r"^SystemCheckError: (?P<message>.*)$"),
    form("python", Role::Headline, ".py:", r"^\s*(?P<file>\S+\.py):(?P<line>[0-9]+):(?P<column>[0-9]+)(?: -)?:? (?:error: )?(?P<kind>[A-Z]+[0-9]+ )?(?:\[\*\] )?(?P<message>.*)$"),
    form("python", Role::Headline, "", r"^(?P<kind>[A-Z]{1,4}[0-9]{3,4}|invalid-syntax):? (?:\[\*\] )?(?P<message>[^0-9\s].*)$"),
    // Java, Kotlin, Scala.
    form("java", Role::Headline, "Exception in thread", r#"^Exception in thread "[^"]*" (?P<kind>[\w.$]+)(?:: (?P<message>.*))?$"#),
    form("java", Role::Cause, "Caused by: ", r"^\s*Caused by: (?P<kind>[\w.$]*[A-Za-z]\w*)(?:: (?P<message>.*))?$"),
    form("java", Role::Frame, "at ", r"^\s*at (?:[\w.@-]*/)*(?P<function>[\w.$<>]+)\((?P<file>[\w.$-]+\.(?:java|kt|kts|scala|groovy|clj)):(?P<line>[0-9]+)\)(?: ~?\[.*\])?$"),
    form("java", Role::Noise, "at ", r"^\s*at (?:[\w.@-]*/)*[\w.$<>]+\((?:Native Method|Unknown Source|[\w.$]+)\)(?: ~?\[.*\])?$"),
    form("java", Role::Noise, "... ", r"^\s*\.\.\. [0-9]+ (?:more|common frames omitted)$"),
    form("kotlin", Role::Headline, "e: ", r"^e: (?:file://)?(?P<file>.+?\.kts?):(?: \()?(?P<line>[0-9]+)[:,] ?(?P<column>[0-9]+)\)?:? (?P<message>.*)$"),
    // C# and compilers that put locations in parentheses.
    form("csharp", Role::Headline, "nhandled exception", r"^\s*Unhandled [eE]xception[.:] (?P<kind>[\w.`]+): (?P<message>.*)$"),
    form("csharp", Role::Cause, "---> ", r"^\s*---> (?:\(Inner Exception #[0-9]+\) )?(?P<kind>[\w.`]+): (?P<message>.*)$"),
    form("csharp", Role::Frame, ":line ", r"^\s*at (?P<function>.+?) in (?P<file>.+):line (?P<line>[0-9]+)$"),
    form("csharp", Role::Frame, "] in ", r"^\s*at (?P<function>.+?) \[0x[0-9a-f]+\] in (?P<file>[^<].*):(?P<line>[0-9]+)$"),
    form("csharp", Role::Noise, "] in ", r"^\s*at .+? \[0x[0-9a-f]+\] in <"),
    form("csharp", Role::Noise, "--- End of ", r"^\s*--- End of "),
    form("", Role::Headline, "error ", r"^(?P<file>.+?)\((?P<line>[0-9]+)(?:,(?P<column>[0-9]+))?(?:,[0-9]+,[0-9]+)?\) ?: (?:fatal )?error (?P<kind>[A-Z]+[0-9]+): (?P<message>.*)$"),
    form("typescript", Role::Headline, " - error TS", r"^(?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+) - error (?P<kind>TS[0-9]+): (?P<message>.*)$"),
    // Ruby.
    form("ruby", Role::Chained, ":in ", r"^(?P<file>[^:]+):(?P<line>[0-9]+):in [`'](?P<function>.+?)': (?P<message>.*) \((?P<kind>[\w:]+)\)$"),
    // Logs of Rails.
    form("ruby", Role::Headline, "):", r"^(?:\[[^\]]*\] )*(?P<kind>(?:[A-Z]\w*::)+[A-Z]\w*|[A-Z]\w*(?:Error|Exception|Interrupt)) \((?P<message>.+)\):$"),
    form("ruby", Role::Frame, ":in ", r"^\s*(?:[0-9]+: )?(?:from |# )?(?P<file>[^:]+):(?P<line>[0-9]+):in [`'](?P<function>.+)'$"),
    form("ruby", Role::Headline, ".rb:", r"^(?P<file>[^:\s]+\.rb):(?P<line>[0-9]+): (?P<message>.*)$"),
    form("ruby", Role::BeforeMessage, "#", r"^\S+#\S+ \[(?P<file>.+):(?P<line>[0-9]+)\]:$"),
    form("ruby", Role::Headline, "expected", r"^\s+(?P<message>expected: .*[^,]|expected .* to .*)$"),
    form("ruby", Role::BeforeMessage, "Error:", r"^\s*(?P<kind>(?:[A-Z]\w*::)*[A-Z]\w*Error):$"),
    // PHP.
    form("php", Role::Headline, " in ", r"^(?:PHP )?(?:Fatal error|Parse error|Warning|Notice|Deprecated): +(?:Uncaught )?(?:(?P<kind>[A-Z][\w\\]*): )?(?P<message>.*) in (?P<file>.+?)(?::| on line )(?P<line>[0-9]+)$"),
    // Logs of Laravel; the context is JSON, in which the backslashes of a namespace are doubled.
    form("php", Role::Headline, "exception\":\"[object] (", r#"^(?:\[[^\]]*\] )?[\w-]+\.[A-Z]+: (?P<message>.*?) ?\{.*"exception":"\[object\] \((?:\w+\\+)*(?P<kind>\w+)\(code: [^)]*\): .* at (?P<file>\S+?):(?P<line>[0-9]+)\)$"#),
    form("php", Role::Noise, "[stacktrace]", r"^\[stacktrace\]$"),
    form("php", Role::Frame, "#", r"^#[0-9]+ (?P<file>.+?)\((?P<line>[0-9]+)\): (?P<function>.+)$"),
    form("php", Role::Noise, "#", r"^#[0-9]+ (?:\{main\}|\[internal function\].*)$"),
    form("php", Role::Noise, "thrown in ", r"^\s*thrown in .+ on line [0-9]+$"),
    form("php", Role::Noise, "Stack trace:", r"^\s*Stack trace:$"),
    form("php", Role::BeforeMessage, "::", r"^[0-9]+\) [\w\\]+::\w+.*$"),
    form("php", Role::BeforeMessage, "In ", r"^In \S+\.php line [0-9]+:$"),
    // Dart.
    form("dart", Role::BeforeMessage, "Unhandled exception:", r"^Unhandled exception:$"),
    form("dart", Role::Frame, "#", r"^#[0-9]+\s+(?P<function>.+?) \((?P<file>(?:package|file|dart|org-dartlang-\w+):.+?)(?::(?P<line>[0-9]+))?(?::(?P<column>[0-9]+))?\)$"),
    // Swift.
    form("swift", Role::Headline, "Fatal error: ", r"^Fatal error: (?P<message>.*): file (?P<file>[^,]+), line (?P<line>[0-9]+)$"),
    form("swift", Role::Headline, ": Fatal error", r"^(?P<file>.+?\.swift):(?P<line>[0-9]+): (?P<kind>Fatal error)(?:: (?P<message>.*))?$"),
    form("swift", Role::Frame, ".swift:", r"^\s*(?:#?[0-9]+) .*?(?:0x[0-9a-f]+ )(?:in )?(?P<function>.+?) (?:\+ [0-9]+ )?(?:in \S+ )?at (?P<file>.+?\.swift):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    form("swift", Role::Frame, ".swift:", r"^\s*#?[0-9]+ (?:\[\w+\] )*(?P<function>\S.*?) (?:\+ [0-9]+ )?(?:in \S+ )?at (?P<file>.+?\.swift):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    // C and C++: sanitizers, debuggers, assertions.
    form("c", Role::Headline, "Sanitizer: ", r"(?P<kind>\w+Sanitizer): (?P<message>.*)$"),
    form("c", Role::Headline, ": runtime error: ", r"^(?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+): (?P<kind>runtime error): (?P<message>.*)$"),
    form("c", Role::Headline, "received signal", r"^(?:Thread .*|Program) received signal (?P<kind>SIG\w+), (?P<message>.*)$"),
    form("c", Role::Headline, "terminated with signal", r"^Program terminated with signal (?P<kind>SIG\w+), (?P<message>.*)$"),
    form("c", Role::Headline, "Assertion ", r"^(?:\S+: )?(?P<file>[^:\s]+):(?P<line>[0-9]+): (?P<function>.+): (?P<message>Assertion .*)$"),
    form("c", Role::Headline, "terminate called after", r"^terminate called after throwing an instance of '(?P<kind>[^']+)'"),
    form("c", Role::Frame, " in ", r"^\s*#[0-9]+ 0x[0-9a-f]+ in (?P<function>.+?) (?P<file>[^\s()]+):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    form("c", Role::Frame, ") at ", r"^#[0-9]+\s+(?:0x[0-9a-f]+ in )?(?P<function>.+?) \(.*\) at (?P<file>.+?):(?P<line>[0-9]+)$"),
    form("c", Role::Frame, "frame #", r"^[\s*]*frame #[0-9]+: 0x[0-9a-f]+ [^`]+`(?P<function>.+?) at (?P<file>\S+?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    form("c", Role::Noise, "#", r"^\s*#[0-9]+\s+(?:0x[0-9a-f]+ in )?\S+ .*\((?:\S+\+0x[0-9a-f]+)\).*$"),
    form("c", Role::Headline, "undefined reference", r"^(?:\S+/)?(?:ld: )?(?P<file>[^:]+):(?P<line>[0-9]+): (?P<message>undefined reference to .*)$"),
    form("c", Role::Headline, "Invalid ", r"^(?P<message>Invalid (?:read|write) of size [0-9]+|Invalid free\(\).*)$"),
    form("c", Role::Frame, "by 0x", r"^\s*by 0x[0-9A-F]+: (?P<function>.+) \((?P<file>[^:()]+):(?P<line>[0-9]+)\)$"),
    form("c", Role::Frame, "at 0x", r"^\s*at 0x[0-9A-F]+: (?P<function>.+) \((?P<file>[^:()]+):(?P<line>[0-9]+)\)$"),
    form("c", Role::Frame, " (", r"^\s*#[0-9]+ (?P<function>\S+) (?P<file>[^\s()]+):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))? \(.*\)$"),
    form("c", Role::Frame, "required from here", r"^(?P<file>[^:\s]+):(?P<line>[0-9]+):(?P<column>[0-9]+):\s+required from here$"),
    form("ocaml", Role::Frame, ", characters ", r#"^File "(?P<file>[^"]+)", lines? (?P<line>[0-9]+)(?:-[0-9]+)?, characters [0-9-]+:$"#),
    // Elixir and Erlang.
    form("elixir", Role::Headline, "ssertion ", r"^\s+(?P<message>Assertion .*failed.*|Expected .*)$"),
    form("elixir", Role::Headline, "** (", r"^\s*(?:[0-9]{2}:\S+ \[error\] )?\*\* \((?P<kind>[\w.]+)\) (?P<file>[\w./-]+\.exs?):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?: (?P<message>.*)$"),
    form("elixir", Role::Headline, "** (", r"\*\* \((?P<kind>[\w.]+)\) (?P<message>.*)$"),
    form("elixir", Role::Frame, ".ex", r"^\s*(?:\([^)]*\) )?(?P<file>[\w./-]+\.exs?):(?P<line>[0-9]+): (?P<function>.+)$"),
    form("erlang", Role::Frame, "{file,", r#"\{file,"(?P<file>[^"]+)"\},\s*\{line,(?P<line>[0-9]+)\}"#),
    // Lua and Perl.
    form("lua", Role::Headline, ".lua:", r"^lua[0-9.]*: (?P<file>.+?\.lua):(?P<line>[0-9]+): (?P<message>.*)$"),
    form("lua", Role::Frame, ".lua:", r"^\s*(?P<file>\S+?\.lua):(?P<line>[0-9]+): in (?P<function>.+)$"),
    form("perl", Role::Headline, " line ", r"^(?P<message>.+) at (?P<file>\S+\.p[lm]) line (?P<line>[0-9]+)\.?$"),
    // JavaScript: V8, then Firefox and Safari.
    form("javascript", Role::Cause, "[cause]: ", r"^\s*\[cause\]: (?P<kind>[\w$.]+)(?: \[\w+\])?: (?P<message>.*)$"),
    form("javascript", Role::Cause, "Error: ", r"^\s*(?:parent|original|cause|\[cause\]): \[?(?P<kind>\w*Error): (?P<message>.*?)\]?(?: \{)?$"),
    form("javascript", Role::Frame, "/", r"^(?P<file>(?:file://)?/\S+\.[cm]?[jt]sx?):(?P<line>[0-9]+)$"),
    form("javascript", Role::Frame, "❯ ", r"^\s*❯ (?:(?P<function>\S+) )?(?P<file>\S+?):(?P<line>[0-9]+):(?P<column>[0-9]+)$"),
    form("javascript", Role::BeforeMessage, "● ", r"^\s+● .+$"),
    form("javascript", Role::BeforeMessage, "error during build:", r"^error during build:$"),
    form("javascript", Role::BeforeMessage, "ERROR in ", r"^ERROR in (?P<file>\S+)(?: (?P<line>[0-9]+):(?P<column>[0-9]+)(?:-[0-9:]+)?)?$"),
    form("javascript", Role::BeforeMessage, "./", r"^(?P<file>\./\S+\.(?:[cm]?[jt]sx?|css|scss|mdx?))(?::(?P<line>[0-9]+):(?P<column>[0-9]+))?$"),
    form("javascript", Role::Noise, "Failed to ", r"^Failed to (?:compile|type check)\.$"),
    form("javascript", Role::Innermost, "[", r"^\s*(?:,-|╭─)\[(?P<file>[^\]]+?\.[cm]?[jt]sx?):(?P<line>[0-9]+):(?P<column>[0-9]+)\]$"),
    form("javascript", Role::Fallback, "Error occurred prerendering", r"^(?P<message>Error occurred prerendering page .*?)\. Read more: .*$"),
    form("javascript", Role::Headline, "configuration", r"^\s*- (?P<message>configuration(?:\.\S+|\[\S+)? (?:has|should|misses) .*)$"),
    form("javascript", Role::Headline, "  error  ", r"^\s+(?P<line>[0-9]+):(?P<column>[0-9]+)\s+error\s+(?P<message>.+?)(?:\s{2,}[\w@/-]+)?$"),
    form("javascript", Role::BeforeMessage, "error: ", r"^\s+error: \|-$"),
    form("javascript", Role::Headline, "error: '", r"^\s+error: '(?P<message>.+)'$"),
    form("javascript", Role::Detail, "\"message\": ", r#"^\s*"message": "(?P<message>.*)",?$"#),
    form("javascript", Role::Fallback, "Warning: ", r"^\(node:[0-9]+\) (?:\[\w+\] )?(?P<message>\w*Warning: .*)$"),
    form("javascript", Role::Noise, "node --trace", r"^\(Use `node --trace"),
    form("javascript", Role::Fallback, "Prisma schema validation", r"^Error: (?P<message>Prisma schema validation.*)$"),
    form("javascript", Role::Fallback, "Error code: ", r"^Error code: (?P<message>P[0-9]+)$"),
    form("javascript", Role::Noise, "` invocation in", r"^Invalid `.*` invocation in$"),
    form("javascript", Role::Noise, "→ ", r"^→\s+[0-9]+ "),
    form("javascript", Role::Detail, " ", r"^(?P<message>(?:Argument|Unknown|The (?:table|column|provided)|Unique constraint|Foreign key|Null constraint|An operation|Can't reach|Invalid value|Record|No record|Transaction|Timed out|Authentication) .*)$"),
    form("javascript", Role::Frame, "at ", r"^\s*at (?:async )?(?:new )?(?P<function>.+?) \((?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+)\)(?: \{)?$"),
    form("rust", Role::Location, "at ", r"^\s+at (?P<file>.+?\.rs):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?$"),
    form("javascript", Role::Frame, "at ", r"^\s*at (?:async )?(?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+)(?: \{)?$"),
    form("javascript", Role::Noise, "at ", r"^\s*at (?:async )?(?:.+ \()?(?:native|<anonymous>|index [0-9]+)\)?$"),
    form("javascript", Role::Frame, "@", r"^(?P<function>[^@\s]*)@(?P<file>.+?):(?P<line>[0-9]+):(?P<column>[0-9]+)$"),
    form("csharp", Role::Noise, "at ", r"^\s+at [\w.`<>\[\],+]+\(.*\)$"),
    form("javascript", Role::Frame, " (/", r"^\s+(?:async )?(?P<function>[\w.<>$]+) \((?P<file>/[^()]+):(?P<line>[0-9]+):(?P<column>[0-9]+)\)$"),
    // Compilers that print `file:line:column: error:`; the extension determines the language.
    form("", Role::Headline, "rror: ", r"^(?P<file>.+?):(?P<line>[0-9]+):(?:(?P<column>[0-9]+):)? (?:fatal )?[eE]rror: (?P<message>.*)$"),
    form("go", Role::Headline, ".go:", r"^(?:vet: )?(?P<file>[^:\s]+\.go):(?P<line>[0-9]+):(?P<column>[0-9]+): (?P<message>.*)$"),
    // Go.
    form("go", Role::Headline, "panic: ", r"^panic: (?:(?P<kind>runtime error): )?(?P<message>.*)$"),
    form("go", Role::Headline, "fatal error: ", r"^(?P<kind>fatal error): (?P<message>.*)$"),
    form("go", Role::Noise, "goroutine ", r"^goroutine [0-9]+ \[.*\]:$"),
    form("go", Role::Location, ".go:", r"^\s+(?P<file>.+?\.go):(?P<line>[0-9]+)(?: \+0x[0-9a-f]+)?$"),
    form("go", Role::Function, ".", r"^(?:created by )?(?P<function>[\w.-]+(?:/[\w.-]+)*\.(?:\(\*?[\w\[\].]+\)\.)?[\w.\[\]]+)(?:\([^()]*\))?(?: in goroutine [0-9]+)?$"),
    form("rust", Role::Function, ": ", r"^\s*[0-9]+:\s+(?:0x[0-9a-f]+ - )?(?P<function>[\w<{].*)$"),
    form("go", Role::Headline, "imports ", r"^\s+imports \S+: (?P<message>.*)$"),
    form("go", Role::Headline, "_test.go:", r"^\s+(?P<file>\S+_test\.go):(?P<line>[0-9]+): (?P<message>.*)$"),
    // Databases, containers and build tools.
    form("sql", Role::Headline, "ERROR: ", r"^psql:(?P<file>[^:]+):(?P<line>[0-9]+): (?:ERROR|FATAL):\s+(?P<message>.*)$"),
    form("sql", Role::Headline, "error: ", r"^psql: error: (?P<message>.*)$"),
    form("sql", Role::Headline, "ERROR ", r"^ERROR [0-9]+ \(\w+\)(?: at line [0-9]+)?: (?P<message>.*)$"),
    form("sql", Role::Headline, "rror near line ", r"^(?:Parse|Runtime) error near line [0-9]+: (?P<message>.*)$"),
    form("shell", Role::Headline, ": line ", r"^(?P<file>\S+): line (?P<line>[0-9]+): (?P<message>.*)$"),
    form("make", Role::Headline, "*** No rule", r"^make(?:\[[0-9]+\])?: \*\*\* (?P<message>No rule .*?)(?:  Stop\.)?$"),
    form("git", Role::Headline, "CONFLICT (", r"^(?P<kind>CONFLICT \([^)]+\)): (?P<message>.*)$"),
    form("kubernetes", Role::Headline, "Error from server", r"^Error from server(?: \((?P<kind>\w+)\))?: (?P<message>.*)$"),
    form("kubernetes", Role::Fallback, "] \"", r#"^[EF][0-9]{4} \S+\s+[0-9]+ \S+\] "[^"]*"(?: err="(?P<message>.*)")?$"#),
    form("", Role::Headline, "was refused", r"^(?P<message>The connection to the server .* was refused.*)$"),
    // Other lines that contain the word error or a similar word.
    form("", Role::Fallback, "npm ", r"^npm (?:ERR!|error) code (?P<kind>\w+)$"),
    form("", Role::Headline, "npm ", r"^npm (?:ERR!|error) (?:JSON\.parse )?(?P<message>.+)$"),
    form("", Role::Headline, ":", r"^\s*(?:Uncaught |\(node:[0-9]+\) )?(?:\(in promise\) )?(?P<kind>(?:[\w$]+(?:\.|::|\\))*[A-Za-z_$][\w$]*(?:Error|Exception|Failure|Fault|Rejection|Timeout|Warning))(?: \[(?:\w+)\])?(?: \([^)]*\))?:(?: (?P<message>.*))?$"),
    form("", Role::Headline, "", r"^(?:Uncaught )?(?P<kind>(?:[\w$]+(?:\.|::|\\))*(?:[A-Z][\w$]*)?(?:Error|Exception|Interrupt))$"),
    form("", Role::Fallback, "[warn] ", r"^\[warn\] (?P<message>.+)$"),
    form("", Role::Headline, "", r"^(?:(?:\[?(?:error|ERROR|fatal|FATAL|Error)\]?:?) )+(?P<message>.+)$"),
    form("", Role::File, ".", r"^(?P<file>[^\s:]+\.[A-Za-z]{1,6})$"),
    form("", Role::Location, ":", r"^\s*(?:file: |↳ )?(?P<file>[^\s:]+\.[A-Za-z]+):(?P<line>[0-9]+)(?::(?P<column>[0-9]+))?:?(?: \(.*\))?$"),
];

/// The language of a file, by its extension.
pub(super) fn language_of(file: &str) -> Option<&'static str> {
    let name = file.rsplit('/').next().unwrap_or(file);
    let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let row = LANGUAGES.iter().find(|(_, extensions)| extensions.contains(&extension.as_str()));
    row.map(|(language, _)| *language)
}

const LANGUAGES: &[(&str, &[&str])] = &[
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("javascript", &["js", "jsx", "mjs", "cjs", "vue", "svelte"]),
    ("python", &["py", "pyi", "pyx"]),
    ("rust", &["rs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("kotlin", &["kt", "kts"]),
    ("scala", &["scala"]),
    ("csharp", &["cs"]),
    ("fsharp", &["fs"]),
    ("ruby", &["rb", "rake", "erb"]),
    ("php", &["php"]),
    ("c", &["c", "h"]),
    ("cpp", &["cc", "cpp", "cxx", "hpp", "hh", "hxx"]),
    ("elixir", &["ex", "exs"]),
    ("erlang", &["erl", "hrl"]),
    ("swift", &["swift"]),
    ("dart", &["dart"]),
    ("haskell", &["hs"]),
    ("lua", &["lua"]),
    ("perl", &["pl", "pm"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        for form in FORMS {
            assert!(Regex::new(form.pattern).is_ok(), "{}", form.pattern);
        }
        assert_eq!(COMPILED_FORMS.len(), FORMS.len());
    }
}
