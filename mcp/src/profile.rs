//! Which tools an agent is shown.

/// Which tools are listed. Every tool is in [`Profile::Engine`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// All.
    #[default]
    Engine,
    /// Guidance.
    Core,
    /// The project's memory.
    Memory,
    /// Checks and reports.
    Tools,
    /// The ten most useful; the others can be called all the same.
    Lean,
}

impl Profile {
    /// Every one, in order.
    pub const ALL: [Self; 5] = [Self::Engine, Self::Core, Self::Memory, Self::Tools, Self::Lean];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Core => "core",
            Self::Memory => "memory",
            Self::Tools => "tools",
            Self::Lean => "lean",
        }
    }
}
