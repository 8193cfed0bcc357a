//! Exported meshes are read by external programs, and meshes from these programs are imported.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use talweg::field::{Control, Edges, Grid, MapKind, Terrain};
use talweg::mesh::formats::{GeoBounds, MeshFormat, MeshWriteOptions, UpAxis};
use talweg::mesh::import::MeshSurface;
use talweg::mesh::{Mesh, MeshError, MeshExtent, MeshGround, MeshOptions, PartKind};

use crate::kits::common;
use crate::kits::outside::{gltf_validator, python};

const SIDE: f32 = 1000.0;
const RELIEF: f32 = 300.0;

fn ground(extent: MeshExtent) -> MeshGround<'static> {
    MeshGround { extent, relief_metres: RELIEF, sea_metres: None, colour: None }
}

/// Terrain without symmetry: it rises to the east and the south, and has a bump.
fn hill(samples: usize) -> Terrain {
    Terrain::from_fn(samples, Edges::Open, |u, v| {
        let (x, y) = (u - 0.3, v - 0.6);
        0.2 * u + 0.1 * v + 0.5 / (1.0 + 30.0 * (x * x + y * y))
    })
}

fn mesh(terrain: &Terrain, ground: &MeshGround, options: &MeshOptions) -> Mesh {
    Mesh::from_terrain(terrain, ground, options, &Control::default()).unwrap()
}

fn written(mesh: &Mesh, file: &Path, writing: &MeshWriteOptions) {
    let format = MeshFormat::for_path(file).unwrap();
    let mut out = BufWriter::new(File::create(file).unwrap());
    format.write(mesh, writing, &mut out).unwrap();
    std::io::Write::flush(&mut out).unwrap();
}

fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    endings.iter().map(|ending| folder.join(format!("terrain.{ending}"))).collect()
}

/// Terrain with two holes that nearly touch, and an island at a corner.
fn with_holes(samples: usize) -> Terrain {
    let mut terrain = hill(samples);
    let ground = terrain.map_mut(MapKind::Ground);
    for (k, value) in ground.iter_mut().enumerate() {
        let (row, column) = (k / samples, k % samples);
        let is_hole = (10..20).contains(&row) && (10..25).contains(&column)
            || (20..30).contains(&row) && (25..28).contains(&column)
            || row + column > samples + samples / 2 && row + column < samples + samples / 2 + 4;
        if is_hole {
            *value = 0.0;
        }
    }
    terrain
}

#[test]
fn trimesh_reads_places_normals_and_colours() {
    let terrain = hill(33);
    let colour = |k: usize| [(k % 33 * 7) as u8, (k / 33 * 7) as u8, 40];
    let ground = MeshGround { colour: Some(&colour), ..ground(MeshExtent::Side(SIDE)) };
    let options = MeshOptions { uvs: false, ..MeshOptions::default() };
    let made = mesh(&terrain, &ground, &options);
    assert_eq!((made.positions.len(), made.triangle_count()), (33 * 33, 2 * 32 * 32));
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path(), &["glb", "obj", "ply"]);
    for path in &paths {
        written(&made, path, &MeshWriteOptions { up: Some(UpAxis::Y), ..MeshWriteOptions::default() });
    }
    let script = r#"
import sys, numpy, trimesh
for path in sys.argv[1:]:
    mesh = trimesh.load(path, force='mesh', process=False, maintain_order=True)
    assert len(mesh.vertices) == 33 * 33, (path, len(mesh.vertices))
    assert len(mesh.faces) == 2 * 32 * 32, path
    low, high = mesh.bounds
    assert abs(low[0] + 500) < 1e-3 and abs(high[0] - 500) < 1e-3 and abs(low[2] + 500) < 1e-3, (path, mesh.bounds)
    # x runs east along columns, z south along rows, y is the height in metres
    k = 5 * 33 + 20
    u, v = 20 / 32, 5 / 32
    x, y = u - 0.3, v - 0.6
    height = 300 * (0.2 * u + 0.1 * v + 0.5 / (1 + 30 * (x * x + y * y)))
    place = numpy.array([(u - 0.5) * 1000, height, (v - 0.5) * 1000])
    assert numpy.abs(mesh.vertices[k] - place).max() < 1e-3, (path, mesh.vertices[k], place)
    assert (mesh.face_normals[:, 1] > 0).all(), path
    assert (numpy.asarray(mesh.vertex_normals)[:, 1] > 0.3).all(), path
    assert numpy.abs(numpy.linalg.norm(mesh.vertex_normals, axis=1) - 1).max() < 1e-3, path
    if path.endswith('glb'):
        # where there is a material trimesh keeps colours as an attribute, which joining meshes loses
        [part] = trimesh.load(path, process=False).geometry.values()
        colours = numpy.asarray(part.visual.vertex_attributes['color']).astype(float) / 257
    else:
        colours = numpy.asarray(mesh.visual.vertex_colors).astype(float)
    colours = colours[k][:3]
    wanted = numpy.array([20 * 7, 5 * 7, 40]) / 255
    if path.endswith('glb'):
        wanted = numpy.where(wanted <= 0.04045, wanted / 12.92, ((wanted + 0.055) / 1.055) ** 2.4)
    assert numpy.abs(colours / 255 - wanted).max() < 0.006, (path, colours, wanted * 255)
print('read')
"#;
    let args: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    if let Some(said) = python(script, &args) {
        assert_eq!(said.trim(), "read");
    }
}

#[test]
fn solid_meshes_are_watertight_with_holes_and_simplified() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, terrain, error) in [
        ("hill", hill(65), None),
        ("hill-1m", hill(300), Some(1.0)),
        ("holes", with_holes(65), None),
        ("holes-2m", with_holes(300), Some(2.0)),
    ] {
        let options =
            MeshOptions { error_metres: error, walls: true, base_metres: Some(-50.0), ..MeshOptions::default() };
        let made = mesh(&terrain, &ground(MeshExtent::Side(SIDE)), &options);
        for ending in ["stl", "glb", "ply", "obj"] {
            let path = folder.path().join(format!("{name}.{ending}"));
            let longest_millimetres = (ending == "stl").then_some(150.0);
            written(
                &made,
                &path,
                &MeshWriteOptions { longest_millimetres, up: Some(UpAxis::Z), ..MeshWriteOptions::default() },
            );
            paths.push(path);
        }
    }
    let script = r#"
import sys, trimesh
for path in sys.argv[1:]:
    mesh = trimesh.load(path, force='mesh', process=False)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)
    assert mesh.is_watertight and mesh.is_winding_consistent, path
    assert mesh.volume > 0, (path, mesh.volume)
    longest = mesh.extents.max()
    if path.endswith('.stl'):
        assert abs(longest - 150) < 1e-3, (path, mesh.extents)
    else:
        assert abs(longest - 1000) < 1e-2, (path, mesh.extents)
        low = mesh.bounds[0][1 if path.endswith('.glb') else 2]
        assert abs(low + 50) < 1e-4, (path, mesh.bounds)
print('closed')
"#;
    let args: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    if let Some(said) = python(script, &args) {
        assert_eq!(said.trim(), "closed");
    }
}

/// Terrain with a lake and a sea.
fn wet(samples: usize) -> Terrain {
    let mut terrain = Terrain::from_fn(samples, Edges::Open, |u, v| 0.6 * u + 0.2 * v);
    let n = samples;
    let water: Vec<f32> = (0..n * n)
        .map(|k| {
            let (row, column) = (k / n, k % n);
            let is_lake = (n / 4..n / 2).contains(&row) && (n / 2..3 * n / 4).contains(&column);
            if is_lake { (0.7 - terrain.height[k]).max(0.0) } else { 0.0 }
        })
        .collect();
    terrain.map_mut(MapKind::Water).copy_from_slice(&water);
    terrain
}

#[test]
fn khronos_validator_finds_nothing_in_glb() {
    let folder = tempfile::tempdir().unwrap();
    let png = |red: u8| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 64, 64);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&[red, 128, 255].repeat(64 * 64)).unwrap();
        bytes
    };
    let (colour_png, normal_png) = (png(90), png(128));
    let extras = [("scene".to_string(), "(layers: [\"a\n\"])".to_string()), ("version".to_string(), "1".to_string())];
    let colour = |k: usize| [k as u8, 100, 50];
    let sea = MeshGround { sea_metres: Some(40.0), colour: Some(&colour), ..ground(MeshExtent::Side(SIDE)) };
    let textures = MeshWriteOptions {
        colour_png: Some(&colour_png),
        normal_png: Some(&normal_png),
        extras: &extras,
        ..MeshWriteOptions::default()
    };
    let all = MeshOptions { walls: true, error_metres: Some(0.5), ..MeshOptions::default() };
    let plain = MeshOptions { water: false, ..MeshOptions::default() };
    let globe = globe(33);
    let planet = MeshGround { sea_metres: Some(-10_000.0), ..ground(MeshExtent::Radius(1.0e6)) };
    let cases = [
        ("all", mesh(&wet(129), &sea, &all), textures),
        ("plain", mesh(&hill(65), &ground(MeshExtent::Side(SIDE)), &plain), MeshWriteOptions::default()),
        ("planet", mesh(&globe, &planet, &MeshOptions::default()), MeshWriteOptions::default()),
    ];
    for (name, made, writing) in cases {
        let path = folder.path().join(format!("{name}.glb"));
        written(&made, &path, &writing);
        let Some(report) = gltf_validator(&path) else { return };
        assert_eq!((report.errors, report.warnings), (0, 0), "{name}: {:#}", report.json["issues"]);
        let info = &report.json["info"];
        assert_eq!(info["totalTriangleCount"].as_u64(), Some(made.triangle_count() as u64), "{name}");
        assert_eq!(info["totalVertexCount"].as_u64(), Some(made.positions.len() as u64), "{name}");
        if name == "all" {
            assert_eq!(
                made.parts.iter().map(|part| part.kind.name()).collect::<Vec<_>>(),
                ["ground", "walls", "base", "water"]
            );
            assert_eq!(info["extras"]["version"].as_str(), None);
        }
    }
    let script = r#"
import sys, json, struct
data = open(sys.argv[1], 'rb').read()
length = struct.unpack('<I', data[12:16])[0]
print(json.loads(data[20:20 + length])['asset']['extras']['scene'])
"#;
    if let Some(said) = python(script, &[&folder.path().join("all.glb")]) {
        assert_eq!(said.trim_end(), extras[0].1);
    }
}

#[test]
fn water_lies_over_its_bed_and_ends_below_the_terrain() {
    let terrain = wet(65);
    let sea = MeshGround { sea_metres: Some(40.0), ..ground(MeshExtent::Side(SIDE)) };
    let made = mesh(&terrain, &sea, &MeshOptions::default());
    let water = made.part(PartKind::Water).unwrap();
    let (mut sea_vertices, mut lake_vertices) = (0, 0);
    for k in water.vertices.clone() {
        let [x, y, z] = made.positions[k as usize];
        let bed = RELIEF * terrain.height_at(x / SIDE + 0.5, z / SIDE + 0.5);
        if (y - 40.0).abs() < 1e-3 {
            sea_vertices += 1;
        } else if (y - 0.7 * RELIEF).abs() < 1e-3 {
            lake_vertices += 1;
        } else {
            // Beside the lake the terrain falls below the water level.
            assert!(y <= bed + 1e-2, "{y} over {bed}");
        }
    }
    assert!(sea_vertices > 100 && lake_vertices > 50, "{sea_vertices}, {lake_vertices}");
    let dry = mesh(&hill(9), &ground(MeshExtent::Side(SIDE)), &MeshOptions::default());
    assert!(dry.part(PartKind::Water).is_none());
}

/// Maximum vertical distance in metres between a mesh and the samples of its terrain, found by rasterising the mesh.
fn error_at_samples(made: &Mesh, terrain: &Terrain, relief: f32, side: f32) -> f64 {
    let n = terrain.samples();
    let cell = f64::from(side) / (n - 1) as f64;
    let part = made.part(PartKind::Ground).unwrap();
    let mut worst = vec![f64::NAN; n * n];
    for triangle in &part.triangles {
        let [a, b, c] = triangle.map(|k| {
            let [x, y, z] = made.positions[k as usize].map(f64::from);
            [(x / cell + (n - 1) as f64 / 2.0), (z / cell + (n - 1) as f64 / 2.0), y]
        });
        let cross =
            |p: [f64; 3], q: [f64; 3], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        let area = cross(a, b, [c[0], c[1]]);
        let range = |axis: usize| {
            let (low, high) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            low.round() as usize..=high.round() as usize
        };
        for row in range(1) {
            for column in range(0) {
                let place = [column as f64, row as f64];
                let weights = [cross(b, c, place) / area, cross(c, a, place) / area, cross(a, b, place) / area];
                if weights.iter().all(|&w| w >= -1e-6) {
                    let height = weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2];
                    let k = row * n + column;
                    let error = (height - f64::from(terrain.height[k]) * f64::from(relief)).abs();
                    worst[k] = worst[k].max(error);
                }
            }
        }
    }
    assert!(worst.iter().all(|error| !error.is_nan()), "a sample lies under no triangle");
    worst.into_iter().fold(0.0, f64::max)
}

#[test]
fn the_error_holds_at_every_sample_of_a_shipped_scene() {
    let scene = &talweg::scene::example("alpine-range").unwrap().scene;
    let (relief, side) = (scene.settings.relief_metres, scene.settings.size_metres);
    for samples in [257, 513] {
        let terrain = common::example_terrain("alpine-range", samples);
        let place = MeshGround { relief_metres: relief, ..ground(MeshExtent::Side(side)) };
        let mut before = 2 * (samples - 1) * (samples - 1);
        for error in [1.0, 10.0, 50.0] {
            let options = MeshOptions { error_metres: Some(error), water: false, ..MeshOptions::default() };
            let made = mesh(&terrain, &place, &options);
            let found = error_at_samples(&made, &terrain, relief, side);
            println!("{samples}², {error} m: {} triangles, {found:.4} m", made.triangle_count());
            // Positions are rounded to f32, by a few units in the last place of the greatest heights.
            assert!(found <= f64::from(error) + 1e-3, "{samples}: {found} m, and {error} m were allowed");
            assert!(made.triangle_count() < before, "{samples}: {}", made.triangle_count());
            before = made.triangle_count() * 3 / 4;
        }
    }
}

#[test]
fn threads_change_no_bit_of_a_mesh() {
    let terrain = with_holes(600);
    let options = MeshOptions { error_metres: Some(0.3), walls: true, ..MeshOptions::default() };
    let made = [1, 2, 3].map(|threads| {
        let pool = talweg::eval::thread_pool(threads).unwrap();
        pool.install(|| mesh(&terrain, &ground(MeshExtent::Side(SIDE)), &options))
    });
    assert!(made[0] == made[1] && made[0] == made[2]);
}

#[test]
fn neighbouring_meshes_share_their_rim() {
    let whole = hill(129);
    let options = MeshOptions { error_metres: Some(5.0), keep_rim: true, ..MeshOptions::default() };
    let made = mesh(&whole, &ground(MeshExtent::Side(SIDE)), &options);
    let rim = made.positions.iter().filter(|p| p[0].abs() == SIDE / 2.0 || p[2].abs() == SIDE / 2.0).count();
    assert_eq!(rim, 4 * 128);
    assert!(made.positions.len() < 129 * 129 / 8);
}

fn globe(samples: usize) -> Terrain {
    let mut terrain = Terrain::flat(Grid::globe(samples));
    let shape = terrain.grid.shape().unwrap();
    for k in 0..terrain.height.len() {
        let [x, y, z] = shape.direction_of(k);
        terrain.height[k] = 40.0 * (x * y + 0.5 * z * z * x - 0.2 * y);
    }
    terrain
}

#[test]
fn planet_meshes_are_closed() {
    let folder = tempfile::tempdir().unwrap();
    let radius = 500_000.0;
    let mut paths = Vec::new();
    for (name, samples, error) in [("all", 17, None), ("coarse", 300, Some(500.0)), ("fine", 300, Some(60.0))] {
        let options = MeshOptions { error_metres: error, ..MeshOptions::default() };
        let made = mesh(&globe(samples), &ground(MeshExtent::Radius(radius)), &options);
        let edges = made.triangle_count() * 3 / 2;
        assert_eq!(made.positions.len() + made.triangle_count(), edges + 2, "{name}: Euler's characteristic");
        for normal in made.normals.iter().zip(&made.positions) {
            let dot: f32 = (0..3).map(|k| normal.0[k] * normal.1[k] / radius).sum();
            assert!(dot > 0.5, "{name}: a normal points inwards");
        }
        let path = folder.path().join(format!("{name}.ply"));
        written(&made, &path, &MeshWriteOptions::default());
        paths.push(path);
    }
    let script = r#"
import sys, numpy, trimesh
for path in sys.argv[1:]:
    mesh = trimesh.load(path, process=False)
    assert mesh.is_watertight and mesh.is_winding_consistent and mesh.euler_number == 2, path
    assert mesh.volume > 0, path
    radii = numpy.linalg.norm(mesh.vertices, axis=1)
    directions = mesh.vertices / radii[:, None]
    x, y, z = directions.T
    heights = 300 * 40 * (x * y + 0.5 * z * z * x - 0.2 * y)
    assert numpy.abs(radii - 500000 - heights).max() < 0.2, (path, numpy.abs(radii - 500000 - heights).max())
    if not path.endswith('all.ply'):
        # any place of the surface, not only vertices: as far as between samples the ground bends little
        limit = 500 if path.endswith('coarse.ply') else 60
        middle = mesh.triangles_center
        far = numpy.linalg.norm(middle, axis=1)
        x, y, z = (middle / far[:, None]).T
        error = numpy.abs(far - 500000 - 12000 * (x * y + 0.5 * z * z * x - 0.2 * y)).max()
        assert error < limit * 1.05, (path, error)
print('closed')
"#;
    let args: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    if let Some(said) = python(script, &args) {
        assert_eq!(said.trim(), "closed");
    }
}

#[test]
fn quantized_tiles_are_read_at_their_position() {
    let terrain = hill(65);
    let options = MeshOptions { error_metres: Some(1.0), ..MeshOptions::default() };
    let made = mesh(&terrain, &ground(MeshExtent::Side(SIDE)), &options);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tile.terrain");
    let bounds = Some(GeoBounds { west: 7.0, south: 46.0, east: 7.02, north: 46.01 });
    written(&made, &path, &MeshWriteOptions { bounds, ..MeshWriteOptions::default() });
    let script = r#"
import sys
from quantized_mesh_tile import decode
tile = decode(sys.argv[1], [7.0, 46.0, 7.02, 46.01], hasLighting=True)
places = tile.getVerticesCoordinates()
low, high = tile.header['minimumHeight'], tile.header['maximumHeight']
for lon, lat, height in places:
    u, v = (lon - 7.0) / 0.02, (46.01 - lat) / 0.01
    x, y = u - 0.3, v - 0.6
    wanted = 300 * (0.2 * u + 0.1 * v + 0.5 / (1 + 30 * (x * x + y * y)))
    assert abs(height - wanted) < 0.1, (lon, lat, height, wanted)
assert abs(min(p[2] for p in places) - low) < 0.01 and abs(max(p[2] for p in places) - high) < 0.01
assert len(tile.westI) > 1 and len(tile.northI) > 1
print(len(places), len(tile.indices) // 3)
"#;
    if let Some(said) = python(script, &[&path]) {
        let part = made.part(PartKind::Ground).unwrap();
        assert_eq!(said.trim(), format!("{} {}", part.vertices.len(), part.triangles.len()));
    }
}

#[test]
fn impossible_meshes_are_refused_with_a_reason() {
    let terrain = hill(9);
    let fails = |terrain: &Terrain, ground: &MeshGround, options: &MeshOptions| {
        Mesh::from_terrain(terrain, ground, options, &Control::default()).unwrap_err().to_string()
    };
    let plain = MeshOptions::default();
    let square = ground(MeshExtent::Side(SIDE));
    assert!(fails(&terrain, &ground(MeshExtent::Radius(1.0)), &plain).contains("radius"));
    assert!(fails(&terrain, &ground(MeshExtent::Side(f32::NAN)), &plain).contains("side is NaN"));
    let wrong = MeshOptions { error_metres: Some(-1.0), ..plain.clone() };
    assert!(fails(&terrain, &square, &wrong).contains("the error is -1 m"));
    let high = MeshOptions { walls: true, base_metres: Some(200.0), ..plain.clone() };
    assert!(fails(&terrain, &square, &high).contains("below the lowest terrain height"));
    let mut nothing = hill(9);
    nothing.map_mut(MapKind::Ground).fill(0.0);
    assert!(fails(&nothing, &square, &plain).contains("no three adjacent samples"));
    let control = Control::default();
    control.cancel();
    assert!(matches!(Mesh::from_terrain(&terrain, &square, &plain, &control), Err(MeshError::Cancelled(_))));
    let made = mesh(&terrain, &square, &plain);
    let refused = |id: &str, writing: &MeshWriteOptions| {
        let format = MeshFormat::ALL.into_iter().find(|format| format.id == id).unwrap();
        format.write(&made, writing, &mut Vec::new()).unwrap_err().to_string()
    };
    assert!(refused("quantized-mesh", &MeshWriteOptions::default()).contains("edges in degrees"));
    let flat = MeshWriteOptions { longest_millimetres: Some(0.0), ..MeshWriteOptions::default() };
    assert!(refused("stl", &flat).contains("above 0"));
}

/// Meshes written by trimesh are read with the right positions, heights and up axis.
#[test]
fn meshes_of_other_programs_are_read_with_their_heights() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"
import sys, numpy, trimesh
folder = sys.argv[1]
n = 33
u, v = numpy.meshgrid(numpy.arange(n) / (n - 1), numpy.arange(n) / (n - 1))
heights = 100 + 50 * u + 20 * v * v
# x to the east, y up, z to the south
places = numpy.stack([u * 640 - 100, heights, v * 320 + 7], axis=-1).reshape(-1, 3)
k = (numpy.arange(n - 1)[:, None] * n + numpy.arange(n - 1)).ravel()
faces = numpy.concatenate([numpy.stack([k, k + n, k + n + 1], -1), numpy.stack([k, k + n + 1, k + 1], -1)])
up_y = trimesh.Trimesh(places, faces, process=False)
up_z = trimesh.Trimesh(numpy.stack([places[:, 0], -places[:, 2], places[:, 1]], -1), faces, process=False)
scene = trimesh.Scene()
# the scene moves and turns the mesh: what is read has to follow
turn = trimesh.transformations.rotation_matrix(numpy.pi / 2, [1, 0, 0])
moved = up_z.copy()
scene.add_geometry(moved, transform=trimesh.transformations.rotation_matrix(-numpy.pi / 2, [1, 0, 0]))
scene.export(folder + '/turned.glb')
up_y.export(folder + '/a.glb')
up_y.export(folder + '/a.obj')
up_z.export(folder + '/a.ply')
up_z.export(folder + '/text.ply', encoding='ascii')
up_z.export(folder + '/a.stl')
up_z.export(folder + '/text.stl', file_type='stl_ascii')
files = trimesh.exchange.gltf.export_gltf(up_y.scene())
for name, data in files.items():
    open(folder + '/' + name, 'wb').write(data)
print(*[name for name in files if name.endswith('.gltf')])
"#;
    let Some(said) = python(script, &[folder.path()]) else { return };
    let names = ["turned.glb", "a.glb", "a.obj", "a.ply", "text.ply", "a.stl", "text.stl", said.trim()];
    for name in names {
        let surface = MeshSurface::read(&folder.path().join(name), None).unwrap_or_else(|error| panic!("{error}"));
        let seen = surface.heights(65, 33, &Control::default()).unwrap();
        assert_eq!((seen.holes(), seen.metres.len()), (0, 65 * 33), "{name}");
        assert!((seen.width_metres - 640.0).abs() < 0.01 && (seen.height_metres - 320.0).abs() < 0.01, "{name}");
        for (k, &metres) in seen.metres.iter().enumerate() {
            let (u, v) = ((k % 65) as f32 / 64.0, (k / 65) as f32 / 32.0);
            let wanted = 100.0 + 50.0 * u + 20.0 * v * v;
            // Text formats store fewer digits than binary ones.
            assert!((metres - wanted).abs() < 0.01, "{name}: {metres} at {k} is not {wanted}");
        }
    }
}

/// Meshes written by Talweg are read back unchanged.
#[test]
fn own_meshes_are_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let terrain = hill(65);
    let made = mesh(&terrain, &ground(MeshExtent::Side(SIDE)), &MeshOptions::default());
    for (ending, up) in
        [("glb", None), ("obj", None), ("obj", Some(UpAxis::Z)), ("ply", None), ("stl", Some(UpAxis::Y))]
    {
        let path = folder.path().join(format!("mesh.{ending}"));
        written(&made, &path, &MeshWriteOptions { up, ..MeshWriteOptions::default() });
        let seen = MeshSurface::read(&path, up).unwrap().heights(65, 65, &Control::default()).unwrap();
        for (metres, height) in seen.metres.iter().zip(&terrain.height) {
            assert!((metres - height * RELIEF).abs() < 1e-3, "{ending}: {metres} and {}", height * RELIEF);
        }
    }
}

#[test]
fn broken_meshes_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let message = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        MeshSurface::read(&path, None).unwrap_err().to_string()
    };
    assert!(message("a.glb", b"glTF").contains("ends too early"));
    assert!(message("b.glb", b"glTF and no more").contains("ends too early"));
    assert!(message("c.glb", b"a picture, in truth").contains("not a readable glTF file"));
    assert!(message("a.obj", b"v 1 2\n".to_vec().as_slice()).contains("line 1"));
    assert!(
        message(
            "b.obj",
            b"v 0 0 0
v 1 0 0
v 0 0 1
f 1 2 9
"
        )
        .contains("triangle 1 refers to vertex 9, but there are only 3")
    );
    assert!(
        message(
            "c.obj",
            b"v 0 0 nan
v 1 0 0
v 0 0 1
f 1 2 3
"
        )
        .contains("vertex 1 has an invalid position")
    );
    assert!(
        message(
            "d.obj",
            b"v 0 0 0
"
        )
        .contains("no triangles")
    );
    assert!(message("a.stl", &[[0; 80].as_slice(), &9u32.to_le_bytes()].concat()).contains("0 of 9 triangles"));
    assert!(
        message(
            "a.ply",
            b"ply
format ascii 1.0
element vertex 3
property float x
end_header
"
        )
        .contains("x, y and z")
    );
    let claim = "ply
format binary_little_endian 1.0
element vertex 99999999999
property float x
property float y
                 property float z
end_header
";
    assert!(message("b.ply", claim.as_bytes()).contains("ends at vertex 1 of 99999999999"));
    let outside = r#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"../secret"}]}"#;
    assert!(message("a.gltf", outside.as_bytes()).contains("only files in the same folder are read"));
    assert!(message("a.fbx", b"").contains(".glb, .gltf, .obj, .ply and .stl"));
    assert!(MeshSurface::read(&folder.path().join("none.glb"), None).unwrap_err().to_string().contains("none.glb"));
}
