//! Primitives as words: each field stands in its place, for writing and for reading.

/// Goes over words, writing what it is given or giving what it reads.
pub(super) trait WordPass {
    fn word(&mut self, value: &mut u32);
    /// How many items a list can still have.
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
    /// It was asked for more than there is.
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

/// What stands in words one after the other.
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

/// Points of a monotone cubic: x, y, and the slope there.
pub type LineWords = Vec<[f32; 3]>;

records! {
    /// A disc. Octave i of n has the frequency 2ⁱ/size, the amplitude amplitude · roughnessⁱ and the seed seed +
    /// 0x9e3779b9 (i + 1); its place is turned by i angles of the 3-4-5 triangle and moved by (½ + r, ¼ - r) with r =
    /// (seed >> 8) / 2²⁴. Dunes have two, of sizes 2.6 and 4.
    DiscWords {
        /// Where it stands.
        centre: [f32; 2],
        /// Height in metres.
        height: f32,
        /// Distances up to which the weight is 1 and from which on it is 0.
        core: f32,
        /// Where the weight is 0.
        radius: f32,
        /// 0 level, 1 hills, 2 ridged, 3 dunes.
        surface: u32,
        /// Number of octaves.
        octaves: u32,
        /// Height of the first octave.
        amplitude: f32,
        /// Length of its waves, in metres.
        size: f32,
        /// Height of each octave beside the one before.
        roughness: f32,
        /// Where the wind blows to, of length 1.
        wind: [f32; 2],
        /// Chooses the random values.
        seed: u32,
    }
    /// A curve's centreline.
    CourseWords {
        /// Distance within which it has weight, and τ of [`path`](crate::geometry::path).
        reach: f32,
        /// τ.
        tolerance: f32,
        /// Distance up to which the weight is 1.
        core: f32,
        /// Where the weight is 0.
        radius: f32,
        /// Factor of the width up to which the weight is 1, radius - core farther it is 0; 0 where the width is the
        /// same everywhere.
        core_share: f32,
        /// x, y; segments run from one to the next.
        vertices: Vec<[f32; 2]>,
        /// Boxes around [`RUN`](super::RUN) segments each, and the arc length where the first begins.
        runs: Vec<([f32; 4], f32)>,
        /// By arc length.
        height: LineWords,
        /// Factor of the width, by arc length.
        width: LineWords,
        /// Factor of the depth, by arc length.
        depth: LineWords,
    }
    /// A curve with its profiles.
    CurveWords {
        /// The line that it runs along.
        centreline: CourseWords,
        /// Arc length, whether both sides are the same, rise by offset / width.
        profiles: Vec<(f32, u32, LineWords)>,
    }
    /// A contour.
    ContourWords {
        /// Where it stands.
        centre: [f32; 2],
        /// Height at the centre, in metres.
        height: f32,
        /// Depth in metres.
        depth: f32,
        /// In radii.
        core: f32,
        /// Where the weight is 0, in radii.
        reach: f32,
        /// Greatest radius.
        farthest: f32,
        /// Radius of the largest circle inside, where points count in their order.
        inner: f32,
        /// The corners of the outline from the centre, where points count in their order; else none.
        outline: Vec<[f32; 2]>,
        /// By the angle, where points count by direction; it goes once around before -π and once after π.
        radius: LineWords,
        /// Angle from -π on, rise by distance / radius.
        rays: Vec<(f32, LineWords)>,
    }
    /// A picture over four corners: p = corner + e u + f v + g u v.
    ImageWords {
        /// The north-west corner.
        corner: [f32; 2],
        /// From it to the north-east corner.
        e: [f32; 2],
        /// From it to the south-west corner.
        f: [f32; 2],
        /// What the south-east corner is off the parallelogram.
        g: [f32; 2],
        /// Height in metres.
        height: f32,
        /// Depth in metres.
        depth: f32,
        /// Share of the picture over which the weight rises at its border.
        border: f32,
        /// First sample in the pictures, width, height.
        picture: [u32; 3],
        /// The same of the map of weights; without one the width and height are 0.
        weights: [u32; 3],
    }
    /// A picture along a curve.
    RibbonWords {
        /// The line that it runs along.
        centreline: CourseWords,
        /// First sample in the pictures, width, height.
        picture: [u32; 3],
        /// Pictures for a metre of the line.
        per_length: f32,
        /// Brightness that lies at the height of the line.
        level: f32,
    }
}
