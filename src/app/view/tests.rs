//! Tests of both surfaces: how many bytes their textures upload.

use std::sync::Arc;

use super::globe::GlobeTerrain;
use super::overlays::choice::{Overlay, OverlayChoice};
use super::plants::shadows::SHADOW_BYTES;
use super::render::ground_materials::MATERIAL_BYTES;
use super::render::texels::{TerrainMap, TexelSource};
use super::render::textures::{UploadBand, bands};
use super::square::SquareTerrain;
use super::square::plants::CANOPY_BYTES;
use talweg::appearance::Biomes;
use talweg::field::{Control, Edges, Grid, MapKind, Terrain};
use talweg::scene::{Scene, Settings, Surroundings};

fn prepared(terrain: &Terrain, overlay: Overlay) -> Arc<SquareTerrain> {
    let choice = OverlayChoice { overlay, ..OverlayChoice::default() };
    let square = SquareTerrain::new(&Arc::new(terrain.clone()), &Settings::default(), &choice, &Control::default());
    Arc::new(square.unwrap())
}

fn bytes<T: TexelSource>(wanted: &T, shown: Option<&T>) -> usize {
    let bytes = |band: &UploadBand| {
        let texels = wanted.texels(band.map).unwrap();
        let level = texels.level(band.level, band.face);
        band.rows * level.columns * level.texel_bytes
    };
    bands(wanted, shown).iter().map(bytes).sum()
}

#[test]
fn missing_maps_are_not_uploaded() {
    let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
    // each row of heights has three further values, one for the height range of each run of up to 64 samples; each
    // texel of every mip level has two half-precision slopes and two bytes of light
    let texels: usize = (0..8).map(|level| (129usize >> level).pow(2)).sum();
    let bare = 2 * 129 * (129 + 3) + (4 + 2) * texels;
    assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare);
    assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare, "no flow map, no data");
    assert_eq!(bytes(&prepared(&terrain, Overlay::Slope), None), bare, "slopes are there in any case");
    terrain.map_mut(MapKind::Flow).fill(2.0);
    // the site values that choose the materials take four bytes per texel
    let bare = bare + 4 * texels;
    assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare, "an unused map");
    assert_eq!(bytes(&prepared(&terrain, Overlay::Map(MapKind::Flow)), None), bare + 2 * texels);
    terrain.map_mut(MapKind::Water)[70] = 0.1;
    // the depth of the water, and whether it is still
    assert_eq!(bytes(&prepared(&terrain, Overlay::None), None), bare + 4 * texels);
}

/// A terrain with every kind of map.
fn with_all_maps(n: usize) -> Arc<SquareTerrain> {
    let mut terrain = Terrain::from_fn(n, Edges::Open, |u, v| u * v);
    terrain.map_mut(MapKind::Ground).iter_mut().enumerate().for_each(|(k, ground)| *ground = (k.min(1)) as f32);
    for kind in [MapKind::Flow, MapKind::Snow, MapKind::Water, MapKind::Hardness] {
        terrain.map_mut(kind).fill(0.01);
    }
    let settings = Settings { surroundings: Surroundings::Land, ..Settings::default() };
    let scene = Scene { palette: "biome:earth".into(), ..Scene::default() };
    let biomes = Some(Arc::new(Biomes::for_scene(&scene).expect("a built-in")));
    let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Flow), biomes, ..OverlayChoice::default() };
    let square = SquareTerrain::new(&Arc::new(terrain), &settings, &choice, &Control::default()).unwrap();
    let all = Arc::new(square);
    for map in TerrainMap::ALL {
        assert!(all.texels(map).is_some(), "{map:?}");
    }
    all
}

#[test]
fn all_maps_of_the_widest_terrain_fit_at_high_quality() {
    let n = 4097;
    let wide = with_all_maps(n);
    assert_eq!(bytes(&wide, None), wide.texture_bytes());
    let all = wide.texture_bytes() + MATERIAL_BYTES + CANOPY_BYTES + SHADOW_BYTES;
    assert!(all <= 288 << 20, "{all}");
    let columns = |map| wide.texels(map).unwrap().level(0, 0).columns;
    assert_eq!(columns(TerrainMap::Data), n / 4, "the overlay exists");
    assert_eq!(columns(TerrainMap::Light), n / 4);
    for map in [TerrainMap::Slopes, TerrainMap::SurfaceWater, TerrainMap::VoidMask] {
        assert_eq!(columns(map), n, "{map:?}");
    }
    let plain = prepared(&Terrain::from_fn(1025, Edges::Open, |u, v| u * v), Overlay::None);
    assert_eq!(plain.texels(TerrainMap::Light).unwrap().level(0, 0).columns, 1025);
}

#[test]
fn a_new_overlay_uploads_only_the_overlay() {
    let mut terrain = Terrain::from_fn(129, Edges::Open, |u, v| u * v);
    terrain.map_mut(MapKind::Flow).fill(2.0);
    let plain = prepared(&terrain, Overlay::None);
    let choice = OverlayChoice { overlay: Overlay::Map(MapKind::Flow), ..OverlayChoice::default() };
    let flow = Arc::new(plain.with_overlay(&choice, &Control::default()).unwrap());
    assert_eq!(bytes(&flow, Some(&plain)), flow.texture_bytes() - plain.texture_bytes());
    assert_eq!(bytes(&plain, Some(&flow)), 0);
}

#[test]
fn a_globe_uploads_all_of_its_six_faces() {
    let terrain = Arc::new(Terrain::flat(Grid::globe(9)));
    let table = talweg::appearance::PaletteTable::for_scene(&talweg::scene::Scene::default());
    let (choice, control) = (OverlayChoice::default(), Control::default());
    let globe =
        GlobeTerrain::new(&terrain, &Settings::default(), (1e6, None), &table.into(), &choice, &control).unwrap();
    let globe = Arc::new(globe);
    assert_eq!(bytes(&globe, None), globe.texture_bytes());
    let faces: Vec<usize> = bands(&globe, None).iter().map(|band| band.face).collect();
    assert!((0..6).all(|face| faces.iter().filter(|own| **own == face).count() == 1 + 4 + 4), "{faces:?}");
}
