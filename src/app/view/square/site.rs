//! A texture with values of the terrain's maps, for the material rules.

use std::sync::Arc;

use rayon::prelude::*;

use crate::view::render::mips::Mips;
use crate::view::render_base::has_same_map;
use talweg::appearance::{SITE_MAPS, site_conditions};
use talweg::field::{Cancelled, Control, Region, Terrain};
use talweg::scene::Settings;

/// Flow, deposits, vegetation and inverted erosion of every sample, from 0 to 1, as bytes. The last value is 1 minus
/// the erosion, because the shader reads 0, 0, 0, 1 for a terrain without maps.
#[derive(Clone)]
pub struct SiteConditionMap {
    pub texels: Arc<Mips>,
}

impl SiteConditionMap {
    /// The site map of a terrain, if the terrain has maps for any of these values.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn new(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Option<Self>, Cancelled> {
        if SITE_MAPS.iter().all(|kind| terrain.map(*kind).is_none()) {
            return Ok(None);
        }
        let of_sample = site_conditions(terrain, settings);
        let texels = (0..terrain.height.len()).into_par_iter().map(of_sample).collect();
        Ok(Some(Self { texels: Arc::new(Mips::new(terrain.samples(), texels, bytes, control)?) }))
    }

    /// The site map of a terrain that differs from the terrain `before` only within a region. `old` is the map of
    /// `before`.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn renewed(
        old: Option<&Self>,
        before: &Terrain,
        terrain: &Terrain,
        settings: &Settings,
        region: &Region,
        control: &Control,
    ) -> Result<Option<Self>, Cancelled> {
        if SITE_MAPS.iter().all(|kind| has_same_map(before, terrain, *kind)) {
            return Ok(old.cloned());
        }
        let Some(old) = old else { return Self::new(terrain, settings, control) };
        let (of_sample, n) = (site_conditions(terrain, settings), terrain.samples());
        let texel = |i: usize, j: usize| of_sample(i * n + j);
        Ok(Some(Self { texels: Arc::new(old.texels.renewed(region, texel, (bytes, from_bytes))) }))
    }
}

fn bytes(shares: [f32; 4]) -> [u8; 4] {
    shares.map(|share| (share * 255.0 + 0.5) as u8)
}

fn from_bytes(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use talweg::field::{Edges, MapKind};

    #[test]
    fn map_units_are_metres_at_any_resolution() {
        let settings = Settings { size_metres: 1000.0, relief_metres: 500.0, ..Settings::default() };
        for samples in [11, 101] {
            let mut terrain = Terrain::from_fn(samples, Edges::Open, |u, _| u);
            assert!(SiteConditionMap::new(&terrain, &settings, &Control::default()).unwrap().is_none());
            let cell = 1000.0 / (samples - 1) as f32;
            terrain.map_mut(MapKind::Flow).fill(1e5 / (cell * cell));
            terrain.map_mut(MapKind::Deposits).fill(1.0 / 500.0);
            let site = SiteConditionMap::new(&terrain, &settings, &Control::default()).unwrap().expect("there is flow");
            let [flow, deposits, vegetation, whole] = site.texels.levels[0].bytes[..4] else { panic!("four bytes") };
            assert_eq!((flow, deposits, vegetation, whole), (128, 128, 0, 255));
        }
    }
}
