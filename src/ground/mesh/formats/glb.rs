//! Binary glTF 2.0 (GLB): lengths in metres, y up, parts as named nodes, colours, and embedded images.
//!
//! Source: Khronos 2021, *glTF 2.0 Specification*. Vertex colours in glTF are linear, and this writer stores them with
//! 16 bits. Image colours are sRGB.

use std::io::{self, Write};
use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::{MeshFormat, MeshWriteOptions, UpAxis, bounds_of, refused, triple, write_values};
use crate::io::formats::{MAX_TEXT, Texts, texts_too_long};
use crate::mesh::{Mesh, PartKind};

/// The GLB format.
pub static FORMAT: MeshFormat = MeshFormat {
    id: "glb",
    extension: "glb",
    name: "GLB (binary glTF)",
    about: "For engines and Blender: metres, colours, normals, embedded textures.",
    up: UpAxis::Y,
    chooses_up: false,
    colours: true,
    normals: true,
    textures: true,
    parts: true,
    read_extras: Some(read_extras),
    writes: |_| true,
    write,
};

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const UNSIGNED_SHORT: u32 = 5123;
/// glTF number that marks a buffer view of vertices.
pub const VERTICES: u32 = 34962;
/// glTF number that marks a buffer view of indices.
pub const INDICES: u32 = 34963;

/// The buffer views of a GLB file, which are stored one after the other in a single buffer.
#[derive(Default)]
pub struct BufferLayout {
    views: Vec<Value>,
    accessors: Vec<Value>,
    length: u64,
}

impl BufferLayout {
    /// Adds a view of `bytes` bytes, padded to a multiple of 4, and returns its index. `target` marks the view as
    /// vertices or indices.
    pub fn view(&mut self, bytes: u64, target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.length += bytes.next_multiple_of(4);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds a typed view of a buffer (a glTF accessor) to the file and returns its index.
    pub fn accessor(&mut self, value: Value) -> usize {
        self.accessors.push(value);
        self.accessors.len() - 1
    }

    /// Adds the buffer, the views and the accessors to the JSON of a GLB file.
    pub fn describe(self, root: &mut Value) {
        root["accessors"] = json!(self.accessors);
        root["bufferViews"] = json!(self.views);
        root["buffers"] = json!([{ "byteLength": self.length }]);
    }
}

/// Writes the header and the JSON of a GLB file. Afterwards, the caller writes the `length` bytes of the buffer.
///
/// # Errors
/// When the output cannot be written, or would exceed the maximum size of GLB.
pub fn write_chunks(root: &Value, length: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut text = serde_json::to_vec(root)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let whole = 12 + 8 + text.len() as u64 + 8 + length;
    let Ok(whole) = u32::try_from(whole) else {
        return Err(refused("it exceeds the GLB limit of 4 GiB: allow the mesh an error in metres, or export PLY"));
    };
    let mut header = Vec::new();
    header.extend(b"glTF");
    for number in [2, whole, text.len() as u32] {
        header.extend(number.to_le_bytes());
    }
    header.extend(b"JSON");
    out.write_all(&header)?;
    out.write_all(&text)?;
    out.write_all(&(length as u32).to_le_bytes())?;
    out.write_all(b"BIN\0")?;
    Ok(())
}

fn write(mesh: &Mesh, writing: &MeshWriteOptions, out: &mut dyn Write) -> io::Result<()> {
    let has_picture = writing.colour_png.is_some() || writing.normal_png.is_some();
    if has_picture && mesh.uvs.is_none() {
        return Err(refused("textures need a square mesh with texture coordinates (uvs)"));
    }
    let (root, length) = layout(mesh, writing);
    write_chunks(&root, length, out)?;
    for part in &mesh.parts {
        let first = part.vertices.start;
        write_values(out, part.triangles.iter().map(|t| triple(t.map(|k| (k - first).to_le_bytes()))))?;
    }
    write_values(out, mesh.positions.iter().map(|p| triple(p.map(f32::to_le_bytes))))?;
    write_values(out, mesh.normals.iter().map(|n| triple(n.map(f32::to_le_bytes))))?;
    if let Some(colours) = &mesh.colours {
        let linear = linear_steps();
        write_values(
            out,
            colours.iter().map(|colour| {
                let [r, g, b] = colour.map(|value| linear[usize::from(value)].to_le_bytes());
                [r[0], r[1], g[0], g[1], b[0], b[1], 255, 255]
            }),
        )?;
    }
    let ground = ground_vertices(mesh);
    if let Some(uvs) = &mesh.uvs {
        write_values(
            out,
            uvs[ground.clone()].iter().map(|[u, v]| {
                let (u, v) = (u.to_le_bytes(), v.to_le_bytes());
                [u[0], u[1], u[2], u[3], v[0], v[1], v[2], v[3]]
            }),
        )?;
    }
    if writing.normal_png.is_some() {
        write_values(out, mesh.normals[ground].iter().map(|normal| tangent(*normal)))?;
    }
    for png in [writing.colour_png, writing.normal_png].into_iter().flatten() {
        out.write_all(png)?;
        out.write_all(&[0; 3][..png.len().next_multiple_of(4) - png.len()])?;
    }
    Ok(())
}

/// Index range of the vertices of the terrain surface. Only this part of the mesh has textures.
fn ground_vertices(mesh: &Mesh) -> Range<usize> {
    mesh.part(PartKind::Ground).map_or(0..0, |part| part.vertices.start as usize..part.vertices.end as usize)
}

/// The tangent at a normal, pointing east along the surface. The fourth number is the sign for which the third axis of
/// a normal map points to the north.
fn tangent([x, y, z]: [f32; 3]) -> [u8; 16] {
    let east = [1.0 - x * x, -x * y, -x * z];
    let length = east.iter().map(|x| x * x).sum::<f32>().sqrt();
    let east = if length > 0.0 { east.map(|x| x / length) } else { [0.0, 0.0, 1.0] };
    let numbers = [east[0], east[1], east[2], 1.0].map(f32::to_le_bytes);
    std::array::from_fn(|byte| numbers[byte / 4][byte % 4])
}

/// The JSON of the GLB file, and the length of the file's buffer in bytes.
fn layout(mesh: &Mesh, writing: &MeshWriteOptions) -> (Value, u64) {
    let mut buffer = BufferLayout::default();
    let count = mesh.positions.len() as u64;
    let on_ground = ground_vertices(mesh).len() as u64;
    let indices: Vec<usize> = mesh
        .parts
        .iter()
        .map(|part| {
            let view = buffer.view(12 * part.triangles.len() as u64, Some(INDICES));
            let count = 3 * part.triangles.len();
            buffer.accessor(json!({
                "bufferView": view, "componentType": UNSIGNED_INT, "count": count, "type": "SCALAR",
            }))
        })
        .collect();
    let mut attributes = vec![
        ("POSITION", FLOAT, "VEC3", 12, buffer.view(12 * count, Some(VERTICES))),
        ("NORMAL", FLOAT, "VEC3", 12, buffer.view(12 * count, Some(VERTICES))),
    ];
    if mesh.colours.is_some() {
        attributes.push(("COLOR_0", UNSIGNED_SHORT, "VEC4", 8, buffer.view(8 * count, Some(VERTICES))));
    }
    if mesh.uvs.is_some() {
        attributes.push(("TEXCOORD_0", FLOAT, "VEC2", 8, buffer.view(8 * on_ground, Some(VERTICES))));
    }
    if writing.normal_png.is_some() {
        attributes.push(("TANGENT", FLOAT, "VEC4", 16, buffer.view(16 * on_ground, Some(VERTICES))));
    }
    let mut images = Vec::new();
    let mut textures = Vec::new();
    let mut texture = |png: Option<&[u8]>, buffer: &mut BufferLayout| {
        let view = buffer.view(png?.len() as u64, None);
        images.push(json!({ "bufferView": view, "mimeType": "image/png" }));
        textures.push(json!({ "sampler": 0, "source": images.len() - 1 }));
        Some(json!({ "index": textures.len() - 1 }))
    };
    let colour = texture(writing.colour_png, &mut buffer);
    let normal = texture(writing.normal_png, &mut buffer);
    let has_attribute = |kind: PartKind, name: &str| match name {
        // Parts with a texture have no vertex colours, because glTF would multiply both.
        "COLOR_0" => kind != PartKind::Ground || colour.is_none(),
        "TEXCOORD_0" | "TANGENT" => kind == PartKind::Ground,
        _ => true,
    };
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    for (k, part) in mesh.parts.iter().enumerate() {
        let mut own = Map::new();
        for &(name, component, shape, stride, view) in &attributes {
            if !has_attribute(part.kind, name) {
                continue;
            }
            let mut accessor = json!({
                "bufferView": view,
                // The terrain surface is the first part. Its offset of 0 is therefore also correct in views that
                // contain only this part.
                "byteOffset": stride * u64::from(part.vertices.start),
                "componentType": component,
                "count": part.vertices.len(),
                "type": shape,
            });
            if name == "POSITION" {
                let (low, high) = bounds_of(&mesh.positions[part.vertices.start as usize..part.vertices.end as usize]);
                (accessor["min"], accessor["max"]) = (json!(low.map(f64::from)), json!(high.map(f64::from)));
            }
            if component == UNSIGNED_SHORT {
                accessor["normalized"] = json!(true);
            }
            own.insert(name.into(), json!(buffer.accessor(accessor)));
        }
        let material = match part.kind {
            PartKind::Ground => 0,
            PartKind::Walls | PartKind::Base => 1,
            PartKind::Water => 2,
        };
        meshes.push(json!({
            "name": part.kind.name(),
            "primitives": [{ "attributes": own, "indices": indices[k], "material": material }],
        }));
        nodes.push(json!({ "name": part.kind.name(), "mesh": k }));
    }
    let rough =
        |name: &str| json!({ "name": name, "pbrMetallicRoughness": { "metallicFactor": 0, "roughnessFactor": 1 } });
    let (mut ground, sides, mut water) = (rough("ground"), rough("sides"), rough("water"));
    if let Some(colour) = colour {
        ground["pbrMetallicRoughness"]["baseColorTexture"] = colour;
    }
    if let Some(normal) = normal {
        ground["normalTexture"] = normal;
    }
    if mesh.colours.is_none() {
        water["pbrMetallicRoughness"]["baseColorFactor"] = json!([0.02, 0.12, 0.2, 0.8]);
        water["alphaMode"] = json!("BLEND");
    }
    water["pbrMetallicRoughness"]["roughnessFactor"] = json!(0.1);
    let mut asset = json!({ "version": "2.0", "generator": concat!("Talweg ", env!("CARGO_PKG_VERSION")) });
    if !writing.extras.is_empty() {
        let extras = writing.extras.iter().map(|(key, text)| (key.clone(), json!(text)));
        asset["extras"] = Value::Object(extras.collect());
    }
    // Materials that no part of the mesh uses are omitted.
    let mut materials = vec![ground, sides, water];
    let used: Vec<usize> = (0..materials.len())
        .filter(|&k| meshes.iter().any(|mesh| mesh["primitives"][0]["material"] == json!(k)))
        .collect();
    for mesh in &mut meshes {
        let material = &mut mesh["primitives"][0]["material"];
        *material = json!(used.iter().position(|&k| *material == json!(k)));
    }
    materials = used.iter().map(|&k| materials[k].clone()).collect();
    let mut root = json!({
        "asset": asset,
        "scene": 0,
        "scenes": [{ "name": "terrain", "nodes": (0..nodes.len()).collect::<Vec<_>>() }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
    });
    let length = buffer.length;
    buffer.describe(&mut root);
    // glTF requires a stride if several accessors share a view.
    for (_, _, _, stride, view) in &attributes {
        root["bufferViews"][*view]["byteStride"] = json!(stride);
    }
    if !images.is_empty() {
        // The texture sampler clamps to the edge and uses mipmaps.
        root["samplers"] = json!([{ "magFilter": 9729, "minFilter": 9987, "wrapS": 33071, "wrapT": 33071 }]);
        root["images"] = json!(images);
        root["textures"] = json!(textures);
    }
    (root, length)
}

/// Table that converts each sRGB value of 8 bits to a linear value of 16 bits.
fn linear_steps() -> [u16; 256] {
    std::array::from_fn(|value| {
        let x = value as f64 / 255.0;
        let linear = if x <= 0.04045 { x / 12.92 } else { libm::pow((x + 0.055) / 1.055, 2.4) };
        (linear * 65535.0 + 0.5) as u16
    })
}

/// Maximum length in bytes of the JSON that is read from a file.
const MOST_JSON: u32 = 256 << 20;

/// Reads the metadata in `asset.extras` of a GLB file.
fn read_extras(path: &std::path::Path) -> io::Result<Texts> {
    use std::io::Read;
    let no_glb = || io::Error::new(io::ErrorKind::InvalidData, "it is not a GLB file");
    let mut file = std::fs::File::open(path)?;
    let mut head = [0; 20];
    file.read_exact(&mut head).map_err(|_| no_glb())?;
    let length = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
    if &head[..4] != b"glTF" || &head[16..] != b"JSON" {
        return Err(no_glb());
    }
    if length > MOST_JSON {
        return Err(texts_too_long());
    }
    let mut json = Vec::new();
    file.take(u64::from(length)).read_to_end(&mut json)?;
    let document: GlbDocument = serde_json::from_slice(&json).map_err(|_| no_glb())?;
    let extras: Texts = document.asset.extras.into_iter().filter_map(|(key, text)| Some((key, text.0?))).collect();
    match extras.iter().map(|(_, text)| text.len()).sum::<usize>() {
        0..=MAX_TEXT => Ok(extras),
        _ => Err(texts_too_long()),
    }
}

/// The part of a document that contains metadata. Other parts can take much memory, so they are skipped.
#[derive(Deserialize)]
struct GlbDocument {
    #[serde(default)]
    asset: GlbAsset,
}

#[derive(Default, Deserialize)]
struct GlbAsset {
    #[serde(default)]
    extras: std::collections::BTreeMap<String, GlbText>,
}

/// A text; `None` for every other kind of value.
struct GlbText(Option<String>);

impl<'de> Deserialize<'de> for GlbText {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(GlbTextVisitor)
    }
}

struct GlbTextVisitor;

impl<'de> serde::de::Visitor<'de> for GlbTextVisitor {
    type Value = GlbText;

    fn expecting(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        out.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<GlbText, E> {
        Ok(GlbText(Some(text.into())))
    }

    fn visit_unit<E>(self) -> Result<GlbText, E> {
        Ok(GlbText(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<GlbText, E> {
        Ok(GlbText(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<GlbText, E> {
        Ok(GlbText(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<GlbText, E> {
        Ok(GlbText(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<GlbText, E> {
        Ok(GlbText(None))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<GlbText, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(GlbText(None))
    }

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<GlbText, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(GlbText(None))
    }
}
