//! Layout of the words: each record is described once, for writing and for reading.

use super::records::{
    ContourWords, CurveWords, DiscWords, ImageWords, RibbonWords, WordPass, WordReader, Words, Writer,
};
use super::{BufferError, HEADER, MAGIC, VERSION, op};

/// Parameters of a primitive, by kind.
#[derive(Clone, Debug, PartialEq)]
pub enum LeafWords {
    /// A disc.
    Disc(DiscWords),
    /// A curve.
    Curve(CurveWords),
    /// A contour.
    Contour(ContourWords),
    /// An image.
    Image(ImageWords),
    /// A ribbon.
    Ribbon(RibbonWords),
}

/// A primitive with its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Primitive {
    /// Lowest and highest height, bounds of |∇f| and |∇α|.
    pub bounds: [f32; 4],
    /// Parameters, by kind.
    pub words: LeafWords,
}

impl Default for Primitive {
    fn default() -> Self {
        Self { bounds: [0.0; 4], words: LeafWords::Disc(DiscWords::default()) }
    }
}

impl Words for Primitive {
    fn pass(&mut self, io: &mut impl WordPass) {
        let mut kind = match self.words {
            LeafWords::Disc(_) => 0,
            LeafWords::Curve(_) => 1,
            LeafWords::Contour(_) => 2,
            LeafWords::Image(_) => 3,
            LeafWords::Ribbon(_) => 4,
        };
        let was = kind;
        kind.pass(io);
        if kind != was {
            self.words = match kind {
                1 => LeafWords::Curve(CurveWords::default()),
                2 => LeafWords::Contour(ContourWords::default()),
                3 => LeafWords::Image(ImageWords::default()),
                4 => LeafWords::Ribbon(RibbonWords::default()),
                _ => LeafWords::Disc(DiscWords::default()),
            };
        }
        self.bounds.pass(io);
        match &mut self.words {
            LeafWords::Disc(words) => words.pass(io),
            LeafWords::Curve(words) => words.pass(io),
            LeafWords::Contour(words) => words.pass(io),
            LeafWords::Image(words) => words.pass(io),
            LeafWords::Ribbon(words) => words.pass(io),
        }
    }
}

/// An instruction with its bounding box and the instructions inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Bounding box: low x, low y, high x, high y.
    pub area: [f32; 4],
    /// Operation with its operands.
    pub what: Operation,
}

/// The ground window of a replacement or an addition.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WindowWords {
    /// Whether height limits the window (0 or 1), and from, to, below, above.
    pub height: (u32, [f32; 4]),
    /// Whether slope limits the window (0 or 1), and from, to, below, above.
    pub slope: (u32, [f32; 4]),
    /// Half the distance over which slopes are measured.
    pub base: f32,
    /// Bounding box of the pieces that are laid: slopes are measured only inside.
    pub laid: [f32; 4],
}

impl Words for WindowWords {
    fn pass(&mut self, io: &mut impl WordPass) {
        self.height.pass(io);
        self.slope.pass(io);
        self.base.pass(io);
    }
}

/// Parameters of a warp by an image or along a curve.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PushWords {
    /// Upper bound of the stretching.
    pub stretching: f32,
    /// Displacement at white, to the east and to the south, in metres.
    pub push: [f32; 2],
    /// Index of the image's first sample, its width and its height.
    pub picture: [u32; 3],
    /// Points of a curve: x, y, drag to the east, drag to the south.
    pub places: Vec<[f32; 4]>,
}

impl Words for PushWords {
    fn pass(&mut self, io: &mut impl WordPass) {
        self.stretching.pass(io);
        self.push.pass(io);
        self.picture.pass(io);
        self.places.pass(io);
    }
}

/// Operations with their operands; primitives by index.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// [`op::LEAF`](super::op::LEAF).
    Leaf {
        /// Index of the primitive.
        primitive: u32,
    },
    /// [`op::PLACED`](super::op::PLACED).
    Placed {
        /// Index of the primitive.
        primitive: u32,
        /// Affine map of points: xx, xy, yx, yy, x, y.
        map: [f32; 6],
        /// Rise, lift, stretching.
        numbers: [f32; 3],
    },
    /// [`op::GROUP`](super::op::GROUP).
    Group {
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::BLEND`](super::op::BLEND).
    Blend {
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::REPLACE`](super::op::REPLACE).
    Replace {
        /// Extent: 0 (as below), 1 (with the new piece) or 2 (over).
        extent: u32,
        /// Ground window that limits what is replaced.
        window: WindowWords,
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::ADD`](super::op::ADD).
    Add {
        /// Extent: 0 (as below) or 1 (with the new piece).
        extent: u32,
        /// Ground window that limits where pieces are added.
        window: WindowWords,
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::WARP`](super::op::WARP).
    Warp {
        /// Affine map of points: xx, xy, yx, yy, x, y.
        map: [f32; 6],
        /// Maximum stretching of the map.
        stretching: f32,
        /// Kind of warp: 0 noise, 1 twist, 2 image, 3 curve.
        bend: u32,
        /// Centre (x, y) of a twist or image; strength or angle; waves per metre or radius.
        numbers: [f32; 4],
        /// Seeds of the two noises.
        seeds: [u32; 2],
        /// Parameters of an image or a curve.
        push: PushWords,
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::DETAIL`](super::op::DETAIL).
    Detail {
        /// Level at which the second piece starts to fade in.
        from: f32,
        /// Level from which only the second piece shows.
        to: f32,
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
    /// [`op::GULLIES`](super::op::GULLIES).
    Gullies {
        /// Affine map of points: xx, xy, yx, yy, x, y.
        map: [f32; 6],
        /// Maximum stretching of the map.
        stretching: f32,
        /// Height scale of the node's frame.
        rise: f32,
        /// Branching of the gullies, and their fade on crests.
        bends: [f32; 2],
        /// Sample spacing for the slope, and half the distance over which it is measured.
        probe: [f32; 2],
        /// Slopes between which gullies fade in.
        fade: [f32; 2],
        /// Height of the ground where there is no piece.
        ground: f32,
        /// Octaves: cell, depth and turn; seed of the cell centres.
        octaves: Vec<([f32; 4], u32)>,
        /// The single instruction inside.
        of: Vec<Instruction>,
    },
    /// [`op::SHARE`](super::op::SHARE).
    Share {
        /// Which fraction applies: 1 - t (0), t (1) or 1 (2).
        share: u32,
        /// Instructions inside, in order.
        of: Vec<Instruction>,
    },
}

/// A decoded buffer.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BufferListing {
    /// Side, relief, height of the ground where there is no piece.
    pub frame: [f32; 3],
    /// Gradient vectors of the noise.
    pub vectors: Vec<[f32; 2]>,
    /// All primitives, without duplicates.
    pub primitives: Vec<Primitive>,
    /// First instruction of each material layer.
    pub materials: [Option<Instruction>; 5],
}

/// Nesting limit for reading; no tree is deeper.
const DEEPEST: usize = 400;

impl BufferListing {
    /// Encodes the listing as words.
    pub fn words(&self) -> Vec<u32> {
        let mut io = Writer { words: vec![0; HEADER] };
        for vector in &self.vectors {
            vector.clone().pass(&mut io);
        }
        let first = io.words.len();
        let mut offsets = Vec::with_capacity(self.primitives.len());
        for primitive in &self.primitives {
            offsets.push(io.words.len() as u32);
            primitive.clone().pass(&mut io);
        }
        let mut starts = [0; 5];
        let mut frames = 0;
        for (start, step) in starts.iter_mut().zip(&self.materials) {
            let Some(step) = step else { continue };
            *start = io.words.len() as u32;
            frames = frames.max(step.write(&mut io, &offsets) + 1);
            io.words.push(op::END);
        }
        let length = io.words.len() as u32;
        let [side, relief, ground] = self.frame.map(f32::to_bits);
        io.words[..6].copy_from_slice(&[MAGIC, VERSION, length, side, relief, ground]);
        io.words[6..11].copy_from_slice(&starts);
        io.words[11..15].copy_from_slice(&[frames, HEADER as u32, first as u32, self.primitives.len() as u32]);
        io.words
    }

    /// Decodes words.
    ///
    /// # Errors
    /// When the words are not a buffer of this version, or are damaged.
    pub fn read(words: &[u32]) -> Result<Self, BufferError> {
        if words.len() < HEADER || words[0] != MAGIC {
            return Err(BufferError::Magic);
        }
        if words[1] != VERSION {
            return Err(BufferError::Version(words[1]));
        }
        if words[2] as usize != words.len() || words[12] as usize != HEADER || words[13] < words[12] {
            return Err(BufferError::Broken(2));
        }
        let mut io = WordReader { words, at: HEADER, is_broken: false };
        let mut listing = Self { frame: [words[3], words[4], words[5]].map(f32::from_bits), ..Self::default() };
        listing.vectors = vec![[0.0; 2]; (words[13] - words[12]) as usize / 2];
        listing.vectors.iter_mut().for_each(|vector| vector.pass(&mut io));
        let mut offsets = Vec::new();
        for _ in 0..words[14] {
            if io.is_broken || io.at >= words.len() {
                return Err(BufferError::Broken(io.at));
            }
            offsets.push(io.at as u32);
            let mut primitive = Primitive::default();
            primitive.pass(&mut io);
            listing.primitives.push(primitive);
        }
        for (material, &start) in listing.materials.iter_mut().zip(&words[6..11]) {
            if start != 0 {
                io.at = start as usize;
                *material = Some(Instruction::read(&mut io, &offsets, 0)?);
            }
        }
        if io.is_broken { Err(BufferError::Broken(io.at)) } else { Ok(listing) }
    }
}

impl Operation {
    fn op(&self) -> u32 {
        match self {
            Self::Leaf { .. } => op::LEAF,
            Self::Placed { .. } => op::PLACED,
            Self::Group { .. } => op::GROUP,
            Self::Blend { .. } => op::BLEND,
            Self::Replace { .. } => op::REPLACE,
            Self::Add { .. } => op::ADD,
            Self::Warp { .. } => op::WARP,
            Self::Detail { .. } => op::DETAIL,
            Self::Share { .. } => op::SHARE,
            Self::Gullies { .. } => op::GULLIES,
        }
    }

    /// An operation of this number with empty operands.
    fn from_number(number: u32) -> Option<Self> {
        let of = Vec::new();
        Some(match number {
            op::LEAF => Self::Leaf { primitive: 0 },
            op::PLACED => Self::Placed { primitive: 0, map: [0.0; 6], numbers: [0.0; 3] },
            op::GROUP => Self::Group { of },
            op::BLEND => Self::Blend { of },
            op::REPLACE => Self::Replace { extent: 0, window: WindowWords::default(), of },
            op::ADD => Self::Add { extent: 0, window: WindowWords::default(), of },
            op::WARP => {
                let push = PushWords::default();
                Self::Warp { map: [0.0; 6], stretching: 0.0, bend: 0, numbers: [0.0; 4], seeds: [0; 2], push, of }
            }
            op::DETAIL => Self::Detail { from: 0.0, to: 0.0, of },
            op::SHARE => Self::Share { share: 0, of },
            op::GULLIES => Self::Gullies {
                map: [0.0; 6],
                stretching: 0.0,
                rise: 0.0,
                bends: [0.0; 2],
                probe: [0.0; 2],
                fade: [0.0; 2],
                ground: 0.0,
                octaves: Vec::new(),
                of,
            },
            _ => return None,
        })
    }

    /// Whether it opens a frame, which GIVE closes.
    fn opens(&self) -> bool {
        !matches!(self, Self::Leaf { .. } | Self::Placed { .. } | Self::Group { .. } | Self::Share { .. })
    }

    fn nested(&mut self) -> Option<&mut Vec<Instruction>> {
        match self {
            Self::Leaf { .. } | Self::Placed { .. } => None,
            Self::Group { of }
            | Self::Blend { of }
            | Self::Replace { of, .. }
            | Self::Add { of, .. }
            | Self::Warp { of, .. }
            | Self::Detail { of, .. }
            | Self::Gullies { of, .. }
            | Self::Share { of, .. } => Some(of),
        }
    }

    fn operands(&mut self, io: &mut impl WordPass) {
        match self {
            Self::Leaf { primitive } => primitive.pass(io),
            Self::Placed { primitive, map, numbers } => {
                primitive.pass(io);
                map.pass(io);
                numbers.pass(io);
            }
            Self::Group { .. } | Self::Blend { .. } => {}
            Self::Replace { extent, window, .. } | Self::Add { extent, window, .. } => {
                extent.pass(io);
                window.pass(io);
            }
            Self::Warp { map, stretching, bend, numbers, seeds, push, .. } => {
                map.pass(io);
                stretching.pass(io);
                bend.pass(io);
                numbers.pass(io);
                seeds.pass(io);
                push.pass(io);
            }
            Self::Detail { from, to, .. } => {
                from.pass(io);
                to.pass(io);
            }
            Self::Share { share, .. } => share.pass(io),
            Self::Gullies { map, stretching, rise, bends, probe, fade, ground, octaves, .. } => {
                map.pass(io);
                stretching.pass(io);
                rise.pass(io);
                bends.pass(io);
                probe.pass(io);
                fade.pass(io);
                ground.pass(io);
                octaves.pass(io);
            }
        }
    }
}

impl Instruction {
    /// Writes the instruction and those inside. Returns the number of frames that they need.
    fn write(&self, io: &mut Writer, offsets: &[u32]) -> u32 {
        let Self { mut area, what } = self.clone();
        let mut what = what;
        if let Operation::Leaf { primitive } | Operation::Placed { primitive, .. } = &mut what {
            *primitive = offsets[*primitive as usize];
        }
        let from = io.words.len();
        io.words.extend([what.op(), 0]);
        area.pass(io);
        what.operands(io);
        let mut frames = 0;
        let probe = match &what {
            Operation::Replace { window, .. } | Operation::Add { window, .. } if window.slope.0 == 1 => {
                Some(window.laid)
            }
            Operation::Gullies { of, .. } => of.first().map(|inner| inner.area),
            _ => None,
        };
        let has_ground = matches!(what, Operation::Replace { .. } | Operation::Add { .. } | Operation::Gullies { .. });
        let ground = io.words.len() as u32;
        for (k, inner) in what.nested().into_iter().flatten().enumerate() {
            let within = inner.write(io, offsets);
            // a probe adds a frame on top of the operator that measures the slope
            frames = frames.max(within + u32::from(k == 0 && probe.is_some()));
            if k == 0 && has_ground {
                io.words.push(op::GROUND);
                if let Some(mut laid) = probe {
                    let end = io.words.len() as u32 + 7;
                    io.words.extend([op::PROBE, end]);
                    laid.pass(io);
                    io.words.push(ground);
                }
            }
        }
        if what.opens() {
            io.words.push(op::GIVE);
            frames += 1;
        }
        io.words[from + 1] = io.words.len() as u32;
        frames
    }

    fn read(io: &mut WordReader, offsets: &[u32], depth: usize) -> Result<Self, BufferError> {
        let from = io.at;
        let broken = || BufferError::Broken(from);
        let (mut number, mut skip) = (0, 0);
        number.pass(io);
        skip.pass(io);
        let skip = skip as usize;
        let mut what = Operation::from_number(number).ok_or_else(broken)?;
        if depth > DEEPEST || skip <= from || skip > io.words.len() {
            return Err(broken());
        }
        let mut area = [0.0; 4];
        area.pass(io);
        what.operands(io);
        if let Operation::Leaf { primitive } | Operation::Placed { primitive, .. } = &mut what {
            *primitive = offsets.binary_search(primitive).map_err(|_| broken())? as u32;
        }
        let end = skip - usize::from(what.opens());
        let mut of = Vec::new();
        let mut measured = None;
        while io.at < end && !io.is_broken {
            match io.words[io.at] {
                op::GROUND => io.at += 1,
                op::PROBE => {
                    io.at += 2;
                    let mut area = [0.0; 4];
                    area.pass(io);
                    measured = Some(area);
                    io.at += 1;
                }
                _ => of.push(Self::read(io, offsets, depth + 1)?),
            }
        }
        io.at = skip;
        if let Operation::Replace { window, .. } | Operation::Add { window, .. } = &mut what
            && let Some(area) = measured
        {
            window.laid = area;
        }
        match what.nested() {
            Some(inside) => *inside = of,
            None if of.is_empty() => {}
            None => return Err(broken()),
        }
        Ok(Self { area, what })
    }
}
