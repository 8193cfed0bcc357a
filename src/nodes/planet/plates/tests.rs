#![allow(clippy::disallowed_methods, reason = "test measurements do not affect heights")]

use std::f64::consts::PI;

use super::crust::{CrustCell, NEVER, Plate, floor_height};
use super::fronts::{EdgeKind, REACH_KM, TRENCH_KM, edge_cells, trench_profile, uplift_profile};
use super::*;
use talweg_ground::field::globe::{from_angles, longitude};
use talweg_ground::field::vector::{dot, unit};
use talweg_ground::field::{Control, Grid, Stream};

const N: u32 = 64;

fn context(samples: usize, control: &Control) -> Context<'_> {
    Context {
        grid: Grid::globe(samples),
        size_metres: 1.0e7,
        relief_metres: 20_000.0,
        sea_level: 0.0,
        planet: None,
        scene_samples: samples,
        cell_ratio: 1.0,
        voids: Default::default(),
        random: Stream::new(3, 7),
        control,
    }
}

/// A planet with undisturbed plates: no noise, no hot spots, no rifts.
struct Bench {
    law: Plates,
    planet: PlatePlanet,
    state: PlateState,
    tables: Option<PlateTables>,
}

impl Bench {
    /// Creates plates with the given spins. `crust` returns for a direction the index of its plate and the crust there.
    fn new(spins: &[Vector], crust: impl Fn(Vector) -> (usize, CrustCell)) -> Self {
        let cells = SphereCells::new(N as usize, &Control::default()).unwrap();
        let plate = |(id, &spin)| Plate { id, attitude: PlateAttitude::LEVEL, spin, crust: Vec::new() };
        let mut state = PlateState { plates: (0..).zip(spins).map(plate).collect(), ..PlateState::default() };
        state.next_id = spins.len() as u32;
        for cell in 0..cells.count() as u32 {
            let (plate, crust) = crust(cells.middle(cell));
            state.plates[plate].crust.push(CrustCell { cell, ..crust });
        }
        let planet = PlatePlanet { islands: vec![0.0; cells.count()], spots: Vec::new(), cells };
        Self { law: Plates { rifting: 0.0, detail: N, ..Plates::default() }, planet, state, tables: None }
    }

    /// Creates two plates, each half of the planet. They move apart at longitude 0 and converge at longitude 180, each
    /// at `speed` km per Ma.
    fn parting(speed: f64, crust: impl Fn(usize) -> CrustCell) -> Self {
        let spin = speed / EARTH_KM;
        Self::new(&[[0.0, 0.0, -spin], [0.0, 0.0, spin]], |at| {
            let plate = usize::from(at[1] >= 0.0);
            (plate, crust(plate))
        })
    }

    fn step(&mut self, steps: usize) -> &PlateTables {
        let control = Control::default();
        let cx = context(9, &control);
        let mut tables = self
            .tables
            .take()
            .unwrap_or_else(|| PlateTables::new(&self.planet.cells, &self.state.plates, &control).unwrap());
        (0..steps).for_each(|_| self.planet.step(&self.law, &mut self.state, &mut tables, &cx).unwrap());
        self.tables.insert(tables)
    }

    /// All crust of a plate with its position in the world.
    fn crust(&self, plate: usize) -> impl Iterator<Item = (&CrustCell, Vector)> {
        let plate = &self.state.plates[plate];
        let turn = plate.attitude.matrix();
        plate.crust.iter().map(move |crust| (crust, turn.outwards(self.planet.cells.middle(crust.cell))))
    }

    fn land(&self) -> f64 {
        let crust = self.state.plates.iter().flat_map(|plate| &plate.crust);
        crust.filter(|crust| crust.continental).map(|crust| f64::from(self.planet.cells.area(crust.cell))).sum()
    }
}

fn floor(age: f32) -> CrustCell {
    CrustCell::floor(0, age)
}

fn continent(height: f32) -> CrustCell {
    CrustCell { continental: true, relief: height, age: 500.0, ..floor(0.0) }
}

/// The depth of the ocean floor matches the age of its crust, the time since it was at the ridge (Parsons & Sclater).
#[test]
fn the_ocean_floor_sinks_with_the_root_of_its_age() {
    assert!((floor_height(0.0) + 2.5).abs() < 1e-6 && (floor_height(25.0) + 4.25).abs() < 1e-6);
    assert!((floor_height(100.0) + 6.0).abs() < 1e-6 && floor_height(150.0) == floor_height(100.0));
    for speed in [15.0, 40.0, 75.0] {
        let mut bench = Bench::parting(speed, |_| floor(80.0));
        let steps = 30;
        bench.step(steps);
        let gone = speed * f64::from(STEP_MA) * steps as f64 / EARTH_KM;
        let (mut count, mut bias, mut square) = (0.0, 0.0, 0.0f64);
        for (crust, at) in (0..2).flat_map(|plate| bench.crust(plate)) {
            let away = longitude(at).abs();
            if at[2].abs() < 0.85 && away < gone - 3.0 * bench.planet.cells.spacing() {
                // The age is the distance from the ridge, divided by half the opening speed, which is the speed of each
                // plate.
                let age = away * EARTH_KM / speed;
                let off = f64::from(crust.age) - age;
                (count, bias, square) = (count + 1.0, bias + off, square + off * off);
                // The position of the ridge is uncertain by a cell, because the ridge is between cells.
                let cell = bench.planet.cells.spacing() * EARTH_KM / (speed * (1.0 - at[2] * at[2]).sqrt());
                assert!(off.abs() < f64::from(STEP_MA) + 1.5 * cell, "{off} Ma at {age} Ma, {speed} km a Ma");
            }
        }
        let (bias, rms) = (bias / count, (square / count).sqrt());
        println!("{speed} km a Ma: {count} cells, bias {bias:.2}, rms {rms:.2} Ma");
        let cell = bench.planet.cells.spacing() * EARTH_KM / speed;
        assert!(
            count > 60.0 && bias.abs() < 1.0 + 0.2 * cell && rms < 1.0 + 0.4 * cell,
            "{speed} km per Ma: bias {bias}, rms {rms}"
        );
        // The sampled terrain has the same depths, between cells as well.
        let surface = CrustSurface::new(&bench.planet.cells, &bench.state, bench.tables.as_ref().unwrap());
        let (mut worst, mut sum) = (0.0f32, 0.0);
        for k in 0..200 {
            let away = (0.1 + 0.8 * f64::from(k) / 200.0) * gone;
            let at = from_angles(0.3 - 0.003 * f64::from(k), away);
            let expected = floor_height((away * EARTH_KM / speed) as f32);
            let off = (surface.sample(at)[0] - expected).abs();
            (worst, sum) = (worst.max(off), sum + off / 200.0);
        }
        println!("  depth: worst {worst:.3}, mean {sum:.3} km");
        assert!(worst < 0.3 && sum < 0.12, "{speed}: depth {worst} at worst, {sum} km in the mean");
    }
}

/// Uplift and trenches at the plate boundaries match the equations, for plates that converge at a known speed.
#[test]
fn arcs_and_trenches_lie_where_the_law_says() {
    assert!(uplift_profile(0.0) == 0.0 && uplift_profile(1.0) == 0.0 && uplift_profile(1.0 / 3.0) > 0.999);
    for is_land in [false, true] {
        let speed = 30.0;
        let mut bench = Bench::parting(speed, |plate| match plate {
            0 if is_land => continent(0.5),
            0 => floor(40.0),
            _ => floor(90.0),
        });
        bench.step(3);
        let tables = bench.tables.as_ref().unwrap();
        let cells = &bench.planet.cells;
        let edge = edge_cells(cells, &bench.state, tables, 0);
        let at_equator = |slot: u32| {
            let at = tables.rotation(0).outwards(cells.middle(bench.state.plates[0].crust[slot as usize].cell));
            (at[2].abs() < 0.3 && at[0] < 0.0).then_some(at)
        };
        let fronts: Vec<_> = edge.iter().filter_map(|e| Some((e, at_equator(e.slot)?))).collect();
        assert!(fronts.len() > 10);
        for (front, at) in &fronts {
            assert_eq!(front.kind, EdgeKind::Overrides, "the younger plate and land override the other plate");
            let expected = 2.0 * speed * (1.0 - at[2] * at[2]).sqrt();
            assert!((f64::from(front.speed) / expected - 1.0).abs() < 0.12, "{} {expected}", front.speed);
        }
        // The uplift by distance to the plate boundary, in bins one cell wide.
        let spacing = cells.spacing() * EARTH_KM;
        let mut bins = vec![(0.0, 0.0f64); (REACH_KM as f64 / spacing) as usize + 3];
        for (crust, at) in bench.crust(0).filter(|(_, at)| at[2].abs() < 0.2 && at[0] < 0.0) {
            let near = fronts.iter().map(|(_, front)| dot(*front, at)).fold(-1.0, f64::max);
            let bin = (near.min(1.0).acos() * EARTH_KM / spacing).round() as usize;
            if let Some(bin) = bins.get_mut(bin) {
                *bin = (bin.0 + 1.0, bin.1 + f64::from(crust.uplift));
            }
        }
        let means: Vec<f64> = bins.iter().map(|(count, sum)| sum / f64::max(*count, 1.0)).collect();
        let peak = (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b])).unwrap();
        let under = f64::from((floor_height(94.0) + 10.0) / 20.0);
        let growth = if is_land { 1.0 } else { 5.0 * 0.6 };
        let law = f64::from(bench.law.subduction_uplift) * growth * 2.0 * speed / 100.0 * under * under;
        println!(
            "land {is_land}: {means:.4?} km a Ma, law {law:.4} at {:.1} cells",
            f64::from(REACH_KM) / 3.0 / spacing
        );
        let place = peak as f64 * spacing;
        assert!((place - f64::from(REACH_KM) / 3.0).abs() < 1.2 * spacing, "peak at {place} km");
        assert!((0.6..1.15).contains(&(means[peak] / law)), "uplift {} instead of {law}", means[peak]);
        assert!(means.last().unwrap() < &(0.1 * law), "there is uplift beyond the reach");
        // The depth of the subducting floor, by distance to the plate boundary.
        let sinking = edge_cells(cells, &bench.state, tables, 1);
        let ends: Vec<Vector> = sinking
            .iter()
            .filter(|e| e.kind == EdgeKind::Sinks)
            .map(|e| tables.rotation(1).outwards(cells.middle(bench.state.plates[1].crust[e.slot as usize].cell)))
            .collect();
        let mut deepest = 0.0f32;
        for (crust, at) in bench.crust(1).filter(|(_, at)| at[2].abs() < 0.2 && at[0] < 0.0) {
            let near = ends.iter().map(|&end| dot(end, at)).fold(-1.0, f64::max);
            let away = (near.min(1.0).acos() * EARTH_KM) as f32;
            let law = 3.5 * trench_profile(away / TRENCH_KM);
            deepest = deepest.max(-crust.relief);
            // The trench fills by 14 % in a step, and the floor has moved on by one cell since the trench was computed.
            assert!(-crust.relief < 3.5 && -crust.relief > 0.8 * law - 1e-3, "{} km at {away} km", crust.relief);
            if away > TRENCH_KM + 3.0 * STEP_MA * 30.0 + 2.0 * spacing as f32 {
                assert!(crust.relief == 0.0, "{} km at {away} km", crust.relief);
            }
        }
        assert!(deepest > 2.8, "{deepest}");
    }
}

/// The age of a volcano grows with the distance that its plate has carried it.
#[test]
fn a_hot_spot_chain_ages_at_the_speed_of_the_plate() {
    let speed = 60.0;
    let mut bench = Bench::new(&[[0.0, 0.0, speed / EARTH_KM]], |_| (0, floor(100.0)));
    bench.planet.spots = vec![[1.0, 0.0, 0.0]];
    bench.step(40);
    let raised =
        bench.crust(0).filter(|(crust, at)| crust.orogeny < NEVER && at[2].abs() < 0.6 * bench.planet.cells.spacing());
    let chain: Vec<(f64, f64, f32)> =
        raised.map(|(crust, at)| (longitude(at) * EARTH_KM, f64::from(crust.orogeny), crust.relief)).collect();
    let spacing = bench.planet.cells.spacing() * EARTH_KM;
    let longest = chain.iter().map(|c| c.0).fold(0.0, f64::max);
    assert!(longest > 0.9 * speed * 80.0 && chain.len() as f64 > 0.8 * longest / spacing, "{longest} {}", chain.len());
    for &(away, age, relief) in &chain {
        let expected = (away / speed).max(0.0);
        assert!((age - expected).abs() < (2.0 * spacing + 120.0) / speed, "{age} Ma at {away} km, not {expected}");
        assert!(relief > 0.0);
    }
    assert!(chain.iter().any(|c| c.2 > 2.0), "{chain:?}");
}

/// The motion of a plate changes no bit of its crust. The area of continental crust changes only as the ledger records.
#[test]
fn continent_area_changes_only_as_the_ledger_says() {
    let control = Control::default();
    let cx = context(33, &control);
    let law = Plates { detail: 48, rifting: 20.0, speed: 90.0, ..Plates::default() };
    let planet = PlatePlanet::new(&law, &cx).unwrap();
    let state = start::first_state(&law, &planet.cells, &Terrain::flat(cx.grid), &cx).unwrap();
    let mut bench = Bench { law, planet, state, tables: None };
    let first = bench.land();
    assert!((first / (4.0 * PI) - 0.33).abs() < 0.002, "{first}");
    let mut collisions = 0;
    for _ in 0..80 {
        let before = bench.state.ledger;
        bench.step(1);
        let ledger = bench.state.ledger;
        let told = first + ledger.grown - ledger.consumed - ledger.dropped;
        assert!((bench.land() - told).abs() < 1e-6, "{} {told} {ledger:?}", bench.land());
        collisions += u32::from(ledger.consumed != before.consumed);
    }
    println!("{collisions} collisions, {} plates, {:?} of {first}", bench.state.plates.len(), bench.state.ledger);
    assert!(collisions > 3);
    // A continent that meets no other continent is unchanged in its plate's frame.
    let mut alone = Bench::parting(40.0, |_| floor(50.0));
    alone.law.erosion = 0.0;
    let marked: Vec<u32> = alone.state.plates[0].crust.iter().take(9).map(|crust| crust.cell).collect();
    alone.step(10);
    let kept = |cell: &u32| alone.state.plates[0].crust.iter().any(|crust| crust.cell == *cell && crust.age == 70.0);
    assert!(marked.iter().all(kept));
}

/// Positions without a plate or with two plates are rare, because the transition between plates is as wide as a cell.
#[test]
fn plates_cover_the_planet_once() {
    let control = Control::default();
    let cx = context(33, &control);
    let law = Plates { detail: N, ..Plates::default() };
    let planet = PlatePlanet::new(&law, &cx).unwrap();
    let state = start::first_state(&law, &planet.cells, &Terrain::flat(cx.grid), &cx).unwrap();
    let mut bench = Bench { law, planet, state, tables: None };
    for _ in 0..4 {
        bench.step(10);
        let tables = bench.tables.as_ref().unwrap();
        let cells = &bench.planet.cells;
        let (mut none, mut twice) = (0, 0);
        for cell in 0..cells.count() as u32 {
            let at = cells.middle(cell);
            let on = tables.candidates(at).filter(|&plate| tables.find(cells, plate, at).is_some()).count();
            none += u32::from(on == 0);
            twice += u32::from(on > 1);
        }
        let share = |count: u32| f64::from(count) / cells.count() as f64;
        println!("nothing {:.4}, two {:.4}, {} plates", share(none), share(twice), bench.state.plates.len());
        assert!(share(none) < 0.02 && share(twice) < 0.08, "without a plate {none}, with two plates {twice}");
        // There are no steps where plates or faces meet: over 3 km the height changes little.
        let surface = CrustSurface::new(cells, &bench.state, tables);
        let random = Stream::new(9, 9);
        for k in 0..20_000 {
            let place = |salt: i32| f64::from(random.signed(k, salt));
            let at = unit([place(0), place(1), place(2)]);
            let beside = unit([at[0] + 3e-4 * place(3), at[1] + 3e-4 * place(4), at[2] + 3e-4 * place(5)]);
            let step = (surface.sample(at)[0] - surface.sample(beside)[0]).abs();
            assert!(step < 0.5, "{step} km at {at:?}");
        }
    }
}

/// Earth's hypsographic curve has two peaks: continents a few hundred metres above sea level, and ocean floors 4 to 6
/// km below it.
#[test]
fn after_200_million_years_ground_is_as_high_as_on_earth() {
    let control = Control::default();
    let cx = context(97, &control);
    let law = Plates { detail: 96, ..Plates::default() };
    let mut run = law.start(&cx, Terrain::flat(cx.grid));
    (0..100).for_each(|_| run.step(&cx).unwrap());
    let areas = cx.grid.shape().unwrap().areas();
    let mut bins = [0.0f64; 24];
    for (k, height) in run.terrain().height.iter().enumerate().filter(|(k, _)| cx.grid.owns(*k)) {
        bins[(height * 20.0 + 12.0).clamp(0.0, 23.9) as usize] += f64::from(areas[k % (97 * 97)]);
    }
    let whole: f64 = bins.iter().sum();
    let percent: Vec<f64> = bins.iter().map(|bin| 100.0 * bin / whole).collect();
    println!("{:.1?} % from -12 km in steps of 1 km", percent);
    let largest = |from: usize, to: usize| (from..to).max_by(|&a, &b| percent[a].total_cmp(&percent[b])).unwrap();
    let (sea, land) = (largest(0, 10), largest(10, 24));
    assert!((6..=7).contains(&sea) && land == 12, "peaks at {} and {} km", sea as i32 - 12, land as i32 - 12);
    assert!(percent[sea] > 15.0 && percent[land] > 12.0);
    let between = percent[9].max(percent[10]);
    assert!(3.0 * between < percent[land].min(percent[sea]), "one peak instead of two: {between}");
    let above: f64 = percent[12..].iter().sum();
    assert!((22.0..42.0).contains(&above), "{above} % of land");
    assert!(percent[18..].iter().sum::<f64>() < 0.5, "mountains are higher than Earth's");
}

/// Samples that two grids share have the same height: plates do not depend on the grid.
#[test]
fn resolution_changes_only_the_sampling() {
    let control = Control::default();
    let law = Plates { detail: 32, ..Plates::default() };
    let [coarse, fine] = [17, 33].map(|samples| {
        let cx = Context { scene_samples: 33, ..context(samples, &control) };
        let mut run = law.start(&cx, Terrain::flat(cx.grid));
        (0..20).for_each(|_| run.step(&cx).unwrap());
        run.terrain().clone()
    });
    for (k, height) in coarse.height.iter().enumerate() {
        let there = (k / (17 * 17) * 33 + 2 * (k / 17 % 17)) * 33 + 2 * (k % 17);
        assert_eq!(height.to_bits(), fine.height[there].to_bits(), "{k}");
    }
}

/// Land in the terrain below becomes the initial continents.
#[test]
fn continents_start_where_there_is_land_below() {
    let control = Control::default();
    let cx = context(65, &control);
    let law = Plates { detail: 48, ..Plates::default() };
    let cells = SphereCells::new(48, &control).unwrap();
    let mut ground = Terrain::flat(cx.grid);
    let globe = Globe::new(65);
    for (k, height) in ground.height.iter_mut().enumerate() {
        *height = if globe.direction_of(k)[0] > 0.5 { 0.06 } else { -0.2 };
    }
    let state = start::first_state(&law, &cells, &ground, &cx).unwrap();
    for crust in state.plates.iter().flat_map(|plate| &plate.crust) {
        let x = cells.middle(crust.cell)[0];
        assert!(!crust.continental || x > 0.45, "{x}");
        if x > 0.55 {
            assert!(crust.continental && (crust.relief - 1.2).abs() < 1e-5, "{}", crust.relief);
        } else if x < 0.45 {
            assert!(!crust.continental && (crust.height() + 4.0).abs() < 1e-4, "{}", crust.height());
        }
    }
}

/// Scrubbing and branching start from snapshots; a cancelled step leaves the state untouched.
#[test]
fn snapshots_replay_and_cancelled_steps_change_nothing() {
    let control = Control::default();
    let cx = context(33, &control);
    let law = Plates { detail: 48, rifting: 30.0, ..Plates::default() };
    let ground = Terrain::flat(cx.grid);
    let mut run = law.start(&cx, ground.clone());
    (0..12).for_each(|_| run.step(&cx).unwrap());
    let mut again = run.snapshot();
    assert!(again.bytes() > again.terrain().bytes() + 6 * 48 * 48 * size_of::<CrustCell>() / 2);
    let (before, balance) = (run.terrain().clone(), run.mass_balance());
    let stopped = Control::default();
    stopped.cancel();
    assert!(run.step(&context(33, &stopped)).is_err());
    assert!(*run.terrain() == before && run.mass_balance() == balance);
    // Each run cancels the step after a different time.
    for micros in [100, 1000, 3000, 10_000] {
        let control = Control::default();
        let mut other = again.snapshot();
        let done = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(std::time::Duration::from_micros(micros));
                control.cancel();
            });
            other.step(&context(33, &control)).is_ok()
        });
        if !done {
            assert!(*other.terrain() == before);
            other.step(&cx).unwrap();
        }
        let mut whole = again.snapshot();
        whole.step(&cx).unwrap();
        assert!(other.terrain() == whole.terrain(), "{micros}");
    }
    for replay in [&mut run, &mut again] {
        (0..12).for_each(|_| replay.step(&cx).unwrap());
    }
    assert!(run.terrain() == again.terrain() && run.mass_balance() == again.mass_balance());
    // The mass balance records the gains and losses of the terrain.
    let balance = run.mass_balance();
    let change = cx.grid.sum(&run.terrain().height) - cx.grid.sum(&ground.height);
    assert!(
        (change - balance.ground_change()).abs() < 1e-6 * (balance.added + balance.eroded),
        "change of height {change}, balance {balance:?}"
    );
    assert_eq!(balance.residual(), 0.0);
}
