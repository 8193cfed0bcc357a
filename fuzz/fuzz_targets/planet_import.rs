#![no_main]
talweg_fuzz::fuzz_target!("planet_import");
