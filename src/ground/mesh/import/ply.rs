//! Reads Stanford PLY files: text, or binary in little-endian or big-endian byte order.

use std::path::Path;

use super::{MeshSurface, add_fan};

/// Maximum length in bytes of a header that the reader accepts.
const LONGEST_HEADER: usize = 64 << 20;

pub(super) fn read(bytes: &[u8], _: &Path) -> Result<MeshSurface, String> {
    let (header, length) = PlyHeader::read(bytes)?;
    let mut numbers = PlyNumbers { bytes, at: length, form: header.form };
    let mut surface = MeshSurface::default();
    let mut has_vertices = false;
    for element in &header.elements {
        let ended = |k: u64| {
            move || {
                let told = super::cut_off(bytes.len(), None);
                format!("{told} (it ends at {} {} of {})", element.name, k + 1, element.count)
            }
        };
        // Elements without properties occupy no bytes, whatever their number.
        if element.properties.is_empty() {
            continue;
        }
        let places =
            ["x", "y", "z"].map(|name| element.properties.iter().position(|p| p.name == name && p.counts.is_none()));
        let corners =
            element.properties.iter().position(|p| ["vertex_indices", "vertex_index"].contains(&p.name.as_str()));
        let is_vertex = element.name == "vertex";
        let is_face = element.name == "face";
        if is_vertex && places.contains(&None) {
            return Err("its vertices have no x, y and z".into());
        }
        has_vertices |= is_vertex;
        let mut list = Vec::new();
        for k in 0..element.count {
            let mut place = [0.0; 3];
            for (index, property) in element.properties.iter().enumerate() {
                let Some(counts) = property.counts else {
                    let value = numbers.next(property.kind).ok_or_else(ended(k))?;
                    if is_vertex && let Some(axis) = places.iter().position(|&at| at == Some(index)) {
                        place[axis] = value as f32;
                    }
                    continue;
                };
                let count = numbers.next(counts).ok_or_else(ended(k))?;
                list.clear();
                // The list grows as numbers are read, because the header may claim more numbers than the file contains.
                let mut left = count;
                while left >= 1.0 {
                    list.push(numbers.next(property.kind).ok_or_else(ended(k))?);
                    left -= 1.0;
                }
                if is_face && corners == Some(index) {
                    let fan: Option<Vec<u32>> = list
                        .iter()
                        .map(|&value| ((0.0..4_294_967_295.0).contains(&value)).then_some(value as u32))
                        .collect();
                    let fan = fan.ok_or_else(|| format!("face {} refers to a vertex that does not exist", k + 1))?;
                    add_fan(&mut surface.triangles, &fan);
                }
            }
            if is_vertex {
                surface.positions.push(place);
            }
        }
    }
    if !has_vertices {
        return Err("it has no vertices".into());
    }
    let ground = surface.triangles.len().saturating_sub(header.water_faces);
    if header.water_faces > 0 && ground > 0 {
        surface.triangles.truncate(ground);
        surface.notes.push(super::water_note());
    }
    Ok(surface)
}

/// The encoding of the numbers in a PLY file.
#[derive(Clone, Copy)]
enum PlyForm {
    Text,
    Little,
    Big,
}

#[derive(Clone, Copy)]
enum PlyNumber {
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Float,
    Double,
}

impl PlyNumber {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::Int8,
            "uchar" | "uint8" => Self::Uint8,
            "short" | "int16" => Self::Int16,
            "ushort" | "uint16" => Self::Uint16,
            "int" | "int32" => Self::Int32,
            "uint" | "uint32" => Self::Uint32,
            "float" | "float32" => Self::Float,
            "double" | "float64" => Self::Double,
            _ => return None,
        })
    }
}

struct PlyProperty {
    name: String,
    kind: PlyNumber,
    /// Number type of the list length, if the property is a list.
    counts: Option<PlyNumber>,
}

struct PlyElement {
    name: String,
    count: u64,
    properties: Vec<PlyProperty>,
}

struct PlyHeader {
    form: PlyForm,
    elements: Vec<PlyElement>,
    /// Number of faces at the end that Talweg wrote for the water surface.
    water_faces: usize,
}

impl PlyHeader {
    /// Parses the header of a PLY file. Returns the header and its length in bytes.
    fn read(bytes: &[u8]) -> Result<(Self, usize), String> {
        let mut at = 0;
        let mut form = None;
        let mut elements: Vec<PlyElement> = Vec::new();
        let mut water_faces = 0;
        for number in 1.. {
            let rest = &bytes[at..bytes.len().min(at + LONGEST_HEADER)];
            let end = rest.iter().position(|&byte| byte == b'\n').filter(|_| at < LONGEST_HEADER);
            let end = end.ok_or_else(|| {
                let told = super::cut_off(bytes.len(), None);
                if at < LONGEST_HEADER {
                    format!("{told} (its header is incomplete)")
                } else {
                    "its header has no end".into()
                }
            })?;
            let line = String::from_utf8_lossy(&rest[..end]).trim().to_string();
            at += end + 1;
            let words: Vec<&str> = line.split_whitespace().collect();
            let wrong = || format!("line {number}: `{line}` is not a valid header line");
            match words[..] {
                ["ply"] if number == 1 => {}
                _ if number == 1 => return Err("it does not begin with `ply`".into()),
                ["format", name, _] => {
                    form = Some(match name {
                        "ascii" => PlyForm::Text,
                        "binary_little_endian" => PlyForm::Little,
                        "binary_big_endian" => PlyForm::Big,
                        _ => return Err(wrong()),
                    });
                }
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| wrong())?;
                    elements.push(PlyElement { name: name.into(), count, properties: Vec::new() });
                }
                ["property", "list", counts, kind, name] => {
                    let kind = PlyNumber::named(kind).ok_or_else(wrong)?;
                    let counts = Some(PlyNumber::named(counts).ok_or_else(wrong)?);
                    let element = elements.last_mut().ok_or_else(wrong)?;
                    element.properties.push(PlyProperty { name: name.into(), kind, counts });
                }
                ["property", kind, name] => {
                    let kind = PlyNumber::named(kind).ok_or_else(wrong)?;
                    let element = elements.last_mut().ok_or_else(wrong)?;
                    element.properties.push(PlyProperty { name: name.into(), kind, counts: None });
                }
                ["end_header"] => break,
                ["comment", "water:", "the", "last", count, "faces"] => water_faces = count.parse().unwrap_or(0),
                [] | ["comment" | "obj_info", ..] => {}
                _ => return Err(wrong()),
            }
        }
        Ok((Self { form: form.ok_or("its header does not give a format")?, elements, water_faces }, at))
    }
}

/// Reads the numbers that follow the header, in order.
struct PlyNumbers<'a> {
    bytes: &'a [u8],
    at: usize,
    form: PlyForm,
}

impl PlyNumbers<'_> {
    fn next(&mut self, kind: PlyNumber) -> Option<f64> {
        if let PlyForm::Text = self.form {
            let rest = self.bytes.get(self.at..)?;
            let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
            let end = rest[start..].iter().position(u8::is_ascii_whitespace).map_or(rest.len(), |end| start + end);
            self.at += end;
            return std::str::from_utf8(&rest[start..end]).ok()?.parse().ok();
        }
        Some(match kind {
            PlyNumber::Int8 => f64::from(i8::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Uint8 => f64::from(u8::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Int16 => f64::from(i16::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Uint16 => f64::from(u16::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Int32 => f64::from(i32::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Uint32 => f64::from(u32::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Float => f64::from(f32::from_le_bytes(self.next_bytes()?)),
            PlyNumber::Double => f64::from_le_bytes(self.next_bytes()?),
        })
    }

    /// The next `N` bytes, converted to little-endian order.
    fn next_bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let mut bytes: [u8; N] = super::bytes_at(self.bytes, self.at)?;
        self.at += N;
        if let PlyForm::Big = self.form {
            bytes.reverse();
        }
        Some(bytes)
    }
}
