//! Puts the icon, the version and the manifest into the program for Windows.

use std::path::Path;

fn main() {
    const PACKAGES: &str = "../../tools/packages";
    println!("cargo::rerun-if-changed={PACKAGES}");
    if std::env::var_os("CARGO_CFG_WINDOWS").is_none() {
        return;
    }
    let mut resource = winresource::WindowsResource::new();
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    resource
        .set("ProductName", "Talweg")
        .set("FileDescription", "Talweg, a 3D terrain editor")
        .set("OriginalFilename", "talweg.exe")
        .set("LegalCopyright", "The Talweg developers, MIT or Apache-2.0")
        .set("FileVersion", &version)
        .set("ProductVersion", &version)
        .set_icon(&Path::new(PACKAGES).join("talweg.ico").to_string_lossy())
        .set_manifest_file(&Path::new(PACKAGES).join("talweg.exe.manifest").to_string_lossy());
    // Without a resource compiler, as when another system only checks the code, the program works without an icon.
    if let Err(error) = resource.compile() {
        println!("cargo::warning=talweg.exe gets no icon and no version: {error}");
    }
}
