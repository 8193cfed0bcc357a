//! File names: chosen names, names by the request's pattern, and suffixes for faces, tiles and sheets.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::maps::FilePart;
use super::product::ExportProduct;
use super::{ExportError, ExportRequest};
use crate::scene::Scene;

/// The file name of a map sheet: the name chosen by the user, or a name after the request's pattern.
pub(super) fn file_name(
    request: &ExportRequest,
    scene: &Scene,
    product: &ExportProduct,
    label: &str,
    part: FilePart,
    tile: Option<[usize; 2]>,
    samples: usize,
) -> PathBuf {
    let extension = product.kind.extensions()[0];
    let label = &*without_separators(label);
    let (folder, mut stem, extension) = match &product.file {
        Some(file) => {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let lower = name.to_ascii_lowercase();
            let ends = product.kind.extensions().into_iter().find(|end| lower.ends_with(&format!(".{end}")));
            let end = ends.map_or(0, str::len);
            // If a chosen name lacks the format's file extension, the extension is appended.
            let (stem, written) = match ends {
                Some(_) => name.split_at(name.len() - end - 1),
                None => (name.as_str(), extension),
            };
            // If a product has several sheets, each file name gets the sheet's label appended.
            let several = label != product.kind.label();
            let stem = match stem.strip_suffix(&format!("-{}", product.kind.label())).filter(|_| several) {
                Some(before) => format!("{before}-{label}"),
                None if several => format!("{stem}-{label}"),
                None => stem.to_string(),
            };
            (file.parent().unwrap_or(Path::new("")).to_path_buf(), stem, written.trim_start_matches('.').to_string())
        }
        None => {
            let stem = request.file_names.replace("{scene}", &plain(&scene.name)).replace("{map}", &plain(label));
            let stem = stem.replace("{size}", &samples.to_string());
            let stem = if request.is_for("unreal") { without_sizes(&stem) } else { stem };
            // Unity's import dialog lists RAW files only with the extension `raw`.
            let extension = if request.is_for("unity") && extension == "r16" { "raw" } else { extension };
            (request.folder.clone(), stem, extension.to_string())
        }
    };
    if let Some(face) = part {
        stem += &format!("-{face}");
    }
    if let Some([x, y]) = tile {
        stem += &format!("_x{x}_y{y}");
    }
    folder.join(format!("{stem}.{extension}"))
}

/// A label without path separators. The name of a layer may contain them, and must not choose another folder.
pub(super) fn without_separators(label: &str) -> String {
    label.replace(['/', '\\'], "-")
}

/// A name without path separators and other characters that confuse programs.
pub(super) fn plain(name: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let plain: String = name.chars().map(letter).collect();
    if plain.trim_matches(['.', '-']).is_empty() { "terrain".into() } else { plain.to_lowercase() }
}

/// A name without an `x` between two digits: Unreal reads file names with such an `x` as tile coordinates, or as the
/// size of raw files.
fn without_sizes(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let is_digit = |k: Option<usize>| k.and_then(|k| letters.get(k)).is_some_and(char::is_ascii_digit);
    let is_between = |k: usize| is_digit(k.checked_sub(1)) && is_digit(Some(k + 1));
    let letter = |(k, &c): (usize, &char)| if matches!(c, 'x' | 'X') && is_between(k) { '-' } else { c };
    letters.iter().enumerate().map(letter).collect()
}

/// Refuses two products with the same file name: the second would replace the first.
pub(super) fn check_distinct<'a>(names: impl Iterator<Item = &'a PathBuf>) -> Result<(), ExportError> {
    let mut seen = HashSet::new();
    match names.into_iter().find(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(name) => Err(ExportError::Request(format!(
            "two products would be written to {}; put {{map}} into the file names, or choose other names",
            name.display()
        ))),
    }
}
