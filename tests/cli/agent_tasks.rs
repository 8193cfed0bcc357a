//! Tasks in words, as people give them to an agent. Each script uses only the tools and their answers. Each check reads
//! the exported heights and maps by itself and asks Talweg nothing.

use serde_json::{Value, json};

use super::Folder;
use super::server::Agent;

const SAMPLES: usize = 129;
const SIDE: f64 = 8000.0;

/// A square of numbers from a raw file, the north row first.
struct Map {
    values: Vec<f32>,
    n: usize,
}

impl Map {
    fn read(folder: &Folder, name: &str) -> Self {
        let bytes = std::fs::read(folder.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let values: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        let n = values.len().isqrt();
        assert_eq!(n * n, values.len(), "{name}");
        Self { values, n }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        f64::from(self.values[j * self.n + i])
    }

    /// The value at fractions of the side from the west and the north, of the nearest sample.
    fn near(&self, x: f64, y: f64) -> f64 {
        let sample = |fraction: f64| (fraction.clamp(0.0, 1.0) * (self.n - 1) as f64).round() as usize;
        self.at(sample(x), sample(y))
    }

    fn indices(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.n * self.n).map(|k| (k % self.n, k / self.n))
    }

    fn fraction(&self, k: usize) -> f64 {
        k as f64 / (self.n - 1) as f64
    }

    fn highest(&self) -> (usize, usize) {
        self.indices().max_by(|&(a, b), &(c, d)| self.at(a, b).total_cmp(&self.at(c, d))).unwrap()
    }

    fn range(&self) -> (f64, f64) {
        let ends = |(low, high): (f64, f64), &v: &f32| (low.min(f64::from(v)), high.max(f64::from(v)));
        self.values.iter().fold((f64::MAX, f64::MIN), ends)
    }

    fn mean(&self) -> f64 {
        self.values.iter().map(|&v| f64::from(v)).sum::<f64>() / self.values.len() as f64
    }

    /// Fraction of the samples for which `is` holds.
    fn share(&self, is: impl Fn(f64) -> bool) -> f64 {
        self.values.iter().filter(|&&v| is(f64::from(v))).count() as f64 / self.values.len() as f64
    }

    /// Slope in degrees from central differences, for samples `side` metres across.
    fn slope(&self, i: usize, j: usize, side: f64) -> f64 {
        let (a, b) = (i.max(1).min(self.n - 2), j.max(1).min(self.n - 2));
        let twice = 2.0 * side / (self.n - 1) as f64;
        let east = (self.at(a + 1, b) - self.at(a - 1, b)) / twice;
        let south = (self.at(a, b + 1) - self.at(a, b - 1)) / twice;
        libm::atan(libm::sqrt(east * east + south * south)).to_degrees()
    }

    /// Number of connected areas of at least `least` samples in which `is` holds.
    fn areas(&self, least: usize, is: impl Fn(f64) -> bool) -> usize {
        let mut seen = vec![false; self.values.len()];
        let mut count = 0;
        for first in 0..self.values.len() {
            let (mut waiting, mut size) = (vec![first], 0);
            while let Some(k) = waiting.pop() {
                if std::mem::replace(&mut seen[k], true) || !is(f64::from(self.values[k])) {
                    continue;
                }
                size += 1;
                let (i, j) = (k % self.n, k / self.n);
                waiting.extend((i > 0).then(|| k - 1));
                waiting.extend((i + 1 < self.n).then(|| k + 1));
                waiting.extend((j > 0).then(|| k - self.n));
                waiting.extend((j + 1 < self.n).then(|| k + self.n));
            }
            count += usize::from(size >= least);
        }
        count
    }
}

/// An agent at work on one scene.
struct Work<'a> {
    agent: &'a mut Agent,
    folder: &'a Folder,
    scene: String,
}

impl Work<'_> {
    /// Begins a scene of `side` metres with a relief of 2000 m.
    fn begin(&mut self, side: f64) {
        self.agent.done("write_scene", json!({ "scene": self.scene }));
        self.set(&[&format!("scene.size_metres={side}"), "scene.relief_metres=2000", "scene.resolution=129"]);
    }

    fn set(&mut self, values: &[&str]) -> Value {
        let changes: Vec<Value> = values.iter().map(|value| json!({ "set": value })).collect();
        self.agent.done("change_scene", json!({ "scene": self.scene, "changes": changes }))
    }

    fn add(&mut self, node: &str, name: &str, values: &[&str]) {
        let mut changes = vec![json!({ "add": node, "name": name })];
        changes.extend(values.iter().map(|value| json!({ "set": format!("{name}.{value}") })));
        self.agent.done("change_scene", json!({ "scene": self.scene, "changes": changes }));
    }

    fn write(&mut self, text: &str) {
        self.agent.done("write_scene", json!({ "scene": self.scene, "text": text }));
    }

    fn read(&mut self, map: &str, more: Value) -> Value {
        let mut arguments = json!({ "scene": self.scene, "map": map });
        more.as_object().unwrap().iter().for_each(|(key, value)| arguments[key] = value.clone());
        self.agent.done("read_map", arguments)
    }

    fn grid(&mut self, map: &str, side: usize) -> Vec<Vec<f64>> {
        serde_json::from_value(self.read(map, json!({ "grid": side }))["grid"].take()).unwrap()
    }

    /// Exports the heights, and reads them as the check does.
    fn heights(&mut self) -> Map {
        self.export("heights")
    }

    fn export(&mut self, map: &str) -> Map {
        let name = format!("{}-{map}.r32", self.scene.trim_end_matches(".ron"));
        let arguments = json!({ "scene": self.scene, "files": [name], "what": map, "replace": true });
        self.agent.done("export", arguments);
        Map::read(self.folder, &name)
    }

    /// Sets `value` between `low` and `high` by halving until `reached` is near `wanted`. `reached` must grow with it.
    fn seek(&mut self, value: &str, ends: (f64, f64), wanted: f64, mut reached: impl FnMut(&mut Self) -> f64) {
        let (mut low, mut high) = ends;
        for _ in 0..14 {
            let middle = 0.5 * (low + high);
            self.set(&[&format!("{value}={middle}")]);
            if reached(self) < wanted { low = middle } else { high = middle }
        }
    }
}

/// A brush stroke that flattens the ground along `path` to `level`, in metres.
fn flattened(radius: f64, level: f64, path: &str) -> String {
    format!("(brush:(tool:Flatten,radius:{radius},hardness:0.6,strength:1.0,level:{level}),path:\"{path}\")")
}

type Task = (&'static str, fn(&mut Work));

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// All tasks: what was asked for, and the script with its check.
const TASKS: &[Task] = &[
    (
        "an island 12 km wide, its highest point in the north, a harbour, no slope above 30° within 500 m of it",
        |work| {
            let side = 16_000.0;
            work.begin(side);
            work.add("Perlin", "Hills", &["frequency=4", "octaves=5", "amplitude=0.2", "base=0.12"]);
            work.add("Shape", "Peak", &["form=Cone", "centre_y=0.3", "radius=0.25", "height=0.6", "blend=Add"]);
            work.add("Island", "Coast", &["coast=0.1", "roundness=1"]);
            let width = |grid: &[Vec<f64>]| {
                let is_land = |i: usize| grid.iter().any(|row| row[i] > 0.0);
                let land: Vec<usize> = (0..grid.len()).filter(|&i| is_land(i)).collect();
                land.last().map_or(0.0, |last| (last - land[0]) as f64 / (grid.len() - 1) as f64 * side)
            };
            work.seek("Coast.width", (0.6, 0.05), 12_000.0, |work| width(&work.grid("heights", 64)));
            // the harbour: the southernmost land in the middle
            let grid = work.grid("heights", 64);
            let shore = (0..64).rev().find(|&j| grid[j][32] > 0.0).unwrap();
            let [x, y] = [32.0 / 63.0, shore as f64 / 63.0];
            let [east, south] = [x * side, y * side];
            let stroke = |level: f64, radius: f64, south: f64| flattened(radius, level, &format!("{east},{south}"));
            let strokes = [stroke(4.0, 1500.0, south - 300.0), stroke(-8.0, 500.0, south + 350.0)].join(",");
            work.add("Sculpt", "Harbour", &[&format!("strokes=[{strokes}]")]);
            let heights = work.heights();
            let highest = heights.highest();
            assert!(heights.fraction(highest.1) < 0.45, "the highest point is in the north: {highest:?}");
            let columns: Vec<usize> =
                (0..heights.n).filter(|&i| (0..heights.n).any(|j| heights.at(i, j) > 0.0)).collect();
            let wide = heights.fraction(columns[columns.len() - 1] - columns[0]) * side;
            assert!((11_000.0..=13_000.0).contains(&wide), "{wide} m wide");
            let near = heights.indices().filter(|&(i, j)| {
                let (dx, dy) = (heights.fraction(i) - x, heights.fraction(j) - y);
                libm::sqrt(dx * dx + dy * dy) * side <= 500.0
            });
            let near: Vec<(usize, usize)> = near.collect();
            assert!(near.iter().any(|&(i, j)| heights.at(i, j) < 0.0), "the harbour has water");
            assert!(near.iter().any(|&(i, j)| heights.at(i, j) > 0.0), "the harbour has land");
            let steepest = near.iter().map(|&(i, j)| heights.slope(i, j, side)).fold(0.0, f64::max);
            assert!(steepest <= 30.0, "{steepest}° near the harbour");
        },
    ),
    ("a volcano 1,800 m high in the middle, with a crater at its top", |work| {
        work.begin(SIDE);
        work.add("Shape", "Cone", &["form=Cone", "height=0.9", "radius=0.45"]);
        work.add("Shape", "Crater", &["form=Crater", "radius=0.06", "height=0.25", "blend=Add"]);
        work.add("Normalise", "Height", &["target=Metres", "low_metres=0", "high_metres=1800"]);
        let heights = work.heights();
        let (i, j) = heights.highest();
        let (dx, dy) = (heights.fraction(i) - 0.5, heights.fraction(j) - 0.5);
        assert!((heights.range().1 - 1800.0).abs() < 1.0 && dx * dx + dy * dy < 0.1 * 0.1);
        assert!(heights.near(0.5, 0.5) < 1700.0, "a crater at the top");
    }),
    ("a plain that rises from 100 m in the west to 400 m in the east", |work| {
        work.begin(SIDE);
        work.add("Shape", "Slope", &["form=Ramp", "radius=0.5", "height=0.15", "base=0.05", "rotation_angle=0"]);
        let heights = work.heights();
        for (i, j) in heights.indices() {
            let wanted = 100.0 + 300.0 * heights.fraction(i);
            assert!((heights.at(i, j) - wanted).abs() < 1.0, "{i}, {j}: {}", heights.at(i, j));
        }
    }),
    ("a lake at least 1 km wide in the middle of hills", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["amplitude=0.3", "octaves=6"]);
        work.add("Shape", "Basin", &["form=Dome", "radius=0.15", "height=-0.3", "blend=Add"]);
        work.add("Lakes", "Lake", &[]);
        let depth = work.export("water");
        let middle = depth.n / 2;
        let wet: Vec<usize> = (0..depth.n).filter(|&i| depth.at(i, middle) > 0.5).collect();
        let is_through_middle = wet.contains(&middle);
        let wide = wet.len() as f64 / (depth.n - 1) as f64 * SIDE;
        assert!(is_through_middle && wide >= 1000.0, "{wide} m of water through the middle: {is_through_middle}");
    }),
    ("mountains whose highest peak is at 2,500 m and whose lowest valley is at 300 m", |work| {
        work.begin(SIDE);
        work.add("Ridged", "Mountains", &[]);
        work.add("Normalise", "Heights", &["target=Metres", "low_metres=300", "high_metres=2500"]);
        let (low, high) = work.heights().range();
        assert!((low - 300.0).abs() < 1.0 && (high - 2500.0).abs() < 1.0, "{low} to {high} m");
    }),
    ("hills in steps of 100 m with flat treads", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["octaves=3", "frequency=2"]);
        work.add("Terrace", "Steps", &["step_height=100", "sharpness=1", "variation=0"]);
        let heights = work.heights();
        let on_tread = heights.share(|h| {
            let rest = h.rem_euclid(100.0);
            rest.min(100.0 - rest) < 5.0
        });
        assert!(on_tread > 0.6, "{on_tread} of the samples lie on a tread");
        assert!(heights.range().1 - heights.range().0 > 400.0, "several steps");
    }),
    ("mountains on which no slope is steeper than 35°", |work| {
        work.begin(SIDE);
        work.add("Ridged", "Mountains", &["octaves=6"]);
        work.add("Thermal", "Slides", &["talus_angle=30"]);
        for iterations in [100, 200, 400, 800, 1600] {
            work.set(&[&format!("Slides.iterations={iterations}")]);
            if number(&work.read("slope", json!({}))["highest"]["value"]) <= 34.0 {
                break;
            }
        }
        let heights = work.heights();
        let steepest = heights.indices().map(|(i, j)| heights.slope(i, j, SIDE)).fold(0.0, f64::max);
        assert!(steepest <= 35.0 && steepest > 20.0, "{steepest}°");
    }),
    ("a level building site of 1 km in the south-west, at 200 m", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["amplitude=0.3"]);
        let stroke = flattened(1300.0, 200.0, "2000,6000");
        work.add("Sculpt", "Site", &[&format!("strokes=[{stroke}]")]);
        let heights = work.heights();
        let site = heights.indices().filter(|&(i, j)| {
            let (x, y) = (heights.fraction(i) * SIDE, heights.fraction(j) * SIDE);
            (x - 2000.0).abs() <= 500.0 && (y - 6000.0).abs() <= 500.0
        });
        for (i, j) in site {
            assert!((heights.at(i, j) - 200.0).abs() < 3.0, "{i}, {j}: {}", heights.at(i, j));
        }
    }),
    ("a mountain range that runs from west to east", |work| {
        work.begin(SIDE * 4.0);
        // Land at the height of the sea does not rise.
        work.add("Shape", "Plain", &["form=Plane", "height=0.05"]);
        let values = ["uplift_shape=EastWest", "uplift_rate=3", "iterations=60", "time_step=10000"];
        work.add("StreamPower", "Range", &values);
        let heights = work.heights();
        let row = |j: usize| (0..heights.n).map(|i| heights.at(i, j)).sum::<f64>() / heights.n as f64;
        let column = |i: usize| (0..heights.n).map(|j| heights.at(i, j)).sum::<f64>() / heights.n as f64;
        let n = heights.n;
        let rows = [row(n / 10), row(n / 2), row(9 * n / 10)];
        assert!(rows[1] > 2.0 * rows[0].max(rows[2]), "{rows:?} m in the north, the middle and the south");
        assert!(column(n / 4) > 0.5 * column(n / 2) && column(3 * n / 4) > 0.5 * column(n / 2));
    }),
    ("a canyon 300 m deep that crosses a plateau from west to east", |work| {
        work.begin(SIDE);
        work.add("Shape", "Plateau", &["form=Plane", "height=0.5"]);
        let path = "-500,4000 2000,4400 4000,3700 6000,4300 8500,4000";
        let stroke = flattened(400.0, 700.0, path);
        work.add("Sculpt", "Canyon", &[&format!("strokes=[{stroke}]")]);
        let heights = work.heights();
        for i in 0..heights.n {
            let lowest = (0..heights.n).map(|j| heights.at(i, j)).fold(f64::MAX, f64::min);
            assert!((690.0..=720.0).contains(&lowest), "column {i}: {lowest} m");
        }
        assert!((heights.near(0.5, 0.1) - 1000.0).abs() < 1.0 && (heights.near(0.5, 0.9) - 1000.0).abs() < 1.0);
    }),
    ("hills of which half lies under the sea", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["octaves=7"]);
        work.seek("scene.sea_level", (0.0, 2000.0), 0.5, |work| {
            let sea = work.agent.done("evaluate", json!({ "scene": work.scene }))["sea_metres"].clone();
            let grid = work.grid("heights", 64);
            let under = grid.iter().flatten().filter(|&&height| height < number(&sea)).count();
            under as f64 / (64.0 * 64.0)
        });
        let scene = work.agent.done("read_scene", json!({ "scene": work.scene }));
        let sea: f64 = scene["settings"]["sea_level"].as_str().unwrap().parse().unwrap();
        let under = work.heights().share(|height| height < sea);
        assert!((under - 0.5).abs() < 0.02, "{under} lies under the sea");
    }),
    ("the same hills, turned by a quarter clockwise", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["octaves=4"]);
        let before = work.heights();
        work.add("Transform", "Turn", &["angle=90"]);
        let after = work.heights();
        let last = after.n - 1;
        for (i, j) in after.indices() {
            // the north-west corner moves to the north-east
            let (turned, original) = (after.at(last - j, i), before.at(i, j));
            assert!((turned - original).abs() < 2.0, "{i}, {j}: {turned} and {original}");
        }
    }),
    ("snow above 1,200 m and none below 800 m", |work| {
        work.begin(SIDE);
        work.add("Shape", "Dome", &["form=Dome", "height=0.9", "radius=0.7"]);
        work.add("Snow", "Snow", &["snow_line=1000", "drift=0"]);
        let (heights, snow) = (work.heights(), work.export("snow"));
        for (i, j) in heights.indices() {
            // the heights include the snow
            let (ground, depth) = (heights.at(i, j) - snow.at(i, j), snow.at(i, j));
            assert!(ground > 800.0 || depth < 0.2, "{depth} m of snow at {ground} m");
            assert!(ground < 1200.0 || depth > 0.2, "{depth} m of snow at {ground} m");
        }
    }),
    ("two islands, and nothing else above the sea", |work| {
        work.begin(SIDE);
        work.add("Shape", "West island", &["form=Dome", "centre_x=0.3", "radius=0.15", "height=0.2", "base=-0.05"]);
        work.add("Shape", "East island", &["form=Dome", "centre_x=0.7", "radius=0.15", "height=0.3", "blend=Add"]);
        assert_eq!(work.heights().areas(1, |height| height > 0.0), 2);
    }),
    ("a ridge from west to east with a pass below 800 m in its middle", |work| {
        work.begin(SIDE);
        work.add("Shape", "Ridge", &["form=Ridge", "length=2", "height=0.8", "radius=0.2"]);
        let stroke = flattened(700.0, 700.0, "4000,3000 4000,5000");
        work.add("Sculpt", "Pass", &[&format!("strokes=[{stroke}]")]);
        let heights = work.heights();
        let crest = |i: usize| (0..heights.n).map(|j| heights.at(i, j)).fold(f64::MIN, f64::max);
        assert!(crest(heights.n / 2) < 800.0, "{}", crest(heights.n / 2));
        assert!(crest(heights.n / 8) > 1500.0 && crest(7 * heights.n / 8) > 1500.0);
    }),
    ("hills whose edges fit together, to be laid side by side", |work| {
        work.begin(SIDE);
        work.set(&["scene.edges=Wrap"]);
        work.add("Perlin", "Hills", &["octaves=6"]);
        let heights = work.heights();
        let last = heights.n - 1;
        for k in 0..heights.n {
            assert_eq!(heights.at(0, k), heights.at(last, k), "west and east, row {k}");
            assert_eq!(heights.at(k, 0), heights.at(k, last), "north and south, column {k}");
        }
        assert!(heights.range().1 - heights.range().0 > 100.0);
    }),
    ("gentle hills with a mean slope of 9°", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["octaves=4"]);
        work.seek("Hills.amplitude", (0.0, 2.0), 9.0, |work| number(&work.read("slope", json!({}))["mean"]));
        let heights = work.heights();
        let slopes: f64 = heights.indices().map(|(i, j)| heights.slope(i, j, SIDE)).sum();
        let mean = slopes / heights.values.len() as f64;
        assert!((8.0..=10.0).contains(&mean), "{mean}°");
    }),
    ("three versions of the same hills, all different", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &[]);
        let mut found = Vec::new();
        for seed in 1..=3 {
            work.set(&[&format!("scene.seed={seed}")]);
            found.push(work.heights());
        }
        for (one, other) in [(0, 1), (0, 2), (1, 2)] {
            let pairs = found[one].values.iter().zip(&found[other].values);
            let distance = pairs.map(|(a, b)| f64::from((a - b).abs())).sum::<f64>() / found[0].values.len() as f64;
            assert!(distance > 50.0, "versions {one} and {other} differ by {distance} m");
        }
    }),
    ("heights and slopes of a shipped example as 16-bit pictures for a game", |work| {
        work.agent.done("write_scene", json!({ "scene": work.scene, "copy_of": "eroded-hills" }));
        let files = json!({ "scene": work.scene, "files": ["game/hills.png"], "maps": ["slope"], "size": 129 });
        work.agent.done("export", files);
        for name in ["game/hills.png", "game/hills-slope.png"] {
            let (width, height, colour, depth) = super::picture_size(&work.folder.path(name));
            assert_eq!((width, height, colour), (129, 129, png::ColorType::Grayscale), "{name}");
            assert_eq!(depth, png::BitDepth::Sixteen, "{name}");
        }
    }),
    ("the place of the flattest square kilometre", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Hills", &["frequency=5", "octaves=3"]);
        let grid = work.grid("slope", 64);
        // 8 of the 63 intervals are 1 km
        let mean = |i: usize, j: usize| (j..=j + 8).flat_map(|b| grid[b][i..=i + 8].iter()).sum::<f64>() / 81.0;
        let corners = (0..55 * 55).map(|k| (k % 55, k / 55));
        let (i, j) = corners.min_by(|a, b| mean(a.0, a.1).total_cmp(&mean(b.0, b.1))).unwrap();
        let answer = [i, j].map(|k| k as f64 / 63.0);
        let heights = work.heights();
        let own = |i: usize, j: usize| {
            let square = (j..=j + 16).flat_map(|b| (i..=i + 16).map(move |a| (a, b)));
            square.map(|(a, b)| heights.slope(a, b, SIDE)).sum::<f64>() / (17.0 * 17.0)
        };
        let best = (0..112 * 112).map(|k| own(k % 112, k / 112)).fold(f64::MAX, f64::min);
        let [a, b] = answer.map(|fraction| (fraction * (SAMPLES - 1) as f64).round() as usize);
        assert!(own(a, b) <= 1.15 * best, "{}° at the answer, {best}° at best", own(a, b));
    }),
    ("a hill with its top exactly in the middle, on rough ground", |work| {
        work.begin(SIDE);
        work.add("Perlin", "Ground", &["amplitude=0.05", "base=0"]);
        work.add("Shape", "Hill", &["form=Cone", "height=0.5", "radius=0.3", "blend=Add"]);
        let heights = work.heights();
        assert_eq!(heights.highest(), (SAMPLES / 2, SAMPLES / 2));
    }),
    ("a hill on which rain has eroded between 0.5 and 5 % of the volume", |work| {
        work.begin(SIDE);
        work.add("Shape", "Hill", &["form=Dome", "height=0.6", "radius=0.6"]);
        let before = work.heights().mean();
        work.add("StreamPower", "Rain", &["uplift_rate=0", "time_step=500"]);
        for iterations in [1, 2, 4, 8, 16, 32, 64, 128] {
            work.set(&[&format!("Rain.iterations={iterations}")]);
            if number(&work.read("heights", json!({}))["mean"]) < 0.99 * before {
                break;
            }
        }
        let lost = 1.0 - work.heights().mean() / before;
        assert!((0.005..=0.05).contains(&lost), "{lost} of the volume is lost");
    }),
    ("the steep side of a hill faces east instead of west", |work| {
        work.begin(SIDE);
        work.add("Shape", "Hill", &["form=Ramp", "radius=0.3", "centre_x=0.3", "height=0.4"]);
        work.add("Shape", "Spur", &["form=Dome", "centre_x=0.2", "height=0.3", "radius=0.2", "blend=Add"]);
        let before = work.heights();
        work.add("Transform", "Mirror", &["mirror_x=true"]);
        let after = work.heights();
        for (i, j) in after.indices() {
            assert!((after.at(after.n - 1 - i, j) - before.at(i, j)).abs() < 1.0, "{i}, {j}");
        }
    }),
    ("a road from west to east through hills, nowhere steeper than 12 %", |work| {
        work.write(
            "(version: 1, settings: (size_metres: 8000.0, resolution: 129), layers: [(
                name: \"Land\", node: Construction(tree: (terrain: (form: Replace(of: [
                    (name: \"hills\", form: Disc(
                        x: 4000.0, y: 4000.0, radius: 12000.0, height: 300.0, amplitude: 300.0)),
                    (name: \"road\", form: Curve(
                        points: [(at: (0.0, 4000.0), height: 300.0), (at: (4000.0, 4000.0), height: 350.0),
                            (at: (8000.0, 4000.0), height: 300.0)],
                        settings: (cross: Road, width: 120.0, fade: 300.0, grade: 10.0))),
                ])))),
            )])",
        );
        let heights = work.heights();
        let middle = heights.n / 2;
        let step = SIDE / (heights.n - 1) as f64;
        for i in 4..heights.n - 5 {
            let grade = (heights.at(i + 1, middle) - heights.at(i, middle)).abs() / step;
            assert!(grade <= 0.12, "{grade} at {i}");
        }
        let above = (0..heights.n).map(|i| heights.at(i, heights.n / 5)).fold(f64::MIN, f64::max);
        assert!(above > 400.0, "there are hills: {above} m");
    }),
    ("a table mountain at 900 m, level to 5 m on top, with cliffs around it", |work| {
        work.begin(SIDE);
        work.add("Shape", "Mountain", &["form=Cone", "height=1.5", "radius=0.35", "base=0.1"]);
        work.add("Clamp", "Top", &["floor=0", "ceiling=900", "knee=0"]);
        work.add("Shape", "Plain", &["form=Plane", "height=0.1", "opacity=0"]);
        let heights = work.heights();
        let top = heights.share(|height| (height - 900.0).abs() < 5.0);
        assert!(top > 0.05, "{top} of the terrain is the top");
        let steepest = heights.indices().map(|(i, j)| heights.slope(i, j, SIDE)).fold(0.0, f64::max);
        assert!(steepest > 40.0 && heights.range().1 < 905.0, "{steepest}°");
    }),
];

#[test]
fn tasks_in_words_are_done_with_the_tools_alone() {
    assert!(TASKS.len() >= 25);
    let folder = Folder::new();
    let mut agent = Agent::new(&folder);
    let mut failed = Vec::new();
    for (k, (words, script)) in TASKS.iter().enumerate() {
        let mut work = Work { agent: &mut agent, folder: &folder, scene: format!("task-{k}.ron") };
        // each failure is told, not only the first one
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| script(&mut work)));
        if done.is_err() {
            failed.push(*words);
        }
    }
    assert!(failed.is_empty(), "{} tasks failed:\n{}", failed.len(), failed.join("\n"));
}
