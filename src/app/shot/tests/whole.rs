//! No image may show the background inside the terrain: neither the settled image nor a frame in which tiles are still
//! being loaded.

use super::*;

const WIDTH: u32 = 320;
const HEIGHT: u32 = 180;

/// A red planet with fine terrain and without air, plants or clouds, so that any bluish pixel is a hole.
fn red_planet(example: &str) -> Arc<GlobeTerrain> {
    let mut scene = talweg::scene::example(example).expect("a built-in").scene.clone();
    // the sea would be blue
    scene.settings.sea_level = -90_000.0;
    let mut store = talweg::eval::Store::forgetful();
    let evaluation = talweg::eval::evaluate(&scene, 65, None, &mut store, &Control::default());
    let terrain = evaluation.expect("it can be evaluated").terrain;
    let source = (f64::from(scene.planet.radius_metres), Some(scene.detail_source()));
    let (choice, control) = (OverlayChoice::default(), Control::default());
    let globe = GlobeTerrain::new(&terrain, &scene.settings, source, &red(), &choice, &control);
    Arc::new(globe.expect("never cancelled"))
}

/// Number of bluish pixels below the first red pixel of their column.
fn holes_below_the_horizon(image: &[u8]) -> usize {
    let pixels = image.as_chunks::<4>().0;
    let is_red = |x: usize, y: usize| pixels[y * WIDTH as usize + x][0] > pixels[y * WIDTH as usize + x][2];
    let holes = |x: usize| {
        let first = (0..HEIGHT as usize).find(|&y| is_red(x, y)).unwrap_or(HEIGHT as usize);
        (first..HEIGHT as usize).filter(|&y| !is_red(x, y)).count()
    };
    (0..WIDTH as usize).map(holes).sum()
}

#[test]
fn frames_have_no_holes_while_tiles_are_loaded() {
    let planet = red_planet("earthlike");
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    let options = ShotOptions { width: WIDTH, height: HEIGHT, ..ShotOptions::default() };
    let (mut frames, mut ground) = (0, 0);
    for place in [[2.0055, 52.0045, 150.0, 30.0, -14.0], [-33.0, -70.0, 4_000.0, 80.0, -25.0]] {
        // a new engine has no tiles yet
        let draw = || {
            let mut renderer = OffscreenRenderer::new(&options, RenderQuality::Moving)?;
            let shown = renderer.show(&over_globe(&planet, place, 1.0, size));
            loop {
                let is_settled = std::cell::Cell::new(false);
                let image = renderer.captured(
                    |drawn| {
                        is_settled.set(drawn.is_current(&shown));
                        drawn.serial() == shown.serial()
                    },
                    |_| false,
                )?;
                frames += 1;
                ground += image.as_chunks::<4>().0.iter().filter(|[r, _, b, _]| r > b).count();
                assert_eq!(holes_below_the_horizon(&image), 0, "frame {frames} over {place:?}");
                if is_settled.get() {
                    return Ok::<_, ShotError>(());
                }
            }
        };
        guarded(draw).unwrap_or_else(|e| panic!("{e}")).unwrap();
    }
    assert!(frames > 6, "some of the {frames} frames are drawn before all tiles are there");
    assert!(ground > frames * (WIDTH * HEIGHT) as usize / 3, "the terrain fills the images");
}

#[test]
fn still_images_report_that_they_are_whole() {
    let planet = red_planet("earthlike");
    let size = Vec2::new(WIDTH as f32, HEIGHT as f32);
    let options = ShotOptions { width: WIDTH, height: HEIGHT, ..ShotOptions::default() };
    for place in [[2.0055, 52.0045, 150.0, 30.0, -12.0], [20.0, 10.0, 3.0e6, 0.0, -60.0], [89.9, 0.0, 2.0, 0.0, -20.0]]
    {
        let subject = over_globe(&planet, place, 1.0, size);
        let draw = || {
            let mut renderer = OffscreenRenderer::new(&options, RenderQuality::Still)?;
            Ok::<_, ShotError>((renderer.draw_image(&subject)?, renderer.planned()))
        };
        let (mut image, planned) = guarded(draw).unwrap_or_else(|e| panic!("{e}")).unwrap();
        let holes = |image: &[u8]| holes::background_inside(&subject, planned.as_deref(), &options, image);
        assert_eq!(holes(&image), 0, "{place:?}");
        // check that the count notices a hole in the middle of the terrain
        let lowest = (HEIGHT as usize - 20) * WIDTH as usize + WIDTH as usize / 2;
        if place[2] < 1e6 {
            (0..4).for_each(|k| image[4 * (lowest + k) + 3] = 0);
            assert_eq!(holes(&image), 4, "{place:?}");
        }
    }
    let report = ShotReport { coarsening: 1.0, holes: 0 };
    assert!(report.lacks().is_empty());
    let lacks = ShotReport { coarsening: 1.44, holes: 7 }.lacks();
    assert!(lacks[0].contains("1.4 times coarser") && lacks[1].contains("7 pixels"), "{lacks:?}");
}
