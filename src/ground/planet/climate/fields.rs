//! Temperature and moisture of a whole terrain, for overlays, maps and measures.
//!
//! The values come from the climate alone, without the noise that makes biome borders ragged.

use rayon::prelude::*;

use super::{Climate, ClimateTerrain, TerrainClimate};
use crate::field::{Cancelled, Control};

/// Temperature and moisture at every sample of a terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClimateFields {
    /// Temperature in °C, one value per sample.
    pub celsius: Vec<f32>,
    /// Moisture: 0 in a desert, 1 in a rain forest. Heavy rain at mountains gives values above 1.
    pub moisture: Vec<f32>,
}

/// Temperature and moisture at every sample of the terrain.
///
/// # Errors
/// When the computation was cancelled.
pub fn climate_fields(
    climate: &Climate,
    ground: &ClimateTerrain,
    control: &Control,
) -> Result<ClimateFields, Cancelled> {
    control.check()?;
    let weather = TerrainClimate::new(climate, ground);
    let terrain = ground.terrain;
    let (grid, n) = (terrain.grid, terrain.samples());
    let relief_metres = ground.relief_metres;
    let globe = grid.shape();
    let mut out = ClimateFields { celsius: vec![0.0; grid.len()], moisture: vec![0.0; grid.len()] };
    let rows = out.celsius.par_chunks_mut(n).zip(out.moisture.par_chunks_mut(n)).zip(terrain.height.par_chunks(n));
    rows.enumerate().try_for_each_init(
        || ([const { Vec::new() }; 3], vec![0.0; n]),
        |(points, metres), (i, ((celsius, moisture), heights))| {
            control.check()?;
            metres.iter_mut().zip(heights).for_each(|(metres, h)| *metres = h * relief_metres);
            if let Some(globe) = &globe {
                points.iter_mut().for_each(|p: &mut Vec<f32>| p.resize(n, 0.0));
                let [x, y, z] = points;
                globe.row_directions(i, [&mut *x, &mut *y, &mut *z]);
                weather.sample_row([x, y, z], metres, celsius, moisture);
                return Ok(());
            }
            for (j, (celsius, moisture)) in celsius.iter_mut().zip(moisture).enumerate() {
                let here = weather.at_place(grid.position(j), grid.position(i), metres[j]);
                (*celsius, *moisture) = (here.celsius, here.moisture);
            }
            Ok(())
        },
    )?;
    if let Some(globe) = globe {
        globe.grid().close(&mut out.celsius);
        globe.grid().close(&mut out.moisture);
    }
    Ok(out)
}
