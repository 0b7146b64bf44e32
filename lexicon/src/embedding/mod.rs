//! Static embeddings: the vector of a text is the mean of the vectors of its tokens (word pieces).
//! The table is used directly from the binary; nothing is parsed at startup or downloaded.

mod pieces;

use std::ops::Range;
use std::sync::OnceLock;

/// The name of the shipped table. The name is stored with every vector, because vectors of
/// different tables cannot be compared.
pub const NAME: &str = "minilm-128-4";

/// The shipped table. `embedding/README.md` describes how the table was built; `write` in
/// `embedding/distil.py` defines its format.
static TABLE: &[u8] = include_bytes!("../../embedding/table.bin");

/// The mean of the vectors of many questions, four bytes per dimension.
static MEAN_QUESTION: &[u8] = include_bytes!("../../embedding/question.bin");

/// The share of the mean of questions that is subtracted from the vector of a question: what all
/// questions have in common does not distinguish their answers. Chosen on the tuning half of
/// `tests/retrieval`.
const MEAN_QUESTION_SHARE: f32 = 0.5;

/// For each byte, the rows of the shipped table whose pieces start with the byte, and with `##` and
/// the byte; the rows are searched for when they are first needed. There is no other table.
static STARTS: [[OnceLock<Range<usize>>; 256]; 2] = [const { [const { OnceLock::new() }; 256] }; 2];

/// The number of dimensions of a vector.
pub const DIMENSIONS: usize = 128;

/// Size of the header in bytes: magic, row count and dimensions.
const HEADER_LEN: usize = 16;

/// The embedding of a text. Texts with similar meaning have vectors with similar direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    values: [i8; DIMENSIONS],
    /// The reciprocal of the length of the vector; 0 for a text without known pieces.
    scale: f32,
}

impl Vector {
    /// Quantizes a vector to integers, with a maximum absolute value of 127.
    fn pack(sum: &[f32; DIMENSIONS]) -> Self {
        let max = sum.iter().fold(0.0_f32, |max, value| max.max(value.abs()));
        let step = if max > 0.0 { 127.0 / max } else { 0.0 };
        #[expect(clippy::cast_possible_truncation, reason = "scaled to -127 to 127")]
        Self::new(sum.map(|value| (value * step).round() as i8))
    }

    fn new(values: [i8; DIMENSIONS]) -> Self {
        let square: i32 = values.iter().map(|value| i32::from(*value).pow(2)).sum();
        #[expect(clippy::cast_precision_loss, reason = "at most 128 times 128², exact in f32")]
        let scale = if square > 0 { 1.0 / (square as f32).sqrt() } else { 0.0 };
        Self { values, scale }
    }

    /// The cosine similarity, from −1 to 1; 0 if one of the texts has no known piece.
    #[must_use]
    pub fn cosine(&self, other: &Self) -> f32 {
        let pairs = self.values.iter().zip(&other.values);
        let dot: i32 = pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        #[expect(clippy::cast_precision_loss, reason = "at most 128 times 128², exact in f32")]
        let dot = dot as f32;
        dot * self.scale * other.scale
    }

    /// The components; only their proportions are significant.
    pub fn values(&self) -> [f32; DIMENSIONS] {
        self.values.map(f32::from)
    }

    /// Whether the text has no known piece.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scale == 0.0
    }

    /// The serialized vector; [`Vector::from_bytes`] is the inverse.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; DIMENSIONS] {
        self.values.map(i8::cast_unsigned)
    }

    /// Deserializes a vector; `None` if the number of dimensions differs.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: [u8; DIMENSIONS] = bytes.try_into().ok()?;
        Some(Self::new(bytes.map(u8::cast_signed)))
    }
}

/// A table of pieces and their vectors.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The end of each piece in `pieces`, four bytes per row.
    ends: &'static [u8],
    /// The factor by which the vector of each row is multiplied, four bytes per row.
    scales: &'static [u8],
    /// All pieces, sorted bytewise and concatenated.
    pieces: &'static [u8],
    /// The vectors, [`DIMENSIONS`] bytes per row.
    rows: &'static [u8],
}

impl Table {
    /// The table shipped with aidd; its name is [`NAME`].
    ///
    /// # Panics
    /// Never: a test loads the same table.
    #[must_use]
    pub fn shipped() -> Self {
        Self::new(TABLE).expect("the shipped table is complete")
    }

    /// Reads a table; `None` if the sizes are inconsistent. The rows are not checked.
    fn new(bytes: &'static [u8]) -> Option<Self> {
        let head = bytes.get(..HEADER_LEN)?;
        let count = usize::try_from(read_u32(head, 2)?).ok()?;
        if !head.starts_with(b"AIDDVEC1") || read_u32(head, 3)? as usize != DIMENSIONS {
            return None;
        }
        let (ends, rest) = bytes.get(HEADER_LEN..)?.split_at_checked(count.checked_mul(4)?)?;
        let (scales, rest) = rest.split_at_checked(count * 4)?;
        let pieces = if count == 0 { 0 } else { read_u32(ends, count - 1)? as usize };
        let (pieces, rows) = rest.split_at_checked(pieces)?;
        let is_complete = rows.len() == count.checked_mul(DIMENSIONS)?;
        is_complete.then_some(Self { ends, scales, pieces, rows })
    }

    /// Computes the embedding of `text`, in time linear in the length of the text.
    #[must_use]
    pub fn vector(&self, text: &str) -> Vector {
        Vector::pack(&self.sum(text))
    }

    /// Computes the embedding of a question, for comparison with the embeddings of texts that can
    /// answer it: without a share of what all questions have in common.
    #[must_use]
    pub fn question_vector(&self, text: &str) -> Vector {
        let mut sum = self.sum(text);
        let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
        if length > 0.0 {
            for (at, value) in sum.iter_mut().enumerate() {
                let mean = read_u32(MEAN_QUESTION, at).map_or(0.0, f32::from_bits);
                *value = *value / length - MEAN_QUESTION_SHARE * mean;
            }
        }
        Vector::pack(&sum)
    }

    /// The sum of the vectors of the pieces of a text.
    fn sum(&self, text: &str) -> [f32; DIMENSIONS] {
        let mut sum = [0.0; DIMENSIONS];
        pieces::for_each_piece(self, text, &mut |row| self.add(row, &mut sum));
        sum
    }

    /// Whether `word`, in lower case, is a single piece.
    pub fn contains(&self, word: &str) -> bool {
        self.longest_piece(b"", word.as_bytes()).is_some_and(|(_, length)| length == word.len())
    }

    fn add(&self, row: usize, sum: &mut [f32; DIMENSIONS]) {
        let scale = read_u32(self.scales, row).map_or(0.0, f32::from_bits);
        let values = self.rows.get(row * DIMENSIONS..).unwrap_or_default();
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += f32::from(value.cast_signed()) * scale;
        }
    }

    fn len(&self) -> usize {
        self.ends.len() / 4
    }

    fn piece(&self, row: usize) -> &'static [u8] {
        let start = row.checked_sub(1).and_then(|row| read_u32(self.ends, row)).unwrap_or(0);
        let end = read_u32(self.ends, row).unwrap_or(start);
        self.pieces.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Narrows `rows`, whose pieces share their first `at` bytes, to the rows whose pieces have
    /// `byte` at the index `at`.
    fn narrow_rows(&self, rows: &Range<usize>, at: usize, byte: u8) -> Range<usize> {
        let start = Self::first_row(rows.clone(), |row| self.piece(row).get(at) >= Some(&byte));
        start..Self::first_row(start..rows.end, |row| self.piece(row).get(at) > Some(&byte))
    }

    /// The first of `rows` for which `condition` is true; `condition` must also be true for all
    /// following rows.
    fn first_row(mut rows: Range<usize>, condition: impl Fn(usize) -> bool) -> usize {
        while !rows.is_empty() {
            let middle = rows.start + rows.len() / 2;
            if condition(middle) {
                rows.end = middle;
            } else {
                rows.start = middle + 1;
            }
        }
        rows.start
    }

    /// The rows whose pieces start with `prefix`, which is empty or `##`, and `byte`.
    fn rows_from(&self, prefix: &[u8], byte: u8) -> Range<usize> {
        let bytes = prefix.iter().chain(std::iter::once(&byte)).enumerate();
        let find =
            || bytes.fold(0..self.len(), |rows, (at, byte)| self.narrow_rows(&rows, at, *byte));
        let starts = &STARTS[usize::from(!prefix.is_empty())];
        starts.get(usize::from(byte)).map_or(0..0, |rows| rows.get_or_init(find).clone())
    }

    /// The row of the longest piece that consists of `prefix` and the start of `text`, and the
    /// length of that start.
    fn longest_piece(&self, prefix: &[u8], text: &[u8]) -> Option<(usize, usize)> {
        let mut rows = self.rows_from(prefix, *text.first()?);
        let mut found = None;
        for (at, byte) in text.iter().enumerate() {
            if at > 0 {
                rows = self.narrow_rows(&rows, prefix.len() + at, *byte);
            }
            if rows.is_empty() {
                break;
            }
            // A piece of this length sorts before all longer pieces.
            let length = at + 1;
            if self.piece(rows.start).len() == prefix.len() + length {
                found = Some((rows.start, length));
            }
        }
        found
    }
}

/// The number at `index` in an array of little-endian 32-bit integers.
fn read_u32(bytes: &[u8], index: usize) -> Option<u32> {
    let bytes = bytes.get(index.checked_mul(4)?..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests;
