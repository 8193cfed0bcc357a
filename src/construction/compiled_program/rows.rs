//! Evaluates rows of up to [`LANES`] points for grids.
//!
//! Every sample equals [`Program::sample_in`] at its point, bit for bit. A row is faster because it decides once which
//! pieces and octaves count and shares the lattice cells; the rest is arithmetic on arrays.

use super::{NodeCopies, NodeFrame, NodeSelection, Operator, PreparedPrimitive, Program, ProgramNode};
use crate::geometry::plane::{Area, higher, lower};
use crate::materials::MaterialLayer;
use crate::operators::copies::{self, Overlap};
use crate::operators::deposit::Deposit;
use crate::operators::ground_window::GroundWindow;
use crate::operators::replace::{self, Replacement};
use crate::row_samples::{LANES, PointRow, RowSamples};
use crate::sample::Detail;

/// Sums of a blend, one per lane.
struct BlendSumRow {
    weight: [f64; LANES],
    moment: [f64; LANES],
    count: [u32; LANES],
    only: RowSamples,
}

impl BlendSumRow {
    const NOTHING: Self =
        Self { weight: [0.0; LANES], moment: [0.0; LANES], count: [0; LANES], only: RowSamples::NOTHING };

    /// Adds `samples`, scaled by the fraction `share`, in the lanes `from..to`.
    fn add(&mut self, samples: &RowSamples, share: f64, (from, to): (usize, usize)) {
        let part = from..to;
        let only = (&mut self.only.height[part.clone()], &mut self.only.weight[part.clone()]);
        let sums = (&mut self.weight[part.clone()], &mut self.moment[part.clone()], &mut self.count[part]);
        add_samples((&samples.height[..to - from], &samples.weight[..to - from]), share, sums, only);
    }

    fn sample(&self, n: usize, out: &mut RowSamples) {
        mean_samples(self, &mut out.height[..n], &mut out.weight[..n]);
    }
}

/// Adds heights and weights to the sums, moments and counts. Also stores the first sample with weight unchanged, for
/// lanes where no other follows.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn add_samples(
    (height, weight): (&[f64], &[f64]),
    share: f64,
    (sum, moment, count): (&mut [f64], &mut [f64], &mut [u32]),
    (only_height, only_weight): (&mut [f64], &mut [f64]),
) {
    let only = only_height.iter_mut().zip(only_weight);
    let sums = sum.iter_mut().zip(moment).zip(count);
    for (((&height, &weight), (only_height, only_weight)), ((sum, moment), count)) in
        height.iter().zip(weight).zip(only).zip(sums)
    {
        let w = weight * share;
        let there = w > 0.0;
        let first = there & (*count == 0);
        *only_height = if first { height } else { *only_height };
        *only_weight = if first { w } else { *only_weight };
        *count += u32::from(there);
        *sum += if there { w } else { 0.0 };
        *moment += if there { w * height } else { 0.0 };
    }
}

/// Height and weight of each lane's blend. A lane with one sample takes it unchanged.
#[multiversion::multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx2", "x86_64+avx2"))]
fn mean_samples(sums: &BlendSumRow, heights: &mut [f64], weights: &mut [f64]) {
    let only = sums.only.height.iter().zip(&sums.only.weight);
    let sums = sums.weight.iter().zip(&sums.moment).zip(&sums.count);
    for (((height, weight), (&only_height, &only_weight)), ((&sum, &moment), &count)) in
        heights.iter_mut().zip(weights).zip(only).zip(sums)
    {
        let mean = moment * (1.0 / sum);
        *height = if count > 1 { mean } else { only_height };
        *weight = if count > 1 { sum } else { only_weight };
    }
}

impl Program {
    /// Samples of a material layer along a row of up to [`LANES`] points, without gradients. `selection` must hold
    /// every piece that has weight there.
    pub fn row_in(
        &self,
        selection: &NodeSelection,
        material: MaterialLayer,
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        out.weight[..row.len()].fill(0.0);
        if let Some(root) = self.roots[material as usize] {
            self.child_row(selection, root, row, detail, out);
        }
    }

    /// Heights of the ground including sand and snow, along a row of up to [`LANES`] points; they equal
    /// [`surface_with_sand_and_snow_in`](Self::surface_with_sand_and_snow_in).
    pub fn covered_row(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, out: &mut [f64]) {
        let mut lanes = RowSamples::NOTHING;
        self.row_in(selection, MaterialLayer::Terrain, row, detail, &mut lanes);
        for (k, height) in out.iter_mut().enumerate().take(row.len()) {
            *height = lanes.sample(k).surface(self.ground).0;
        }
        for material in MaterialLayer::LYING.into_iter().filter(|material| self.has(*material)) {
            self.row_in(selection, material, row, detail, &mut lanes);
            for (k, height) in out.iter_mut().enumerate().take(row.len()) {
                *height += higher(lanes.sample(k).surface(0.0).0, 0.0);
            }
        }
    }

    /// Heights of the water surface along a row; `dry` where there is no water.
    pub fn water_row(&self, selection: &NodeSelection, row: PointRow, detail: &Detail, dry: f64, out: &mut [f64]) {
        let mut lanes = RowSamples::NOTHING;
        self.row_in(selection, MaterialLayer::Water, row, detail, &mut lanes);
        for (k, height) in out.iter_mut().enumerate().take(row.len()) {
            *height = lanes.sample(k).surface(dry).0;
        }
    }

    /// Samples of a node along a row; weight 0 outside its bounding box.
    pub(crate) fn child_row(
        &self,
        selection: &NodeSelection,
        id: u32,
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        out.weight[..row.len()].fill(0.0);
        let Some(span) = row.span(&self.nodes[id as usize].area) else { return };
        if span == (0, row.len()) {
            self.row(selection, id, row, detail, out);
            return;
        }
        let mut part = RowSamples::NOTHING;
        self.row(selection, id, row.part(span), detail, &mut part);
        let n = span.1 - span.0;
        out.height[span.0..span.1].copy_from_slice(&part.height[..n]);
        out.weight[span.0..span.1].copy_from_slice(&part.weight[..n]);
    }

    /// Adds a child to the sums of a blend.
    fn sum_row(
        &self,
        selection: &NodeSelection,
        child: u32,
        share: f64,
        row: PointRow,
        detail: &Detail,
        sums: &mut BlendSumRow,
    ) {
        if let Some(span) = row.span(&self.nodes[child as usize].area) {
            let mut samples = RowSamples::NOTHING;
            self.row(selection, child, row.part(span), detail, &mut samples);
            sums.add(&samples, share, span);
        }
    }

    /// Samples of a node at points inside or around its bounding box; weight 0 outside it.
    fn row(&self, selection: &NodeSelection, id: u32, row: PointRow, detail: &Detail, out: &mut RowSamples) {
        let node = &self.nodes[id as usize];
        let n = row.len();
        match &node.operator {
            Operator::Leaf { leaf, frame, .. } => leaf_row(leaf, frame, row, detail, out),
            Operator::Blend => {
                let mut sums = BlendSumRow::NOTHING;
                for child in selection.children(node) {
                    self.sum_row(selection, *child, 1.0, row, detail, &mut sums);
                }
                sums.sample(n, out);
            }
            Operator::Detail(settings) => {
                let share = settings.share(detail.level);
                let mut sums = BlendSumRow::NOTHING;
                for child in selection.children(node) {
                    let share = node.child_fraction(*child, share);
                    if share > 0.0 {
                        self.sum_row(selection, *child, share, row, detail, &mut sums);
                    }
                }
                sums.sample(n, out);
            }
            Operator::Warp { warp, frame } => {
                let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
                for k in 0..n {
                    [xs[k], ys[k]] = frame.inward.apply(row.point(k));
                }
                warp.displace_row(&mut xs[..n], &mut ys[..n]);
                let (inner, detail) = (PointRow { xs: &xs[..n], ys: &ys[..n] }, frame.detail(detail));
                let mut sums = BlendSumRow::NOTHING;
                for child in selection.children(node) {
                    self.sum_row(selection, *child, 1.0, inner, &detail, &mut sums);
                }
                sums.sample(n, out);
            }
            Operator::Replace(Replacement { extent, window }) => {
                let children = selection.children(node);
                self.first_row(selection, children, row, detail, out);
                let ground = (!window.is_open()).then_some(*out);
                let mut shares: Option<[f64; LANES]> = None;
                for child in children.iter().skip(1) {
                    let Some(span) = row.span(&self.nodes[*child as usize].area) else { continue };
                    let mut above = RowSamples::NOTHING;
                    self.row(selection, *child, row.part(span), detail, &mut above);
                    if let Some(ground) = &ground
                        && above.span(span.1 - span.0).is_some()
                    {
                        let shares = shares
                            .get_or_insert_with(|| self.share_row(selection, children, window, row, detail, ground));
                        for (weight, share) in above.weight.iter_mut().zip(&shares[span.0..span.1]) {
                            *weight = lower(*weight, 1.0) * share;
                        }
                    }
                    for k in span.0..span.1 {
                        let (height, weight) = (above.height[k - span.0], above.weight[k - span.0]);
                        if weight > 0.0 {
                            (out.height[k], out.weight[k]) =
                                replace::heights((out.height[k], out.weight[k]), (height, weight), *extent);
                        }
                    }
                }
            }
            Operator::Gullies { gullies, frame } => {
                self.gullies_row(selection, node, (gullies, frame), row, detail, out)
            }
            Operator::Repeat(repeated) => self.repeat_row(selection, node, repeated, row, detail, out),
            Operator::Add(deposit) => self.add_row(selection, selection.children(node), deposit, row, detail, out),
        }
        let is_turned = match &node.operator {
            Operator::Leaf { frame, .. } | Operator::Gullies { frame, .. } => !frame.is_plain,
            Operator::Warp { .. } => true,
            _ => false,
        };
        if is_turned {
            // other nodes know only the bounding box, and rounding can give weight just outside it
            for k in 0..n {
                if !node.area.contains(row.point(k)) {
                    out.weight[k] = 0.0;
                }
            }
        }
    }

    fn repeat_row(
        &self,
        selection: &NodeSelection,
        node: &ProgramNode,
        repeated: &NodeCopies,
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        let n = row.len();
        let around = Area::enclosing((0..n).map(|k| row.point(k)));
        let mut sums = BlendSumRow::NOTHING;
        out.weight[..n].fill(0.0);
        let mut room = Vec::new();
        for &k in self.copies_in(selection, node, |area| area.meets(&around), &mut room) {
            let copy = &repeated.copies[k as usize];
            let Some(span) = row.span(&copy.area) else { continue };
            let (part, frame) = (row.part(span), &copy.frame);
            let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
            for k in 0..part.len() {
                let q = frame.inward.apply(part.point(k));
                (xs[k], ys[k]) = (q[0], q[1]);
            }
            let inner = PointRow { xs: &xs[..part.len()], ys: &ys[..part.len()] };
            let mut own = RowSamples::NOTHING;
            self.child_row(selection, node.children[copy.child as usize], inner, &frame.detail(detail), &mut own);
            for k in 0..part.len() {
                own.height[k] = own.height[k] * frame.rise + frame.lift;
                if !copy.area.contains(part.point(k)) {
                    own.weight[k] = 0.0;
                }
            }
            match repeated.overlap {
                Overlap::Blend => sums.add(&own, 1.0, span),
                Overlap::Replace => {
                    for k in (span.0..span.1).filter(|k| own.weight[k - span.0] > 0.0) {
                        let above = (own.height[k - span.0], own.weight[k - span.0]);
                        (out.height[k], out.weight[k]) = copies::heights((out.height[k], out.weight[k]), above);
                    }
                }
            }
        }
        if repeated.overlap == Overlap::Blend {
            sums.sample(n, out);
        }
    }

    fn first_row(
        &self,
        selection: &NodeSelection,
        children: &[u32],
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        match children.first() {
            Some(child) => self.child_row(selection, *child, row, detail, out),
            None => out.weight[..row.len()].fill(0.0),
        }
        for k in 0..row.len() {
            // without weight the height is undefined: set it to 0
            if out.weight[k] <= 0.0 {
                (out.height[k], out.weight[k]) = (0.0, 0.0);
            }
        }
    }

    fn add_row(
        &self,
        selection: &NodeSelection,
        children: &[u32],
        deposit: &Deposit,
        row: PointRow,
        detail: &Detail,
        out: &mut RowSamples,
    ) {
        let n = row.len();
        self.first_row(selection, children, row, detail, out);
        let ground = *out;
        for k in 0..n {
            let sunk = deposit.ground(&ground.sample(k));
            out.set(k, &sunk);
        }
        let mut shares: Option<[f64; LANES]> = None;
        for child in children.iter().skip(1) {
            let mut laid = RowSamples::NOTHING;
            self.child_row(selection, *child, row, detail, &mut laid);
            let Some((from, to)) = laid.span(n) else { continue };
            let shares = shares
                .get_or_insert_with(|| self.share_row(selection, children, &deposit.window, row, detail, &ground));
            for (k, &share) in shares.iter().enumerate().take(to).skip(from) {
                if laid.weight[k] > 0.0 {
                    let sample = deposit.sample(&out.sample(k), &laid.sample(k), (share, [0.0; 2]));
                    out.set(k, &sample);
                }
            }
        }
    }

    /// Fractions by which a ground window acts along a row; `ground` holds the samples of the ground there.
    fn share_row(
        &self,
        selection: &NodeSelection,
        children: &[u32],
        window: &GroundWindow,
        row: PointRow,
        detail: &Detail,
        ground: &RowSamples,
    ) -> [f64; LANES] {
        let n = row.len();
        let surface = |lanes: &RowSamples, k: usize| lanes.sample(k).surface(self.ground).0;
        let mut shares = [1.0; LANES];
        if window.slope.is_none() {
            for (k, share) in shares[..n].iter_mut().enumerate() {
                *share = window.share_of_heights(surface(ground, k), [0.0; 4]);
            }
            return shares;
        }
        // the slope matters only where the height lets the operator act
        let (mut there, mut count) = ([0; LANES], 0);
        for (k, share) in shares[..n].iter_mut().enumerate() {
            *share = window.share_by_height(surface(ground, k));
            if *share > 0.0 {
                (there[count], count) = (k, count + 1);
            }
        }
        let e = window.base;
        let mut around = [RowSamples::NOTHING; 4];
        for (lanes, step) in around.iter_mut().zip([[e, 0.0], [-e, 0.0], [0.0, e], [0.0, -e]]) {
            if count == 0 {
                break;
            }
            let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
            for (place, &k) in there[..count].iter().enumerate() {
                (xs[place], ys[place]) = (row.xs[k] + step[0], row.ys[k] + step[1]);
            }
            let row = PointRow { xs: &xs[..count], ys: &ys[..count] };
            self.first_row(selection, children, row, detail, lanes);
        }
        for (place, &k) in there[..count].iter().enumerate() {
            let heights = [0, 1, 2, 3].map(|side: usize| surface(&around[side], place));
            shares[k] = window.share_of_heights(surface(ground, k), heights);
        }
        shares
    }
}

fn leaf_row(leaf: &PreparedPrimitive, frame: &NodeFrame, row: PointRow, detail: &Detail, out: &mut RowSamples) {
    let n = row.len();
    if frame.is_plain {
        own_row(leaf, row, detail, out);
        return;
    }
    let (mut xs, mut ys) = ([0.0; LANES], [0.0; LANES]);
    for k in 0..n {
        let q = frame.inward.apply(row.point(k));
        (xs[k], ys[k]) = (q[0], q[1]);
    }
    own_row(leaf, PointRow { xs: &xs[..n], ys: &ys[..n] }, &frame.detail(detail), out);
    for height in &mut out.height[..n] {
        *height = *height * frame.rise + frame.lift;
    }
}

fn own_row(leaf: &PreparedPrimitive, row: PointRow, detail: &Detail, out: &mut RowSamples) {
    match leaf {
        PreparedPrimitive::Disc(disc) => disc.row(row, detail, out),
        _ => {
            for k in 0..row.len() {
                out.set(k, &leaf.sample::<false>(row.point(k), detail));
            }
        }
    }
}
