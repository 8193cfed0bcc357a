#![no_main]
talweg_fuzz::fuzz_target!("tile");
