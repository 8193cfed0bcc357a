//! Sunlight on a square: shadows on the mirrored copies around it, and recomputed light near a region that has changed.

use rayon::prelude::*;

use crate::view::render::light::shadow_depth;
use crate::view::render::mips::{Mips, from_unit_bytes, unit_bytes};
use crate::view::scale::WorldScale;
use talweg::appearance::{openness, openness_blocks};
use talweg::field::{Cancelled, Control, Grid, Region, Terrain};
use talweg::scene::Settings;

/// Greatest number of samples per side in the shadow map of the mirrored copies. The eye sees these copies only from
/// afar.
pub const MOST_MIRRORED_SAMPLES: usize = 1025;

/// Shadow depth on three mirrored copies of the terrain: with east and west swapped, with north and south swapped, and
/// with both swapped.
pub fn mirrored_shadows(
    terrain: &Terrain,
    settings: &Settings,
    range: (f32, f32),
    control: &Control,
) -> Result<Mips, Cancelled> {
    let scale = WorldScale::with_range(terrain, settings, range);
    let [east, up, south] = settings.sun_direction();
    let suns = [[-east, up, south], [east, up, -south], [-east, up, -south]];
    let shadows = suns.map(|towards_sun| shadow_depth(terrain, &scale, towards_sun, control));
    let [across, along, both] = shadows;
    let (across, along, both) = (across?, along?, both?);
    let texels = (0..terrain.height.len()).into_par_iter().map(|k| [across[k], along[k], both[k], 0.0]).collect();
    Mips::new(scale.samples, texels, unit_bytes, control)
}

/// Returns the samples whose light must be recomputed after a change in a region, and the square of samples that this
/// computation reads. `None` if the square contains most of the terrain.
pub fn light_window(scale: &WorldScale, [east, up, south]: [f32; 3], region: &Region) -> Option<(Region, Region)> {
    let n = scale.samples;
    let fall = up / (east * east + south * south).sqrt().max(1e-3);
    let high = scale.highest_world - scale.lowest_world;
    let longest = (high / fall.max(1e-3) / scale.cell_world).min(1e6) as usize;
    let by = longest.clamp(8, n / 12 + 8);
    let lit = widened(region, by, n);
    let blocks = openness_blocks(n);
    let seen = widened(region, 2 * by, n);
    let start = |span: &std::ops::Range<usize>| span.start / blocks * blocks;
    let (row, column) = (start(&seen.rows), start(&seen.columns));
    let side = (seen.rows.end - row).max(seen.columns.end - column);
    // a square that would extend beyond the terrain is moved back to the start of a block
    let back = |start: usize| {
        if start + side <= n { start } else { n.saturating_sub(side) / blocks * blocks }
    };
    let (row, column) = (back(row), back(column));
    let side = (seen.rows.end - row).max(seen.columns.end - column);
    let fits = row + side <= n && column + side <= n && side * side * 3 < n * n * 2;
    let seen = Region { rows: row..row + side, columns: column..column + side };
    fits.then_some((lit, seen))
}

/// A copy of the light map with recomputed texels in the region `lit`.
pub fn renewed_light(
    light: &Mips,
    (terrain, scale): (&Terrain, &WorldScale),
    (towards_sun, relief_over_size): ([f32; 3], f32),
    (lit, seen): &(Region, Region),
    control: &Control,
) -> Result<Mips, Cancelled> {
    let (n, side) = (terrain.samples(), seen.rows.len());
    let mut part = Terrain::flat(Grid::new(side, terrain.grid.edges));
    for (row, out) in seen.rows.clone().zip(part.height.chunks_mut(side)) {
        out.copy_from_slice(&terrain.height[row * n + seen.columns.start..][..side]);
    }
    let near = WorldScale { samples: side, ..*scale };
    let (shadow, openness) = rayon::join(
        || shadow_depth(&part, &near, towards_sun, control),
        || openness(&part, relief_over_size, terrain.samples(), control),
    );
    let (shadow, openness) = (shadow?, openness?);
    let texel = |i: usize, j: usize| {
        let k = (i - seen.rows.start) * side + j - seen.columns.start;
        [shadow[k], openness[k]]
    };
    Ok(light.renewed(lit, texel, (unit_bytes, from_unit_bytes)))
}

/// The region widened by `by` samples on every side, limited to the terrain.
pub fn widened(region: &Region, by: usize, samples: usize) -> Region {
    let span = |s: &std::ops::Range<usize>| s.start.saturating_sub(by)..(s.end + by).min(samples);
    Region { rows: span(&region.rows), columns: span(&region.columns) }
}
