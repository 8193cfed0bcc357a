#![no_main]
talweg_fuzz::fuzz_target!("packed_raster");
