//! Options for reading heightmaps, which several commands share.

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Failure, usage};
use talweg::io::formats::{HeightUnit, NoDataRule, NumberMeaning, ReadOptions};

/// Heading of the options in the help of a command.
pub const READING: &str = "Reading a heightmap";

/// Settings for a heightmap whose file lacks information about itself or states it wrongly
#[derive(Args, Clone)]
#[command(next_help_heading = READING)]
pub struct ReadArgs {
    /// Meaning of the numbers: heights, black to white, or heights encoded in colours
    #[arg(long, value_name = "MEANING", default_value = "File", ignore_case = true,
        value_parser = PossibleValuesParser::new(NumberMeaning::names()))]
    numbers: String,
    /// Unit of the heights
    #[arg(long, value_name = "UNIT", default_value = "File", ignore_case = true,
        value_parser = PossibleValuesParser::new(HeightUnit::names()))]
    unit: String,
    /// The number that marks samples without data; `file` uses the file's no-data value and masks, `none` keeps all
    #[arg(long, value_name = "VALUE", default_value = "file", allow_negative_numbers = true)]
    no_data: String,
    /// Channel of the file, counted from 1; 0 chooses the channel that holds heights
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    channel: u16,
    /// The first row of the file is the southern edge
    #[arg(long)]
    first_row_south: bool,
    /// Samples per row of a raw file; 0 for a square, or for a planet map twice as wide as high
    #[arg(long, value_name = "SAMPLES", default_value_t = 0)]
    raw_width: u32,
    /// The most significant byte of each number in a raw file comes first
    #[arg(long)]
    big_endian: bool,
}

impl ReadArgs {
    /// The settings that the command-line options describe.
    ///
    /// # Errors
    /// When the no-data value is neither a number nor a known word.
    pub fn options(&self) -> Result<ReadOptions, Failure> {
        let wrong = || usage(anyhow::anyhow!("--no-data: `{}` is not a number, `file` or `none`", self.no_data));
        let (no_data, no_data_value) = match self.no_data.to_ascii_lowercase().as_str() {
            "file" => (NoDataRule::File, 0.0),
            "none" => (NoDataRule::Never, 0.0),
            number => (NoDataRule::Given, number.parse().map_err(|_| wrong())?),
        };
        Ok(ReadOptions {
            raw_width: self.raw_width,
            big_endian: self.big_endian,
            first_row_is_south: self.first_row_south,
            meaning: NumberMeaning::named(&self.numbers).unwrap_or(NumberMeaning::File),
            unit: HeightUnit::named(&self.unit).unwrap_or(HeightUnit::File),
            no_data,
            no_data_value,
            channel: self.channel,
        })
    }
}
