//! How much of the ground sand and snow hide, as a texture.

use std::sync::Arc;

use rayon::prelude::*;

use super::mips::{Mips, from_unit_bytes, unit_bytes};
use super::render_base::has_same_map;
use talweg::field::Region;
use talweg::field::{Cancelled, Control, Terrain};
use talweg::look::{COVERS, share_hidden};
use talweg::scene::Settings;

/// The sand and snow that lie on the ground of a terrain.
#[derive(Clone)]
pub struct SnowSandCover {
    /// Shares of the ground that each of [`COVERS`] hides, as bytes.
    pub shares: Arc<Mips>,
}

impl SnowSandCover {
    /// Those of a terrain, if it has any.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn new(terrain: &Terrain, settings: &Settings, control: &Control) -> Result<Option<Self>, Cancelled> {
        let depths = CoverDepths::new(terrain, settings);
        if depths.is_empty() {
            return Ok(None);
        }
        let texels = (0..terrain.height.len()).into_par_iter().map(|k| depths.shares(k)).collect();
        Ok(Some(Self { shares: Arc::new(Mips::new(terrain.samples(), texels, unit_bytes, control)?) }))
    }

    /// Those of a terrain that differs in a region alone from the one `before`, which had `old`.
    ///
    /// # Errors
    /// When `control` says so.
    pub fn renewed(
        old: Option<&Self>,
        before: &Terrain,
        terrain: &Terrain,
        settings: &Settings,
        region: &Region,
        control: &Control,
    ) -> Result<Option<Self>, Cancelled> {
        if COVERS.iter().all(|(kind, ..)| has_same_map(before, terrain, *kind)) {
            return Ok(old.cloned());
        }
        let Some(old) = old else { return Self::new(terrain, settings, control) };
        let (depths, n) = (CoverDepths::new(terrain, settings), terrain.samples());
        let texel = |i: usize, j: usize| depths.shares(i * n + j);
        Ok(Some(Self { shares: Arc::new(old.shares.renewed(region, texel, (unit_bytes, from_unit_bytes))) }))
    }
}

/// Depths of sand and snow, with how many half-depths they count.
pub struct CoverDepths<'a>([Option<(&'a [f32], f32)>; COVERS.len()]);

impl<'a> CoverDepths<'a> {
    pub fn new(terrain: &'a Terrain, settings: &Settings) -> Self {
        let per_half = |half_metres: f32| settings.relief_metres / half_metres;
        Self(COVERS.map(|(kind, _, half)| terrain.map(kind).map(|map| (map.as_slice(), per_half(half)))))
    }

    /// Whether the terrain has neither.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Shares of the ground that they hide at a sample.
    pub fn shares(&self, k: usize) -> [f32; COVERS.len()] {
        self.0.map(|map| map.map_or(0.0, |(depths, per_half)| share_hidden((depths[k] * per_half).max(0.0))))
    }
}
