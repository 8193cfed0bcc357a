//! Triangulation to a given error: time, memory, number of triangles and the actual error at the samples, compared with
//! other crates. The terrain has 4097² samples, from the file in `TALWEG_BENCH_R32` (a raw float heightmap in metres)
//! or from noise.
//!
//! ```text
//! talweg export alpine-range --size 4097 -o alps.r32
//! TALWEG_BENCH_R32=alps.r32 cargo bench -p talweg --bench mesh
//! ```
//!
//! Results of the triangulation alone for the scene alpine-range with 4097² samples (8 km, so cells of 2 m) on two
//! cores. The machine compiled other code at the same time, so two threads were no faster than one. Memory is the peak
//! of the process:
//!
//! | program | error | seconds | peak memory | triangles |
//! |---|---|---|---|---|
//! | Talweg | 1 m | 14.3 (one thread), 14.8 (two) | 158 MiB | 3 517 226 |
//! | delatin 0.2 | 1 m | 50.6 | 878 MiB | 3 523 142 |
//! | martini 0.2 | 1 m, exceeded at some samples | 8.1 | 1085 MiB | 5 883 972 |
//! | Talweg | 5 m | 4.5 | 129 MiB | 435 631 |
//! | delatin 0.2 | 5 m | 8.2 | 280 MiB | 437 571 |
//! | martini 0.2 | 5 m, exceeded at some samples | 13.7 | 976 MiB | 679 834 |

#![allow(
    clippy::disallowed_methods,
    reason = "the noise is only input of the measurement, and is the same on one machine"
)]

use std::time::Instant;

use delatin::Error;
use martini::Martini;
use peakmem_alloc::{INSTRUMENTED_SYSTEM, PeakMemAlloc, PeakMemAllocTrait};
use talweg::eval::thread_pool;
use talweg::field::{Control, Edges, Stream, Terrain};
use talweg::io::raster;
use talweg::mesh::formats::{MeshFormat, MeshWriteOptions};
use talweg::mesh::import::MeshSurface;
use talweg::mesh::{Mesh, MeshExtent, MeshGround, MeshOptions};

#[global_allocator]
static ALLOCATOR: &PeakMemAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

const SAMPLES: usize = 4097;
const SIDE: f32 = 8000.0;

/// The heights to triangulate, in metres.
fn terrain() -> Terrain {
    if let Some(name) = std::env::var_os("TALWEG_BENCH_R32") {
        let read = raster(name.to_str().expect("a name")).expect("a heightmap");
        let (low, high) = read.range_metres.expect("metres");
        let mut terrain = Terrain::flat(talweg::field::Grid::new(read.width, Edges::Open));
        terrain.height = read.values.iter().map(|value| low + value * (high - low)).collect();
        return terrain;
    }
    let random = Stream::new(1, 1);
    Terrain::from_fn(SAMPLES, Edges::Open, |u, v| {
        let octave = |k: i32| {
            let (x, y) = (u * 2.0f32.powi(k), v * 2.0f32.powi(k));
            let (j, i) = (x as i32, y as i32);
            let (fx, fy) = (x - j as f32, y - i as f32);
            let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
            let corner = |di: i32, dj: i32| random.unit(i + di + 1000 * k, j + dj);
            let top = corner(0, 0) + (corner(0, 1) - corner(0, 0)) * smooth(fx);
            let bottom = corner(1, 0) + (corner(1, 1) - corner(1, 0)) * smooth(fx);
            (top + (bottom - top) * smooth(fy)) * 0.5f32.powi(k)
        };
        1500.0 * (1..11).map(octave).sum::<f32>()
    })
}

/// Measures one program and prints a row of the table.
fn row<T>(
    name: &str,
    error: f32,
    terrain: &Terrain,
    made: impl FnOnce() -> T,
    surface: impl FnOnce(&T) -> MeshSurface,
) {
    ALLOCATOR.reset_peak_memory();
    let before = ALLOCATOR.get_peak_memory();
    let start = Instant::now();
    let made = made();
    let seconds = start.elapsed().as_secs_f64();
    let peak = ALLOCATOR.get_peak_memory().saturating_sub(before) as f64 / 1_048_576.0;
    let surface = surface(&made);
    let n = terrain.samples();
    let seen = surface.heights(n, n, &Control::default()).expect("a terrain");
    let differences = seen.metres.iter().zip(&terrain.height).map(|(a, b)| (a - b).abs());
    let found = differences.fold(0.0, f32::max);
    println!("| {name} | {error} m | {seconds:.2} | {peak:.0} MiB | {} | {found:.3} m |", surface.triangles.len());
}

fn main() {
    let terrain = terrain();
    let n = terrain.samples();
    let cell = SIDE / (n - 1) as f32;
    let ground = MeshGround { extent: MeshExtent::Side(SIDE), relief_metres: 1.0, sea_metres: None, colour: None };
    println!("| program | requested error | seconds | peak memory besides the heights | triangles | actual error |");
    println!("|---|---|---|---|---|---|");
    for (threads, errors) in [(2, [1.0, 5.0].as_slice()), (1, [1.0].as_slice())] {
        for &error in errors {
            let options = MeshOptions { error_metres: Some(error), water: false, ..MeshOptions::default() };
            let pool = thread_pool(threads).expect("threads");
            let make = || Mesh::from_terrain(&terrain, &ground, &options, &Control::default()).expect("a mesh");
            let name = format!("Talweg, {threads} threads");
            row(
                &name,
                error,
                &terrain,
                || pool.install(make),
                |mesh| MeshSurface {
                    positions: mesh.positions.clone(),
                    triangles: mesh.parts[0].triangles.clone(),
                    notes: Vec::new(),
                },
            );
        }
    }
    let options = MeshOptions { error_metres: Some(1.0), water: false, ..MeshOptions::default() };
    let mesh = Mesh::from_terrain(&terrain, &ground, &options, &Control::default()).expect("a mesh");
    let start = Instant::now();
    ALLOCATOR.reset_peak_memory();
    let before = ALLOCATOR.get_peak_memory();
    let mut out = std::io::BufWriter::new(tempfile::tempfile().expect("a file"));
    MeshFormat::ALL[0].write(&mesh, &MeshWriteOptions::default(), &mut out).expect("written");
    let peak = (ALLOCATOR.get_peak_memory() - before) as f64 / 1_048_576.0;
    println!("| writing the mesh as GLB | 1 m | {:.2} | {peak:.1} MiB | | |", start.elapsed().as_secs_f64());
    drop(mesh);
    // martini needs 16 bytes for each triangle, and has twice as many triangles as samples.
    if (n - 1).is_power_of_two() {
        for error in [1.0, 5.0] {
            let make = || {
                let mut martini = Martini::new(n as u32);
                let tile = martini.create_terrain(|x, y| f64::from(terrain.height[y * n + x]));
                let last = (n - 1) as f64;
                tile.construct_mesh(&mut martini, error, &mut |(u, v)| {
                    let (x, y) = (u * last, (1.0 - v) * last);
                    (x, f64::from(terrain.height[(y + 0.5) as usize * n + (x + 0.5) as usize]), y)
                })
            };
            row("martini 0.2", error as f32, &terrain, make, |(vertices, indices, _)| MeshSurface {
                positions: vertices.as_chunks::<3>().0.to_vec(),
                triangles: indices.as_chunks::<3>().0.to_vec(),
                notes: Vec::new(),
            });
        }
    }
    let heights: Vec<f64> = terrain.height.iter().map(|&h| f64::from(h)).collect();
    for error in [5.0, 1.0] {
        let make = || delatin::triangulate(&heights, (n, n), Error(error)).expect("triangles");
        row("delatin 0.2", error as f32, &terrain, make, |(points, triangles)| MeshSurface {
            positions: points
                .iter()
                .map(|&(x, y)| [x as f32 * cell, terrain.height[y * n + x], y as f32 * cell])
                .collect(),
            triangles: triangles.iter().map(|&(a, b, c)| [a as u32, b as u32, c as u32]).collect(),
            notes: Vec::new(),
        });
    }
}
