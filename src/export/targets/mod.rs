//! Engines and programs: which files they take, which sizes, and what to type there. One file each, and the one list.

mod bevy_engine;
mod blender;
mod godot;
mod unity;
mod unreal;
mod unreal_mesh;
mod worldpainter;

use std::path::Path;

use super::ExportReport;
use crate::field::MAX_SAMPLES;
use crate::scene::{BuildPreset, BuildProduct, Scene};

/// Name of the text with the numbers to type.
pub const READ_ME: &str = "README.txt";

/// A program that terrains are made for.
#[derive(Debug)]
pub struct ExportTarget {
    /// What the command line and scenes call it.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What is written for it, in one sentence.
    pub help: &'static str,
    sizes: TargetSizes,
    products: fn(&Scene) -> Vec<BuildProduct>,
    /// What differs from the usual preset.
    prepare: fn(&mut BuildPreset),
    read_me: fn(&TargetNumbers) -> String,
}

/// The samples per side that a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TargetSizes {
    Any,
    /// One of these.
    Listed(&'static [usize]),
    /// A power of two and one, within these.
    PowerAndOne(usize, usize),
    /// A multiple.
    Multiple(usize),
}

/// Every target, in the order of menus.
pub static TARGETS: [&ExportTarget; 7] = [
    &unreal::UNREAL,
    &unreal_mesh::UNREAL_MESH,
    &unity::UNITY,
    &godot::GODOT,
    &blender::BLENDER,
    &bevy_engine::BEVY,
    &worldpainter::WORLDPAINTER,
];

/// The numbers that texts are made of.
struct TargetNumbers<'a> {
    scene: &'a Scene,
    report: &'a ExportReport,
    samples: usize,
    cell_metres: f32,
    size_metres: f32,
    /// Heights of the lowest and highest number.
    low: f32,
    high: f32,
}

impl TargetNumbers<'_> {
    /// Names of the meshes.
    fn meshes(&self) -> String {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.report.meshes.iter().map(|mesh| name(&mesh.path)).collect::<Vec<_>>().join(", ")
    }

    /// Names of the files of a map, one a line.
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
    /// When there is none, with all that are known.
    pub fn named(id: &str) -> Result<&'static Self, String> {
        TARGETS.into_iter().find(|target| target.id == id).ok_or_else(|| {
            let known = TARGETS.map(|target| target.id).join(", ");
            format!("there is no program `{id}` to export for; there are {known}")
        })
    }

    /// A preset for it.
    pub fn preset(&self) -> BuildPreset {
        let mut preset = BuildPreset {
            name: self.name.into(),
            folder: self.id.into(),
            target: self.id.into(),
            ..BuildPreset::default()
        };
        (self.prepare)(&mut preset);
        preset
    }

    /// The files that it takes.
    pub fn products(&self, scene: &Scene) -> Vec<BuildProduct> {
        (self.products)(scene)
    }

    /// The size nearest to `samples` that it takes.
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

    /// Which sizes it takes, in words.
    pub fn sizes_text(&self) -> String {
        match self.sizes {
            TargetSizes::Any => "It takes any size".into(),
            TargetSizes::Listed(sizes) => {
                let listed: Vec<String> = sizes.iter().map(usize::to_string).collect();
                format!("It takes {}", listed.join(", "))
            }
            TargetSizes::PowerAndOne(least, most) => format!("It takes powers of two and one, from {least} to {most}"),
            TargetSizes::Multiple(of) => format!("It takes multiples of {of}"),
        }
    }

    /// The text of the numbers to type, of what lies in the folder of the target: other files were asked for beside it,
    /// and the program is not told of them.
    pub(super) fn read_me(&self, scene: &Scene, samples: usize, report: &ExportReport, folder: &Path) -> String {
        let report = &report.part_inside(folder);
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
        let head = format!("{} for {}, by Talweg {}\n", scene.name, self.name, env!("CARGO_PKG_VERSION"));
        let types = types_text(report);
        format!("{head}{}\n\n{}{types}", "=".repeat(head.chars().count() - 1), (self.read_me)(&numbers))
    }
}

/// Where the names of ground types stand, if some were written.
fn types_text(report: &ExportReport) -> String {
    let legends: Vec<_> = report.others.iter().filter(|path| path.to_string_lossy().ends_with(".legend.ron")).collect();
    if legends.is_empty() {
        return String::new();
    }
    "\nThe files *.legend.ron name the ground types, with their colours.\n".into()
}

fn product(what: &str, format: &str) -> BuildProduct {
    BuildProduct { what: what.into(), format: format.into(), file: None }
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
