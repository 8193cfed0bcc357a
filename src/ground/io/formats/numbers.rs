//! The meaning of the numbers in a file: heights, fractions or missing data, and the unit of heights. All readers use
//! this module, so that every format follows the same rules.

use super::notes::RasterNote;
use super::options::{NoDataRule, NumberMeaning, ReadOptions};
use super::reader::SampleMeaning;

/// The type of the numbers in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum NumberType {
    /// Unsigned integers with a number of bits.
    Unsigned(u32),
    /// Signed integers with a number of bits.
    Signed(u32),
    /// Floats with a number of bits.
    Float(u32),
}

impl NumberType {
    /// Name of the type for users, such as "16-bit unsigned integers".
    pub fn name(self) -> String {
        match self {
            Self::Unsigned(bits) => format!("{bits}-bit unsigned integers"),
            Self::Signed(bits) => format!("{bits}-bit signed integers"),
            Self::Float(bits) => format!("{bits}-bit floats"),
        }
    }

    /// The number that means white in an image.
    fn white(self) -> f64 {
        match self {
            Self::Unsigned(bits) => libm::exp2(f64::from(bits)) - 1.0,
            Self::Signed(bits) => libm::exp2(f64::from(bits - 1)) - 1.0,
            Self::Float(_) => 1.0,
        }
    }
}

/// All information in a file about its numbers.
#[derive(Clone, Debug)]
pub(super) struct NumberStatement {
    pub number_type: NumberType,
    /// Whether the values are the brightness of colours.
    pub is_colour: bool,
    /// Whether the file states a position on a map, even an unusable one.
    pub is_placed: bool,
    /// Whether every file of the format contains heights.
    pub always_heights: bool,
    pub no_data: Option<f64>,
    pub scale: Option<f64>,
    pub offset: Option<f64>,
    /// Length of the unit of the heights in metres.
    pub unit_metres: Option<f64>,
    /// Heights of black and white in metres, from the metadata that Talweg writes.
    pub range_metres: Option<(f32, f32)>,
}

impl NumberStatement {
    /// A statement that contains only the type of the numbers.
    pub fn of_type(number_type: NumberType) -> Self {
        Self {
            number_type,
            is_colour: false,
            is_placed: false,
            always_heights: false,
            no_data: None,
            scale: None,
            offset: None,
            unit_metres: None,
            range_metres: None,
        }
    }

    /// The meaning of the numbers as far as the file's statements and the options determine it.
    fn meaning(&self, options: &ReadOptions) -> ExpectedMeaning {
        use ExpectedMeaning::{FloatsDecide, Fractions, Heights};
        let says_heights = self.scale.is_some() || self.offset.is_some() || self.unit_metres.is_some();
        match (options.meaning, self.number_type) {
            (NumberMeaning::Metres | NumberMeaning::Terrarium | NumberMeaning::Mapbox, _) => Heights,
            (NumberMeaning::Fractions, _) => Fractions,
            _ if self.always_heights || options.unit.metres().is_some() => Heights,
            (_, NumberType::Unsigned(..=16)) if self.range_metres.is_some() || self.is_colour => Fractions,
            (_, NumberType::Unsigned(..=16)) if !self.is_placed && !says_heights => Fractions,
            (_, NumberType::Float(_)) if !says_heights => FloatsDecide,
            _ => Heights,
        }
    }
}

/// The meaning of the numbers in a file before the reader has decoded them.
#[derive(Clone, Copy, PartialEq)]
enum ExpectedMeaning {
    Heights,
    Fractions,
    /// The values decide: floats that are all between about 0 and 1 are fractions, other floats are heights.
    FloatsDecide,
}

/// Converts the stored numbers of a file to values, which are heights in metres or fractions.
pub(super) struct NumberRule {
    statement: NumberStatement,
    options: ReadOptions,
    meaning: ExpectedMeaning,
    factor: f64,
    offset: f64,
    no_data: Option<f64>,
}

/// Numbers that often mark missing data, even if the file does not state them as its no-data value.
const USUAL_VOIDS: [f64; 12] = [
    -9999.0,
    -32767.0,
    -32768.0,
    -99999.0,
    -999_999.0,
    -2_147_483_647.0,
    -2_147_483_648.0,
    32767.0,
    65535.0,
    1.0e20,
    2_147_483_647.0,
    4_294_967_295.0,
];
/// Numbers of this magnitude or more count as missing data. Examples are the lowest and the highest 32-bit float.
const BEYOND_HEIGHTS: f64 = 1.0e30;
/// Minimum distance of a usual no-data value from all other numbers: in the unit of the file, and as a fraction of the
/// range of the other numbers. A number that is closer to the others counts as a height.
const VOID_DISTANCE: (f64, f64) = (1000.0, 0.25);
/// Largest amount by which fractions may lie below 0 or above 1. Sharpening filters, for example, leave such values.
const OVERSHOOT: f32 = 0.1;

impl NumberRule {
    /// The rule for a file with `statement`, read with `options`.
    pub fn new(statement: NumberStatement, options: ReadOptions) -> Self {
        let meaning = statement.meaning(&options);
        let (factor, offset) = match meaning {
            ExpectedMeaning::Heights => {
                let metres = options.unit.metres().or(statement.unit_metres).unwrap_or(1.0);
                (statement.scale.unwrap_or(1.0) * metres, statement.offset.unwrap_or(0.0) * metres)
            }
            ExpectedMeaning::Fractions => (1.0 / statement.number_type.white(), 0.0),
            ExpectedMeaning::FloatsDecide => (1.0, 0.0),
        };
        let no_data = match options.no_data {
            NoDataRule::File => statement.no_data,
            NoDataRule::Given => Some(f64::from(options.no_data_value)),
            NoDataRule::Never => None,
        };
        Self { statement, options, meaning, factor, offset, no_data }
    }

    /// The value of a stored number; NaN if the number is the no-data value.
    #[inline]
    pub fn value(&self, stored: f64) -> f32 {
        let is_void = self.no_data.is_some_and(|void| is_same(stored, void, self.statement.number_type));
        if is_void {
            return f32::NAN;
        }
        self.converted(stored)
    }

    fn converted(&self, stored: f64) -> f32 {
        match self.meaning {
            ExpectedMeaning::Fractions => {
                // A division rounds once; a multiplication by the inverse would round twice.
                (stored / self.statement.number_type.white()) as f32
            }
            _ if self.factor == 1.0 && self.offset == 0.0 => stored as f32,
            _ => (stored * self.factor + self.offset) as f32,
        }
    }

    /// Whether a number usually marks missing data. Averages over several samples skip such numbers.
    pub fn is_usual_void(&self, stored: f64) -> bool {
        self.options.no_data == NoDataRule::File
            && self.meaning != ExpectedMeaning::Fractions
            && (stored.abs() >= BEYOND_HEIGHTS || stored < 0.0 && USUAL_VOIDS.contains(&stored))
    }

    /// Marks the samples that hold a usual no-data value, and returns the meaning of the values.
    pub fn finish(&self, values: &mut [f32], notes: &mut Vec<RasterNote>) -> SampleMeaning {
        if self.meaning != ExpectedMeaning::Fractions && self.options.no_data == NoDataRule::File {
            self.mark_usual_voids(values, notes);
        }
        let range_metres = self.statement.range_metres;
        match self.meaning {
            ExpectedMeaning::Heights => SampleMeaning::Metres,
            ExpectedMeaning::Fractions => SampleMeaning::Fractions { range_metres },
            ExpectedMeaning::FloatsDecide => self.meaning_of_floats(values, notes),
        }
    }

    fn mark_usual_voids(&self, values: &mut [f32], notes: &mut Vec<RasterNote>) {
        let beyond = |v: f32| f64::from(v.abs()) >= BEYOND_HEIGHTS;
        let mut named: Vec<(f64, usize)> = Vec::new();
        for value in values.iter_mut().filter(|v| beyond(**v)) {
            let number = f64::from(*value);
            match named.iter_mut().find(|(void, _)| *void == number) {
                Some((_, count)) => *count += 1,
                None => named.push((number, 1)),
            }
            *value = f32::NAN;
        }
        while let Some((void, value)) = self.usual_void_apart(values) {
            let mut count = 0;
            for v in values.iter_mut().filter(|v| **v == value) {
                *v = f32::NAN;
                count += 1;
            }
            named.push((void, count));
        }
        for (void, count) in named.iter().take(MOST_NAMED) {
            notes.push(RasterNote::new(
                "undeclared-no-data",
                format!(
                    "{count} samples hold {}, far from all heights, so they count as samples without data; set No data to None if they are heights",
                    if void.is_finite() { short_number(*void) } else { "numbers beyond 3.4e38".into() }
                ),
            ));
        }
    }

    /// A usual no-data value that is the lowest or the highest number and far from all others. Returned twice: as
    /// stored in the file, and converted to a value.
    fn usual_void_apart(&self, values: &[f32]) -> Option<(f64, f32)> {
        let known = || values.iter().copied().filter(|v| v.is_finite());
        let (low, high) = known().fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        if low >= high {
            return None;
        }
        let unit = self.factor.abs();
        [low, high].into_iter().find_map(|end| {
            let void = USUAL_VOIDS.into_iter().find(|void| self.converted(*void) == end)?;
            let others = known().filter(|v| *v != end);
            let (near, far) = others.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
            let distance = f64::from(if end == low { near - low } else { high - far });
            let apart = (VOID_DISTANCE.0 * unit).max(VOID_DISTANCE.1 * f64::from(far - near));
            (distance >= apart).then_some((void, end))
        })
    }

    /// The meaning of floats in a format that does not state it. They count as fractions if all are between about 0 and
    /// 1 and neither a map position nor Talweg's metadata suggests metres.
    fn meaning_of_floats(&self, values: &[f32], notes: &mut Vec<RasterNote>) -> SampleMeaning {
        let known = || values.iter().filter(|v| v.is_finite());
        let (low, high) = known().fold((f32::MAX, f32::MIN), |(lo, hi), &v| (lo.min(v), hi.max(v)));
        let is_fraction = low >= -OVERSHOOT && high <= 1.0 + OVERSHOOT;
        let says_the_same = |(a, b): (f32, f32)| {
            let near = |a: f32, b: f32, span: f32| (a - b).abs() <= 1.0e-3 * span.abs();
            near(low, a, b - a) && near(high, b, b - a)
        };
        match self.statement.range_metres {
            Some(range) if is_fraction && !says_the_same(range) => {
                SampleMeaning::Fractions { range_metres: Some(range) }
            }
            None if is_fraction && !self.statement.is_placed => {
                if low < 0.0 || high > 1.0 {
                    notes.push(RasterNote::new(
                        "overshoot",
                        format!(
                            "its numbers range from {low} to {high}, so they are read as 0 (black) to 1 (white); set Numbers to Heights if they are metres"
                        ),
                    ));
                }
                SampleMeaning::Fractions { range_metres: None }
            }
            _ => SampleMeaning::Metres,
        }
    }
}

/// Maximum number of undeclared no-data values that the notes name.
const MOST_NAMED: usize = 4;

/// Whether a stored number is the no-data value. Files often state the value as text with too few digits, so two floats
/// of the same sign beyond all heights count as equal.
fn is_same(stored: f64, void: f64, number_type: NumberType) -> bool {
    if stored == void || stored.is_nan() && void.is_nan() {
        return true;
    }
    match number_type {
        NumberType::Float(..=32) => {
            stored as f32 == void as f32
                || stored.abs() >= BEYOND_HEIGHTS && void.abs() >= BEYOND_HEIGHTS && (stored > 0.0) == (void > 0.0)
        }
        _ => false,
    }
}

/// A number as text for users. Large numbers are shortened, for example to `3.4e38`.
pub(in crate::io) fn short_number(number: f64) -> String {
    if number.abs() >= 1.0e15 { format!("{number:.1e}") } else { format!("{number}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(statement: NumberStatement, options: ReadOptions, stored: &[f64]) -> (Vec<f32>, SampleMeaning, usize) {
        let rule = NumberRule::new(statement, options);
        let mut values: Vec<f32> = stored.iter().map(|v| rule.value(*v)).collect();
        let mut notes = Vec::new();
        let meaning = rule.finish(&mut values, &mut notes);
        (values, meaning, notes.len())
    }

    #[test]
    fn numbers_far_from_all_heights_are_no_data() {
        let float = NumberStatement { is_placed: true, ..NumberStatement::of_type(NumberType::Float(32)) };
        for void in [-9999.0, -32767.0, -32768.0, -99999.0, 1.0e20, 3.4e38, f64::from(f32::MIN)] {
            let (values, _, notes) = finished(float.clone(), ReadOptions::default(), &[500.0, void, 756.0, void]);
            assert!(values[1].is_nan() && values[3].is_nan() && values[0] == 500.0, "{void}: {values:?}");
            assert_eq!(notes, 1, "{void}");
        }
        // In places, the sea floor lies at -9999 m.
        let (values, _, notes) = finished(float.clone(), ReadOptions::default(), &[-9999.0, -9800.0, -9000.0, -4000.0]);
        assert_eq!((values[0], notes), (-9999.0, 0));
        let never = ReadOptions { no_data: NoDataRule::Never, ..ReadOptions::default() };
        let (values, _, notes) = finished(float.clone(), never, &[500.0, -9999.0]);
        assert_eq!((values[1], notes), (-9999.0, 0));
        let given = ReadOptions { no_data: NoDataRule::Given, no_data_value: 500.0, ..ReadOptions::default() };
        let (values, ..) = finished(float, given, &[500.0, -9999.0]);
        assert!(values[0].is_nan() && values[1] == -9999.0);
    }

    #[test]
    fn unplaced_integers_and_small_floats_are_fractions() {
        let of_type = NumberStatement::of_type;
        let meaning = |statement, stored: &[f64]| finished(statement, ReadOptions::default(), stored);
        let fractions = SampleMeaning::Fractions { range_metres: None };
        assert_eq!(meaning(of_type(NumberType::Unsigned(16)), &[0.0, 65535.0]), (vec![0.0, 1.0], fractions, 0));
        assert_eq!(meaning(of_type(NumberType::Float(32)), &[0.0, 0.5]), (vec![0.0, 0.5], fractions, 0));
        assert_eq!(meaning(of_type(NumberType::Float(32)), &[-0.003, 1.003]).1, fractions);
        assert_eq!(meaning(of_type(NumberType::Float(32)), &[-0.3, 1.0]).1, SampleMeaning::Metres);
        let placed = NumberStatement { is_placed: true, ..of_type(NumberType::Unsigned(8)) };
        assert_eq!(meaning(placed, &[0.0, 128.0]), (vec![0.0, 128.0], SampleMeaning::Metres, 0));
        let feet = NumberStatement { unit_metres: Some(0.3048), ..of_type(NumberType::Signed(16)) };
        assert_eq!(meaning(feet, &[0.0, 1000.0]).0, [0.0, 304.8]);
    }

    #[test]
    fn a_no_data_value_with_few_digits_is_recognised() {
        let text = NumberStatement { no_data: Some(-3.402_823e38), ..NumberStatement::of_type(NumberType::Float(32)) };
        let (values, _, notes) = finished(text, ReadOptions::default(), &[1.0, f64::from(f32::MIN), 3.0]);
        assert!(values[1].is_nan() && notes == 0);
    }
}
