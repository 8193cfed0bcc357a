cask "talweg" do
  arch arm: "aarch64", intel: "x86_64"

  version "@VERSION@"
  sha256 arm:   "@SHA256_MACOS_AARCH64@",
         intel: "@SHA256_MACOS_X86_64@"

  url "@URL@/talweg-#{version}-macos-#{arch}.zip"
  name "Talweg"
  desc "@SUMMARY@"
  homepage "@HOMEPAGE@"

  depends_on macos: ">= :big_sur"

  app "Talweg.app"
  binary "#{appdir}/Talweg.app/Contents/MacOS/talweg"
end
