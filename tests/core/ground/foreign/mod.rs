//! Rasters from other programs: cases that once failed, and a comparison of several hundred files with GDAL's reading.

mod cases;
mod gdal;
