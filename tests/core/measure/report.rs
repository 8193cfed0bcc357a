//! Reports of measures: plots, differences of two terrains, lists, JSON, CSV and the output of the command line.

use crate::kits::measure::{SCALE, assert_near, brownian, measured, measures_of, value};
use talweg::field::{Control, Edges, Grid, Terrain};
use talweg::measure::{
    BANDS, DIFFERENCES, Difference, Limits, MEASURES, PLANET_MEASURES, PLOTS, TerrainScale, bands, comparison_csv,
    difference, measure_named,
};

/// The fitted line of a plot belongs to the points of the plot, so the drawn line matches the reported number.
#[test]
fn plots_agree_with_the_measures() {
    let terrain = brownian(129, 0.6, 4);
    let measures = measured(&terrain, SCALE, &Limits { source_area: 0.002, ..Limits::default() });
    for plot in PLOTS {
        let points = (plot.points)(&measures);
        assert!(points.len() >= 2 && points.iter().flatten().all(|x| x.is_finite()), "{}", plot.key);
        if let Some(line) = (plot.line)(&measures) {
            // The residuals of least squares add up to 0.
            let sum: f64 = points.iter().map(|p| p[1] - line.value(p[0])).sum();
            assert_near(sum, 0.0, 1e-9, plot.key);
        }
        assert_eq!(plot.csv(&measures).lines().count(), points.len() + 1);
    }
    for key in ["slope_histogram", "height_histogram"] {
        let plot = PLOTS.iter().find(|p| p.key == key).unwrap();
        assert_near((plot.points)(&measures).iter().map(|p| p[1]).sum(), 1.0, 1e-12, key);
    }
    let orders = measures.drainage.as_ref().unwrap();
    let line = orders.numbers.as_ref().unwrap().line;
    assert_near(value(&measures, "bifurcation_ratio").unwrap(), 10f64.powf(-line.slope), 1e-12, "ratio");
    // The variogram at a distance of one sample, computed by its definition.
    let n = 129;
    let (mut sum, mut pairs) = (0.0, 0.0);
    for i in 0..n {
        for j in 0..n - 1 {
            let h = |i: usize, j: usize| f64::from(terrain.height[i * n + j]) * 100.0;
            sum += (h(i, j) - h(i, j + 1)).powi(2) + (h(j, i) - h(j + 1, i)).powi(2);
            pairs += 2.0;
        }
    }
    let first = measures.variogram.as_ref().unwrap().points[0];
    assert_near(first[0], (1000.0f64 / 128.0).log10(), 1e-6, "distance");
    assert_near(first[1], (0.5 * sum / pairs).log10(), 1e-4, "semivariance");
}

fn differ(a: (&Terrain, TerrainScale), b: (&Terrain, TerrainScale)) -> Difference {
    difference(a, b, &Limits::default(), &Control::default()).unwrap()
}

#[test]
fn differences_have_known_answers() {
    let hills = brownian(129, 0.8, 3);
    let same = differ((&hills, SCALE), (&hills, SCALE));
    assert_eq!((same.rms_metres, same.largest_metres, same.drainage_overlap), (0.0, 0.0, Some(1.0)));
    // The same terrain raised by 5 m, with another relief scale.
    let mut raised = hills.clone();
    raised.height.iter_mut().for_each(|h| *h = (*h * 100.0 + 5.0) / 200.0);
    let twice = TerrainScale { relief_metres: 200.0, ..SCALE };
    let up = differ((&hills, SCALE), (&raised, twice));
    assert_near(up.rms_metres, 5.0, 1e-3, "rms");
    assert_near(up.mean_absolute_metres, 5.0, 1e-3, "mean");
    assert_near(up.largest_metres, 5.0, 1e-3, "largest");
    assert_near(up.volume_gained_m3, 5.0e6, 1e3, "volume");
    assert_eq!((up.volume_lost_m3, up.drainage_overlap), (0.0, Some(1.0)));
    let down = differ((&raised, twice), (&hills, SCALE));
    assert_eq!((down.volume_lost_m3, down.volume_gained_m3), (up.volume_gained_m3, 0.0));
    // The channel networks of unrelated terrains overlap only by chance.
    let other = brownian(129, 0.8, 4);
    let chance = differ((&hills, SCALE), (&other, SCALE)).drainage_overlap.unwrap();
    assert!(chance < 0.35, "{chance}");
    // In a checkerboard of ±1 m, the root mean square and the mean absolute difference are 1 m.
    let flat = Terrain::flat(Grid::new(8, Edges::Open));
    let mut board = flat.clone();
    board.height.iter_mut().enumerate().for_each(|(k, h)| *h = if (k / 8 + k % 8) % 2 == 0 { 0.01 } else { -0.01 });
    let d = differ((&flat, SCALE), (&board, SCALE));
    assert_near(d.rms_metres, 1.0, 1e-6, "rms");
    assert_near(d.volume_gained_m3, 0.5e6, 1.0, "volume");
    assert_near(d.volume_lost_m3, 0.5e6, 1.0, "volume");
}

/// A preview of smooth terrain at half the resolution is accurate. It has the same heights at common samples and almost
/// the same rivers.
#[test]
fn a_preview_of_smooth_terrain_is_accurate() {
    let hills = |samples: usize| {
        Terrain::from_fn(samples, Edges::Open, |u, v| {
            0.5 + 0.2 * libm::sinf(7.0 * u + 3.0 * v) * libm::cosf(5.0 * v - 2.0 * u) + 0.1 * (u - 0.3 * v)
        })
    };
    let (half, full) = (hills(129), hills(257));
    let d = differ((&half, SCALE), (&full, SCALE));
    assert!(d.largest_metres < 1e-4, "{}", d.largest_metres);
    assert!(d.drainage_overlap.unwrap() > 0.9, "{:?}", d.drainage_overlap);
    // Detail between the samples of the coarser grid does not count, whichever terrain comes first.
    let back = differ((&full, SCALE), (&half, SCALE));
    assert_eq!((back.rms_metres, back.drainage_overlap), (d.rms_metres, d.drainage_overlap));
}

#[test]
fn the_lists_of_measures_are_complete() {
    let named = [
        "erosion_score",
        "pair_score",
        "worded_score",
        "mean_slope",
        "slope_deviation",
        "peaks",
        "valleys",
        "fractal_dimension",
        "hypsometric_integral",
        "bifurcation_ratio",
        "drained_fraction",
        "playable_fraction",
        "min_metres",
        "max_metres",
        "mean_metres",
        "hash",
    ];
    assert!(named.iter().all(|key| measure_named(key).is_some()));
    let described: Vec<(&str, &str, &str)> = MEASURES
        .iter()
        .map(|m| (m.key, m.label, m.meaning))
        .chain(DIFFERENCES.iter().map(|m| (m.key, m.label, m.meaning)))
        .chain(PLOTS.iter().map(|p| (p.key, p.label, p.meaning)))
        .collect();
    for (k, (key, label, meaning)) in described.iter().enumerate() {
        assert!(!label.is_empty() && meaning.ends_with('.'), "{key}");
        assert!(key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{key}");
        assert!(described[k + 1..].iter().all(|other| other.0 != *key), "{key} twice");
    }
    for band in BANDS {
        let mut keys = MEASURES.iter().map(|m| m.key).chain(PLANET_MEASURES.iter().map(|m| m.key));
        assert!(keys.any(|key| key == band.key), "a band of {}, which is not a measure", band.key);
        assert!(band.low < band.high && !band.terrain_kind.is_empty(), "{}", band.key);
        let year = band.source.split(|c: char| !c.is_ascii_digit()).find_map(|w| w.parse::<u32>().ok());
        assert!(year.is_some_and(|y| (1900..2030).contains(&y)), "{} names no year: {}", band.key, band.source);
    }
    assert_eq!(bands("bifurcation_ratio").map(|b| (b.low, b.high)).collect::<Vec<_>>(), [(3.0, 5.0)]);
}

#[test]
fn json_and_csv_hold_every_measure() {
    let terrain = brownian(100, 0.6, 1);
    let measures = measures_of(&terrain);
    let json: serde_json::Value = serde_json::from_str(&serde_json::to_string(&measures).unwrap()).unwrap();
    assert_eq!(json["samples"], 100);
    for m in MEASURES {
        let number = (m.read)(&measures).number();
        if let Some(number) = number {
            // serde_json reads numbers back exactly, except for the last digit.
            assert_near(json[m.key].as_f64().unwrap(), number, 1e-14 * number.abs(), m.key);
        }
        let line = measures.csv().lines().find(|line| line.starts_with(&format!("{},", m.key))).unwrap().to_string();
        if let Some(number) = number {
            assert_eq!(line.split(',').nth(1).unwrap().parse(), Ok(number));
        }
    }
    assert_eq!(json["hash"], format!("{:032x}", terrain.hash()));
    assert!(
        json["peaks"].is_u64()
            && json["summits"]["peaks"].as_array().unwrap().len() == json["peaks"].as_u64().unwrap() as usize
    );
    assert_eq!(
        json["plots"]["variogram"]["points"].as_array().unwrap().len(),
        measures.variogram.as_ref().unwrap().points.len()
    );
    assert_eq!(json["reference"]["bifurcation_ratio"][0]["high"], 5.0);
    let flat: serde_json::Value = serde_json::to_value(measures_of(&Terrain::flat(Grid::new(9, Edges::Open)))).unwrap();
    assert!(flat["fractal_dimension"].is_null() && flat["undefined"]["fractal_dimension"] == "the ground is level");
    let csv = comparison_csv(MEASURES, [&measures, &measures], &differ((&terrain, SCALE), (&terrain, SCALE)));
    assert_eq!(csv.lines().count(), 1 + MEASURES.len() + DIFFERENCES.len());
    assert!(csv.lines().all(|line| line.matches(',').count() >= 5));
}
