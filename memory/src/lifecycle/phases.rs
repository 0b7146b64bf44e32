//! The six phases, and the evidence required to leave each phase.

use crate::MemoryError;
use crate::outcomes::Check;

/// A phase with its entry and exit criteria and its activities.
#[derive(Clone, Copy, Debug)]
pub struct Phase {
    /// Name in upper case.
    pub name: &'static str,
    /// Purpose of the phase.
    pub description: &'static str,
    /// Conditions for entering the phase.
    pub entry: &'static [&'static str],
    /// Conditions for leaving the phase.
    pub exit: &'static [Criterion],
    /// Activities of the phase.
    pub activities: &'static [&'static str],
}

/// A condition for leaving a phase.
#[derive(Clone, Copy, Debug)]
pub struct Criterion {
    /// Key by which evidence refers to the criterion.
    pub key: &'static str,
    /// Description of the condition.
    pub description: &'static str,
    /// Accepted kinds of evidence; evidence of one kind suffices.
    pub accepts: &'static [EvidenceKind],
}

/// A kind of evidence for a criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceKind {
    /// A project file with this content.
    File(Content),
    /// A commit made since the lifecycle started.
    Commit,
    /// A branch of the repository.
    Branch,
    /// The last recorded run of this check since the lifecycle started, if it passed. If no
    /// evidence is supplied, the runs on the session's branch are searched.
    Outcome(Check),
    /// A branch whose context has completed tasks and no pending tasks. If no evidence is supplied,
    /// the context of the session's branch is checked.
    Tasks,
    /// A memory with this content, by its id.
    Memory(Content),
    /// A memory created since the lifecycle started. If no evidence is supplied, the memories are
    /// searched.
    SavedMemory,
    /// A note with this content.
    Note(Content),
    /// A person's approval: a note with `by`.
    Person,
}

/// The content that evidence must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Any text of at least three words.
    Words,
    /// A text with the words `given`, `when` and `then`.
    Scenarios,
    /// A text with the path of a file.
    Paths,
    /// A text with the words `complexity` and `tier`.
    Estimates,
    /// A text of at most twenty lines.
    Short,
    /// A file with a path like that of a test.
    Test,
    /// A file with a path like that of an archived file.
    Archived,
}

impl EvidenceKind {
    /// Describes the evidence, for messages.
    #[must_use]
    pub fn hint(self) -> String {
        match self {
            Self::File(content) => format!("a file{}", content.hint()),
            Self::Commit => "a commit since the lifecycle started".to_owned(),
            Self::Branch => "a branch of the repository".to_owned(),
            Self::Outcome(check) => {
                format!("a tool_outcome observation of a {} that passed", check.noun())
            }
            Self::Tasks => "a branch with completed tasks and without pending tasks".to_owned(),
            Self::Memory(content) => format!("the id of a memory{}", content.hint()),
            Self::SavedMemory => "a memory saved since the lifecycle started".to_owned(),
            Self::Note(content) => format!("a note{}", content.hint()),
            Self::Person => "a note with `by`, the person who approved".to_owned(),
        }
    }
}

/// Describes the evidence that meets a criterion, as alternatives joined by "or".
pub(super) fn join_hints(accepts: &[EvidenceKind]) -> String {
    let mut checks = Vec::new();
    let mut others = Vec::new();
    for kind in accepts {
        match kind {
            Outcome(check) => checks.push(format!("a {}", check.noun())),
            other => others.push(other.hint()),
        }
    }
    let mut hints = Vec::new();
    if !checks.is_empty() {
        let checks = checks.join(" or ");
        hints.push(format!("a tool_outcome observation of {checks} that passed"));
    }
    hints.append(&mut others);
    hints.join(", or ")
}

impl Content {
    fn hint(self) -> &'static str {
        match self {
            Self::Words => "",
            Self::Scenarios => " with the words `given`, `when` and `then`",
            Self::Paths => " that contains file paths",
            Self::Estimates => " with the words `complexity` and `tier`",
            Self::Short => " of at most 20 lines",
            Self::Test => " with tests",
            Self::Archived => " in an archive directory",
        }
    }
}

const fn exit(
    key: &'static str,
    description: &'static str,
    accepts: &'static [EvidenceKind],
) -> Criterion {
    Criterion { key, description, accepts }
}

use Content::{Archived, Estimates, Paths, Scenarios, Short, Test, Words};
use EvidenceKind::{Branch, Commit, File, Memory, Note, Outcome, Person, SavedMemory, Tasks};

/// The phases in order.
pub const PHASES: [Phase; 6] = [
    Phase {
        name: "UNDERSTAND",
        description: "Clarify the request and the current state",
        entry: &["There is a request, a task or a bug"],
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
        activities: &["Load memory and rules", "Clarify open questions", "Write the criteria"],
    },
    Phase {
        name: "PLAN",
        description: "Divide the work into tasks",
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
        activities: &["Read the code", "List the tasks", "Order the tasks"],
    },
    Phase {
        name: "SPEC",
        description: "Write down what will be built",
        entry: &["The plan is approved"],
        exit: &[
            exit("spec", "The specification is committed", &[Commit]),
            exit("branch", "The branch exists, if one is needed", &[Branch, Note(Words)]),
        ],
        activities: &["Write the specification", "Commit the specification separately from code"],
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
        activities: &["Do one task at a time", "Return to the specification if it is wrong"],
    },
    Phase {
        name: "VERIFY",
        description: "Show that the code meets the requirements",
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
        description: "Deliver the result",
        entry: &["Verification passed"],
        exit: &[
            exit("committed", "The implementation is committed", &[Commit]),
            exit("memory", "The memory is up to date", &[SavedMemory]),
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

/// The phase with this name, ignoring case.
///
/// # Errors
/// When there is no such phase; the message lists the names of all phases.
pub fn phase(name: &str) -> Result<&'static Phase, MemoryError> {
    PHASES.iter().find(|phase| phase.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let names: Vec<&str> = PHASES.iter().map(|phase| phase.name).collect();
        MemoryError::Invalid(format!(
            "unknown phase `{name}`; expected one of {}",
            names.join(", ")
        ))
    })
}

/// The exit criterion of a phase by its key or its description.
#[must_use]
pub fn criterion<'a>(phase: &'a Phase, name: &str) -> Option<&'a Criterion> {
    phase
        .exit
        .iter()
        .find(|criterion| criterion.key.eq_ignore_ascii_case(name) || criterion.description == name)
}
