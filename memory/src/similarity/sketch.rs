//! A short summary of the pieces of a text, from which the maximum similarity of two texts follows.

use crate::types::Kind;
use std::collections::BTreeSet;

/// Number of words of the bit set: 256 bits, so that texts of up to 150 pieces rarely pass by chance.
const WORDS: usize = 4;

/// The number of pieces of a text, and a set of their hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sketch {
    bits: [u64; WORDS],
    /// Number of pieces; [`u16::MAX`] if it is larger, or unknown.
    pieces: u16,
}

/// The sketch of a memory in the store.
#[derive(Clone, Copy, Debug)]
pub struct SketchRow {
    /// Number of the memory in the store.
    pub(crate) row: i64,
    pub(crate) kind: Kind,
    /// Whether the memory is permanent and active.
    pub(crate) is_active: bool,
    pub(crate) sketch: Sketch,
}

impl Sketch {
    /// The length of [`Self::to_bytes`].
    pub(crate) const BYTES: usize = 8 * WORDS + 2;
    /// The sketch of an unknown text, which can be similar to each text.
    pub(crate) const UNKNOWN: Self = Self { bits: [0; WORDS], pieces: u16::MAX };

    /// The sketch of a set of pieces.
    pub(crate) fn new(pieces: &BTreeSet<u64>) -> Self {
        let mut bits = [0; WORDS];
        for piece in pieces {
            // The upper bits of the product depend on all bits of the piece.
            let hash = piece.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56;
            if let Some(word) = bits.get_mut(hash as usize % WORDS) {
                *word |= 1 << (hash / WORDS as u64);
            }
        }
        Self { bits, pieces: u16::try_from(pieces.len()).unwrap_or(u16::MAX) }
    }

    /// Whether two texts can share half of all their pieces. If their sketches differ in d bits, at
    /// least d pieces occur in only one of the texts; of n and m pieces, they share at most
    /// (n + m - d) / 2, and they must share (n + m) / 3.
    pub(crate) fn can_be_similar(&self, other: &Self) -> bool {
        if self.pieces == u16::MAX || other.pieces == u16::MAX {
            return true;
        }
        let (own, others) = (u32::from(self.pieces), u32::from(other.pieces));
        let words = self.bits.iter().zip(&other.bits);
        let different: u32 = words.map(|(own, other)| (own ^ other).count_ones()).sum();
        own + others >= 3 * different && own.max(others) <= 2 * own.min(others)
    }

    /// The form in which the store saves a sketch.
    pub(crate) fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        let words = self.bits.iter().flat_map(|word| word.to_le_bytes());
        let own = words.chain(self.pieces.to_le_bytes());
        bytes.iter_mut().zip(own).for_each(|(byte, own)| *byte = own);
        bytes
    }

    /// Reads a saved sketch; `None` if it has another length.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; Self::BYTES] = bytes.try_into().ok()?;
        let (words, pieces) = bytes.split_at(8 * WORDS);
        let mut bits = [0; WORDS];
        for (word, own) in bits.iter_mut().zip(words.chunks_exact(8)) {
            *word = u64::from_le_bytes(own.try_into().ok()?);
        }
        Some(Self { bits, pieces: u16::from_le_bytes(pieces.try_into().ok()?) })
    }
}
