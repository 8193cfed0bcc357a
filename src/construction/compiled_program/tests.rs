//! Tests that the samples of every node are within its bounds, and that pruning changes no bit.

use super::*;
use crate::construction_kit;
use crate::operators::gullies::GullyNode;
use crate::operators::warp::WarpNode;

/// Checks the children before the node, so that an error names the deepest node whose samples exceed its bounds.
fn check(program: &Program, id: u32, capsule: &Capsule, detail: &Detail) -> Result<(), String> {
    let all = &program.whole_selection;
    let node = &program.nodes[id as usize];
    let (inner, inner_detail) = match &node.operator {
        Operator::Warp(WarpNode { warp, frame }) => {
            (warp.displaced(&frame.inward.map_capsule(capsule)).0, frame.detail(detail))
        }
        Operator::Gullies(GullyNode { frame, .. }) => (frame.inward.map_capsule(capsule), frame.detail(detail)),
        _ => (*capsule, *detail),
    };
    for child in &node.children {
        check(program, *child, &inner, &inner_detail)?;
    }
    let bounds = program.view(all, id).bounds(capsule, detail);
    let kind: String = format!("{:?}", node.operator).chars().take(300).collect();
    let mut places = Vec::new();
    for k in 0..40 {
        let along = scaled(sub(capsule.to, capsule.from), f64::from(k) / 39.0);
        let angle = f64::from(k) * 2.4;
        let off = capsule.pad * f64::from(k % 7) / 6.0;
        places.push(add(add(capsule.from, along), [off * libm::cos(angle), off * libm::sin(angle)]));
    }
    for p in places {
        let sample = if node.area.contains(p) {
            program.view(all, id).sample::<true>(p, detail)
        } else {
            GroundSample::default()
        };
        let slope = length(sample.slope);
        let room = 1.0 + 1e-6;
        let fail = |what: &str| Err(format!("{what} at {p:?}: {sample:?}\n{bounds:?}\n{kind}"));
        if sample.weight < bounds.weight.low - 1e-9 || sample.weight > bounds.weight.high + 1e-9 {
            return fail("weight");
        }
        if sample.weight <= 0.0 {
            continue;
        }
        if sample.height < bounds.height.low - 1e-6 || sample.height > bounds.height.high + 1e-6 {
            return fail("height");
        }
        if slope > bounds.slope * room + 1e-9 {
            return fail("slope");
        }
        if sample.weight * slope > bounds.weighted_slope * room + 1e-9 {
            return fail("laid");
        }
        if length(sample.weight_gradient) > bounds.weight_gradient * room + 1e-12 {
            return fail("fade");
        }
    }
    Ok(())
}

/// Short segments are the hardest test: over them, the bounds are only slightly wider than the range of the samples.
#[test]
fn every_node_keeps_its_bounds_over_short_distances() {
    for seed in (0..40).chain([5_511_629_162_089_520_670]) {
        let program = Program::new(&construction_kit::tree(seed), seed as u32);
        let mut dice = construction_kit::Dice::new(seed ^ 99);
        for k in 0..if cfg!(debug_assertions) { 40 } else { 120 } {
            let from = [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0)];
            let to = add(from, [dice.uniform(-12.0, 12.0), dice.uniform(-12.0, 12.0)]);
            let detail = [Detail::FULL, Detail::every(30.0), Detail { level: 0.4, spacing: 0.0 }][k % 3];
            if let Some(root) = program.roots[0]
                && let Err(error) = check(&program, root, &Capsule { from, to, pad: 0.0 }, &detail)
            {
                panic!("tree {seed}: {error}");
            }
        }
    }
}

#[test]
fn every_node_keeps_its_own_bounds() {
    for seed in 0..40 {
        let program = Program::new(&construction_kit::tree(seed), 3);
        let mut dice = construction_kit::Dice::new(seed + 500);
        for k in 0..12 {
            let from = [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0)];
            let reach = 3000.0 * dice.unit() * dice.unit();
            let to = add(from, [dice.uniform(-reach, reach), dice.uniform(-reach, reach)]);
            let pad = if k % 3 == 0 { 0.3 * reach } else { 0.0 };
            let detail = [Detail::FULL, Detail::every(30.0), Detail { level: 0.4, spacing: 0.0 }][k % 3];
            if let Some(root) = program.roots[0]
                && let Err(error) = check(&program, root, &Capsule { from, to, pad }, &detail)
            {
                panic!("tree {seed}: {error}");
            }
        }
    }
}

/// Checks that every node returns the same sample at `p` whether a tile's selection or all nodes are evaluated.
fn compare(program: &Program, tile: &NodeSelection, all: &NodeSelection, id: u32, p: Point) -> Result<(), String> {
    let node = &program.nodes[id as usize];
    let q = match &node.operator {
        Operator::Warp(WarpNode { warp, frame }) => warp.displace::<true>(frame.inward.apply(p)).0,
        Operator::Gullies(GullyNode { frame, .. }) => frame.inward.apply(p),
        _ => p,
    };
    for child in tile.children(&program.nodes[id as usize]) {
        compare(program, tile, all, *child, q)?;
    }
    if !node.area.contains(p) {
        return Ok(());
    }
    let [a, b] = [tile, all].map(|selection| program.view(selection, id).sample::<true>(p, &Detail::FULL));
    let kind: String = format!("{:?}", node.operator).chars().take(300).collect();
    if a == b {
        Ok(())
    } else {
        Err(format!(
            "{a:?}\n{b:?}\n{:?} of {:?}\n{kind}",
            tile.children(&program.nodes[id as usize]),
            all.children(&program.nodes[id as usize])
        ))
    }
}

#[test]
fn a_tile_selects_every_node_it_needs() {
    for seed in 0..40 {
        let program = Program::new(&construction_kit::tree(seed), 3);
        let mut dice = construction_kit::Dice::new(seed + 900);
        for _ in 0..8 {
            let low = [dice.uniform(0.0, 8000.0), dice.uniform(0.0, 8000.0)];
            let tile = program.selection(&Area { low, high: add(low, [250.0, 250.0]) });
            for _ in 0..10 {
                let p = add(low, [dice.uniform(0.0, 250.0), dice.uniform(0.0, 250.0)]);
                if let Some(root) = program.roots[0]
                    && let Err(error) = compare(&program, &tile, &program.whole_selection, root, p)
                {
                    panic!("tree {seed}: {error}");
                }
            }
        }
    }
}
