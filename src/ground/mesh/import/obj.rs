//! Reads Wavefront OBJ files: vertices and the faces of all parts except a water surface, and nothing else.

use std::path::Path;

use super::{MOST, MeshSurface, add_fan};

pub(super) fn read(bytes: &[u8], _: &Path) -> Result<MeshSurface, String> {
    let mut surface = MeshSurface::default();
    let mut corners = Vec::new();
    let mut line_number = 0;
    let mut water = Vec::new();
    let mut is_water = false;
    for line in bytes.split(|&byte| byte == b'\n') {
        line_number += 1;
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"v") => {
                let mut place = [0.0; 3];
                for x in &mut place {
                    let number = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
                    *x = number.ok_or_else(|| format!("line {line_number}: a vertex needs three numbers"))?;
                }
                surface.positions.push(place);
            }
            Some(b"f") => {
                corners.clear();
                for word in words {
                    let index = word.split(|&byte| byte == b'/').next().unwrap_or_default();
                    let index = std::str::from_utf8(index).ok().and_then(|text| text.parse::<i64>().ok());
                    let count = surface.positions.len() as i64;
                    // Positive indices count from 1 at the first vertex, negative indices from -1 at the last vertex.
                    let index = index.map(|index| if index < 0 { count.saturating_add(index) } else { index - 1 });
                    let index = index.filter(|index| (0..MOST as i64).contains(index));
                    let wrong = || format!("line {line_number}: `{}` is not a vertex", String::from_utf8_lossy(word));
                    corners.push(index.ok_or_else(wrong)? as u32);
                }
                if corners.len() < 3 {
                    return Err(format!("line {line_number}: a face needs three vertices"));
                }
                add_fan(if is_water { &mut water } else { &mut surface.triangles }, &corners);
            }
            Some(b"o" | b"g") => {
                is_water = words.any(|word| std::str::from_utf8(word).is_ok_and(super::is_water));
            }
            _ => {}
        }
    }
    // A file that contains nothing but water is read in whole.
    if surface.triangles.is_empty() {
        surface.triangles = water;
    } else if !water.is_empty() {
        surface.notes.push(super::water_note());
    }
    Ok(surface)
}
