//! Profiles: which tools are listed for an agent.

/// Tool sets. [`Profile::Engine`] contains every tool, and lists one tool per job: it omits the
/// tools of [`Profile::Aifp`] and those that only [`Profile::Plan`] lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// All tools; one tool per job is listed.
    #[default]
    Engine,
    /// Guidance tools.
    Core,
    /// Memory tools.
    Memory,
    /// Checks and reports.
    Tools,
    /// Questions about the code.
    Index,
    /// Directives and the state of the project, under the names of the AIFP blueprint.
    Aifp,
    /// The most useful tools; the others can still be called.
    Lean,
    /// All tools, listed with their titles and output schemas. As a profile of a tool: the tool is
    /// listed only by this profile, because another tool of [`Profile::Engine`] does the job.
    Plan,
}

impl Profile {
    /// All profiles, in order.
    pub const ALL: [Self; 8] = [
        Self::Engine,
        Self::Core,
        Self::Memory,
        Self::Tools,
        Self::Index,
        Self::Aifp,
        Self::Lean,
        Self::Plan,
    ];

    /// The name of the profile on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Index => "index",
            Self::Aifp => "aifp",
            Self::Lean => "lean",
            Self::Plan => "plan",
        }
    }
}
