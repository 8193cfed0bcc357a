//! The texts about the program itself: help and licences.

use predicates::prelude::*;
use predicates::str::contains;

use super::talweg;

#[test]
fn help_is_short_and_shows_examples() {
    talweg(&["--help"]).success().stdout(contains("render").and(contains("Examples:")).and(contains("Exit codes")));
    let simple = "shot timelapse measure bench sheet nodes check verify batch watch diff serve";
    for command in simple.split(' ').chain(["render", "export", "completions", "man"]) {
        let help = talweg(&[command, "--help"]).success();
        let text = String::from_utf8(help.get_output().stdout.clone()).unwrap();
        // the help of these commands also explains a camera or the layouts of planets
        let most = match command {
            // this command covers all formats and target programs, so its help is longer
            "export" => 180,
            "render" => 138,
            "shot" => 76,
            // the help lists all measures
            "measure" => 80,
            _ => 70,
        };
        assert!(text.lines().count() < most, "{command}: {} lines", text.lines().count());
    }
    talweg(&["--version"]).success().stdout(contains("talweg 0"));
    talweg(&["nonsense", "more"]).code(2);
}

#[test]
fn licences_lists_the_packages_inside() {
    talweg(&["licences"]).success().stdout(contains("serde 1").and(contains("Permission is hereby granted")));
}
