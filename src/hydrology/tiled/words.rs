//! What tiles tell each other, as 64-bit words.

/// Words that are not what they should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what another task left about its water is not whole")]
pub struct WordError;

/// Reads words one after the other.
pub struct SurveyReader<'a>(&'a [u64]);

impl<'a> SurveyReader<'a> {
    /// Begins at the first word.
    pub fn new(words: &'a [u64]) -> Self {
        Self(words)
    }

    /// The next word.
    ///
    /// # Errors
    /// When there is none.
    pub fn word(&mut self) -> Result<u64, WordError> {
        let (&first, rest) = self.0.split_first().ok_or(WordError)?;
        self.0 = rest;
        Ok(first)
    }

    /// A list of items of `N` words after their number.
    pub fn list<const N: usize, T>(&mut self, item: impl Fn([u64; N]) -> T) -> Result<Vec<T>, WordError> {
        let count = self.word()? as usize;
        let words = count.checked_mul(N).and_then(|len| self.0.split_at_checked(len));
        let (words, rest) = words.ok_or(WordError)?;
        self.0 = rest;
        Ok(words.as_chunks::<N>().0.iter().map(|words| item(*words)).collect())
    }

    /// Fails where something is left.
    pub fn end(self) -> Result<(), WordError> {
        if self.0.is_empty() { Ok(()) } else { Err(WordError) }
    }
}

/// Writes the number of `items` and then `N` words of each.
pub fn write_list<const N: usize, T>(words: &mut Vec<u64>, items: &[T], item: impl Fn(&T) -> [u64; N]) {
    words.push(items.len() as u64);
    items.iter().for_each(|one| words.extend(item(one)));
}

/// Two numbers in a word.
pub fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// The numbers of [`pair`].
pub fn split(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}
