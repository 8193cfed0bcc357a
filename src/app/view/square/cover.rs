//! How much of the ground sand and snow hide, as a texture: what lies there, and what pieces are made of.

use std::sync::Arc;

use rayon::prelude::*;

use crate::view::render::mips::{Mips, from_unit_bytes, unit_bytes};
use crate::view::render_base::has_same_map;
use talweg::appearance::{COVERS, SampleCoverDepths};
use talweg::field::{Cancelled, Control, MapKind, Region, Terrain};
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
        let depths = SampleCoverDepths::new(terrain, settings);
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
        let mut kinds = COVERS.iter().map(|(kind, ..)| *kind).chain([MapKind::SandShare, MapKind::SnowShare]);
        if kinds.all(|kind| has_same_map(before, terrain, kind)) {
            return Ok(old.cloned());
        }
        let Some(old) = old else { return Self::new(terrain, settings, control) };
        let (depths, n) = (SampleCoverDepths::new(terrain, settings), terrain.samples());
        let texel = |i: usize, j: usize| depths.shares(i * n + j);
        Ok(Some(Self { shares: Arc::new(old.shares.renewed(region, texel, (unit_bytes, from_unit_bytes))) }))
    }
}
