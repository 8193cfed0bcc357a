//! Encoding of the drainage data that tiles exchange, in 64-bit words.

/// Error: the 64-bit words are not a valid encoding of drainage data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the drainage data stored by another task are incomplete or invalid")]
pub struct WordError;

/// Reads the 64-bit words of encoded drainage data one after the other.
pub struct SurveyReader<'a>(&'a [u64]);

impl<'a> SurveyReader<'a> {
    /// A reader that starts at the first word.
    pub fn new(words: &'a [u64]) -> Self {
        Self(words)
    }

    /// The next word.
    ///
    /// # Errors
    /// Fails if no word is left.
    pub fn word(&mut self) -> Result<u64, WordError> {
        let (&first, rest) = self.0.split_first().ok_or(WordError)?;
        self.0 = rest;
        Ok(first)
    }

    /// Reads a list: the number of items, then `N` words for each item.
    pub fn list<const N: usize, T>(&mut self, item: impl Fn([u64; N]) -> T) -> Result<Vec<T>, WordError> {
        let count = self.word()? as usize;
        let words = count.checked_mul(N).and_then(|len| self.0.split_at_checked(len));
        let (words, rest) = words.ok_or(WordError)?;
        self.0 = rest;
        Ok(words.as_chunks::<N>().0.iter().map(|words| item(*words)).collect())
    }

    /// Ends the reading; fails if any words are left.
    pub fn end(self) -> Result<(), WordError> {
        if self.0.is_empty() { Ok(()) } else { Err(WordError) }
    }
}

/// Writes the number of `items` and then `N` words for each item.
pub fn write_list<const N: usize, T>(words: &mut Vec<u64>, items: &[T], item: impl Fn(&T) -> [u64; N]) {
    words.reserve(1 + N * items.len());
    words.push(items.len() as u64);
    words.extend(items.iter().flat_map(item));
}

/// Packs two 32-bit numbers into one word.
#[inline]
pub fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The two 32-bit numbers packed by [`pair`].
#[inline]
pub fn split(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

/// Writes floating-point numbers, two in each word.
pub fn write_floats(words: &mut Vec<u64>, values: &[f32]) {
    let (pairs, rest) = values.as_chunks();
    write_list(words, pairs, |&[low, high]: &[f32; 2]| [pair(low.to_bits(), high.to_bits())]);
    write_list(words, rest, |value| [u64::from(value.to_bits())]);
}

/// Reads the numbers that [`write_floats`] wrote.
///
/// # Errors
/// Fails if the words are not a valid encoding.
pub fn read_floats(reader: &mut SurveyReader) -> Result<Vec<f32>, WordError> {
    let pairs: Vec<[f32; 2]> = reader.list(|[word]| split(word).map(f32::from_bits))?;
    let mut values = pairs.into_flattened();
    values.extend(reader.list(|[word]| f32::from_bits(word as u32))?);
    Ok(values)
}

/// Reads the numbers that [`write_floats`] wrote, of which there must be exactly `count`.
///
/// # Errors
/// Fails if the words are not a valid encoding or the count differs.
pub fn read_float_field(reader: &mut SurveyReader, count: usize) -> Result<Vec<f32>, WordError> {
    let values = read_floats(reader)?;
    if values.len() == count { Ok(values) } else { Err(WordError) }
}
