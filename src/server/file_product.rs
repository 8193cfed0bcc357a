//! A file of a finished terrain: the scene, a picture from above, or any file that [`talweg::export`] writes.

use std::path::{Path, PathBuf};

use talweg::appearance::{PictureError, PictureRequest};
use talweg::export::{self, ExportError, ExportFolder, ExportProduct, ExportRequest};
use talweg::field::{Control, Terrain};
use talweg::scene::{Scene, SceneError};
use talweg::variants::BatchProduct;

/// The reason why a file was not made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProductError {
    /// There is no such file.
    #[error("{0}")]
    Name(String),
    /// The scene cannot be written as text.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The picture cannot be drawn.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// The map cannot be written.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The temporary file cannot be used.
    #[error("the temporary folder cannot be used: {0}")]
    Temporary(#[from] std::io::Error),
}

/// The contents of the file `name`: `scene.ron`, `render.png`, or a map or mesh in a format of `talweg export`, such as
/// `heights.r32`, `flow.png` or `mesh.glb`. The bytes are those that `talweg export` writes.
pub(crate) fn file_product(
    name: &str,
    scene: &Scene,
    terrain: &Terrain,
    control: &Control,
) -> Result<Vec<u8>, ProductError> {
    match name.parse().map_err(ProductError::Name)? {
        BatchProduct::Scene => Ok(scene.to_ron()?.into_bytes()),
        BatchProduct::Render => {
            let picture = PictureRequest::default().draw(scene, terrain, control)?;
            let mut bytes = Vec::new();
            picture.write_png(&mut bytes)?;
            Ok(bytes)
        }
        BatchProduct::Export(_, product) => exported(product, scene, terrain, control),
    }
}

/// The contents of the file of an exported map or mesh.
pub(crate) fn exported(
    product: ExportProduct,
    scene: &Scene,
    terrain: &Terrain,
    control: &Control,
) -> Result<Vec<u8>, ProductError> {
    // Names of layers in the names of masks can contain characters that a file system refuses.
    let plain = |name: &Path| name.to_string_lossy().replace(|c: char| !(c.is_alphanumeric() || ".-".contains(c)), "_");
    let name = PathBuf::from(product.file.as_deref().map_or_else(String::new, plain));
    let product = ExportProduct { file: Some(name.clone()), ..product };
    let request = ExportRequest { products: vec![product], ..ExportRequest::default() };
    let temporary = tempfile::tempdir()?;
    let place = ExportFolder { folder: temporary.path().into(), ..ExportFolder::default() };
    export::check(&request, scene, &place)?;
    export::export_for_others(&request, scene, terrain, &place, control, &|_| ())?;
    Ok(std::fs::read(temporary.path().join(name))?)
}

/// The numbers of a raw file of 32-bit floats.
pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}
