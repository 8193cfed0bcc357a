//! Pictures that ship with the program: of every node and its presets, of the features of the library and of the
//! example scenes. They are drawn from above, as `talweg render` draws.
//!
//! The pictures of one kind lie side by side in one image of `assets/thumbnails/`. The list beside the image names them
//! in order, each with the hash of its scene. A test finds pictures whose scene has changed. To draw all of them again:
//!
//! ```sh
//! TALWEG_BLESS=1 cargo test --release --config tools/checked.toml -p talweg-app --lib shipped_pictures
//! ```

use std::collections::BTreeMap;
use std::sync::LazyLock;

use bevy_egui::egui;
use egui::{Color32, ColorImage, Image, Rect, TextureHandle, TextureOptions, Ui, Vec2, load::SizedTexture, pos2, vec2};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;

use talweg::appearance::RgbImage;
use talweg::construction::edit::library::Item;
use talweg::nodes::{Node, NodeKind};
use talweg::param::Preset;
use talweg::planet::World;

/// Number of pictures in a row of an image.
const COLUMNS: usize = 10;

/// The subject of a picture.
#[derive(Clone, Copy, Debug)]
pub enum PictureSubject<'a> {
    /// The node, on the terrain of [`Self::Below`] if it is no generator.
    Node(&'a Node),
    /// The terrain on which a node is shown that is no generator.
    Below(&'a Node),
    Preset(&'a Node, &'a Preset),
    Feature(Item),
    /// The example scene with this name in the menu.
    Example(&'a str),
}

impl PictureSubject<'_> {
    /// The name of the picture in the lists.
    fn name(self) -> String {
        match self {
            Self::Node(node) => format!("node {}", node.about().name),
            Self::Below(node) if node.fits(World::Terrain) => "hills".into(),
            Self::Below(_) => "continents".into(),
            Self::Preset(node, preset) => format!("preset {} {}", node.about().name, preset.name),
            Self::Feature(Item::Stamp(stamp)) => stamp.name.clone(),
            Self::Feature(item) => format!("feature {item:?}"),
            Self::Example(name) => format!("example {name}"),
        }
    }
}

/// Pictures of the same size, side by side in one image.
struct PictureSheet {
    /// Side length of a picture in pixels.
    side: usize,
    image: LazyLock<RgbImage>,
    names: LazyLock<Vec<String>>,
}

/// Reads a list of `assets/thumbnails/`: the names of the pictures, each with the hash of its scene.
fn listed(text: &'static str) -> Vec<(String, String)> {
    let pairs = text.lines().filter_map(|line| line.split_once(' '));
    pairs.map(|(hash, name)| (name.to_string(), hash.to_string())).collect()
}

fn decoded(bytes: &'static [u8]) -> RgbImage {
    let mut decoder = JpegDecoder::new(ZCursor::new(bytes));
    match (decoder.decode(), decoder.dimensions()) {
        (Ok(rgb), Some((width, height))) => RgbImage { width, height, rgb },
        (Err(error), _) => panic!("shipped with the program: a sheet of pictures cannot be read: {error}"),
        (_, None) => panic!("shipped with the program: a sheet of pictures has no size"),
    }
}

macro_rules! sheet {
    ($name:literal, $side:expr) => {
        PictureSheet {
            side: $side,
            image: LazyLock::new(|| decoded(include_bytes!(concat!("../../assets/thumbnails/", $name, ".jpg")))),
            names: LazyLock::new(|| {
                let list = include_str!(concat!("../../assets/thumbnails/", $name, ".txt"));
                listed(list).into_iter().map(|(name, _)| name).collect()
            }),
        }
    };
}

/// Nodes and features, presets, example scenes.
static SHEETS: [PictureSheet; 3] = [sheet!("nodes", 96), sheet!("presets", 64), sheet!("examples", 160)];

/// The sheet and the position of each picture.
static PLACES: LazyLock<BTreeMap<&'static str, (usize, usize)>> = LazyLock::new(|| {
    let of_sheet = |(k, sheet): (usize, &'static PictureSheet)| {
        sheet.names.iter().enumerate().map(move |(place, name)| (name.as_str(), (k, place)))
    };
    SHEETS.iter().enumerate().flat_map(of_sheet).collect()
});

/// A shipped picture.
#[derive(Clone, Copy)]
pub struct ShippedPicture {
    sheet: usize,
    place: usize,
}

impl ShippedPicture {
    /// The picture of a subject. `None` if the subject has none, such as a node that reads a file.
    pub fn find(subject: PictureSubject) -> Option<Self> {
        let &(sheet, place) = PLACES.get(subject.name().as_str())?;
        Some(Self { sheet, place })
    }

    /// Column and row of the picture's upper left pixel.
    fn corner(self) -> [usize; 2] {
        let side = SHEETS[self.sheet].side;
        [self.place % COLUMNS * side, self.place / COLUMNS * side]
    }

    /// A copy of the picture.
    pub fn image(self) -> RgbImage {
        let (sheet, [left, top]) = (&SHEETS[self.sheet], self.corner());
        let image = &*sheet.image;
        let pixel = |column: usize, row: usize| {
            let at = 3 * ((top + row) * image.width + left + column);
            [image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]]
        };
        RgbImage::from_fn(sheet.side, sheet.side, pixel)
    }

    /// The texture of the picture's sheet, which is loaded when it is first shown.
    fn texture(self, ctx: &egui::Context) -> TextureHandle {
        let id = egui::Id::new(("shipped pictures", self.sheet));
        if let Some(texture) = ctx.data(|data| data.get_temp::<TextureHandle>(id)) {
            return texture;
        }
        let image = &*SHEETS[self.sheet].image;
        let image = ColorImage::from_rgb([image.width, image.height], &image.rgb);
        let texture = ctx.load_texture("shipped pictures", image, TextureOptions::LINEAR);
        ctx.data_mut(|data| data.insert_temp(id, texture.clone()));
        texture
    }

    /// The part of the texture that is shown. Half a pixel is left out at each side, so that no colour of the pictures
    /// beside it is drawn.
    fn part(self, texture: &TextureHandle) -> Rect {
        let (size, side) = (texture.size_vec2(), SHEETS[self.sheet].side as f32);
        let [left, top] = self.corner().map(|corner| corner as f32);
        let pixels = Rect::from_min_size(pos2(left, top), Vec2::splat(side)).shrink(0.5);
        Rect::from_min_max((pixels.min.to_vec2() / size).to_pos2(), (pixels.max.to_vec2() / size).to_pos2())
    }

    /// The picture as a square widget image with a side of `points`.
    pub fn widget(self, ctx: &egui::Context, points: f32) -> Image<'static> {
        let texture = self.texture(ctx);
        let part = self.part(&texture);
        Image::from_texture(SizedTexture::new(texture.id(), Vec2::splat(points)))
            .uv(part)
            .fit_to_exact_size(Vec2::splat(points))
            .corner_radius(3)
    }

    /// Paints the picture into a square rectangle; `opacity` from 0 to 1.
    pub fn paint(self, ui: &Ui, rect: Rect, opacity: f32) {
        let texture = self.texture(ui.ctx());
        let tint = Color32::from_white_alpha((opacity * 255.0).round() as u8);
        let shape = egui::epaint::RectShape::filled(rect, 3, tint).with_texture(texture.id(), self.part(&texture));
        ui.painter().add(shape);
    }
}

/// Seconds in which the terrain below a node turns into the node's terrain and back, while the pointer is over it.
const SECONDS_OF_CHANGE: f64 = 2.4;

/// Plays over the picture of a node in `rect` how the node changes the terrain below it. Generators change nothing.
pub fn play_change(ui: &Ui, rect: Rect, node: &Node) {
    if matches!(node.work(), NodeKind::Generator(_)) {
        return;
    }
    if let Some(below) = ShippedPicture::find(PictureSubject::Below(node)) {
        let turn = ui.input(|input| input.time) / SECONDS_OF_CHANGE * std::f64::consts::TAU;
        below.paint(ui, rect, (0.5 - 0.5 * turn.cos()) as f32);
        ui.ctx().request_repaint_after(std::time::Duration::from_millis(60));
    }
}

/// The rectangle of a button's image of `points` at the left end of the button.
pub fn image_rect(ui: &Ui, button: Rect, points: f32) -> Rect {
    let left = button.left() + ui.spacing().button_padding.x;
    Rect::from_center_size(pos2(left + 0.5 * points, button.center().y), vec2(points, points))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use jpeg_encoder::{ColorType, Encoder};
    use rayon::prelude::*;
    use talweg::construction::edit::library::{Role, add_item};
    use talweg::construction::primitives::disc::Disc;
    use talweg::construction::{Piece, PieceKind, Program, Tree};
    use talweg::eval::{Store, evaluate};
    use talweg::field::Control;
    use talweg::io::HeightStamp;
    use talweg::scene::{Layer, Scene, examples};
    use talweg::variants::{Size, draw, node_scene, scene_below_node};

    use super::*;

    /// Samples per side of terrains that are drawn whole; for a planet, per side of a face.
    const SAMPLES: usize = 129;
    /// Samples per side of terrains of which the middle is drawn.
    const FINE_SAMPLES: usize = 257;
    /// The fraction of the terrain that is left out at each side, so that details are large enough to be recognised:
    /// for filters and erosions, and for features, which lie in the middle of their terrain.
    const MARGIN: f32 = 0.25;

    /// The subject of a picture in a sheet.
    struct Subject {
        name: String,
        scene: Scene,
        /// The fraction of the terrain that is left out at each side.
        margin: f32,
    }

    impl Subject {
        fn new(subject: PictureSubject, scene: Scene) -> Self {
            let shows_details = match subject {
                PictureSubject::Feature(item) => !matches!(item, Item::Stamp(_)),
                PictureSubject::Node(node) | PictureSubject::Below(node) | PictureSubject::Preset(node, _) => {
                    node.fits(World::Terrain) && !matches!(node.work(), NodeKind::Generator(_))
                }
                PictureSubject::Example(_) => false,
            };
            Self { name: subject.name(), scene, margin: if shows_details { MARGIN } else { 0.0 } }
        }

        fn hash(&self) -> String {
            let text = self.scene.to_ron().unwrap();
            format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
        }

        /// The picture with a side of `side` pixels.
        fn drawn(&self, side: usize) -> RgbImage {
            let pixels = (side as f32 / (1.0 - 2.0 * self.margin)).round() as usize;
            let samples = if self.margin > 0.0 { FINE_SAMPLES } else { SAMPLES };
            let size = Size { samples, pixels };
            let whole = draw(&self.scene, size, &mut Store::forgetful(), &Control::default()).unwrap().image;
            let left_out = (pixels - side) / 2;
            RgbImage::from_fn(side, side, |column, row| {
                let at = 3 * ((row + left_out) * pixels + column + left_out);
                [whole.rgb[at], whole.rgb[at + 1], whole.rgb[at + 2]]
            })
        }
    }

    /// A stamp alone, raised so that flat landforms can be recognised.
    fn stamp_scene(stamp: &HeightStamp) -> Scene {
        let text = format!(
            r#"(
                version: 1, palette: "desert",
                settings: (size_metres: 4000.0, relief_metres: 1000.0, sea_level: -5000.0),
                layers: [(node: Import(file: "{}", heights: Given, low_metres: 0.0, high_metres: 900.0))],
            )"#,
            stamp.name
        );
        Scene::from_ron(&text).unwrap().0
    }

    /// A scene with the feature in its middle, on level ground unless it is itself ground.
    fn feature_scene(item: Item) -> Scene {
        if let Item::Stamp(stamp) = item {
            return stamp_scene(stamp);
        }
        let mut tree = Tree::default();
        if item.role() != Role::Ground {
            let (x, y) = (4000.0, 4000.0);
            let ground = Disc { x, y, radius: 9000.0, core: 0.9, height: 400.0, ..Disc::default() };
            tree.terrain = Piece::new(PieceKind::Disc(ground));
        }
        let program = Program::new(&tree, 0);
        add_item(&mut tree, item, [4000.0; 2], None, &program, 0).unwrap();
        let mut scene = Scene { name: item.label().into(), ..Scene::default() };
        scene.settings.size_metres = 8000.0;
        scene.settings.relief_metres = 2000.0;
        scene.settings.sea_level = 0.0;
        let mut node = Node::named("Construction").unwrap();
        if let Node::Construction(construction) = &mut node {
            construction.tree = tree.into();
        }
        scene.layers = vec![Layer::new(node, 0)];
        scene
    }

    /// The scene of every subject that has a picture, for each sheet. Nodes that change nothing of the terrain that the
    /// picture shows have none.
    fn subjects() -> [Vec<Subject>; 3] {
        let catalogue = Node::catalogue();
        let heights = |scene: &Scene| {
            let evaluation = evaluate(scene, 33, None, &mut Store::forgetful(), &Control::default());
            evaluation.unwrap().terrain.height.clone()
        };
        let shown = |node: &&Node| {
            let (scene, below) = (node_scene(node), scene_below_node(node));
            scene.files().is_empty() && heights(&scene) != heights(&below)
        };
        let nodes: Vec<&Node> = catalogue.par_iter().filter(shown).collect();
        let is_changing = |node: &&Node| !matches!(node.work(), NodeKind::Generator(_));
        let below = [World::Terrain, World::Planet].map(|world| {
            let node = catalogue
                .iter()
                .filter(is_changing)
                .find(|node| node.fits(World::Terrain) == (world == World::Terrain));
            let node = node.unwrap();
            Subject::new(PictureSubject::Below(node), scene_below_node(node))
        });
        let of_nodes = nodes.iter().map(|node| Subject::new(PictureSubject::Node(node), node_scene(node)));
        let features = Item::groups().flat_map(|(_, items)| items.iter().copied());
        let features = features.map(|item| Subject::new(PictureSubject::Feature(item), feature_scene(item)));
        let presets = nodes.iter().flat_map(|node| {
            node.about().presets.iter().map(|preset| {
                let mut scene = node_scene(node);
                if let Some(layer) = scene.layers.last_mut() {
                    layer.node.adopt(preset);
                }
                Subject::new(PictureSubject::Preset(node, preset), scene)
            })
        });
        let examples = examples().iter().filter(|example| example.scene.files().is_empty());
        let examples =
            examples.map(|example| Subject::new(PictureSubject::Example(&example.scene.name), example.scene.clone()));
        [below.into_iter().chain(of_nodes).chain(features).collect(), presets.collect(), examples.collect()]
    }

    /// Draws all pictures of a sheet, and writes its image and its list.
    fn write(file: &Path, side: usize, subjects: &[Subject]) {
        let pictures: Vec<RgbImage> = subjects.par_iter().with_max_len(1).map(|subject| subject.drawn(side)).collect();
        let blank = RgbImage::from_fn(side, side, |_, _| [0; 3]);
        let rows = pictures.len().div_ceil(COLUMNS);
        let sheet = RgbImage::from_fn(COLUMNS * side, rows * side, |column, row| {
            let picture = pictures.get(row / side * COLUMNS + column / side).unwrap_or(&blank);
            let at = 3 * (row % side * side + column % side);
            [picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]]
        });
        let encoder = Encoder::new_file(file.with_extension("jpg"), 85).unwrap();
        encoder.encode(&sheet.rgb, sheet.width as u16, sheet.height as u16, ColorType::Rgb).unwrap();
        let list: String = subjects.iter().map(|of| format!("{} {}\n", of.hash(), of.name)).collect();
        std::fs::write(file.with_extension("txt"), list).unwrap();
    }

    #[test]
    fn shipped_pictures_show_the_present_scenes() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/thumbnails");
        for ((name, sheet), subjects) in ["nodes", "presets", "examples"].iter().zip(&SHEETS).zip(subjects()) {
            let file = folder.join(name);
            if std::env::var_os("TALWEG_BLESS").is_some() {
                write(&file, sheet.side, &subjects);
                continue;
            }
            let text = std::fs::read_to_string(file.with_extension("txt")).unwrap();
            let found = listed(text.leak());
            for of in &subjects {
                assert!(found.contains(&(of.name.clone(), of.hash())), "draw {} again, with TALWEG_BLESS=1", of.name);
            }
            assert_eq!(found.len(), subjects.len(), "pictures of things that are gone");
            for of in subjects.iter().step_by(subjects.len().div_ceil(6)) {
                let (sheet_index, place) = PLACES[of.name.as_str()];
                let shipped = ShippedPicture { sheet: sheet_index, place }.image();
                let now = of.drawn(sheet.side);
                let apart: usize = shipped.rgb.iter().zip(&now.rgb).map(|(a, b)| usize::from(a.abs_diff(*b))).sum();
                let mean = apart as f64 / now.rgb.len() as f64;
                assert!(mean < 10.0, "{} differs by {mean} of 255", of.name);
            }
        }
    }
}
