#![no_main]
talweg_fuzz::fuzz_target!("mesh_from_above");
