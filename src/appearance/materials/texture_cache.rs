//! The material textures in a file of the user's cache folder, so that each start after the first reads them.
//!
//! The file is named after a key: the hash of the same textures with few texels, which are computed at each start. When
//! a new version of Talweg draws a material differently, the key changes, and the file is written anew. The file holds
//! the texels of all materials, the steepest slope of each material and, at its end, the hash of all bytes before it.

use std::path::Path;

use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::textures::MaterialTexture;
use crate::appearance_files::Material;
use crate::io::write_atomically;

/// Number of texels per side of the textures from which the key is computed.
const KEY_SIDE: usize = 16;
/// Start of the names of the files. Files of other versions of Talweg are removed when a file is written.
const NAME: &str = "materials-";

/// The textures of [`Material::ALL`] with `side` texels per side, a power of two: read from the cache `folder` if a
/// sound file is there, or else computed and written there. A folder that cannot be written only costs time. All
/// threads of the current pool compute.
pub fn material_textures(folder: Option<&Path>, side: usize) -> Vec<MaterialTexture> {
    let Some(folder) = folder else { return computed(side) };
    let path = folder.join(format!("{NAME}{:016x}.bin", key(side)));
    if let Some(textures) = std::fs::read(&path).ok().and_then(|bytes| decoded(&bytes, side)) {
        return textures;
    }
    let textures = computed(side);
    if std::fs::create_dir_all(folder).is_ok() {
        remove_files(folder);
        // Without the file, the next start computes the textures again.
        let _ = write_atomically(path.as_path(), |out| std::io::Write::write_all(out, &encoded(&textures)));
    }
    textures
}

fn computed(side: usize) -> Vec<MaterialTexture> {
    Material::ALL.par_iter().map(|material| MaterialTexture::new(*material, side)).collect()
}

fn key(side: usize) -> u64 {
    let mut bytes = encoded(&computed(KEY_SIDE));
    bytes.extend((side as u64).to_le_bytes());
    xxh3_64(&bytes)
}

fn encoded(textures: &[MaterialTexture]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for texture in textures {
        bytes.extend(texture.steepest.to_le_bytes());
        bytes.extend(texture.texels.as_flattened());
    }
    let hash = xxh3_64(&bytes);
    bytes.extend(hash.to_le_bytes());
    bytes
}

/// The textures in a file; `None` if the file is damaged.
fn decoded(bytes: &[u8], side: usize) -> Option<Vec<MaterialTexture>> {
    let (body, hash) = bytes.split_last_chunk::<8>()?;
    let whole = 4 + 4 * side * side;
    if body.len() != whole * Material::ALL.len() || xxh3_64(body) != u64::from_le_bytes(*hash) {
        return None;
    }
    let texture = |bytes: &[u8]| {
        let (steepest, texels) = bytes.split_first_chunk::<4>()?;
        Some(MaterialTexture { side, texels: texels.as_chunks().0.to_vec(), steepest: f32::from_le_bytes(*steepest) })
    };
    body.chunks_exact(whole).map(texture).collect()
}

fn remove_files(folder: &Path) {
    let is_ours = |name: &str| name.starts_with(NAME) && name.ends_with(".bin");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_ours) {
            // A file that cannot be removed is removed by a later version.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_come_back_from_the_cache_and_damage_is_noticed() {
        const SIDE: usize = 32;
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache");
        let files = || -> Vec<_> { std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect() };
        let first = material_textures(Some(&cache), SIDE);
        assert_eq!(first, computed(SIDE));
        let written = files();
        assert_eq!(written.len(), 1);
        // A changed texel with a fitting hash shows that the second call reads the file.
        let mut changed = first.clone();
        changed[3].texels[5][2] ^= 1;
        std::fs::write(&written[0], encoded(&changed)).unwrap();
        assert_eq!(material_textures(Some(&cache), SIDE), changed);
        // A damaged or shortened file is computed and written anew, and a file of another version goes.
        let sound = encoded(&first);
        let mut damaged = sound.clone();
        damaged[100] ^= 1;
        for bytes in [&damaged[..], &sound[..sound.len() - 3], &[]] {
            std::fs::write(&written[0], bytes).unwrap();
            std::fs::write(cache.join("materials-0.bin"), "old").unwrap();
            assert_eq!(material_textures(Some(&cache), SIDE), first);
            assert_eq!((files(), std::fs::read(&written[0]).unwrap()), (written.clone(), sound.clone()));
        }
        assert_ne!(key(SIDE), key(2 * SIDE));
        // Without a folder that can be written, the textures are computed.
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(material_textures(Some(&file), SIDE), first);
        assert_eq!(material_textures(None, SIDE), first);
    }
}
