//! Unreal Engine, Mesh Terrain: the terrain as a static mesh in metres, for Nanite.

use super::{ExportTarget, TargetNumbers, TargetSizes, map, mesh};
use crate::export::maps::ExportMap;
use crate::io::formats::PNG;

pub(super) static UNREAL_MESH: ExportTarget = ExportTarget {
    id: "unreal-mesh",
    name: "Unreal Engine (Mesh Terrain)",
    help: "A GLB mesh with a maximum error in metres and with its colours inside, and normals.",
    sizes: TargetSizes::Any,
    products: |_| vec![mesh(), map(ExportMap::Normals, &PNG)],
    prepare: |request| request.directx_normals = true,
    read_me,
};

fn read_me(numbers: &TargetNumbers) -> String {
    let TargetNumbers { samples, size_metres, cell_metres, .. } = *numbers;
    format!(
        "Drag {} into the Content Browser.\n\
         \x20 Import Uniform Scale   1 (metres become centimetres on import)\n\
         \x20 Build Nanite           on\n\
         \x20 Collision Complexity   Use Complex Collision As Simple\n\
         The mesh is {size_metres} m wide, centred on the origin, and made of {samples} x {samples} samples {cell_metres} m \
         apart.\n\
         Normals of all samples, for DirectX, green down: {}\n",
        numbers.meshes(),
        numbers.files("normals"),
    )
}
