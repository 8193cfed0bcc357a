//! Engines and programs: the files and sizes that they support, and their import settings. Each program has a source
//! file, and one list contains all programs.

mod bevy_engine;
mod blender;
mod godot;
mod unity;
mod unreal;
mod unreal_mesh;
mod worldpainter;

use std::path::Path;

use super::maps::ExportMap;
use super::{ExportProduct, ExportReport, ExportRequest, ProductKind};
use crate::field::MAX_SAMPLES;
use crate::io::formats::RasterFormat;
use crate::io::{printable, printable_line};
use crate::mesh::formats::glb;
use crate::scene::{BuildPreset, Scene};

/// Name of the text with the import settings.
pub const READ_ME: &str = "README.txt";

/// A program for which terrains are exported.
#[derive(Debug)]
pub struct ExportTarget {
    /// Id of the program on the command line and in scenes.
    pub id: &'static str,
    /// Name of the program in the interface.
    pub name: &'static str,
    /// The files written for the program, in one sentence.
    pub help: &'static str,
    sizes: TargetSizes,
    products: fn(&Scene) -> Vec<ExportProduct>,
    /// Adapts the default request to the program.
    prepare: fn(&mut ExportRequest),
    read_me: fn(&TargetNumbers) -> String,
}

/// The numbers of samples per side that a program supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetSizes {
    Any,
    /// One of these numbers of samples.
    Listed(&'static [usize]),
    /// A power of two plus one. The two numbers are the lowest and the highest size.
    PowerAndOne(usize, usize),
    /// A multiple of this number.
    Multiple(usize),
}

/// All targets, in the order of menus.
pub static TARGETS: [&ExportTarget; 7] = [
    &unreal::UNREAL,
    &unreal_mesh::UNREAL_MESH,
    &unity::UNITY,
    &godot::GODOT,
    &blender::BLENDER,
    &bevy_engine::BEVY,
    &worldpainter::WORLDPAINTER,
];

/// The numbers that the texts of a README contain.
struct TargetNumbers<'a> {
    scene: &'a Scene,
    report: &'a ExportReport,
    samples: usize,
    cell_metres: f32,
    size_metres: f32,
    /// Heights in metres that the lowest and the highest number represent.
    low: f32,
    high: f32,
}

impl TargetNumbers<'_> {
    /// File names of the exported meshes.
    fn meshes(&self) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.report.meshes.iter().map(|mesh| name(&mesh.path)).collect::<Vec<_>>().join(", ")
    }

    /// File names of an exported map, separated by commas.
    fn files(&self, map: &str) -> String {
        let is_of = |label: &str| {
            label == map || label.strip_prefix(map).is_some_and(|rest| rest.starts_with(['-', '0', '1', '2', '3']))
        };
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = self.report.rasters.iter().filter(|raster| is_of(&raster.map)).map(|raster| name(&raster.path));
        found.collect::<Vec<_>>().join(", ")
    }
}

impl ExportTarget {
    /// The target called `id`.
    ///
    /// # Errors
    /// If there is no such target; the error lists all targets.
    pub fn named(id: &str) -> Result<&'static Self, String> {
        TARGETS.into_iter().find(|target| target.id == id).ok_or_else(|| {
            let known = TARGETS.map(|target| target.id).join(", ");
            format!("there is no program `{id}` to export for; there are {known}")
        })
    }

    /// A request for the target, into a folder named after it.
    pub fn request(&'static self) -> ExportRequest {
        let mut request = ExportRequest { folder: self.id.into(), target: Some(self), ..ExportRequest::default() };
        (self.prepare)(&mut request);
        request
    }

    /// A build preset for the target.
    pub fn preset(&'static self) -> BuildPreset {
        self.request().to_preset(self.name)
    }

    /// The products that the program uses.
    pub fn products(&self, scene: &Scene) -> Vec<ExportProduct> {
        (self.products)(scene)
    }

    /// The supported size nearest to `samples`.
    pub fn nearest_size(&self, samples: usize) -> usize {
        let nearest = |sizes: &mut dyn Iterator<Item = usize>| sizes.min_by_key(|size| size.abs_diff(samples));
        match self.sizes {
            TargetSizes::Any => samples,
            TargetSizes::Listed(sizes) => nearest(&mut sizes.iter().copied()).unwrap_or(samples),
            TargetSizes::PowerAndOne(least, most) => {
                nearest(&mut (1..14).map(|k| (1 << k) + 1).filter(|size| (least..=most).contains(size)))
                    .unwrap_or(samples)
            }
            TargetSizes::Multiple(of) => ((samples + of / 2) / of * of).clamp(of, MAX_SAMPLES / of * of),
        }
    }

    /// The supported sizes as text, for messages and the README.
    pub fn sizes_text(&self) -> String {
        match self.sizes {
            TargetSizes::Any => "Any size".into(),
            TargetSizes::Listed(sizes) => {
                let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
                format!("Supported sizes: {}", listed.join(", "))
            }
            TargetSizes::PowerAndOne(least, most) => {
                format!("Supported sizes: powers of two plus one, from {least} to {most}")
            }
            TargetSizes::Multiple(of) => format!("Supported sizes: multiples of {of}"),
        }
    }

    /// The text with the import settings for the files in the target's folder. Files exported to other folders are not
    /// mentioned.
    pub(super) fn read_me(&self, scene: &Scene, samples: usize, report: &ExportReport, folder: &Path) -> String {
        let report = &report.files_in(folder);
        let heights = report.rasters.iter().find(|raster| raster.map == "heights");
        let (low, high) = heights.map_or((0.0, 0.0), |raster| (raster.min, raster.max));
        let size_metres = scene.side_metres();
        let numbers = TargetNumbers {
            scene,
            report,
            samples,
            cell_metres: size_metres * scene.grid(samples).cell(),
            size_metres,
            low,
            high,
        };
        let head =
            format!("{} for {}, by Talweg {}\n", printable_line(&scene.name), self.name, env!("CARGO_PKG_VERSION"));
        let types = types_text(report);
        let text = format!("{head}{}\n\n{}{types}", "=".repeat(head.chars().count() - 1), (self.read_me)(&numbers));
        printable(&text)
    }
}

/// A sentence about the legends of ground types, if some were written.
fn types_text(report: &ExportReport) -> String {
    let legends: Vec<_> = report.others.iter().filter(|path| path.to_string_lossy().ends_with(".legend.ron")).collect();
    if legends.is_empty() {
        return String::new();
    }
    "\nThe files *.legend.ron list the ground types with their colours.\n".into()
}

fn map(map: ExportMap, format: &'static RasterFormat) -> ExportProduct {
    ExportProduct { kind: ProductKind::Map(map, format), file: None }
}

/// A glTF mesh; engines read the colours that the file contains.
fn mesh() -> ExportProduct {
    ExportProduct { kind: ProductKind::Mesh(&glb::FORMAT), file: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_match_those_of_the_programs() {
        let size = |id: &str, samples: usize| ExportTarget::named(id).unwrap().nearest_size(samples);
        assert_eq!([size("unreal", 513), size("unreal", 1025), size("unreal", 9000)], [505, 1009, 8129]);
        assert_eq!([size("unity", 500), size("unity", 9000), size("godot", 513)], [513, 4097, 512]);
        assert!(ExportTarget::named("cryengine").unwrap_err().contains("unreal"));
    }
}
