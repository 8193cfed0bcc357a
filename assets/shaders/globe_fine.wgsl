// Ground between the samples, for the eye alone: what src/app/view/globe/fine.rs says, for the picture.

const BEND: f32 = 0.45;
const RISE: f32 = 0.18;
const FALL: f32 = 0.62;
const ROUGHEST: f32 = 0.20;

struct FineGround {
    // where to look up the ground
    up: vec3<f32>,
    // metres by which it is raised over roughness 1
    rise: f32,
    // around 0: how bright it is beside what the samples say
    tone: f32,
}

fn has_fine() -> bool { return frame.fine.y > 0.5; }

// `width` is what a quad, or a pixel, covers there in metres.
fn fine_ground(up: vec3<f32>, width: f32) -> FineGround {
    let waves = frame.fine.x;
    let place = up * waves;
    var bend = vec3<f32>(0.0);
    var rise = 0.0;
    var tone = 0.0;
    var scale = 1.0;
    var height = RISE;
    for (var k = 0.0; k < frame.fine.y; k += 1.0) {
        let weight = smoothstep(2.5, 5.0, frame.fine.z / (scale * max(width, 1e-5)));
        if weight <= 0.0 {
            break;
        }
        let noise = noises(place * scale + k * 7.31);
        bend += (noise - 0.5) * (weight * BEND / scale);
        rise += ((noise.x - 0.5) + (0.5 - abs(2.0 * noise.y - 1.0))) * (weight * height);
        tone += (noise.z - 0.5) * weight;
        scale *= 2.0;
        height *= FALL;
    }
    return FineGround(normalize(up + bend / waves), rise * frame.fine.z, tone);
}

// What a quad, or the ground between two vertices, is about as wide as; see fine.rs.
fn quad_width(distance: f32) -> f32 { return max(0.012 * distance, 1.0); }

// Whether any of it is seen where so much ground has room in a quad or a pixel.
fn shows_fine(width: f32) -> bool { return has_fine() && width * 2.5 < frame.fine.z; }

// Roughness as colours carry it in their fourth channel.
fn roughness(stored: f32) -> f32 { return stored * stored * ROUGHEST; }
