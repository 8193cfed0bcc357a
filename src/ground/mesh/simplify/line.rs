//! Simplification of the lines between tiles by the algorithm of Douglas and Peucker 1973, which here measures vertical
//! distances.

use super::SampleRole;
use super::delaunay::TileSamples;

impl TileSamples<'_> {
    /// Marks samples along the border of a tile as needed, until the line through the needed samples stays within the
    /// error limit. The neighbouring tile must get the same result, even if it processes the line in the opposite
    /// direction. On a globe, the line can run backwards on the next face, with coordinates of opposite sign.
    pub(super) fn mark_needed_on_line(&mut self, line: &[usize], coordinates: &[f64]) {
        let last = line.len() - 1;
        let mut left = vec![(0, last)];
        while let Some((first, last)) = left.pop() {
            let kept = match self.farthest_of_line(line, coordinates, first, last) {
                [Some(one), Some(other)] => vec![first, one, other, last],
                [Some(one), None] => vec![first, one, last],
                _ => continue,
            };
            kept[1..kept.len() - 1].iter().for_each(|&k| self.roles[line[k]] = SampleRole::Needed);
            left.extend(kept.windows(2).map(|pair| (pair[0], pair[1])));
        }
        for end in [line[0], line[last]] {
            if self.roles[end] == SampleRole::Measured {
                self.roles[end] = SampleRole::Needed;
            }
        }
    }

    /// The next samples between `first` and `last` that must be kept. This is the needed sample closest to the middle
    /// of the line or, if there is none, the sample with the largest error above the limit. If two samples have equal
    /// rank, the function returns both in order.
    fn farthest_of_line(&self, line: &[usize], coordinates: &[f64], first: usize, last: usize) -> [Option<usize>; 2] {
        let between = first + 1..last;
        let off = |k: usize| (2 * k).abs_diff(first + last);
        // The order among needed samples is irrelevant, because all needed samples are kept before the search considers
        // any other sample.
        let needed = between.clone().filter(|&k| self.roles[line[k]] == SampleRole::Needed);
        if let Some(needed) = needed.min_by_key(|&k| off(k)) {
            return [Some(needed), None];
        }
        let (from, to) = (coordinates[first], coordinates[last]);
        let (low, high) = (self.values[line[first]], self.values[line[last]]);
        // Among samples with equal error, the search prefers the sample closest to the lower end of the line. On a
        // level line, it prefers the samples closest to the middle.
        let rank = |k: usize| match low.total_cmp(&high) {
            std::cmp::Ordering::Less => k - first,
            std::cmp::Ordering::Greater => last - k,
            std::cmp::Ordering::Equal => off(k),
        };
        let (mut most, mut found) = (self.limit, [None, None]);
        for k in between.filter(|&k| self.roles[line[k]] == SampleRole::Measured) {
            let here = coordinates[k];
            // This form of the interpolation returns the same bits from either end of the line.
            let error = self.error(line[k], (low * (to - here) + high * (here - from)) / (to - from));
            let [Some(other), _] = found else {
                if error > most {
                    (most, found) = (error, [Some(k), None]);
                }
                continue;
            };
            if error > most || error == most && rank(k) < rank(other) {
                (most, found) = (error, [Some(k), None]);
            } else if error == most && rank(k) == rank(other) {
                found[1] = Some(k);
            }
        }
        found
    }
}
