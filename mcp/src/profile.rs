//! Profiles: which tools are listed for an agent.

/// Tool sets. [`Profile::Engine`] contains every tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// All tools.
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
    /// The most useful tools; the others can still be called.
    Lean,
}

impl Profile {
    /// All profiles, in order.
    pub const ALL: [Self; 6] =
        [Self::Engine, Self::Core, Self::Memory, Self::Tools, Self::Index, Self::Lean];

    /// The name of the profile on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Index => "index",
            Self::Lean => "lean",
        }
    }
}
