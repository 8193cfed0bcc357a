//! Tools that evaluate a scene: its measures, maps, pictures and exports.

use serde_json::{Value, json};
use talweg::appearance::{PictureRequest, PictureStyle};
use talweg::eval::MemoryUse;
use talweg::export::maps::ExportMap;
use talweg::export::{self, ExportFolder, ExportRequest};
use talweg::field::Control;
use talweg::measure::{Limits, TerrainMeasures, TerrainScale, measure_planet};

use super::ToolAnswer;
use crate::agent_work::AgentWork;
use crate::arguments::Arguments;
use crate::feed::FinishedTerrain;
use crate::file_product::{exported, floats};

/// Allowed sides of pictures in pixels.
const PICTURE_PIXELS: std::ops::RangeInclusive<u64> = 16..=2048;
/// Side of a picture without a given size.
const PICTURE_SIDE: u64 = 512;
/// Allowed samples per side of the coarse grid of a map.
const GRID: std::ops::RangeInclusive<u64> = 2..=64;

pub(super) fn evaluate(work: &AgentWork, arguments: &Arguments, control: &Control) -> Result<ToolAnswer, String> {
    let name = arguments.required_text("scene");
    let made = work.evaluated(name, arguments.count("size"), |_, _| Ok(MemoryUse::TERRAIN), control)?;
    Ok(FinishedTerrain::new(0, made.scene, made.terrain).description().into())
}

pub(super) fn measure(work: &AgentWork, arguments: &Arguments, control: &Control) -> Result<ToolAnswer, String> {
    let mut limits = Limits::default();
    for text in arguments.texts("limits") {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("limits: `{text}`: give LIMIT=VALUE"))?;
        limits.set_named(name.trim(), value).map_err(|error| format!("limits: {error}"))?;
    }
    let name = arguments.required_text("scene");
    let made = work.evaluated(name, arguments.count("size"), |_, _| Ok(MemoryUse::MEASURES), control)?;
    let (scene, terrain) = (&made.scene, &*made.terrain);
    let mut measures = work.in_pool(|| {
        let measured = if scene.is_planet() {
            measure_planet(terrain, scene, &limits, control).map(serde_json::to_value)
        } else {
            let scale = TerrainScale::for_scene(scene);
            TerrainMeasures::new(Some(scene), terrain, scale, &limits, control).map(serde_json::to_value)
        };
        measured.map_err(|cancelled| cancelled.to_string())?.map_err(|error| error.to_string())
    })?;
    // The plots are long, and an agent can read the maps themselves.
    if let Some(measures) = measures.as_object_mut() {
        measures.remove("plots");
    }
    measures["hash"] = format!("{:032x}", terrain.hash()).into();
    Ok(measures.into())
}

pub(super) fn read_map(work: &AgentWork, arguments: &Arguments, control: &Control) -> Result<ToolAnswer, String> {
    let map: ExportMap = arguments.required_text("map").parse().map_err(|error: String| format!("map: {error}"))?;
    let grid = arguments.count("grid");
    if grid.is_some_and(|grid| !GRID.contains(&grid)) {
        return Err(format!("grid: give {} to {} samples per side", GRID.start(), GRID.end()));
    }
    let places = arguments.places("places");
    if let Some([x, y]) = places.iter().find(|place| !place.iter().all(|x| (0.0..=1.0).contains(x))) {
        return Err(format!("places: [{x}, {y}] is outside the terrain; give fractions from 0 to 1"));
    }
    let request = ExportRequest::for_files(&["map.r32".into()], &map, &[], None).map_err(|error| error.to_string())?;
    let later_use =
        |scene: &_, samples| export::memory_use(&request, scene, samples).map_err(|error| error.to_string());
    let made = work.evaluated(arguments.required_text("scene"), arguments.count("size"), later_use, control)?;
    let [product] = &request.products[..] else { return Err(format!("{map} is not a map with one file")) };
    let bytes = work.in_pool(|| exported(product.clone(), &made.scene, &made.terrain, control));
    let values = floats(&bytes.map_err(|error| error.to_string())?);
    let raster = MapRaster::new(values, made.scene.is_planet());
    let raster = raster.ok_or_else(|| format!("{map} does not have one number per sample; use export"))?;
    let mut answer = raster.summary();
    answer["hash"] = format!("{:032x}", made.terrain.hash()).into();
    answer["map"] = map.to_string().into();
    answer["unit"] = map.unit().into();
    let at_places: Vec<Value> = places.iter().map(|&[x, y]| raster.value_at(x, y).into()).collect();
    if !at_places.is_empty() {
        answer["values"] = at_places.into();
    }
    if let Some(grid) = grid {
        let fraction = |k: u64| k as f64 / (grid - 1) as f64;
        let row = |j: u64| (0..grid).map(|i| raster.value_at(fraction(i), fraction(j))).collect::<Vec<_>>();
        answer["grid"] = json!((0..grid).map(row).collect::<Vec<_>>());
    }
    Ok(answer.into())
}

/// A map with one number per sample, the north row first.
struct MapRaster {
    values: Vec<f32>,
    width: usize,
    height: usize,
}

impl MapRaster {
    /// The map of a terrain is a square; that of a planet is twice as wide as high.
    fn new(values: Vec<f32>, is_planet: bool) -> Option<Self> {
        let height = if is_planet { values.len() / 2 } else { values.len() }.isqrt();
        let width = if is_planet { 2 * height } else { height };
        (height > 0 && width * height == values.len()).then_some(Self { values, width, height })
    }

    /// Lowest, highest and mean value, with the positions of the first two. Samples without a value are left out.
    fn summary(&self) -> Value {
        let known = || self.values.iter().copied().enumerate().filter(|(_, value)| value.is_finite());
        let place = |(k, value): (usize, f32)| {
            let fraction = |k: usize, count: usize| k as f64 / (count.max(2) - 1) as f64;
            let (x, y) = (fraction(k % self.width, self.width), fraction(k / self.width, self.height));
            json!({ "value": value, "x": x, "y": y })
        };
        let lowest = known().reduce(|a, b| if b.1 < a.1 { b } else { a });
        let highest = known().reduce(|a, b| if b.1 > a.1 { b } else { a });
        let count = known().count();
        let mean = known().map(|(_, value)| f64::from(value)).sum::<f64>() / count.max(1) as f64;
        json!({
            "width": self.width,
            "height": self.height,
            "lowest": lowest.map(place),
            "highest": highest.map(place),
            "mean": if count > 0 { Some(mean) } else { None },
        })
    }

    /// The value at a position, by bilinear interpolation; `None` beside samples without a value.
    fn value_at(&self, x: f64, y: f64) -> Option<f64> {
        let cell = |fraction: f64, count: usize| {
            let place = fraction * (count - 1) as f64;
            let low = (place as usize).min(count.saturating_sub(2));
            (low, place - low as f64)
        };
        let ((i, u), (j, v)) = (cell(x, self.width), cell(y, self.height));
        let sample =
            |i: usize, j: usize| f64::from(self.values[j.min(self.height - 1) * self.width + i.min(self.width - 1)]);
        let row = |j: usize| sample(i, j) * (1.0 - u) + sample(i + 1, j) * u;
        let value = row(j) * (1.0 - v) + row(j + 1) * v;
        value.is_finite().then_some(value)
    }
}

pub(super) fn picture(work: &AgentWork, arguments: &Arguments, control: &Control) -> Result<ToolAnswer, String> {
    let pixels = |name: &str| {
        let pixels = arguments.count(name).unwrap_or(PICTURE_SIDE);
        if !PICTURE_PIXELS.contains(&pixels) {
            return Err(format!("{name}: give {} to {} pixels", PICTURE_PIXELS.start(), PICTURE_PIXELS.end()));
        }
        Ok(pixels as u32)
    };
    let (width, height) = (pixels("width")?, pixels("height")?);
    let style = match arguments.text("style").unwrap_or("relief") {
        "relief" => PictureStyle::Relief,
        "colours" => PictureStyle::Colours,
        "heights" => PictureStyle::Heights,
        other => return Err(format!("style: `{other}`; give relief, colours or heights")),
    };
    let file = arguments.text("file");
    if file.is_some_and(|name| !name.ends_with(".png")) {
        return Err("file: give a name that ends with .png".into());
    }
    let target = file.map(|name| work.folder.target(name, arguments.is_on("replace"))).transpose()?;
    let request = PictureRequest { width: Some(width), height: Some(height), style, ..PictureRequest::default() };
    let later_use = |scene: &_, _| Ok(MemoryUse::picture(scene, width as usize, height as usize));
    let made = work.evaluated(arguments.required_text("scene"), arguments.count("size"), later_use, control)?;
    let drawn = work.in_pool(|| request.draw(&made.scene, &made.terrain, control));
    let drawn = drawn.map_err(|error| error.to_string())?;
    if let Some(target) = target {
        drawn.save(target).map_err(|error| error.to_string())?;
    }
    let mut picture = Vec::new();
    drawn.write_png(&mut picture).map_err(|error| error.to_string())?;
    let hash = format!("{:032x}", made.terrain.hash());
    let value = json!({ "hash": hash, "width": drawn.width, "height": drawn.height, "file": file });
    Ok(ToolAnswer { value, picture: Some(picture) })
}

pub(super) fn export(work: &AgentWork, arguments: &Arguments, control: &Control) -> Result<ToolAnswer, String> {
    let map = |text: &str| text.parse::<ExportMap>();
    let what = map(arguments.text("what").unwrap_or("heights")).map_err(|error| format!("what: {error}"))?;
    let maps = arguments.texts("maps").into_iter().map(map).collect::<Result<Vec<_>, _>>();
    let maps = maps.map_err(|error| format!("maps: {error}"))?;
    let replace = arguments.is_on("replace");
    let names = arguments.texts("files");
    let files = names.iter().map(|name| Ok(work.folder.target(name, replace)?.path().to_path_buf()));
    let files = files.collect::<Result<Vec<_>, String>>()?;
    let request = ExportRequest::for_files(&files, &what, &maps, None).map_err(|error| error.to_string())?;
    // Without `replace`, no existing file may be replaced.
    let only_over = if replace { None } else { Some(std::sync::Arc::default()) };
    let place = ExportFolder { folder: work.folder.path().into(), only_over, ..ExportFolder::default() };
    let later_use = |scene: &_, samples| {
        export::check(&request, scene, &place).map_err(|error| error.to_string())?;
        export::memory_use(&request, scene, samples).map_err(|error| error.to_string())
    };
    let made = work.evaluated(arguments.required_text("scene"), arguments.count("size"), later_use, control)?;
    let done =
        work.in_pool(|| export::export_for_others(&request, &made.scene, &made.terrain, &place, control, &|_| ()));
    let report = done.map_err(|error| error.to_string())?;
    let relative = |path: &std::path::Path| {
        path.strip_prefix(work.folder.path()).unwrap_or(path).to_string_lossy().replace('\\', "/")
    };
    let files: Vec<String> = report.files().iter().map(|path| relative(path)).collect();
    let hash = format!("{:032x}", made.terrain.hash());
    Ok(json!({ "hash": hash, "files": files, "report": report }).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_read_between_its_samples() {
        // heights 10 x + 3 y on 5 × 5 samples, the highest in the south-east
        let values = (0..25).map(|k| 2.5 * (k % 5) as f32 + 0.75 * (k / 5) as f32).collect();
        let raster = MapRaster::new(values, false).unwrap();
        for (x, y) in [(0.0, 0.0), (0.3, 0.9), (1.0, 1.0), (0.999, 0.5)] {
            assert!((raster.value_at(x, y).unwrap() - (10.0 * x + 3.0 * y)).abs() < 1e-5, "{x} {y}");
        }
        let summary = raster.summary();
        assert_eq!(summary["highest"], json!({ "value": 13.0, "x": 1.0, "y": 1.0 }));
        assert_eq!(summary["lowest"]["value"], json!(0.0));
        assert!((summary["mean"].as_f64().unwrap() - 6.5).abs() < 1e-6);
    }

    #[test]
    fn maps_of_several_channels_are_no_raster() {
        assert!(MapRaster::new(vec![0.0; 3 * 25], false).is_none());
        assert!(MapRaster::new(vec![0.0; 2 * 25], true).is_some());
    }
}
