//! What a change to a value changes.

use crate::effects::UNKNOWN;

/// What a change to a value, to a value in it, or to the values in these, changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::effects) struct Class {
    pub own: u64,
    pub inner: u64,
    pub deep: u64,
    /// The built-in type, or empty.
    pub kind: &'static str,
}

impl Class {
    pub(in crate::effects) const UNKNOWN: Self =
        Self { own: UNKNOWN, inner: UNKNOWN, deep: UNKNOWN, kind: "" };

    pub(super) fn all(bits: u64) -> Self {
        Self { own: bits, inner: bits, deep: bits, kind: "" }
    }

    /// A new value of a built-in type.
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, ..Self::default() }
    }

    /// The values in this value.
    pub(in crate::effects) fn element(self) -> Self {
        Self { own: self.inner, inner: self.deep, deep: self.deep, kind: "" }
    }

    /// A new value of this type that contains this value.
    pub(super) fn wrapped(self, kind: &'static str) -> Self {
        Self { own: 0, inner: self.own, deep: self.inner | self.deep, kind }
    }

    pub(in crate::effects) fn join(self, other: Self) -> Self {
        let kind = if self.kind == other.kind { self.kind } else { "" };
        Self {
            own: self.own | other.own,
            inner: self.inner | other.inner,
            deep: self.deep | other.deep,
            kind,
        }
    }

    /// Everything that a change can change.
    pub(in crate::effects) fn bits(self) -> u64 {
        self.own | self.inner | self.deep
    }
}

/// Whether values of a built-in type cannot be changed.
pub(in crate::effects) fn is_scalar(kind: &str) -> bool {
    matches!(
        kind,
        "str"
            | "string"
            | "number"
            | "bytes"
            | "regexp"
            | "range"
            | "datetime"
            | "decimal"
            | "path"
    )
}
