//! Computes the number of samples, memory and file size of an export, and the layout of its rasters.

use super::maps::{ExportMap, FilePart, SquareMaps};
use super::product::{all_products, channels};
use super::raster_file::sample_type;
use super::{ExportError, ExportProduct, ExportRequest, ProductKind, scatter_file};
use crate::eval::MemoryUse;
use crate::field::{Edges, MapKind};
use crate::io::formats::SampleType;
use crate::planet::projection::{Equirectangular, FACE_NAMES, Registration};
use crate::scene::{AttributeReach, Scene, TerrainAttribute};
use crate::terrain_attributes::drainage;

/// Samples per side at which the scene is evaluated for a request.
///
/// # Errors
/// If the target does not support the size.
pub fn samples(request: &ExportRequest, scene: &Scene) -> Result<usize, ExportError> {
    let wanted = request.samples.unwrap_or(scene.samples());
    let Some(target) = request.target else { return Ok(wanted) };
    match request.samples {
        None => Ok(target.nearest_size(wanted)),
        Some(_) if target.nearest_size(wanted) == wanted => Ok(wanted),
        Some(_) => Err(ExportError::Request(format!(
            "{} does not support {wanted} samples per side; the nearest size is {}. {}",
            target.name,
            target.nearest_size(wanted),
            target.sizes_text()
        ))),
    }
}

/// Memory that the export needs in addition to the evaluation.
///
/// # Errors
/// If the preset contains an unknown name.
pub fn memory_use(request: &ExportRequest, scene: &Scene, samples: usize) -> Result<MemoryUse, ExportError> {
    let is_square = !scene.is_planet() && scene.settings.edges == Edges::Open;
    let fields = |map: &ExportMap| match map {
        ExportMap::Data(MapKind::Flow) if !scene.writes_map(MapKind::Flow) => drainage::flow_fields(scene),
        ExportMap::Heights | ExportMap::Data(_) | ExportMap::Bands => 1.0,
        ExportMap::Attribute(TerrainAttribute::SkyView) if is_square && request.tiles.is_none() => 2.5,
        ExportMap::Attribute(attribute) => match attribute.reach() {
            AttributeReach::Neighbours => 1.0,
            AttributeReach::Drainage if scene.writes_map(MapKind::Flow) => 1.0,
            AttributeReach::Drainage => drainage::flow_fields(scene),
            AttributeReach::Horizon => 3.5,
        },
        map if is_square && request.tiles.is_none() && SquareMaps::is_one_sheet(map) => 1.0,
        ExportMap::Temperature | ExportMap::Moisture => MemoryUse::climate(scene).fields,
        ExportMap::Splat | ExportMap::Weights if is_square => 4.5,
        ExportMap::Splat | ExportMap::Weights | ExportMap::Control => 12.0,
        ExportMap::Mask(_) => 6.0,
        _ => MemoryUse::COLOURS.fields,
    };
    let products = all_products(request, scene)?;
    let of_kind = |kind: &ProductKind| match kind {
        ProductKind::Map(map, _) => fields(map),
        // Bytes per vertex: position, normal, colour, texture coordinates and two triangles. If a height error is
        // allowed, the mesh has far fewer vertices.
        ProductKind::Mesh(_) if request.mesh.error_metres > 0.0 => 9.0,
        ProductKind::Mesh(_) => 17.0,
        ProductKind::Plants(_) => MemoryUse::COLOURS.fields,
        ProductKind::Textures => 0.0,
    };
    let most = products.iter().map(|product| of_kind(&product.kind)).fold(1.0, f64::max);
    let map = planet_map(request, scene, samples);
    let bytes = map.map_or(0.0, |map| (map.width * map.height) as f64 * 9.0);
    let is_plants = |product: &ExportProduct| matches!(product.kind, ProductKind::Plants(_));
    let plants = if products.iter().any(is_plants) { scatter_file::most_bytes(scene) } else { 0.0 };
    let heights_alone = products.iter().all(ExportProduct::is_of_heights);
    Ok(MemoryUse { fields: most, heights_only: heights_alone, ..MemoryUse::TERRAIN }.with_bytes(bytes.max(plants)))
}

/// Name and uncompressed bytes of each product, for the export window.
///
/// # Errors
/// If the scene does not allow a product.
pub fn sizes(request: &ExportRequest, scene: &Scene) -> Result<Vec<(String, u64)>, ExportError> {
    let n = samples(request, scene)?;
    let (width, height) = planet_map(request, scene, n).map_or((n, n), |map| (map.width, map.height));
    let faces = file_parts(request, scene).len();
    let products = all_products(request, scene)?;
    let size = |product: &ExportProduct| {
        let (map, format) = match &product.kind {
            // Bytes per sample: a vertex of 12 + 12 + 3 bytes, and two triangles of three 4-byte indices.
            ProductKind::Mesh(format) => return (format!("Mesh · {}", format.name), (n * n * 51) as u64),
            // There are a few thousand objects per square kilometre, of about 50 bytes each.
            ProductKind::Plants(format) => {
                let kilometres = scene.settings.size_metres / 1000.0;
                return (format!("Plants and stones · {}", format.name()), (kilometres * kilometres * 2e5) as u64);
            }
            // Five images of 1024² pixels for each rule; most rules have different materials.
            ProductKind::Textures => {
                return ("Textures of the materials".into(), (scene.material_rules().0.len() * 5 * (3 << 20)) as u64);
            }
            ProductKind::Map(map, format) => (map, format),
        };
        let channels = channels(map);
        let kind = sample_type(map.nature(), channels.min(format.channels), format);
        let each = kind.unwrap_or(SampleType::F32).bytes() * channels;
        (format!("{} · {}", map.name(), format.name), (width * height * faces * each) as u64)
    };
    Ok(products.iter().map(size).collect())
}

/// The layout of a planet's map; `None` if the faces are written instead.
pub(super) fn planet_map(request: &ExportRequest, scene: &Scene, samples: usize) -> Option<Equirectangular> {
    if !scene.is_planet() || request.planet.cube {
        return None;
    }
    let usual = Equirectangular::for_samples(samples).width;
    let width = request.planet.width.map_or(usual, |width| width as usize) & !1;
    Some(if request.planet.points {
        Equirectangular { width: width + 1, height: width / 2 + 1, registration: Registration::Grid }
    } else {
        Equirectangular { width, height: width / 2, registration: Registration::Pixel }
    })
}

/// The parts of the terrain that get files of their own: the six faces of a cube, or the terrain as a whole.
pub(super) fn file_parts(request: &ExportRequest, scene: &Scene) -> Vec<FilePart> {
    if scene.is_planet() && request.planet.cube { FACE_NAMES.map(Some).to_vec() } else { vec![None] }
}
