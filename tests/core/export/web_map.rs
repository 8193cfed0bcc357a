//! Tile pyramids are read by Pillow and by a quantized-mesh reader.

use std::collections::BTreeMap;
use std::path::Path;

use talweg::field::{Control, Edges, MapKind, Terrain};
use talweg::web_map::{GlobePyramid, MapPosition, RasterPyramid, TilePixels, WebMapError};

use crate::kits::outside::python;

const SIDE: f32 = 20_000.0;
const RELIEF: f32 = 2000.0;
const ALPS: MapPosition = MapPosition { longitude: 7.5, latitude: 46.5 };

fn hill(samples: usize) -> Terrain {
    Terrain::from_fn(samples, Edges::Open, |u, v| {
        let (x, y) = (u - 0.3, v - 0.6);
        0.2 * u + 0.1 * v - 0.05 + 0.5 / (1.0 + 10.0 * (x * x + y * y))
    })
}

fn pyramid(pixels: TilePixels<'_>, place: MapPosition) -> RasterPyramid<'_> {
    RasterPyramid { pixels, position: place, side_metres: SIDE, relief_metres: RELIEF, closest_zoom: None }
}

/// Start of every script: functions for the positions of pixels on the terrain, and for the heights at positions.
const KNOWN: &str = r#"
import sys, os, json, math, numpy
from PIL import Image
R = 6378137.0
def places(z, x, y, lon, lat, side=20000.0):
    """u and v of all pixels of a tile"""
    metres = 2 * math.pi * R / (256 << z)
    east = (x * 256 + numpy.arange(256) + 0.5) * metres - math.pi * R
    north = math.pi * R - (y * 256 + numpy.arange(256) + 0.5) * metres
    side /= math.cos(math.radians(lat))
    mx, my = R * math.radians(lon), R * math.asinh(math.tan(math.radians(lat)))
    return numpy.meshgrid((east - mx) / side + 0.5, (my - north) / side + 0.5)
def height(u, v):
    return 2000 * (0.2 * u + 0.1 * v - 0.05 + 0.5 / (1 + 10 * ((u - 0.3) ** 2 + (v - 0.6) ** 2)))
def tiles(folder):
    for z in sorted(os.listdir(folder)):
        if z.isdigit():
            for x in os.listdir(f'{folder}/{z}'):
                for y in os.listdir(f'{folder}/{z}/{x}'):
                    yield int(z), int(x), int(y.split('.')[0]), f'{folder}/{z}/{x}/{y}'
"#;

#[test]
fn pillow_decodes_heights_to_metres() {
    let folder = tempfile::tempdir().unwrap();
    let terrain = hill(257);
    for (name, pixels) in [("terrarium", TilePixels::Terrarium), ("mapbox", TilePixels::MapboxRgb)] {
        for (where_to, place) in [("alps", ALPS), ("zero", MapPosition::default())] {
            let folder = folder.path().join(format!("{name}-{where_to}"));
            let report = pyramid(pixels, place).write(&terrain, &folder, &Control::default()).unwrap();
            assert!(report.bounds.west < place.longitude && report.bounds.north > place.latitude);
            // Terrain cells are 78 m wide. A pixel of zoom 11 is 76 m wide at the equator and 53 m in the Alps.
            assert_eq!(*report.zooms.end(), 11, "{name}");
            assert!(report.tiles > 4, "{report:?}");
        }
    }
    let script = format!(
        "{KNOWN}{}",
        r#"
seen = 0
for name in ['terrarium', 'mapbox']:
    for where, (lon, lat) in {'alps': (7.5, 46.5), 'zero': (0, 0)}.items():
        folder = f'{sys.argv[1]}/{name}-{where}'
        about = json.load(open(folder + '/tiles.json'))
        assert about['encoding'] == name and about['maxzoom'] == 11
        found = list(tiles(folder))
        assert {z for z, *_ in found} == set(range(about['minzoom'], 12))
        for z, x, y, path in found:
            image = numpy.asarray(Image.open(path).convert('RGBA')).astype(float)
            r, g, b, a = (image[:, :, k] for k in range(4))
            metres = r * 256 + g + b / 256 - 32768 if name == 'terrarium' else (r * 65536 + g * 256 + b) / 10 - 10000
            u, v = places(z, x, y, lon, lat)
            inside = (u > 0) & (u < 1) & (v > 0) & (v < 1)
            # a pixel on the very edge may be rounded to either side
            sure = (numpy.abs(u) > 1e-9) & (numpy.abs(u - 1) > 1e-9) & (numpy.abs(v) > 1e-9) & (numpy.abs(v - 1) > 1e-9)
            assert ((a == 255) == inside)[sure].all(), path
            assert (a.max() == 255), (path, 'an empty tile')
            error = numpy.abs(metres - height(u, v))[inside]
            # far zooms are means
            assert error.max() < (1.0 if z == 11 else 45.0), (path, error.max())
            assert error.mean() < (0.2 if z == 11 else 12.0), (path, error.mean())
            seen += inside.sum()
print(seen > 100000)
"#
    );
    if let Some(said) = python(&script, &[folder.path()]) {
        assert_eq!(said.trim(), "True");
    }
}

#[test]
fn light_and_colour_are_at_their_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut terrain = hill(257);
    // The south-west has no terrain.
    let ground = terrain.map_mut(MapKind::Ground);
    let is_void = |k: usize| k / 257 > 200 && k % 257 < 50;
    ground.iter_mut().enumerate().filter(|(k, _)| is_void(*k)).for_each(|(_, value)| *value = 0.0);
    let colour = |u: f64, v: f64| [(u * 200.0) as u8, (v * 200.0) as u8, 77];
    let light = 1.0 / 3.0f32.sqrt();
    for (name, pixels) in
        [("shade", TilePixels::Hillshade([-light, light, -light])), ("colour", TilePixels::Colour(&colour))]
    {
        pyramid(pixels, ALPS).write(&terrain, &folder.path().join(name), &Control::default()).unwrap();
    }
    let script = format!(
        "{KNOWN}{}",
        r#"
for name in ['shade', 'colour']:
    for z, x, y, path in tiles(f'{sys.argv[1]}/{name}'):
        image = numpy.asarray(Image.open(path).convert('RGBA')).astype(float)
        u, v = places(z, x, y, 7.5, 46.5)
        inside = (u > 0.01) & (u < 0.99) & (v > 0.01) & (v < 0.99)
        void = (v > 201 / 256) & (u < 49 / 256)
        deep = (v > 0.83) & (u < 0.15)
        if z == 11:
            assert (image[:, :, 3][inside & ~((v > 0.78) & (u < 0.2))] == 255).all(), path
            assert (image[:, :, 3][deep] == 0).all(), path
        sure = inside & ~((v > 0.7) & (u < 0.3))
        if name == 'colour':
            limit = 3 if z == 11 else 8
            assert numpy.abs(image[:, :, 0] - u * 200)[sure].max(initial=0) < limit, path
            assert numpy.abs(image[:, :, 1] - v * 200)[sure].max(initial=0) < limit, path
        elif z == 11:
            step = 1e-3
            east = (height(u + step, v) - height(u - step, v)) / (2 * step * 20000)
            south = (height(u, v + step) - height(u, v - step)) / (2 * step * 20000)
            light = (1 + east + south) / numpy.sqrt(3) / numpy.sqrt(1 + east ** 2 + south ** 2)
            error = numpy.abs(image[:, :, 0] / 255 - numpy.clip(light, 0, 1))[sure]
            assert error.max(initial=0) < 0.02, (path, error.max())
print('seen')
"#
    );
    if let Some(said) = python(&script, &[folder.path()]) {
        assert_eq!(said.trim(), "seen");
    }
}

#[test]
fn globe_tiles_are_read_with_their_heights() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("globe");
    let globe = GlobePyramid {
        position: ALPS,
        side_metres: SIDE,
        relief_metres: RELIEF,
        beyond_metres: 5.0,
        closest_zoom: None,
    };
    let report = globe.write(&hill(257), &folder, &Control::default()).unwrap();
    assert!(*report.zooms.end() >= 11, "{report:?}");
    let script = format!(
        "{KNOWN}{}",
        r#"
from quantized_mesh_tile import decode
folder = sys.argv[1]
layer = json.load(open(folder + '/layer.json'))
assert layer['format'] == 'quantized-mesh-1.0' and layer['scheme'] == 'tms' and layer['projection'] == 'EPSG:4326'
files = {}
for z, x, y, path in tiles(folder):
    files.setdefault(z, {})[x, y] = path
assert sorted(files) == list(range(layer['maxzoom'] + 1)) and set(files[0]) == {(0, 0), (1, 0)}
seen = 0
for z, [area] in enumerate(layer['available']):
    wanted = {(x, y) for x in range(area['startX'], area['endX'] + 1) for y in range(area['startY'], area['endY'] + 1)}
    assert wanted == set(files[z]), z
    degrees = 180 / (1 << z)
    rims = {}
    for (x, y), path in files[z].items():
        west, south = x * degrees - 180, y * degrees - 90
        tile = decode(path, [west, south, west + degrees, south + degrees], hasLighting=True)
        corners = tile.getVerticesCoordinates()
        assert len(tile.vLight) == len(corners)
        for lon, lat, metres in corners:
            if z < layer['maxzoom'] - 1:
                continue
            side = 20000 / math.cos(math.radians(46.5))
            u = R * math.radians(lon - 7.5) / side + 0.5
            v = 0.5 - R * (math.asinh(math.tan(math.radians(lat))) - math.asinh(math.tan(math.radians(46.5)))) / side
            if 0.01 < u < 0.99 and 0.01 < v < 0.99:
                assert abs(metres - height(u, v)) < 4, (path, metres, height(u, v))
                seen += 1
            elif not (-0.01 < u < 1.01 and -0.01 < v < 1.01):
                assert abs(metres - 5) < 0.1, (path, metres)
        east = sorted(round(corners[k][1] * 1e6) for k in tile.eastI)
        rims[x, y, 'east'] = east
        rims[x, y, 'west'] = sorted(round(corners[k][1] * 1e6) for k in tile.westI)
    for x, y in files[z]:
        if (x + 1, y) in files[z]:
            assert rims[x, y, 'east'] == rims[x + 1, y, 'west'], (z, x, y)
print(seen > 50)
"#
    );
    if let Some(said) = python(&script, &[&folder]) {
        assert_eq!(said.trim(), "True");
    }
}

/// Every file of a folder by its name.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(folder: &Path, name: &str, out: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                walk(&entry.path(), &name, out);
            } else {
                out.insert(name, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(folder, "", &mut out);
    out
}

#[test]
fn threads_change_no_byte_of_a_pyramid() {
    let folder = tempfile::tempdir().unwrap();
    let terrain = hill(100);
    let made = [1, 2].map(|threads| {
        let pool = talweg::eval::thread_pool(threads).unwrap();
        let path = |name: &str| folder.path().join(format!("{name}-{threads}"));
        pool.install(|| {
            pyramid(TilePixels::Terrarium, ALPS).write(&terrain, &path("raster"), &Control::default()).unwrap();
            let globe = GlobePyramid {
                position: ALPS,
                side_metres: SIDE,
                relief_metres: RELIEF,
                beyond_metres: 0.0,
                closest_zoom: None,
            };
            globe.write(&terrain, &path("globe"), &Control::default()).unwrap();
        });
        [contents(&path("raster")), contents(&path("globe"))]
    });
    assert!(made[0] == made[1]);
    assert!(made[0][0].len() > 1 && made[0][1].len() > 10, "{}, {}", made[0][0].len(), made[0][1].len());
}

#[test]
fn impossible_web_maps_are_refused_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("map");
    let terrain = hill(33);
    let fails = |pyramid: RasterPyramid<'_>| {
        let error = pyramid.write(&terrain, &to, &Control::default()).unwrap_err();
        assert!(!to.exists());
        error.to_string()
    };
    let plain = pyramid(TilePixels::Terrarium, ALPS);
    assert!(
        fails(RasterPyramid { position: MapPosition { longitude: 7.0, latitude: 89.0 }, ..plain })
            .contains("-85 to 85")
    );
    assert!(fails(RasterPyramid { side_metres: 1e9, ..plain }).contains("beyond the map"));
    assert!(fails(RasterPyramid { closest_zoom: Some(40), ..plain }).contains("the closest possible is 24"));
    assert!(fails(RasterPyramid { closest_zoom: Some(22), ..plain }).contains("tiles are too many"));
    let control = Control::default();
    control.cancel();
    assert!(matches!(plain.write(&terrain, &to, &control), Err(WebMapError::Cancelled(_))));
    assert!(!to.exists() && std::fs::read_dir(folder.path()).unwrap().next().is_none());
    let globe = Terrain::flat(talweg::field::Grid::globe(9));
    assert!(plain.write(&globe, &to, &Control::default()).unwrap_err().to_string().contains("square"));
}
