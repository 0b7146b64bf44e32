//! The six phases, and what shows that one can be left.

use crate::MemoryError;
use crate::outcomes::Check;

/// A phase: what it takes to enter, to leave, and what is done in it.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// What must hold to enter it.
    pub entry: &'static [&'static str],
    /// What must hold to leave it.
    pub exit: &'static [Criterion],
    /// What is done in it.
    pub activities: &'static [&'static str],
}

/// What must hold to leave a phase.
#[derive(Clone, Copy, Debug)]
pub struct Criterion {
    /// Its word, for evidence to name it by.
    pub key: &'static str,
    /// What must hold.
    pub says: &'static str,
    /// What shows it: any one of these.
    pub shown_by: &'static [Shown],
}

/// What may show that a criterion is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// A file of the project that holds this.
    File(Holds),
    /// A commit made since the lifecycle began.
    Commit,
    /// A branch of the repository.
    Branch,
    /// The last recorded run of this check since the lifecycle began, which passed. Looked for in
    /// the session's branch when no evidence is given.
    Outcome(Check),
    /// The branch's context, without pending and with completed tasks. Looked for likewise.
    Tasks,
    /// A memory by its id that holds this.
    Memory(Holds),
    /// A memory made since the lifecycle began. Looked for likewise.
    Remembered,
    /// Words that hold this.
    Note(Holds),
    /// A person's word: a note that says `by` whom.
    Person,
}

/// What a text must hold to show a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Something: three words at least.
    Words,
    /// Given, when and then.
    Scenarios,
    /// The path of a file.
    Paths,
    /// Complexity and tier.
    Estimates,
    /// At most twenty lines.
    Short,
    /// It is a test, by its path.
    Test,
    /// It lies in an archive, by its path.
    Archived,
}

impl Shown {
    /// What to give, for a message.
    #[must_use]
    pub fn hint(self) -> String {
        match self {
            Self::File(holds) => format!("a file{}", holds.hint()),
            Self::Commit => "a commit since the lifecycle began".to_owned(),
            Self::Branch => "a branch of the repository".to_owned(),
            Self::Outcome(check) => {
                format!("a tool_outcome observation of passing {}", check.word())
            }
            Self::Tasks => "a branch whose context has no pending tasks".to_owned(),
            Self::Memory(holds) => format!("the id of a memory{}", holds.hint()),
            Self::Remembered => "a memory saved since the lifecycle began".to_owned(),
            Self::Note(holds) => format!("a note{}", holds.hint()),
            Self::Person => "a note with `by`, the person who says so".to_owned(),
        }
    }
}

impl Holds {
    fn hint(self) -> &'static str {
        match self {
            Self::Words => "",
            Self::Scenarios => " with given, when, then",
            Self::Paths => " that names files",
            Self::Estimates => " with complexity and tier",
            Self::Short => " of at most 20 lines",
            Self::Test => " of tests",
            Self::Archived => " in a folder for what is archived or done",
        }
    }
}

const fn exit(key: &'static str, says: &'static str, shown_by: &'static [Shown]) -> Criterion {
    Criterion { key, says, shown_by }
}

use Holds::{Archived, Estimates, Paths, Scenarios, Short, Test, Words};
use Shown::{Branch, Commit, File, Memory, Note, Outcome, Person, Remembered, Tasks};

/// The phases, in order.
pub const PHASES: [Phase; 6] = [
    Phase {
        name: "UNDERSTAND",
        description: "Know what is asked for and what is there",
        entry: &["A request, a task or a bug is at hand"],
        exit: &[
            exit("context", "The context is loaded", &[Memory(Words), File(Words), Note(Words)]),
            exit(
                "requirements",
                "The requirements are clear",
                &[File(Words), Memory(Words), Note(Words)],
            ),
            exit(
                "acceptance",
                "Acceptance criteria are written as given, when, then",
                &[File(Scenarios), Memory(Scenarios), Note(Scenarios)],
            ),
            exit("edges", "Edge cases are listed", &[File(Words), Memory(Words), Note(Words)]),
        ],
        activities: &["Load memory and rules", "Ask what is not clear", "Write the criteria"],
    },
    Phase {
        name: "PLAN",
        description: "Cut the work into tasks",
        entry: &["The requirements are approved"],
        exit: &[
            exit(
                "tasks",
                "The task list names the files",
                &[File(Paths), Memory(Paths), Note(Paths)],
            ),
            exit(
                "estimates",
                "Each task has a complexity and a tier",
                &[File(Estimates), Memory(Estimates), Note(Estimates)],
            ),
            exit("order", "Dependencies are in order", &[File(Words), Memory(Words), Note(Words)]),
            exit("approval", "The user approved the plan", &[Person]),
        ],
        activities: &["Look at the code", "List the tasks", "Order them"],
    },
    Phase {
        name: "SPEC",
        description: "Write down what will be built",
        entry: &["The plan is approved"],
        exit: &[
            exit("spec", "The specification is committed", &[Commit]),
            exit("branch", "The branch is there, if one is needed", &[Branch, Note(Words)]),
        ],
        activities: &["Write the specification", "Commit it apart from code"],
    },
    Phase {
        name: "BUILD",
        description: "Write the code",
        entry: &["The specification is committed"],
        exit: &[
            exit("tasks", "All tasks are done", &[Tasks]),
            exit("compiles", "The code compiles", &[Outcome(Check::Build)]),
            exit("types", "There are no type errors", &[Outcome(Check::Types)]),
        ],
        activities: &["One task at a time", "Return to the specification where it turns out wrong"],
    },
    Phase {
        name: "VERIFY",
        description: "Show that it does what was asked for",
        entry: &["The implementation is complete"],
        exit: &[
            exit("covered", "Each criterion has a test", &[File(Test), Person]),
            exit("tests", "All tests pass", &[Outcome(Check::Tests)]),
            exit("lint", "Type check and lint are clean", &[Outcome(Check::Lint)]),
            exit("dead", "There is no dead code", &[Outcome(Check::Lint), Note(Words)]),
            exit(
                "matches",
                "The specification matches the code",
                &[Commit, File(Words), Note(Words)],
            ),
        ],
        activities: &["Write the missing tests", "Run all checks"],
    },
    Phase {
        name: "SHIP",
        description: "Hand it over",
        entry: &["Verification passed"],
        exit: &[
            exit("committed", "The implementation is committed", &[Commit]),
            exit("memory", "The memory is up to date", &[Remembered]),
            exit(
                "summary",
                "The summary has at most 20 lines",
                &[File(Short), Memory(Short), Note(Short)],
            ),
            exit("archived", "The plan is archived", &[File(Archived)]),
        ],
        activities: &["Commit", "Record decisions and mistakes", "Write the summary"],
    },
];

/// The phase of this name, in any case.
///
/// # Errors
/// The names, when it is none.
pub fn phase(name: &str) -> Result<&'static Phase, MemoryError> {
    PHASES.iter().find(|phase| phase.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names: Vec<&str> = PHASES.iter().map(|phase| phase.name).collect();
        MemoryError::Invalid(format!("`{name}` is none of {}", names.join(", ")))
    })
}

/// The exit criterion of a phase by its word or its sentence.
#[must_use]
pub fn criterion<'a>(phase: &'a Phase, name: &str) -> Option<&'a Criterion> {
    phase.exit.iter().find(|one| one.key.eq_ignore_ascii_case(name) || one.says == name)
}
