//! Settings for reading a file. They add information that the file lacks, and replace information that is wrong.

crate::choices! {
    /// The meaning of the numbers in a file.
    NumberMeaning {
        File "As in the file": "Heights if the file says so, has a position on a map, or holds signed integers or floats beyond 0 to 1; otherwise black to white.",
        Metres "Heights": "Every number is a height.",
        Fractions "Black to white": "0 is black. White is the largest number that the file type can store, or 1 for floats.",
        Terrarium "Terrarium tile": "Heights in colours: 256 · red + green + blue / 256 − 32768 metres.",
        Mapbox "Mapbox tile": "Heights in colours: (65536 · red + 256 · green + blue) / 10 − 10000 metres.",
    }
}

crate::choices! {
    /// The unit of the heights in a file.
    HeightUnit {
        File "As in the file": "The unit that the file states; otherwise metres.",
        Metres "Metres": "The numbers are metres.",
        Feet "Feet": "International feet of 0.3048 m.",
        SurveyFeet "US survey feet": "Feet of 1200/3937 m.",
        Decimetres "Decimetres": "Tenths of a metre.",
        Centimetres "Centimetres": "Hundredths of a metre.",
        Millimetres "Millimetres": "Thousandths of a metre.",
        Kilometres "Kilometres": "Thousands of metres.",
    }
}

impl HeightUnit {
    /// Length of the unit in metres; `None` if the file decides.
    pub fn metres(self) -> Option<f64> {
        match self {
            Self::File => None,
            Self::Metres => Some(1.0),
            Self::Feet => Some(0.3048),
            Self::SurveyFeet => Some(1200.0 / 3937.0),
            Self::Decimetres => Some(0.1),
            Self::Centimetres => Some(0.01),
            Self::Millimetres => Some(0.001),
            Self::Kilometres => Some(1000.0),
        }
    }
}

crate::choices! {
    /// The rule that selects the samples without data.
    NoDataRule {
        File "As in the file": "Samples that the file marks by its no-data value, a mask or opacity 0, and values such as -9999 that are far from all heights.",
        Given "A value": "Only samples with the no-data value given below.",
        Never "None": "Every number is a height.",
    }
}

/// Settings for reading a file. The default reads the file as it describes itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOptions {
    /// Number of samples per row of a raw file; 0 for a square, or for a planet map that is twice as wide as high.
    pub raw_width: u32,
    /// Whether the most significant byte of each number in a raw file comes first.
    pub big_endian: bool,
    /// Whether the first row of the file is the southern edge. If so, the reader reverses the rows.
    pub first_row_is_south: bool,
    /// The meaning of the numbers.
    pub meaning: NumberMeaning,
    /// The unit of the heights.
    pub unit: HeightUnit,
    /// The rule that selects the samples without data.
    pub no_data: NoDataRule,
    /// The value of samples without data, for [`NoDataRule::Given`].
    pub no_data_value: f32,
    /// The channel to read, counted from 1; 0 lets the reader choose.
    pub channel: u16,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            raw_width: 0,
            big_endian: false,
            first_row_is_south: false,
            meaning: NumberMeaning::File,
            unit: HeightUnit::File,
            no_data: NoDataRule::File,
            no_data_value: 0.0,
            channel: 0,
        }
    }
}
