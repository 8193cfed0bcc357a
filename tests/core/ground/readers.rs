//! Rasters from other programs are read with the right values, positions, no-data samples and orientation. rasterio
//! (GDAL), tifffile and OpenEXR write all the files; see `outside`.

use std::sync::Arc;

use talweg::field::Globe;
use talweg::io::formats::{GeoReference, ReadOptions};
use talweg::io::{Raster, raster, raster_as};
use talweg::scene::import::scene_from_file;

use crate::kits::outside::python;

const WIDTH: usize = 40;
const HEIGHT: usize = 30;

/// The number in each row and column of the files that Python writes. No two rows and no two columns are equal.
fn law(row: usize, column: usize) -> f32 {
    (100 + 30 * row + 7 * column) as f32
}

/// Start of every script: the same function as `law`, and two no-data samples.
const LAW: &str = "
import sys, os, numpy as np
folder = sys.argv[1]
def at(name): return os.path.join(folder, name)
i, j = np.mgrid[0:30, 0:40]
law = 100 + 30 * i + 7 * j
";

/// Runs a script after [`LAW`]; `None` if Python is missing.
fn written(script: &str) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    python(&format!("{LAW}{script}"), &[folder.path()])?;
    Some(folder)
}

fn read(folder: &tempfile::TempDir, name: &str) -> Arc<Raster> {
    raster(folder.path().join(name).to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"))
}

/// Checks the size, the heights in metres and the no-data samples of a raster.
fn check(raster: &Raster, name: &str, metres: f32, tolerance: f32, voids: &[(usize, usize)]) {
    assert_eq!((raster.width, raster.height), (WIDTH, HEIGHT), "{name}");
    let (low, high) = raster.range_metres.unwrap_or_else(|| panic!("{name}: heights in metres"));
    for row in 0..HEIGHT {
        for column in 0..WIDTH {
            let k = row * WIDTH + column;
            let is_void = voids.contains(&(row, column));
            assert_eq!(raster.has_data(k), !is_void, "{name}: {row}, {column}");
            let read = low + (high - low) * raster.values[k];
            let meant = law(row, column) * metres;
            assert!(is_void || (read - meant).abs() <= tolerance, "{name}: {read} and not {meant} at {row}, {column}");
        }
    }
}

fn check_place(raster: &Raster, name: &str, meant: GeoReference) {
    let found = raster.placement.unwrap_or_else(|| panic!("{name}: a place on a map"));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1.0);
    assert_eq!((found.epsg, found.in_degrees, found.is_area), (meant.epsg, meant.in_degrees, meant.is_area), "{name}");
    assert!(near(found.west, meant.west) && near(found.north, meant.north), "{name}: {found:?} and {meant:?}");
    assert!(
        near(found.step[0], meant.step[0]) && near(found.step[1], meant.step[1]),
        "{name}: {found:?} and {meant:?}"
    );
}

const UTM: GeoReference = GeoReference {
    epsg: Some(32632),
    in_degrees: false,
    radius_metres: None,
    west: 500_015.0,
    north: 5_099_985.0,
    step: [30.0, 30.0],
    is_area: true,
};

#[test]
fn geotiffs_of_gdal_are_read_with_place_unit_and_no_data() {
    let script = "
import rasterio
from rasterio.transform import from_origin
utm = from_origin(500000, 5100000, 30, 30)
def write(name, data, crs, place, scale=None, offset=None, unit=None, point=False, **more):
    with rasterio.open(at(name), 'w', driver='GTiff', width=40, height=30, count=1, dtype=str(data.dtype), crs=crs,
                       transform=place, **more) as out:
        out.write(data, 1)
        if scale is not None: out.scales = [scale]
        if offset is not None: out.offsets = [offset]
        if unit: out.set_band_unit(1, unit)
        if point: out.update_tags(AREA_OR_POINT='Point')
holed = law.astype('int16')
holed[3, 5] = holed[29, 39] = -9999
write('int16.tif', holed, 'EPSG:32632', utm, nodata=-9999, compress='deflate', predictor=2, tiled=True, blockxsize=16, blockysize=16)
floats = law.astype('float32')
floats[3, 5] = floats[29, 39] = np.nan
write('float32.tif', floats, 'EPSG:32632', utm, nodata=float('nan'), compress='lzw', predictor=3)
write('float64.tif', law.astype('float64'), 'EPSG:32632', utm, compress='packbits')
write('int32.tif', law.astype('int32'), 'EPSG:32632', utm, bigtiff='yes', blockysize=7)
write('big.tif', law.astype('int16'), 'EPSG:32632', utm, endianness='big')
write('uint16.tif', ((law - 50) * 10).astype('uint16'), 'EPSG:32632', utm, scale=0.1, offset=50.0)
write('feet.tif', law.astype('float32'), 'EPSG:32632', utm, unit='ft')
write('point.tif', law.astype('float32'), 'EPSG:4326', from_origin(7, 47, 0.01, 0.02), point=True)
write('sparse.tif', np.where(j < 16, law, 0).astype('int16'), 'EPSG:32632', utm, nodata=0, tiled=True, blockxsize=16, blockysize=16, sparse_ok=True)
write('usft.tif', law.astype('float32'), 'EPSG:2263', from_origin(900000, 200000, 100, 100))
import tifffile
# many programs write only the coordinate system, not its unit
places = [(33550, 'd', 3, (100, 100, 0), True), (33922, 'd', 6, (0, 0, 0, 900000, 200000, 0), True)]
keys = (1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, 1, 3072, 0, 1, 2263)
tifffile.imwrite(at('no_unit.tif'), law.astype('float32'), extratags=places + [(34735, 'H', 16, keys, True)])
write('vertical.tif', law.astype('float32'), 'EPSG:32618+6360', utm)
write('srtm.tif', np.where((i == 3) & (j == 5), -32768, law).astype('int16'), 'EPSG:32632', utm)
";
    let Some(folder) = written(script) else { return };
    let holes = [(3, 5), (29, 39)];
    for (name, holes) in [("int16.tif", &holes[..]), ("float32.tif", &holes), ("float64.tif", &[]), ("int32.tif", &[])]
    {
        let raster = read(&folder, name);
        check(&raster, name, 1.0, 1e-3, holes);
        check_place(&raster, name, UTM);
        assert_eq!(raster.extent_metres(), Some([39.0 * 30.0, 29.0 * 30.0]), "{name}");
    }
    check(&read(&folder, "big.tif"), "big-endian", 1.0, 1e-3, &[]);
    check(&read(&folder, "uint16.tif"), "scale and offset", 1.0, 1e-2, &[]);
    check(&read(&folder, "feet.tif"), "feet", 0.3048, 1e-3, &[]);
    check(&read(&folder, "vertical.tif"), "a system of heights in feet", 1200.0 / 3937.0, 1e-3, &[]);
    check(&read(&folder, "srtm.tif"), "-32768", 1.0, 1e-3, &[(3, 5)]);
    let empty: Vec<(usize, usize)> = (0..HEIGHT).flat_map(|i| (16..WIDTH).map(move |j| (i, j))).collect();
    check(&read(&folder, "sparse.tif"), "missing tiles", 1.0, 1e-3, &empty);
    let point = read(&folder, "point.tif");
    check(&point, "points", 1.0, 1e-3, &[]);
    let degrees = GeoReference {
        epsg: Some(4326),
        in_degrees: true,
        radius_metres: None,
        west: 7.005,
        north: 46.99,
        step: [0.01, 0.02],
        is_area: false,
    };
    // GDAL treats the given corner as the corner of a cell, and writes the centre of the first sample.
    check_place(&point, "points", degrees);
    let [east, south] = point.cell_metres().unwrap();
    assert!((east - 762.0).abs() < 4.0 && (south - 2223.4).abs() < 1.0, "{east} {south}");
    let feet = read(&folder, "usft.tif");
    let foot = 1200.0 / 3937.0;
    let meant = GeoReference {
        epsg: Some(2263),
        west: 900_050.0 * foot,
        north: 199_950.0 * foot,
        step: [100.0 * foot; 2],
        ..UTM
    };
    check_place(&feet, "feet of US surveys", meant);
    check_place(&read(&folder, "no_unit.tif"), "a coordinate system in feet, without a unit", meant);
}

#[test]
fn tiffs_of_other_programs_give_fractions_or_heights() {
    let script = "
import tifffile
tifffile.imwrite(at('grey8.tif'), (law % 256).astype('uint8'))
tifffile.imwrite(at('grey16.tif'), law.astype('uint16'), compression='packbits', rowsperstrip=4)
tifffile.imwrite(at('tiles.tif'), law.astype('uint16'), tile=(16, 32), compression='zlib', predictor=True)
tifffile.imwrite(at('share.tif'), (law / 2000).astype('float32'), predictor=3, compression='zlib')
tifffile.imwrite(at('half.tif'), (law / 2048).astype('float16'))
tifffile.imwrite(at('metres.tif'), law.astype('float32'), byteorder='>')
tifffile.imwrite(at('int16.tif'), (law - 500).astype('int16'))
rgb = np.stack([law % 256, law // 8, 255 - law % 256], -1).astype('uint8')
tifffile.imwrite(at('rgb.tif'), rgb, photometric='rgb')
tifffile.imwrite(at('planar.tif'), np.moveaxis(rgb, -1, 0), photometric='rgb', planarconfig='separate')
tifffile.imwrite(at('pages.tif'), np.stack([law, law + 1]).astype('uint16'), photometric='minisblack')
tifffile.imwrite(at('bits.tif'), law > 500, photometric='minisblack')
";
    let Some(folder) = written(script) else { return };
    let shares = |name: &str, meant: &dyn Fn(f32) -> f32, tolerance: f32| {
        let raster = read(&folder, name);
        assert_eq!((raster.width, raster.height, raster.range_metres), (WIDTH, HEIGHT, None), "{name}");
        for k in 0..WIDTH * HEIGHT {
            let meant = meant(law(k / WIDTH, k % WIDTH));
            assert!((raster.values[k] - meant).abs() <= tolerance, "{name}: {} and {meant} at {k}", raster.values[k]);
        }
    };
    let whole = |v: f32| v / 65535.0;
    shares("grey8.tif", &|v| (v % 256.0) / 255.0, 1e-6);
    for name in ["grey16.tif", "tiles.tif", "pages.tif"] {
        shares(name, &whole, 1e-6);
    }
    shares("share.tif", &|v| v / 2000.0, 1e-6);
    shares("half.tif", &|v| v / 2048.0, 5e-4);
    let grey = |v: f32| {
        let (r, g, b) = (v % 256.0, (v / 8.0).floor(), 255.0 - v % 256.0);
        (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0
    };
    for name in ["rgb.tif", "planar.tif"] {
        shares(name, &grey, 1e-6);
    }
    check(&read(&folder, "metres.tif"), "metres", 1.0, 1e-3, &[]);
    let raster = read(&folder, "int16.tif");
    assert_eq!(raster.range_metres, Some((law(0, 0) - 500.0, law(29, 39) - 500.0)));
    shares("bits.tif", &|v| f32::from(u8::from(v > 500.0)), 0.0);
}

fn raster_error(folder: &tempfile::TempDir, name: &str) -> String {
    raster(folder.path().join(name).to_str().unwrap()).map(|_| ()).expect_err(name).to_string()
}

#[test]
fn openexr_files_are_read_by_their_height_channel() {
    let script = "
import OpenEXR
def write(name, channels, kind=OpenEXR.scanlineimage, packing=OpenEXR.ZIP_COMPRESSION):
    OpenEXR.File({'compression': packing, 'type': kind}, channels).write(at(name))
metres = law.astype('float32')
holed = metres.copy(); holed[3, 5] = np.nan
write('y.exr', {'Y': holed, 'A': metres * 0})
write('r.exr', {'B': metres * 2, 'G': metres * 3, 'R': metres}, packing=OpenEXR.PIZ_COMPRESSION)
write('half.exr', {'Y': metres.astype('float16')}, packing=OpenEXR.ZIPS_COMPRESSION)
write('height.exr', {'height': metres}, packing=OpenEXR.NO_COMPRESSION)
write('whole.exr', {'Y': law.astype('uint32')}, packing=OpenEXR.RLE_COMPRESSION)
write('share.exr', {'Y': metres / 2000})
";
    let Some(folder) = written(script) else { return };
    check(&read(&folder, "y.exr"), "Y", 1.0, 1e-3, &[(3, 5)]);
    check(&read(&folder, "r.exr"), "R", 1.0, 1e-3, &[]);
    check(&read(&folder, "half.exr"), "half", 1.0, 0.51, &[]);
    check(&read(&folder, "height.exr"), "the only channel", 1.0, 1e-3, &[]);
    check(&read(&folder, "whole.exr"), "whole numbers", 1.0, 1e-3, &[]);
    let share = read(&folder, "share.exr");
    assert!(share.range_metres.is_none() && (share.values[41] - law(1, 1) / 2000.0).abs() < 1e-6);
}

#[test]
fn srtm_tiles_and_esri_grids_of_gdal_are_read() {
    let script = "
import rasterio, rasterio.shutil
from rasterio.transform import from_origin
y, x = np.mgrid[0:1201, 0:1201]
tile = (x + 2 * y).astype('int16')
tile[600, 7] = -32768
with rasterio.open(at('tile.tif'), 'w', driver='GTiff', width=1201, height=1201, count=1, dtype='int16', nodata=-32768,
                   crs='EPSG:4326', transform=from_origin(7 - 0.5 / 1200, 47 + 0.5 / 1200, 1 / 1200, 1 / 1200)) as out:
    out.write(tile, 1)
rasterio.shutil.copy(at('tile.tif'), at('N46E007.hgt'), driver='SRTMHGT')
def grid(name, crs, place, **more):
    data = law.astype('float32'); data[3, 5] = -9999
    with rasterio.open(at('grid.tif'), 'w', driver='GTiff', width=40, height=30, count=1, dtype='float32', nodata=-9999,
                       crs=crs, transform=place) as out:
        out.write(data, 1)
    rasterio.shutil.copy(at('grid.tif'), at(name), driver='AAIGrid', **more)
grid('metres.asc', 'EPSG:32632', from_origin(500000, 5100000, 30, 30))
grid('degrees.asc', 'EPSG:4326', from_origin(7, 47, 0.01, 0.01))
grid('oblong.asc', 'EPSG:32632', from_origin(500000, 5100000, 30, 20))
";
    let Some(folder) = written(script) else { return };
    let tile = read(&folder, "N46E007.hgt");
    assert_eq!((tile.width, tile.height, tile.range_metres), (1201, 1201, Some((0.0, 3600.0))));
    assert!((tile.values[1201 * 5 + 9] * 3600.0 - 19.0).abs() < 0.01, "rows go south, columns east");
    let voids: Vec<usize> = (0..1201 * 1201).filter(|&k| !tile.has_data(k)).collect();
    assert_eq!(voids, [600 * 1201 + 7]);
    assert!((tile.filled()[voids[0]] * 3600.0 - 1207.0).abs() < 1.0, "the gap is filled from its rim");
    let step = [1.0 / 1200.0; 2];
    let place = GeoReference {
        epsg: Some(4326),
        in_degrees: true,
        radius_metres: None,
        west: 7.0,
        north: 47.0,
        step,
        is_area: false,
    };
    check_place(&tile, "SRTM", place);
    let grid = read(&folder, "metres.asc");
    check(&grid, "metres.asc", 1.0, 1e-3, &[(3, 5)]);
    check_place(&grid, "metres.asc", GeoReference { epsg: None, ..UTM });
    let grid = read(&folder, "degrees.asc");
    let place = GeoReference { epsg: None, west: 7.005, north: 46.995, step: [0.01; 2], is_area: true, ..place };
    check_place(&grid, "degrees.asc", place);
    let oblong = read(&folder, "oblong.asc");
    check_place(&oblong, "oblong.asc", GeoReference { epsg: None, north: 5_099_990.0, step: [30.0, 20.0], ..UTM });
}

#[test]
fn raw_files_of_numpy_are_read_with_width_and_byte_order() {
    let script = "
law.astype('<u2').tofile(at('little.r16'))
law.astype('>u2').tofile(at('big.raw'))
law.astype('>f4').tofile(at('big.r32'))
law.astype('<f4').tofile(at('little.r32'))
";
    let Some(folder) = written(script) else { return };
    let named = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let layout = |big_endian| ReadOptions { raw_width: 40, big_endian, ..ReadOptions::default() };
    for (name, big_endian) in [("little.r16", false), ("big.raw", true)] {
        let raster = raster_as(&named(name), layout(big_endian)).unwrap();
        assert_eq!((raster.width, raster.height), (WIDTH, HEIGHT));
        assert!((0..1200).all(|k| raster.values[k] == law(k / 40, k % 40) / 65535.0), "{name}");
        // The other byte order gives other values. Reading the file again does not confuse the two.
        assert_ne!(raster_as(&named(name), layout(!big_endian)).unwrap().values, raster.values);
    }
    for (name, big_endian) in [("little.r32", false), ("big.r32", true)] {
        check(&raster_as(&named(name), layout(big_endian)).unwrap(), name, 1.0, 1e-3, &[]);
    }
    let error = raster(&named("little.r16")).unwrap_err().to_string();
    assert!(error.contains("2400 bytes") && error.contains("Raw width"), "{error}");
    let error = raster_as(&named("little.r16"), ReadOptions { raw_width: 37, ..ReadOptions::default() })
        .unwrap_err()
        .to_string();
    assert!(error.contains("37 values") && error.contains("little.r16"), "{error}");
}

/// Small maps in the layouts of published maps. They show a ridge along a great circle, without symmetry.
#[test]
fn maps_of_earth_mars_and_moon_have_position_and_metres() {
    let script = "
import rasterio
from rasterio.transform import from_origin
def write(name, west, width, height, unit, crs, dtype, scale=None, offset=None, top=90.0, point=False, **more):
    # width and height in samples, unit in the coordinates of a degree
    step = 360 / (width - point)
    longitude = np.radians(west + step * (np.arange(width) + 0.5 - 0.5 * point))
    latitude = np.radians(top - step * (np.arange(height) + 0.5 - 0.5 * point))
    x, y, z = np.cos(latitude)[:, None] * np.cos(longitude), np.cos(latitude)[:, None] * np.sin(longitude), np.sin(latitude)[:, None]
    metres = 2000 * (0.5 * x * y + 0.7 * z**3 - 0.4 * y + 0.3 * x * z * z) - 300
    numbers = (metres - (offset or 0)) / (scale or 1)
    if dtype != 'float32': numbers = np.round(numbers)
    corner = from_origin((west - 0.5 * step * point) * unit, (top + 0.5 * step * point) * unit, step * unit, step * unit)
    with rasterio.open(at(name), 'w', driver='GTiff', width=width, height=height, count=1, dtype=dtype, crs=crs,
                       transform=corner, compress='deflate', **more) as out:
        out.write(numbers.astype(dtype), 1)
        if scale is not None: out.scales = [scale]
        if offset is not None: out.offsets = [offset]
        if point: out.update_tags(AREA_OR_POINT='Point')
degree = lambda radius: np.radians(1) * radius
# MOLA of the USGS: whole metres, SimpleCylindrical in metres of the sphere
write('mars-mola.tif', -180, 256, 128, degree(3396190), '+proj=eqc +lat_ts=0 +lon_0=0 +R=3396190 +units=m +no_defs', 'int16', nodata=-32768)
write('mars-180.tif', -180, 256, 128, degree(3396190), '+proj=eqc +lon_0=180 +R=3396190 +units=m +no_defs', 'int16')
# 88 degrees north to 88 south, 0 to 360 degrees, as MEGDR at 128 a degree
write('mars-88.tif', 0, 180, 88, 1, '+proj=longlat +R=3396190 +no_defs', 'int16', top=88.0)
# LOLA: half metres from 1737.4 km, 0 to 360 degrees
write('moon-lola.tif', 0, 256, 128, 1, '+proj=longlat +R=1737400 +no_defs', 'int16', scale=0.5, offset=0.0)
write('moon-iau.tif', -180, 256, 128, degree(1737400), 'IAU_2015:30110', 'float32', scale=1000.0, offset=-1.5)
# ETOPO: floats of cells, and grid-registered points of which the first and last columns are one meridian
write('earth-etopo.tif', -180, 256, 128, 1, 'EPSG:4326', 'float32', nodata=-99999.0)
write('earth-grid.tif', -180, 257, 129, 1, 'EPSG:4326', 'int16', nodata=-32768, point=True)
";
    let Some(folder) = written(script) else { return };
    let law = |[x, y, z]: [f32; 3]| 2000.0 * (0.5 * x * y + 0.7 * z * z * z - 0.4 * y + 0.3 * x * z * z) - 300.0;
    let (mars, moon) = (Some(3_396_190.0), Some(1_737_400.0));
    for (name, radius, turn, palette) in [
        ("mars-mola.tif", mars, 0.0, "biome:mars"),
        // Longitude 0 of this projection is longitude 180 of the planet.
        ("mars-180.tif", mars, 180.0, "biome:mars"),
        ("mars-88.tif", mars, 0.0, "biome:mars"),
        ("moon-lola.tif", moon, 0.0, "biome:moon"),
        ("moon-iau.tif", moon, 0.0, "biome:moon"),
        ("earth-etopo.tif", None, 0.0, "biome:earth"),
        ("earth-grid.tif", None, 0.0, "biome:earth"),
    ] {
        let placed = read(&folder, name).placement.unwrap_or_else(|| panic!("{name}: a place"));
        let found = placed.radius_metres;
        assert!(placed.in_degrees && found.map(f64::round) == radius, "{name}: {placed:?}");
        let mut scene = scene_from_file(&folder.path().join(name)).unwrap();
        assert!(scene.is_planet(), "{name}");
        assert_eq!((f64::from(scene.planet.radius_metres), &*scene.palette), (radius.unwrap_or(6_371_000.0), palette));
        scene.settings.resolution = 65;
        let made = crate::kits::common::evaluate(&scene, 65, 2);
        let (globe, relief) = (Globe::new(65), scene.settings.relief_metres);
        let (sin, cos) = f32::sin_cos(-f32::to_radians(turn));
        // North and south of its last rows, a map continues with the values of its border. The test skips these polar
        // caps.
        let is_there = |z: f32| name != "mars-88.tif" || z.abs() < 0.9945;
        let (mut most, mut place) = (0.0_f32, [0.0; 3]);
        for (k, &h) in made.height.iter().enumerate() {
            let [x, y, z] = globe.direction_of(k);
            if is_there(z) {
                let off = (h * relief - law([x * cos - y * sin, x * sin + y * cos, z])).abs();
                if off > most {
                    (most, place) = (off, [x, y, z]);
                }
            }
        }
        // Rounding to whole metres adds an error of up to half a metre. Interpolation between samples at least 1.5°
        // apart adds the rest.
        assert!(most < 2.0, "{name}: {most} m off at {place:?}");
        let is_earth = radius.is_none();
        assert_eq!(scene.settings.sea_level == 0.0, is_earth, "{name}");
    }
    // For a part of Mars in degrees, the cell size follows from the length of a degree on Mars.
    let degrees = read(&folder, "mars-88.tif").cell_metres().unwrap();
    assert!((degrees[1] - 2.0 * 59_274.7).abs() < 1.0 && (degrees[0] - degrees[1]).abs() < 100.0, "{degrees:?}");
}

/// The error for an unsupported compression names it and suggests an alternative.
#[test]
fn unsupported_compressions_are_named_with_advice() {
    let script = "
import rasterio
from rasterio.transform import from_origin
def write(name, data, **more):
    with rasterio.open(at(name), 'w', driver='GTiff', width=40, height=30, count=1, dtype=str(data.dtype), crs='EPSG:32632',
                       transform=from_origin(500000, 5100000, 30, 30), **more) as out:
        out.write(data, 1)
write('lzma.tif', law.astype('float32'), compress='lzma')
write('jpeg.tif', (law % 256).astype('uint8'), compress='jpeg')
";
    let Some(folder) = written(script) else { return };
    for name in ["lzma", "jpeg"] {
        let error = raster_error(&folder, &format!("{name}.tif"));
        assert!(error.to_lowercase().contains(name), "{error}");
        assert!(error.contains("gdal_translate -co COMPRESS=DEFLATE"), "{error}");
    }
}

/// For truncated files of every format, the error names the file.
#[test]
fn truncated_files_are_reported() {
    let script = "
import rasterio, tifffile, OpenEXR
from PIL import Image
Image.fromarray(law.astype('uint16')).save(at('a.png'))
with rasterio.open(at('b.tif'), 'w', driver='GTiff', width=40, height=30, count=1, dtype='float32', tiled=True, blockxsize=16, blockysize=16, compress='lzw') as f: f.write(law.astype('float32'), 1)
tifffile.imwrite(at('a.tif'), law.astype('float32'), compression='zlib')
OpenEXR.File({'compression': OpenEXR.ZIP_COMPRESSION, 'type': OpenEXR.scanlineimage}, {'Y': law.astype('float32')}).write(at('a.exr'))
open(at('a.asc'), 'w').write('ncols 40\\nnrows 30\\nxllcorner 0\\nyllcorner 0\\ncellsize 1\\n' + '\\n'.join(' '.join(map(str, row)) for row in law))
";
    let Some(folder) = written(script) else { return };
    for name in ["a.png", "a.tif", "b.tif", "a.exr", "a.asc"] {
        assert!(read(&folder, name).width == WIDTH);
        let whole = std::fs::read(folder.path().join(name)).unwrap();
        for keep in [0, 3, whole.len() / 3, whole.len() / 2, whole.len() - 8] {
            let cut = folder.path().join(format!("cut-{keep}-{name}"));
            std::fs::write(&cut, &whole[..keep]).unwrap();
            match raster(cut.to_str().unwrap()) {
                Ok(raster) => {
                    let is_whole = raster.values.len() == raster.width * raster.height;
                    assert!(is_whole && keep + 8 == whole.len(), "{name}: a file cut to {keep} bytes gave no error");
                }
                Err(error) => {
                    let said = error.to_string();
                    let is_told = said.contains("ends too early") && said.contains("again");
                    // For a text grid, the error names the first missing word.
                    let is_header = name == "a.asc" && keep < 4 && said.contains("its header has no");
                    assert!((is_told || is_header) && said.contains(name), "{name}, {keep} bytes: {said}");
                }
            }
        }
    }
}
