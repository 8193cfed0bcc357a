//! Cache of relief images in a folder, kept between runs of the program and keyed by the content of the scene.

use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::{STORE_BYTES, Size, draw};
use crate::appearance::RgbImage;
use crate::eval::{Cache, Store, Timeline};
use crate::field::{Cancelled, Control};
use crate::scene::Scene;

/// The cache file of a scene's image. `None` for a scene that reads files, because their contents may change, and for a
/// scene that cannot be written as text.
fn picture_file(folder: &Path, scene: &Scene, size: Size) -> Option<PathBuf> {
    if !scene.files().is_empty() {
        return None;
    }
    let version = env!("CARGO_PKG_VERSION");
    let text = format!("{version} {} {}\n{}", size.samples, size.pixels, scene.to_ron().ok()?);
    Some(folder.join(format!("{:032x}.png", xxh3_128(text.as_bytes()))))
}

/// The cached image of a scene, if it exists and can be read.
pub fn kept_picture(folder: &Path, scene: &Scene, size: Size) -> Option<RgbImage> {
    RgbImage::load_png(&picture_file(folder, scene, size)?, size.pixels).ok()
}

/// The image of a scene, from the cache in `folder` or newly drawn and stored there. Without a folder, the image is
/// always drawn. An image that cannot be stored is drawn again the next time.
///
/// # Errors
/// [`Cancelled`] when the caller cancelled `control`.
pub fn picture(folder: Option<&Path>, scene: &Scene, size: Size, control: &Control) -> Result<RgbImage, Cancelled> {
    if let Some(kept) = folder.and_then(|folder| kept_picture(folder, scene, size)) {
        return Ok(kept);
    }
    let mut store = Store::new(Cache::new(STORE_BYTES), Timeline::new(0));
    let image = draw(scene, size, &mut store, control)?.image;
    if let Some(file) = folder.and_then(|folder| picture_file(folder, scene, size))
        && file.parent().is_none_or(|folder| std::fs::create_dir_all(folder).is_ok())
    {
        // an image that cannot be stored only has to be drawn again
        let _ = image.save(&file);
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::Node;
    use crate::scene::Layer;

    #[test]
    fn a_picture_is_drawn_once_for_each_content() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("cache/pictures");
        let size = Size { samples: 33, pixels: 24 };
        let mut scene = Scene::default();
        scene.layers.push(Layer::new(Node::named("Perlin").unwrap(), 1));
        let control = Control::default();
        assert_eq!(kept_picture(&cache, &scene, size), None);
        let drawn = picture(Some(&cache), &scene, size, &control).unwrap();
        assert_eq!((drawn.width, drawn.height), (24, 24));
        assert_eq!(kept_picture(&cache, &scene, size), Some(drawn.clone()));
        // the second call returns the cached image
        let file = picture_file(&cache, &scene, size).unwrap();
        RgbImage::from_fn(24, 24, |_, _| [1, 2, 3]).save(&file).unwrap();
        assert_eq!(picture(Some(&cache), &scene, size, &control).unwrap().rgb[..3], [1, 2, 3]);
        // a damaged image is drawn again
        std::fs::write(&file, "no picture").unwrap();
        assert_eq!(picture(Some(&cache), &scene, size, &control).unwrap(), drawn);
        scene.settings.seed += 1;
        assert_eq!(kept_picture(&cache, &scene, size), None, "another content");
        assert_ne!(picture(Some(&cache), &scene, size, &control).unwrap(), drawn);
    }
}
