//! A patch: a square that was edited as a separate terrain and is put back onto the planet.
//!
//! Law: inside the square out = below + (patch - below) · w, with `below` the planet's height. The weight w falls
//! smoothly from 1 to 0 within `feather` of the edges, where the planet's own terrain remains. The position of a sample
//! in the square follows from its distance and bearing from the centre ([`Square`]). Outside the square nothing
//! changes. The globe shows only detail that its own samples resolve; the patch's finer relief stays in the patch's
//! file.

use crate::{Context, Filter, NodeParts, OnPlanet, Traits};
use talweg_ground::field::{Cancelled, Globe, smooth_step};
use talweg_ground::io::raster;
use talweg_ground::param::ImageFile;
use talweg_ground::planet::square::Square;

talweg_ground::params! {
    /// Blends a square terrain, edited as a separate scene, into the planet.
    Patch "Region" in "Planet", from "azimuthal equidistant projection", also "patch region square tile detail put back" {
        /// Heights of the square in metres: a .r32 file.
        file: ImageFile = ImageFile::default();
        /// Longitude of the square's centre.
        longitude: f32 ["°"] = 0.0, -180.0..=180.0;
        /// Latitude of the square's centre.
        latitude: f32 ["°"] = 0.0, -90.0..=90.0;
        /// Side length of the square along the surface.
        side_metres: f32 ["m"] = 1_000_000.0, 1.0..=1.0e7, slider 10_000.0..=5_000_000.0;
        /// Width of the transition to the surrounding terrain, as a fraction of the side.
        feather: f32 ["share"] = 0.1, 0.0..=0.5;
    }
}

impl Filter for Patch {
    fn traits(&self) -> Traits {
        Traits { runs_on_square: false, on_planet: Some(OnPlanet::DEFAULT), ..Traits::FILTER }
    }

    fn parts(&self) -> NodeParts<'_> {
        NodeParts::PLANET
    }

    fn apply(&self, cx: &Context, terrain: &mut talweg_ground::field::Terrain) -> Result<(), Cancelled> {
        // The scene reports problems with the file; until the problems are solved the terrain stays unchanged.
        let (Some(planet), Ok(raster)) = (cx.planet, raster(&self.file.0)) else { return Ok(()) };
        let (low, high) = raster.range_metres.unwrap_or((0.0, cx.relief_metres));
        let (low, span) = (low / cx.relief_metres, (high - low) / cx.relief_metres);
        let square = Square {
            longitude: f64::from(self.longitude),
            latitude: f64::from(self.latitude),
            side_metres: f64::from(self.side_metres),
        };
        let (globe, radius) = (Globe::new(cx.grid.samples), f64::from(planet.radius_metres));
        let n = cx.grid.samples;
        cx.rows(&mut terrain.height, |i, row| {
            for (j, h) in row.iter_mut().enumerate() {
                let Some([u, v]) = square.position(radius, globe.exact_direction(i / n, i % n, j)) else { continue };
                let inside = u.min(1.0 - u).min(v).min(1.0 - v);
                if inside < 0.0 {
                    continue;
                }
                let t = (inside / f64::from(self.feather).max(1.0e-9)).min(1.0) as f32;
                let patch = low + span * raster.bicubic(u as f32, v as f32);
                *h += (patch - *h) * smooth_step(t);
            }
        })
    }
}
