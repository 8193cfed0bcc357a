//! Sets of samples, stored as bit sets. A set can also number its members.

/// A set of sample indices that are below a fixed limit.
#[derive(Clone, Debug)]
pub(super) struct SampleSet {
    words: Vec<u64>,
}

impl SampleSet {
    /// The empty set for indices below `len`.
    pub fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(64)] }
    }

    /// The indices below `len` for which `belongs` is true.
    pub fn from_fn(len: usize, belongs: impl Fn(usize) -> bool) -> Self {
        let mut set = Self::empty(len);
        (0..len).filter(|&k| belongs(k)).for_each(|k| set.insert(k));
        set
    }

    pub fn insert(&mut self, k: usize) {
        self.words[k / 64] |= 1 << (k % 64);
    }

    pub fn remove(&mut self, k: usize) {
        self.words[k / 64] &= !(1 << (k % 64));
    }

    #[inline]
    pub fn contains(&self, k: usize) -> bool {
        (self.words[k / 64] >> (k % 64)) & 1 == 1
    }

    /// The members of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.words.iter().enumerate().flat_map(|(w, &word)| {
            std::iter::successors(Some(word), |&left| Some(left & left.wrapping_sub(1)))
                .take_while(|&left| left != 0)
                .map(move |left| w * 64 + left.trailing_zeros() as usize)
        })
    }

    /// Converts the set to a form that can return the number of each member.
    pub fn numbered(self) -> SampleNumbers {
        let mut before = 0;
        let starts = self.words.iter().map(|word| {
            let start = before;
            before += word.count_ones();
            start
        });
        SampleNumbers { starts: starts.collect(), count: before as usize, set: self }
    }
}

/// A set of samples that numbers its members in ascending order.
#[derive(Clone, Debug)]
pub(super) struct SampleNumbers {
    set: SampleSet,
    starts: Vec<u32>,
    count: usize,
}

impl SampleNumbers {
    /// Number of members in the set.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The members of the set in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.set.iter()
    }

    /// The number of the member `k`: its position in ascending order.
    #[inline]
    pub fn number(&self, k: usize) -> u32 {
        let below = self.set.words[k / 64] & ((1 << (k % 64)) - 1);
        self.starts[k / 64] + below.count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_numbered_in_their_order() {
        let set = SampleSet::from_fn(300, |k| k % 7 == 3 || k == 64);
        let members: Vec<usize> = set.iter().collect();
        assert_eq!(members, (0..300).filter(|k| k % 7 == 3 || *k == 64).collect::<Vec<_>>());
        let numbers = set.numbered();
        assert_eq!(numbers.count(), members.len());
        for (number, &k) in members.iter().enumerate() {
            assert_eq!(numbers.number(k), number as u32);
        }
    }
}
