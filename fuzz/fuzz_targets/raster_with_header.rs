#![no_main]
talweg_fuzz::fuzz_target!("raster_with_header");
