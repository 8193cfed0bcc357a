"""The package for macOS: an archive with the application. It runs on any system, but only macOS can sign it."""

import os
import plistlib
import shutil
import struct
import subprocess

from release import (
    DIST, ID, ROOT, TEXTS, THIRD_PARTY, VERSION, icon, put, require_tools, set_times, third_party_licences, write,
    zip_folder,
)

# Kinds of pictures in an icon file, and their sides in pixels; the second of a size is for displays with small pixels.
PICTURES = [
    ("icp4", 16), ("ic11", 32), ("icp5", 32), ("ic12", 64), ("ic07", 128), ("ic13", 256), ("ic08", 256), ("ic14", 512),
    ("ic09", 512), ("ic10", 1024),
]
SCENE_TYPE = "org.talweg.scene"


def icns():
    """An icon file of macOS: pictures as PNG, each with its kind and length."""
    drawn = {size: icon(size) for size in {size for _, size in PICTURES}}
    parts = [struct.pack(">4sI", kind.encode(), 8 + len(drawn[size])) + drawn[size] for kind, size in PICTURES]
    content = b"".join(parts)
    return struct.pack(">4sI", b"icns", 8 + len(content)) + content


def information():
    """Info.plist. Scenes are .ron files, and so are files of other programs: Talweg is one of the programs that open
    them, and not the first."""
    return plistlib.dumps({
        "CFBundleDevelopmentRegion": "en",
        "CFBundleDisplayName": "Talweg",
        "CFBundleExecutable": "talweg",
        "CFBundleIconFile": "Talweg",
        "CFBundleIdentifier": ID,
        "CFBundleInfoDictionaryVersion": "6.0",
        "CFBundleName": "Talweg",
        "CFBundlePackageType": "APPL",
        "CFBundleShortVersionString": VERSION,
        "CFBundleVersion": VERSION,
        "CFBundleDocumentTypes": [{
            "CFBundleTypeName": "Talweg scene",
            "CFBundleTypeRole": "Editor",
            "CFBundleTypeIconFile": "Talweg",
            "LSHandlerRank": "Alternate",
            "LSItemContentTypes": [SCENE_TYPE],
        }],
        "UTImportedTypeDeclarations": [{
            "UTTypeIdentifier": SCENE_TYPE,
            "UTTypeDescription": "Talweg scene",
            "UTTypeConformsTo": ["public.plain-text"],
            "UTTypeTagSpecification": {"public.filename-extension": ["ron"]},
        }],
        "LSApplicationCategoryType": "public.app-category.graphics-design",
        # the oldest version that Rust supports on ARM
        "LSMinimumSystemVersion": "11.0",
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "The Talweg developers",
    })


def pack(program, machine, work):
    require_tools("rsvg-convert")
    contents = work / "Talweg.app/Contents"
    put(program, contents / "MacOS/talweg", 0o755)
    write(contents / "Info.plist", information())
    write(contents / "PkgInfo", "APPL????")
    write(contents / "Resources/Talweg.icns", icns())
    for name in TEXTS:
        put(ROOT / name, contents / "Resources" / name)
    write(contents / "Resources" / THIRD_PARTY, third_party_licences())
    if shutil.which("codesign"):
        # without an identity, the signature only shows that the files are unchanged
        identity = os.environ.get("TALWEG_SIGN_IDENTITY", "-")
        options = [] if identity == "-" else ["--options", "runtime", "--timestamp"]
        subprocess.run(["codesign", "--force", "--sign", identity, *options, contents.parent], check=True)
    else:
        print("talweg: the application is not signed, because this computer has no codesign")
    set_times(contents.parent)
    zipped = DIST / f"talweg-{VERSION}-macos-{machine}.zip"
    zip_folder(contents.parent, zipped)
    return [zipped]
