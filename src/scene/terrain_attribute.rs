//! Terrain attributes: maps that every terrain has, because they follow from its heights.

use crate::planet::World;

crate::choices! {
    /// A map that follows from the heights of a terrain.
    TerrainAttribute {
        Slope "Slope": "Slope of the ground, from 0° to 90°.",
        Aspect "Aspect": "Direction that the slope faces, clockwise from north: 0° is north, 90° is east. Level ground has the value -1.",
        MeanCurvature "Curvature": "Mean curvature: above 0 on crests, below 0 in valleys.",
        ProfileCurvature "Profile curvature": "Curvature along the steepest descent: above 0 where the slope steepens downhill, below 0 where it flattens.",
        PlanCurvature "Plan curvature": "Curvature of the contour line: above 0 on spurs, where water spreads, below 0 in hollows, where it gathers.",
        TangentialCurvature "Tangential curvature": "Curvature across the slope: as the plan curvature, but small on gentle slopes.",
        DrainageArea "Drainage area": "Area that drains through each cell, including the cell itself, weighted by the rain map if there is one.",
        Wetness "Wetness index": "Topographic wetness index ln(a / tan slope): high where a large area drains to gentle ground.",
        SkyView "Ambient occlusion": "Visible fraction of the sky, from 0 to 1.",
        DaySunshine "Sunshine of the day": "Hours of direct sunlight under a clear sky on the scene's day of the year, at its latitude.",
        YearSunshine "Sunshine of the year": "Mean hours of direct sunlight per day over the year under a clear sky, at the scene's latitude.",
    }
}

/// The samples that determine the value of a [`TerrainAttribute`] at a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeReach {
    /// The sample and its eight neighbours.
    Neighbours,
    /// The whole drainage basin of the sample.
    Drainage,
    /// Samples at any distance that can hide the sky or the sun.
    Horizon,
}

impl TerrainAttribute {
    /// Name of the attribute on the command line and in file names.
    pub fn id(self) -> &'static str {
        match self {
            Self::Slope => "slope",
            Self::Aspect => "aspect",
            Self::MeanCurvature => "curvature",
            Self::ProfileCurvature => "profile-curvature",
            Self::PlanCurvature => "plan-curvature",
            Self::TangentialCurvature => "tangential-curvature",
            Self::DrainageArea => "drainage",
            Self::Wetness => "wetness",
            Self::SkyView => "occlusion",
            Self::DaySunshine => "sunshine-day",
            Self::YearSunshine => "sunshine-year",
        }
    }

    /// Unit of the values; empty if they have none.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Slope | Self::Aspect => "°",
            Self::MeanCurvature | Self::ProfileCurvature | Self::PlanCurvature | Self::TangentialCurvature => "1/m",
            Self::DrainageArea => "m²",
            Self::Wetness | Self::SkyView => "",
            Self::DaySunshine | Self::YearSunshine => "h",
        }
    }

    /// Unit in masks and in the window, and the number of these units in a unit of the values. Curvatures are in 1/km
    /// and drainage areas in km²; all others keep their unit.
    pub fn shown_unit(self) -> (&'static str, f32) {
        match self.unit() {
            "1/m" => ("1/km", 1000.0),
            "m²" => ("km²", 1.0e-6),
            unit => (unit, 1.0),
        }
    }

    /// Lowest and highest possible value; `None` if they depend on the terrain.
    pub fn limits(self) -> Option<(f32, f32)> {
        match self {
            Self::Slope => Some((0.0, 90.0)),
            Self::Aspect => Some((-1.0, 360.0)),
            Self::SkyView => Some((0.0, 1.0)),
            Self::DaySunshine | Self::YearSunshine => Some((0.0, 24.0)),
            _ => None,
        }
    }

    /// The samples that determine a value.
    pub fn reach(self) -> AttributeReach {
        match self {
            Self::DrainageArea | Self::Wetness => AttributeReach::Drainage,
            Self::SkyView | Self::DaySunshine | Self::YearSunshine => AttributeReach::Horizon,
            _ => AttributeReach::Neighbours,
        }
    }

    /// Whether the attribute exists in a world. Sunshine exists on square terrain only.
    pub fn fits(self, world: World) -> bool {
        world == World::Terrain || !matches!(self, Self::DaySunshine | Self::YearSunshine)
    }
}
