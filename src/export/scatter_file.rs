//! Plants and stones as files: a table of their positions, or instances of their shapes in glTF. Grass is not exported:
//! there would be tens of millions of tufts, which engines scatter around the camera themselves.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::ExportError;
use crate::appearance::scatter::{POINTS, ScatterPlacer, ScatterShape, ScatteredObject};
use crate::appearance::{GroundConditions, PaletteTable};
use crate::appearance_files::{ScatterKind, ScatterRule};
use crate::field::{Cancelled, Control, Terrain};
use crate::io::{SaveTarget, StagedFile};
use crate::mesh::formats::glb::{BufferLayout, INDICES, VERTICES, write_chunks};
use crate::scene::{BuildPlacement, Scene};

/// A file format for plants and stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterFormat {
    /// A table with a line for each object: kind, easting, northing, height of the ground, height of the object,
    /// rotation.
    Csv,
    /// Binary glTF with EXT_mesh_gpu_instancing: one mesh per kind, with the positions of all its instances.
    Glb,
}

impl ScatterFormat {
    /// All formats, in the order in which lists show them.
    pub const ALL: [Self; 2] = [Self::Csv, Self::Glb];

    /// Id of the format in build presets.
    pub fn id(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Glb => "instances-glb",
        }
    }

    /// Extension of the format's files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Glb => "plants.glb",
        }
    }

    /// Name of the format in the interface.
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV (table)",
            Self::Glb => "GLB (instances)",
        }
    }

    /// The format that the extension of a file names.
    pub fn for_path(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let fits = |format: &Self| {
            name.strip_suffix(format.extension()).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
        };
        Self::ALL.into_iter().find(fits)
    }
}

/// Data about exported plants and stones, for the export report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScatterReport {
    /// The file that was written.
    pub path: PathBuf,
    /// Id of the format.
    pub format: &'static str,
    /// Each kind that occurs, with the number of its objects.
    pub counts: Vec<(&'static str, usize)>,
}

/// Maximum number of instances in a file: no engine loads more at once.
pub(super) const MOST_OBJECTS: usize = 10_000_000;

/// Plants and stones to write, with the options of the file.
pub(super) struct ScatterJob<'a> {
    pub scene: &'a Scene,
    pub terrain: &'a Terrain,
    pub format: ScatterFormat,
    pub placement: Option<BuildPlacement>,
}

impl ScatterJob<'_> {
    /// Writes the new file into the folder of the existing one, without replacing that file yet.
    pub(super) fn stage(&self, to: &SaveTarget, control: &Control) -> Result<(ScatterReport, StagedFile), ExportError> {
        let objects = all_objects(self.scene, self.terrain, control)?;
        if objects.len() > MOST_OBJECTS {
            return Err(ExportError::Request(format!(
                "there are {} plants and stones, and a file can hold {MOST_OBJECTS}; lower the density of their rules",
                objects.len()
            )));
        }
        let staged = StagedFile::new_while(to.clone(), control, |file| match self.format {
            ScatterFormat::Csv => self.write_csv(&objects, file),
            ScatterFormat::Glb => self.write_glb(&objects, file),
        })?;
        let count = |kind: &ScatterKind| {
            let count = objects.iter().filter(|object| object.kind == *kind).count();
            (count > 0).then_some((kind.label(), count))
        };
        let counts = ScatterKind::ALL.iter().filter_map(count).collect();
        Ok((ScatterReport { path: to.path().to_path_buf(), format: self.format.id(), counts }, staged))
    }

    fn write_csv(&self, objects: &[ScatteredObject], out: &mut dyn Write) -> io::Result<()> {
        let side = f64::from(self.scene.settings.size_metres);
        let (west, south) = self.placement.map_or((0.0, 0.0), |placement| (placement.west, placement.south));
        writeln!(out, "kind,east_m,north_m,height_m,size_m,turn_degrees")?;
        for object in objects {
            let [east, down] = object.place.map(f64::from);
            let kind = object.kind.label();
            let (height, size, turn) = (object.ground_metres, object.size_metres, object.turn.to_degrees());
            let (east, north) = (west + east, south + side - down);
            writeln!(out, "{kind},{east:.3},{north:.3},{height:.3},{size:.3},{turn:.1}")?;
        }
        Ok(())
    }

    fn write_glb(&self, objects: &[ScatteredObject], out: &mut dyn Write) -> io::Result<()> {
        let half = 0.5 * self.scene.settings.size_metres;
        let (mut buffer, mut bytes) = (BufferLayout::default(), Vec::<u8>::new());
        let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
        let mut add = |buffer: &mut BufferLayout, numbers: &[u8], target, value: Value| {
            let view = buffer.view(numbers.len() as u64, target);
            bytes.extend(numbers);
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            let mut accessor = value;
            accessor["bufferView"] = json!(view);
            buffer.accessor(accessor)
        };
        let floats = |values: &mut dyn Iterator<Item = f32>| values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        for kind in ScatterKind::ALL {
            let own: Vec<&ScatteredObject> = objects.iter().filter(|object| object.kind == *kind).collect();
            if own.is_empty() {
                continue;
            }
            let shape = ScatterShape::new(*kind, 0);
            let count = shape.vertices.len();
            let vec3 = |count: usize| json!({ "componentType": 5126, "count": count, "type": "VEC3" });
            let mut position = vec3(count);
            let ends = |pick: fn(f32, f32) -> f32, start: f32| {
                shape.vertices.iter().fold([start; 3], |ends, v| std::array::from_fn(|k| pick(ends[k], v.position[k])))
            };
            position["min"] = json!(ends(f32::min, f32::INFINITY));
            position["max"] = json!(ends(f32::max, f32::NEG_INFINITY));
            let positions = floats(&mut shape.vertices.iter().flat_map(|v| v.position));
            let normals = floats(&mut shape.vertices.iter().flat_map(|v| v.normal));
            let colours = floats(&mut shape.vertices.iter().flat_map(|v| v.colour.map(|c| 2.0 * c)));
            let indices: Vec<u8> = shape.indices.iter().flat_map(|k| k.to_le_bytes()).collect();
            let attributes = json!({
                "POSITION": add(&mut buffer, &positions, Some(VERTICES), position),
                "NORMAL": add(&mut buffer, &normals, Some(VERTICES), vec3(count)),
                "COLOR_0": add(&mut buffer, &colours, Some(VERTICES), vec3(count)),
            });
            let of_indices = json!({ "componentType": 5123, "count": shape.indices.len(), "type": "SCALAR" });
            let indices = add(&mut buffer, &indices, Some(INDICES), of_indices);
            meshes.push(json!({
                "name": kind.label(),
                "primitives": [{ "attributes": attributes, "indices": indices, "material": 0 }],
            }));
            let place = |object: &&ScatteredObject| {
                let [east, south] = object.place;
                [east - half, object.ground_metres, south - half]
            };
            // The rotation about the vertical as a quaternion; the shapes rotate from east to south.
            let turn = |object: &&ScatteredObject| {
                let half = -0.5 * object.turn;
                [0.0, libm::sinf(half), 0.0, libm::cosf(half)]
            };
            let places = floats(&mut own.iter().flat_map(place));
            let turns = floats(&mut own.iter().flat_map(turn));
            let sizes = floats(&mut own.iter().flat_map(|object| [object.size_metres; 3]));
            let vec4 = json!({ "componentType": 5126, "count": own.len(), "type": "VEC4" });
            let instances = json!({
                "TRANSLATION": add(&mut buffer, &places, None, vec3(own.len())),
                "ROTATION": add(&mut buffer, &turns, None, vec4),
                "SCALE": add(&mut buffer, &sizes, None, vec3(own.len())),
            });
            nodes.push(json!({
                "name": kind.label(),
                "mesh": meshes.len() - 1,
                "extensions": { "EXT_mesh_gpu_instancing": { "attributes": instances } },
            }));
        }
        let mut root = json!({
            "asset": { "version": "2.0", "generator": concat!("Talweg ", env!("CARGO_PKG_VERSION")) },
            "scene": 0,
            "scenes": [{ "name": "plants and stones" }],
        });
        if !nodes.is_empty() {
            root["scenes"][0]["nodes"] = json!((0..nodes.len()).collect::<Vec<_>>());
            root["nodes"] = json!(nodes);
            root["meshes"] = json!(meshes);
            root["materials"] = json!([{
                "name": "plants and stones",
                "doubleSided": true,
                "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 1 },
            }]);
            root["extensionsUsed"] = json!(["EXT_mesh_gpu_instancing"]);
            root["extensionsRequired"] = json!(["EXT_mesh_gpu_instancing"]);
            buffer.describe(&mut root);
        }
        write_chunks(&root, bytes.len() as u64, out)?;
        out.write_all(&bytes)
    }
}

/// The rules whose objects are exported.
fn exported_rules(rules: &[ScatterRule]) -> impl Iterator<Item = usize> {
    (0..rules.len()).filter(|k| rules[*k].kind != ScatterKind::Grass)
}

/// Upper bound of the memory in bytes for the objects of a scene, computed for full density everywhere.
pub(super) fn most_bytes(scene: &Scene) -> f64 {
    let table = PaletteTable::for_scene(scene);
    let rules = &table.scatter.0;
    let hectares = f64::from(scene.settings.size_metres) * f64::from(scene.settings.size_metres) / 1e4;
    let count = exported_rules(rules).map(|k| f64::from(rules[k].density) * hectares).sum::<f64>();
    count.min(MOST_OBJECTS as f64) * size_of::<ScatteredObject>() as f64
}

/// All objects on a square terrain, by rule, row and column.
fn all_objects(scene: &Scene, terrain: &Terrain, control: &Control) -> Result<Vec<ScatteredObject>, Cancelled> {
    let (settings, table) = (&scene.settings, PaletteTable::for_scene(scene));
    let rules = &table.scatter.0;
    let ground = GroundConditions::new(terrain, settings, &table, rules.iter().map(|rule| &rule.bands), control)?;
    let placer = ScatterPlacer { ground, rules, size_metres: settings.size_metres, seed: settings.seed };
    let mut all = Vec::new();
    for rule in exported_rules(rules) {
        let cells = placer.cells_per_side(rule);
        for row in 0..cells {
            control.check()?;
            let of_row: Vec<Vec<ScatteredObject>> = (0..cells)
                .into_par_iter()
                .map(|column| placer.objects_in_cell(rule, [column, row], 0..POINTS))
                .collect();
            all.extend(of_row.into_iter().flatten());
            if all.len() > MOST_OBJECTS {
                return Ok(all);
            }
        }
    }
    Ok(all)
}
