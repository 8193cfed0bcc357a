//! Primitives as words: each field has a fixed position, for writing and for reading.

/// A pass over words that either writes the given values or reads new ones.
pub(super) trait WordPass {
    fn word(&mut self, value: &mut u32);
    /// Maximum number of further items that a list can have.
    fn room(&self) -> usize;
}

pub(super) struct Writer {
    pub words: Vec<u32>,
}

impl WordPass for Writer {
    fn word(&mut self, value: &mut u32) {
        self.words.push(*value);
    }

    fn room(&self) -> usize {
        usize::MAX
    }
}

pub(super) struct WordReader<'a> {
    pub words: &'a [u32],
    pub at: usize,
    /// Whether a read went beyond the end.
    pub is_broken: bool,
}

impl WordPass for WordReader<'_> {
    fn word(&mut self, value: &mut u32) {
        match self.words.get(self.at) {
            Some(word) => *value = *word,
            None => (*value, self.is_broken) = (0, true),
        }
        self.at += 1;
    }

    fn room(&self) -> usize {
        self.words.len().saturating_sub(self.at)
    }
}

/// A value stored as consecutive words.
pub(super) trait Words: Default {
    fn pass(&mut self, io: &mut impl WordPass);
}

impl Words for u32 {
    fn pass(&mut self, io: &mut impl WordPass) {
        io.word(self);
    }
}

impl Words for f32 {
    fn pass(&mut self, io: &mut impl WordPass) {
        let mut bits = self.to_bits();
        io.word(&mut bits);
        *self = Self::from_bits(bits);
    }
}

impl<T: Words, const N: usize> Words for [T; N]
where
    [T; N]: Default,
{
    fn pass(&mut self, io: &mut impl WordPass) {
        self.iter_mut().for_each(|item| item.pass(io));
    }
}

impl<T: Words> Words for Vec<T> {
    fn pass(&mut self, io: &mut impl WordPass) {
        let mut length = self.len() as u32;
        length.pass(io);
        self.resize_with((length as usize).min(io.room()), T::default);
        self.iter_mut().for_each(|item| item.pass(io));
    }
}

impl<A: Words, B: Words> Words for (A, B) {
    fn pass(&mut self, io: &mut impl WordPass) {
        self.0.pass(io);
        self.1.pass(io);
    }
}

impl<A: Words, B: Words, C: Words> Words for (A, B, C) {
    fn pass(&mut self, io: &mut impl WordPass) {
        self.0.pass(io);
        self.1.pass(io);
        self.2.pass(io);
    }
}

macro_rules! records {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty,)+ })+) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct $name { $($(#[$of])* pub $field: $kind,)+ }

            impl Words for $name {
                fn pass(&mut self, io: &mut impl WordPass) {
                    $(self.$field.pass(io);)+
                }
            }
        )+
    };
}

/// Points of a monotone cubic: x, y, and the slope at x.
pub type LineWords = Vec<[f32; 3]>;

records! {
    /// A disc. Octave i of n has the frequency 2ⁱ/size, the amplitude amplitude · roughnessⁱ and the seed seed +
    /// 0x9e3779b9 (i + 1). Its lattice is rotated by i times the angle of the 3-4-5 triangle and moved by (½ + r, ¼ -
    /// r) with r = (seed >> 8) / 2²⁴. Dunes have two octaves, of sizes 2.6 and 4.
    DiscWords {
        /// Centre.
        centre: [f32; 2],
        /// Height in metres.
        height: f32,
        /// Distance up to which the weight is 1.
        core: f32,
        /// Distance from which the weight is 0.
        radius: f32,
        /// Ground form: 0 level, 1 hills, 2 ridged, 3 dunes.
        surface: u32,
        /// Number of octaves.
        octaves: u32,
        /// Amplitude of the first octave.
        amplitude: f32,
        /// Wavelength of the first octave, in metres.
        size: f32,
        /// Amplitude of each octave relative to the previous one.
        roughness: f32,
        /// Unit vector in the direction that the wind blows to.
        wind: [f32; 2],
        /// Seed of the random values.
        seed: u32,
    }
    /// A curve's centreline.
    CourseWords {
        /// Distance within which it has weight, in metres.
        reach: f32,
        /// τ of [`path`](crate::geometry::path).
        tolerance: f32,
        /// Distance up to which the weight is 1.
        core: f32,
        /// Distance from which the weight is 0.
        radius: f32,
        /// Distance up to which the weight is 1, as a fraction of the local width; the weight is 0 from radius - core
        /// farther out. 0 if the width is constant.
        core_share: f32,
        /// x, y of the vertices; consecutive vertices bound a segment.
        vertices: Vec<[f32; 2]>,
        /// Bounding boxes of [`RUN`](super::RUN) segments each, and the arc length at the start of the first segment.
        runs: Vec<([f32; 4], f32)>,
        /// Height by arc length.
        height: LineWords,
        /// Width factor by arc length.
        width: LineWords,
        /// Depth factor by arc length.
        depth: LineWords,
    }
    /// A curve with its profiles.
    CurveWords {
        /// The line that it follows.
        centreline: CourseWords,
        /// Arc length, whether both sides are equal, rise as a function of offset / width.
        profiles: Vec<(f32, u32, LineWords)>,
    }
    /// A contour.
    ContourWords {
        /// Centre.
        centre: [f32; 2],
        /// Height at the centre, in metres.
        height: f32,
        /// Depth in metres.
        depth: f32,
        /// Distance up to which the weight is 1, in radii.
        core: f32,
        /// Distance from which the weight is 0, in radii.
        reach: f32,
        /// Greatest radius, in metres.
        farthest: f32,
        /// Radius of the largest circle inside, for an outline whose points count in their order.
        inner: f32,
        /// The corners of the outline relative to the centre; empty if points count by direction.
        outline: Vec<[f32; 2]>,
        /// Radius by angle, if points count by direction. The points extend by one turn before -π and after π.
        radius: LineWords,
        /// Angle in ascending order from -π, rise as a function of distance / radius.
        rays: Vec<(f32, LineWords)>,
    }
    /// An image over four corners: p = corner + e u + f v + g u v.
    ImageWords {
        /// The north-west corner.
        corner: [f32; 2],
        /// Vector to the north-east corner.
        e: [f32; 2],
        /// Vector to the south-west corner.
        f: [f32; 2],
        /// Offset of the south-east corner from that of a parallelogram.
        g: [f32; 2],
        /// Height in metres.
        height: f32,
        /// Depth in metres.
        depth: f32,
        /// Width of the border over which the weight rises, as a fraction of the image.
        border: f32,
        /// Index of the image's first sample, width, height.
        picture: [u32; 3],
        /// The same of the weight image; without one the width and height are 0.
        weights: [u32; 3],
    }
    /// An image along a curve.
    RibbonWords {
        /// The line that it follows.
        centreline: CourseWords,
        /// Index of the image's first sample, width, height.
        picture: [u32; 3],
        /// Images per metre of the line.
        per_length: f32,
        /// Brightness at the height of the line.
        level: f32,
    }
}
