//! The terrain as a mesh file: its parts, its maximum error, its colours and pictures.

use std::io::Cursor;
use std::path::PathBuf;

use serde::Serialize;

use super::ExportError;
use super::maps::{ExportMap, MapSource, PixelLayout};
use super::raster_file::{RasterJob, cell_metres};
use crate::appearance::{PlanetLayout, ground_colours};
use crate::field::{Control, Terrain};
use crate::io::formats::PNG;
use crate::io::{SaveTarget, StagedFile};
use crate::mesh::formats::{MeshFormat, MeshWriteOptions};
use crate::mesh::{Mesh, MeshError, MeshExtent, MeshGround, MeshOptions};
use crate::scene::{BuildMesh, Scene};

/// Data about an exported mesh, for the export report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MeshReport {
    /// The file that was written.
    pub path: PathBuf,
    /// Id of the mesh format.
    pub format: &'static str,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Names of the parts that the format writes.
    pub parts: Vec<&'static str>,
    /// Maximum distance in metres from the mesh to any sample; 0 if every sample is a vertex.
    pub error_metres: f32,
}

impl From<MeshError> for ExportError {
    fn from(error: MeshError) -> Self {
        match error {
            MeshError::Cancelled(cancelled) => cancelled.into(),
            other => Self::Mesh(other.to_string()),
        }
    }
}

/// A mesh to write, with its options.
pub(super) struct MeshJob<'a> {
    pub scene: &'a Scene,
    pub terrain: &'a Terrain,
    pub format: &'static MeshFormat,
    pub options: BuildMesh,
    pub texts: &'a [(String, String)],
}

impl MeshJob<'_> {
    /// Writes the new file into the folder of the existing one, without replacing that file yet.
    pub(super) fn stage(&self, to: &SaveTarget, control: &Control) -> Result<(MeshReport, StagedFile), ExportError> {
        let Self { scene, terrain, format, options, texts } = *self;
        let settings = &scene.settings;
        let is_planet = settings.is_planet();
        // A picture holds finer colours than the vertices of a coarse mesh.
        let has_pictures = options.colours && format.textures && !is_planet;
        let vertex_colours = options.colours && format.colours && !has_pictures;
        let colours = vertex_colours.then(|| ground_colours(scene, terrain, control)).transpose()?;
        let colour = colours.as_ref().map(|colours| {
            move |k: usize| {
                let [r, g, b, _] = colours[k];
                [r, g, b]
            }
        });
        let ground = MeshGround {
            extent: match scene.as_planet() {
                Some(planet) => MeshExtent::Radius(planet.radius_metres),
                None => MeshExtent::Side(settings.size_metres),
            },
            relief_metres: settings.relief_metres,
            sea_metres: Some(settings.sea_level),
            colour: colour.as_ref().map(|colour| colour as &(dyn Fn(usize) -> [u8; 3] + Sync)),
        };
        let is_printed = format.id == "stl";
        let mesh_options = MeshOptions {
            error_metres: (options.error_metres > 0.0).then_some(options.error_metres),
            walls: (options.solid || is_printed) && !is_planet,
            water: options.water,
            uvs: has_pictures,
            ..MeshOptions::default()
        };
        let mesh = Mesh::from_terrain(terrain, &ground, &mesh_options, control)?;
        let pictures = if has_pictures { Some(self.pictures(control)?) } else { None };
        let writing = MeshWriteOptions {
            longest_millimetres: is_printed.then_some(options.print_millimetres),
            colour_png: pictures.as_ref().map(|[colours, _]| colours.as_slice()),
            normal_png: pictures.as_ref().map(|[_, normals]| normals.as_slice()),
            extras: if format.keeps_extras() { texts } else { &[] },
            ..MeshWriteOptions::default()
        };
        let staged = StagedFile::new_while(to, control, |file| format.write(&mesh, &writing, file))?;
        let parts = mesh.parts.iter().filter(|part| (format.writes)(part.kind));
        let report = MeshReport {
            path: to.path().into(),
            format: format.id,
            vertices: parts.clone().map(|part| part.vertices.len()).sum(),
            triangles: parts.clone().map(|part| part.triangles.len()).sum(),
            parts: parts.map(|part| part.kind.name()).collect(),
            error_metres: options.error_metres,
        };
        Ok((report, staged))
    }

    /// Colours and normals of all samples as PNG files.
    fn pictures(&self, control: &Control) -> Result<[Vec<u8>; 2], ExportError> {
        let Self { scene, terrain, .. } = *self;
        let layout = PixelLayout::new(terrain, PlanetLayout::Face(0));
        let source = MapSource { scene, terrain, band_metres: 1.0 };
        let n = terrain.samples();
        let mut pictures = [Vec::new(), Vec::new()];
        for (map, png) in [ExportMap::Colours, ExportMap::Normals].iter().zip(&mut pictures) {
            for sheet in source.sheets(map, &layout, control)? {
                let job = RasterJob {
                    format: &PNG,
                    sheet: &sheet,
                    part: [0, 0, n, n],
                    range: sheet.range,
                    normalised: false,
                    south_first: false,
                    big_endian: false,
                    directx_normals: false,
                    cell_metres: cell_metres(scene.side_metres(), terrain),
                    placement: None,
                    texts: &[],
                    ground: None,
                    control,
                };
                let mut bytes = Cursor::new(Vec::new());
                let written = job.write(&mut bytes);
                control.check()?;
                written.map_err(|error| ExportError::Mesh(error.to_string()))?;
                *png = bytes.into_inner();
            }
        }
        Ok(pictures)
    }
}
