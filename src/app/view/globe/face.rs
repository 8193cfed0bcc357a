//! Geometry of the six faces of a globe: face axes, tangents, horizontal directions and gradients.

use glam::DVec3;

use talweg::field::globe::direction_at;

/// The three axes of a face: outwards, along its rows and along its columns.
pub fn axes(face: usize) -> [DVec3; 3] {
    let out = DVec3::from(direction_at(face, 0.5, 0.5)).round();
    let along = |u: f64, v: f64| {
        (DVec3::from(direction_at(face, u, v)) - out * std::f64::consts::FRAC_1_SQRT_2).normalize().round()
    };
    [out, along(1.0, 0.5), along(0.5, 1.0)]
}

/// Two vectors tangent to the sphere at a direction: along the rows and along the columns of a face.
pub fn tangents([_, east, _]: [DVec3; 3], direction: DVec3) -> (DVec3, DVec3) {
    let first = (east - direction * direction.dot(east)).normalize();
    (first, first.cross(direction))
}

/// Two horizontal unit vectors at a place of a globe. Mirrors `level_axes` in `assets/shaders/globe_scatter.wgsl`.
pub fn level_axes(up: DVec3) -> [DVec3; 2] {
    let aside = if up.z.abs() < 0.9 { DVec3::Z } else { DVec3::X };
    let first = aside.cross(up).normalize();
    [first, first.cross(up)]
}

/// Least-squares gradient in the plane of the steps. Each step has a horizontal vector and the height difference over
/// it.
pub fn fitted_gradient(steps: &[(DVec3, f64)]) -> DVec3 {
    let Some(&(first, _)) = steps.first() else { return DVec3::ZERO };
    let x = first.normalize_or_zero();
    let normals = steps.iter().map(|(way, _)| x.cross(*way));
    let longer = |a: DVec3, b: DVec3| if b.length_squared() > a.length_squared() { b } else { a };
    let normal = normals.fold(DVec3::ZERO, longer);
    let y = normal.cross(x).normalize_or_zero();
    let (mut xx, mut xy, mut yy, mut xr, mut yr) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (way, rise) in steps {
        let (a, b) = (way.dot(x), way.dot(y));
        xx += a * a;
        xy += a * b;
        yy += b * b;
        xr += a * rise;
        yr += b * rise;
    }
    let determinant = xx * yy - xy * xy;
    if determinant <= 0.0 {
        return DVec3::ZERO;
    }
    (x * (xr * yy - yr * xy) + y * (yr * xx - xr * xy)) / determinant
}
