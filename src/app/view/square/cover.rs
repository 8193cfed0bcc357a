//! Sand and snow cover as a texture, from both loose deposits and construction materials. The texture also holds the
//! hardness of the rock, because some graphics cards limit the number of textures in a view.

use std::sync::Arc;

use rayon::prelude::*;

use crate::view::render::mips::{Mips, from_unit_bytes, unit_bytes};
use crate::view::render_base::has_same_map;
use talweg::appearance::{COVERS, SampleCoverDepths};
use talweg::field::{Cancelled, Control, MapKind, Region, Terrain};
use talweg::scene::Settings;

/// One texture with the cover of sand and snow on a terrain, and with the hardness of the rock below where it is known.
#[derive(Clone)]
pub struct SnowSandCover {
    /// Fraction of the surface that each of [`COVERS`] covers, as bytes. If the hardness is known, the hardness and an
    /// unused byte follow.
    pub shares: Arc<Mips>,
}

impl SnowSandCover {
    /// The sand and snow cover of a terrain, if the terrain has any.
    ///
    /// # Errors
    /// If `control` cancels.
    pub fn new(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Option<Self>, Cancelled> {
        let (depths, n) = (SampleCoverDepths::new(terrain, settings), terrain.samples());
        let samples = (0..terrain.height.len()).into_par_iter();
        let shares = match terrain.map(MapKind::Hardness) {
            Some(hardness) => {
                let texels = samples.map(|k| with_hardness(depths.hidden_fractions(k), hardness[k])).collect();
                Mips::new(n, texels, four_bytes, control)?
            }
            None if depths.is_empty() => return Ok(None),
            None => Mips::new(n, samples.map(|k| depths.hidden_fractions(k)).collect(), unit_bytes, control)?,
        };
        Ok(Some(Self { shares: Arc::new(shares) }))
    }

    /// The sand and snow cover of a terrain that differs from the terrain `before` only within a region. `old` is the
    /// cover of `before`.
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
        let others = [MapKind::SandShare, MapKind::SnowShare, MapKind::Hardness];
        let mut kinds = COVERS.iter().map(|(kind, ..)| *kind).chain(others);
        if kinds.all(|kind| has_same_map(before, terrain, kind)) {
            return Ok(old.cloned());
        }
        let hardness = terrain.map(MapKind::Hardness);
        let texel_bytes = if hardness.is_some() { 4 } else { 2 };
        let Some(old) = old.filter(|old| old.shares.texel_bytes == texel_bytes) else {
            return Self::new(terrain, settings, control);
        };
        let (depths, n) = (SampleCoverDepths::new(terrain, settings), terrain.samples());
        let shares = match hardness {
            Some(hardness) => {
                let texel = |i: usize, j: usize| with_hardness(depths.hidden_fractions(i * n + j), hardness[i * n + j]);
                old.shares.renewed(region, texel, (four_bytes, from_four_bytes))
            }
            None => {
                let texel = |i: usize, j: usize| depths.hidden_fractions(i * n + j);
                old.shares.renewed(region, texel, (unit_bytes, from_unit_bytes))
            }
        };
        Ok(Some(Self { shares: Arc::new(shares) }))
    }
}

fn with_hardness([sand, snow]: [f32; 2], hardness: f32) -> [f32; 4] {
    [sand, snow, hardness, 0.0]
}

fn four_bytes([sand, snow, hardness, none]: [f32; 4]) -> [u8; 4] {
    let [[sand, snow], [hardness, none]] = [unit_bytes([sand, snow]), unit_bytes([hardness, none])];
    [sand, snow, hardness, none]
}

fn from_four_bytes(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}
