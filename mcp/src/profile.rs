//! Profiles: which tools are listed for an agent.

/// Tool sets. [`Profile::Engine`] contains every tool, and lists all except those of
/// [`Profile::Aifp`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// All tools; those of [`Profile::Aifp`] are not listed.
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
}

impl Profile {
    /// All profiles, in order.
    pub const ALL: [Self; 7] =
        [Self::Engine, Self::Core, Self::Memory, Self::Tools, Self::Index, Self::Aifp, Self::Lean];

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
        }
    }
}
