//! Palettes: colours by height above and below the sea, with rock on steep ground.

/// A palette as its file describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    pub name: String,
}

/// A palette ready for drawing, on the processor and on the graphics card.
#[derive(Clone, Debug, PartialEq)]
pub struct PaletteTable {
    /// 512 sRGB colours: 0..256 from the deepest water (one relief below the sea) to the shore,
    /// 256..512 from the shore to the top of the relief.
    pub lut: Vec<[u8; 4]>,
    /// Colour of steep ground (sRGB); alpha is how much of it shows at most.
    pub rock: [u8; 4],
    /// Slope where rock begins to show and where it shows in full.
    pub rock_degrees: (f32, f32),
}

/// Names of the palettes that come with the program, in the order of the menu.
pub fn palette_names() -> Vec<String> {
    vec!["alpine".into()]
}

/// The palette called `name`.
pub fn palette(name: &str) -> Option<Palette> {
    palette_names().contains(&name.to_string()).then(|| Palette { name: name.into() })
}
