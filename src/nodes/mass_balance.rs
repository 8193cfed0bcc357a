//! The mass balance of a process.

/// The material moved so far: sums of heights over all distinct samples, as fractions of the relief.
///
/// Two balances hold for every process, up to rounding. The first: the gains and losses of the terrain add up to its
/// change of height, Σ h - Σ h₀ = `added` + `deposited` - `eroded` + `resampled`, with h₀ the heights at the start. The
/// second: no material vanishes, [`residual`](Self::residual) = 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MassBalance {
    /// Material removed from the terrain.
    pub eroded: f64,
    /// Material deposited again.
    pub deposited: f64,
    /// Material still in transport, in water or air.
    pub carried: f64,
    /// Material carried over an open edge, or dissolved for good.
    pub lost: f64,
    /// Material brought in from outside: uplift, snow, sand.
    pub added: f64,
    /// Material that the terrain gained through interpolation from coarser grids. The interpolation preserves heights
    /// but not their sum.
    pub resampled: f64,
    /// Material in transport gained through the same interpolation from coarser grids.
    pub resampled_carried: f64,
}

impl MassBalance {
    /// The material that the balance cannot account for; 0 up to rounding.
    pub fn residual(&self) -> f64 {
        self.eroded - self.deposited - self.carried - self.lost + self.resampled_carried
    }

    /// The net gain of the terrain, as a sum of heights.
    pub fn ground_change(&self) -> f64 {
        self.added + self.deposited - self.eroded + self.resampled
    }
}

impl std::ops::AddAssign for MassBalance {
    /// Adds the mass balance of a later period.
    fn add_assign(&mut self, later: Self) {
        self.eroded += later.eroded;
        self.deposited += later.deposited;
        self.carried += later.carried;
        self.lost += later.lost;
        self.added += later.added;
        self.resampled += later.resampled;
        self.resampled_carried += later.resampled_carried;
    }
}

impl std::ops::Mul<f64> for MassBalance {
    type Output = Self;

    /// The balance scaled to `samples` times as many samples.
    fn mul(self, samples: f64) -> Self {
        Self {
            eroded: self.eroded * samples,
            deposited: self.deposited * samples,
            carried: self.carried * samples,
            lost: self.lost * samples,
            added: self.added * samples,
            resampled: self.resampled * samples,
            resampled_carried: self.resampled_carried * samples,
        }
    }
}
