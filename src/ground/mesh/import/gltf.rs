//! glTF 2.0, binary or text, with the transformations of its nodes. The crate `gltf` parses and checks the JSON; this
//! module reads the numbers and checks the bounds of each buffer access.

use std::path::Path;

use gltf::accessor::{DataType, Dimensions};
use gltf::buffer::Source;
use gltf::mesh::Mode;
use gltf::{Accessor, Gltf, Node};

use super::{MOST, MeshSurface, bytes_at};

/// Maximum nesting depth of nodes; a deeper nesting indicates a cycle.
const DEEPEST: usize = 256;
/// Maximum number of node visits, including repeated visits of the same node.
const MOST_NODES: usize = 1 << 20;

type Matrix = [[f64; 4]; 4];

const UNMOVED: Matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

pub(super) fn read(bytes: &[u8], path: &Path) -> Result<MeshSurface, String> {
    if let Some(length) = missing_end(bytes) {
        return Err(super::cut_off(bytes.len(), length));
    }
    let Gltf { document, mut blob } = Gltf::from_slice(bytes).map_err(|error| match &error {
        gltf::Error::Deserialize(text) if text.is_eof() => super::cut_off(bytes.len(), None),
        _ => format!("not a readable glTF file: {error}"),
    })?;
    let mut buffers = Vec::new();
    for buffer in document.buffers() {
        let data = match buffer.source() {
            Source::Bin => blob.take().ok_or("it refers to a binary part that the file does not contain")?,
            Source::Uri(uri) if uri.starts_with("data:") => embedded(uri)?,
            Source::Uri(uri) => neighbour_file(uri, path)?,
        };
        if data.len() < buffer.length() {
            return Err(format!(
                "buffer {} has {} bytes of {}: it ends too early. Copy or download the file and its companion files again, or export it again from its source",
                buffer.index(),
                data.len(),
                buffer.length()
            ));
        }
        buffers.push(data);
    }
    let scene = document.default_scene().or_else(|| document.scenes().next()).ok_or("it has no scene")?;
    let mut reader = GltfSurface { buffers, surface: MeshSurface::default(), nodes: 0, skips_water: true };
    for node in scene.nodes() {
        reader.add(&node, &UNMOVED, 0)?;
    }
    // A file that contains nothing but water is read in whole.
    if reader.surface.triangles.is_empty() {
        reader = GltfSurface { surface: MeshSurface::default(), nodes: 0, skips_water: false, ..reader };
        for node in scene.nodes() {
            reader.add(&node, &UNMOVED, 0)?;
        }
    }
    Ok(reader.surface)
}

/// `Some` if the end of a binary glTF file is missing. The inner value is the file length in bytes that the header
/// states, if it states one.
fn missing_end(bytes: &[u8]) -> Option<Option<usize>> {
    const MAGIC: [u8; 4] = *b"glTF";
    if bytes.len() < 12 {
        let is_begun = bytes.starts_with(&MAGIC) || MAGIC.starts_with(bytes);
        return is_begun.then_some(None);
    }
    let length = u32::from_le_bytes(bytes_at(bytes, 8)?) as usize;
    (bytes.starts_with(&MAGIC) && length > bytes.len()).then_some(Some(length))
}

/// The bytes of a base-64 data URI (RFC 2397, RFC 4648), as in embedded glTF.
fn embedded(uri: &str) -> Result<Vec<u8>, String> {
    let (_, text) = uri.split_once(";base64,").ok_or("its embedded data is not base 64")?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err("its data is not valid base 64".into()),
        };
        (bits, count) = (bits << 6 | u32::from(six), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    Ok(bytes)
}

/// Reads a file that the glTF file at `path` refers to. `uri` is relative to the folder of the glTF file.
fn neighbour_file(uri: &str, path: &Path) -> Result<Vec<u8>, String> {
    let is_plain = !uri.is_empty() && !uri.contains(['/', '\\', ':', '%']) && uri != "..";
    if !is_plain {
        let shown: String = uri.chars().take(40).collect();
        return Err(format!("its data is in `{shown}`, but only files in the same folder are read. Save it as GLB"));
    }
    let file = path.with_file_name(uri);
    let about = std::fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    if !about.is_file() {
        return Err(format!("{} is not a file", file.display()));
    }
    if let Some(shortage) = crate::io::memory::shortage(about.len()) {
        return Err(format!("{} {shortage}", file.display()));
    }
    std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

struct GltfSurface {
    buffers: Vec<Vec<u8>>,
    surface: MeshSurface,
    nodes: usize,
    /// Whether parts that are a water surface are left out.
    skips_water: bool,
}

impl GltfSurface {
    fn add(&mut self, node: &Node, above: &Matrix, depth: usize) -> Result<(), String> {
        self.nodes += 1;
        if depth > DEEPEST || self.nodes > MOST_NODES {
            return Err("its nodes form a cycle, or there are too many of them".into());
        }
        let own = node.transform().matrix().map(|column| column.map(f64::from));
        // The product of the two matrices, stored by columns.
        let matrix: Matrix =
            std::array::from_fn(|j| std::array::from_fn(|i| (0..4).map(|k| above[k][i] * own[j][k]).sum()));
        let is_skipped = self.skips_water && node.name().is_some_and(super::is_water);
        if is_skipped && self.surface.notes.is_empty() {
            self.surface.notes.push(super::water_note());
        }
        if let Some(mesh) = node.mesh().filter(|_| !is_skipped) {
            for primitive in mesh.primitives() {
                self.add_primitive(&primitive, &matrix)?;
            }
        }
        for child in node.children() {
            self.add(&child, &matrix, depth + 1)?;
        }
        Ok(())
    }

    fn add_primitive(&mut self, primitive: &gltf::Primitive, matrix: &Matrix) -> Result<(), String> {
        let is_drawn = matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan);
        let Some(positions) = primitive.get(&gltf::Semantic::Positions).filter(|_| is_drawn) else { return Ok(()) };
        if (positions.data_type(), positions.dimensions()) != (DataType::F32, Dimensions::Vec3) {
            return Err("positions are not three floats each (a compressed mesh?); save it without compression".into());
        }
        let first = self.surface.positions.len();
        let count = positions.count();
        self.check_room(count)?;
        for k in 0..count {
            let at = self.byte_offset(&positions, k)?;
            let [x, y, z] = [0, 4, 8].map(|step| self.float(&positions, at, step));
            let place = [x?, y?, z?, 1.0];
            let moved = std::array::from_fn(|i| (0..4).map(|j| matrix[j][i] * place[j]).sum::<f64>() as f32);
            self.surface.positions.push(moved);
        }
        let corners: Vec<u32> = match primitive.indices() {
            None => (0..count as u32).collect(),
            Some(indices) => {
                self.check_room(indices.count() / 3)?;
                (0..indices.count()).map(|k| self.index(&indices, k, count)).collect::<Result<_, _>>()?
            }
        };
        let corners: Vec<u32> = corners.into_iter().map(|k| first as u32 + k).collect();
        let triangles = &mut self.surface.triangles;
        match primitive.mode() {
            Mode::Triangles => triangles.extend(corners.as_chunks::<3>().0),
            Mode::TriangleStrip => triangles.extend(corners.windows(3).map(|three| [three[0], three[1], three[2]])),
            _ => super::add_fan(triangles, &corners),
        }
        Ok(())
    }

    /// Refuses files whose nodes repeat meshes so often that the result exceeds the size limit.
    fn check_room(&self, more: usize) -> Result<(), String> {
        let most = MOST.min(1 << 24);
        // The limit depends on the file size. A large file is allowed, but nodes that repeat meshes many times are not.
        let held: usize = self.buffers.iter().map(Vec::len).sum();
        let (vertices, triangles) = (self.surface.positions.len(), self.surface.triangles.len());
        let allowed = most.max(held).min(MOST);
        if vertices.max(triangles).saturating_add(more) > allowed {
            return Err(format!(
                "its nodes repeat meshes so often that there are more than {allowed} vertices or triangles"
            ));
        }
        Ok(())
    }

    /// Byte offset of value `k` of an accessor within its buffer.
    fn byte_offset(&self, accessor: &Accessor, k: usize) -> Result<usize, String> {
        let beyond = || format!("accessor {} extends beyond its buffer", accessor.index());
        if accessor.sparse().is_some() {
            return Err(format!("accessor {} is sparse, which is not supported", accessor.index()));
        }
        let view = accessor.view().ok_or_else(beyond)?;
        let step = view.stride().unwrap_or(accessor.size());
        let within = k.checked_mul(step).and_then(|at| at.checked_add(accessor.offset())).ok_or_else(beyond)?;
        let end = within.checked_add(accessor.size()).ok_or_else(beyond)?;
        if end > view.length() {
            return Err(beyond());
        }
        within.checked_add(view.offset()).ok_or_else(beyond)
    }

    fn bytes<const N: usize>(&self, accessor: &Accessor, at: usize) -> Result<[u8; N], String> {
        let buffer = accessor.view().map_or(0, |view| view.buffer().index());
        let found = self.buffers.get(buffer).and_then(|data| bytes_at(data, at));
        found.ok_or_else(|| format!("accessor {} extends beyond its buffer", accessor.index()))
    }

    fn float(&self, accessor: &Accessor, at: usize, step: usize) -> Result<f64, String> {
        Ok(f64::from(f32::from_le_bytes(self.bytes(accessor, at.saturating_add(step))?)))
    }

    fn index(&self, accessor: &Accessor, k: usize, count: usize) -> Result<u32, String> {
        let at = self.byte_offset(accessor, k)?;
        let index = match (accessor.data_type(), accessor.dimensions()) {
            (DataType::U8, Dimensions::Scalar) => u32::from(self.bytes::<1>(accessor, at)?[0]),
            (DataType::U16, Dimensions::Scalar) => u32::from(u16::from_le_bytes(self.bytes(accessor, at)?)),
            (DataType::U32, Dimensions::Scalar) => u32::from_le_bytes(self.bytes(accessor, at)?),
            _ => return Err(format!("accessor {} contains no indices", accessor.index())),
        };
        if index as usize >= count {
            return Err(format!("an index refers to vertex {}, but there are only {count}", u64::from(index) + 1));
        }
        Ok(index)
    }
}
