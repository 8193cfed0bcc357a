//! The programs in `examples/` run and print the expected results.

#[path = "../../../examples/heightmap.rs"]
mod heightmap;
#[path = "../../../examples/mass_balance.rs"]
mod mass_balance;
#[path = "../../../examples/own_node.rs"]
mod own_node;

#[test]
fn every_example_runs() {
    heightmap::main().unwrap();
    own_node::main().unwrap();
    mass_balance::main().unwrap();
}
