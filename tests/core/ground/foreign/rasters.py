"""Writes rasters of many kinds with rasterio, tifffile, OpenEXR and Pillow, and describes how GDAL reads each of them.

The first argument is a folder. For each file, the folder receives the values and the mask as GDAL reads them, and
`list.json` receives the size, position and unit.
"""

import itertools
import json
import os
import sys

import numpy as np
import OpenEXR
import rasterio
import rasterio.shutil
import tifffile
from PIL import Image, PngImagePlugin
from rasterio.control import GroundControlPoint
from rasterio.enums import ColorInterp
from rasterio.transform import Affine

folder = sys.argv[1]
ROWS, COLUMNS = 30, 40
row, column = np.mgrid[0:ROWS, 0:COLUMNS]
law = 100 + 3 * row + column  # less than 256, so that it fits in 8 bits
described = []


def at(name):
    return os.path.join(folder, name)


def describe(name, values=None, mask=None):
    """Records how GDAL reads a file. The caller gives `values` for formats that this build of GDAL cannot read."""
    about = {"file": name, "place": None, "unit": 1.0, "colour": False}
    if values is None:
        with rasterio.open(at(name)) as read:
            colour = read.count >= 3 and read.colorinterp[0] == ColorInterp.red
            values = read.read(1).astype("float64")
            if colour:
                weights = (0.2126, 0.7152, 0.0722)
                values = sum(w * read.read(k + 1).astype("float64") for k, w in enumerate(weights))
            mask = read.read_masks(1) > 0
            if read.nodata is not None and read.dtypes[0].startswith("float"):
                mask &= ~np.isnan(values)
            values = values * read.scales[0] + read.offsets[0]
            t = read.transform
            if t != Affine.identity() or name.startswith("identity"):
                about["place"] = None if t == Affine.identity() else list(t)[:6]
            crs = read.crs
            about["geographic"] = bool(crs and crs.is_geographic)
            about["map_unit"] = float(crs.linear_units_factor[1]) if crs and crs.is_projected else 1.0
            if about["geographic"]:
                about["map_unit"] = float(np.degrees(crs.units_factor[1]))  # degrees, also for a system in grads
            names = {"ft": 0.3048, "us-ft": 1200 / 3937, "cm": 0.01, "km": 1000.0, "US survey foot": 1200 / 3937, "foot": 0.3048}
            about["unit"] = names.get(read.units[0] or "", 1.0)
    values = np.asarray(values, dtype="<f8")
    mask = np.isfinite(values) if mask is None else mask & np.isfinite(values)
    about["rows"], about["columns"] = values.shape
    values.tofile(at(name + ".values"))
    mask.astype("u1").tofile(at(name + ".known"))
    described.append(about)


UTM = dict(crs="EPSG:32632", transform=Affine(30, 0, 5e5, 0, -30, 5.1e6))
INTEGERS = ["uint8", "uint16", "int16", "uint32", "int32"]
TYPES = INTEGERS + ["float32", "float64", "int8", "uint64", "int64"]


def tiff(name, data, place=UTM, bands=1, describe_it=True, **more):
    data = np.asarray(data)
    with rasterio.open(at(name), "w", driver="GTiff", width=COLUMNS, height=ROWS, count=bands, dtype=str(data.dtype), **place, **more) as out:
        for band in range(bands):
            out.write(data, band + 1)
    if describe_it:
        describe(name)


# Types, compressions and layouts
for kind, packing, tiled in itertools.product(TYPES, [None, "lzw", "deflate", "zstd", "packbits"], [False, True]):
    predictors = [1]
    if packing in ("lzw", "deflate", "zstd"):
        predictors = [1, 3] if kind.startswith("float") else [1, 2]
    for predictor in predictors[-1:] if tiled else predictors:
        more = dict(compress=packing, predictor=predictor) if packing else {}
        if tiled:
            more |= dict(tiled=True, blockxsize=16, blockysize=16)
        tiff(f"type-{kind}-{packing}-{'tile' if tiled else 'strip'}-{predictor}.tif", law.astype(kind), **more)
tiff("big.tif", law.astype("float32"), BIGTIFF="YES")
tiff("big-endian.tif", law.astype("float32"), ENDIANNESS="BIG")
tiff("lerc.tif", law.astype("float32"), compress="lerc")
tiff("lerc-deflate.tif", law.astype("float32"), compress="lerc_deflate")

# Positions
turn = Affine.rotation(20)
places = {
    "north": UTM,
    "south": dict(crs="EPSG:32632", transform=Affine(30, 0, 5e5, 0, 30, 5.1e6)),
    "west": dict(crs="EPSG:32632", transform=Affine(-30, 0, 5e5, 0, -30, 5.1e6)),
    "oblong": dict(crs="EPSG:32632", transform=Affine(30, 0, 5e5, 0, -20, 5.1e6)),
    "turned": dict(crs="EPSG:32632", transform=Affine(30, 0, 5e5, 0, -30, 5.1e6) * turn),
    "sheared": dict(crs="EPSG:32632", transform=Affine(30, 10, 5e5, 0, -30, 5.1e6)),
    "degrees": dict(crs="EPSG:4326", transform=Affine(0.001, 0, 10, 0, -0.001, 47)),
    "coarse-degrees": dict(crs="EPSG:4326", transform=Affine(0.25, 0, 10, 0, -0.25, 47)),
    "grads": dict(crs="EPSG:4807", transform=Affine(0.001, 0, 2, 0, -0.001, 50)),
    "mercator": dict(crs="EPSG:3857", transform=Affine(30, 0, 1e6, 0, -30, 8399737)),
    "polar": dict(crs="EPSG:3413", transform=Affine(1000, 0, -3e6, 0, -1000, 3e6)),
    "feet": dict(crs="EPSG:2263", transform=Affine(100, 0, 9.8e5, 0, -100, 2e5)),
    "swiss": dict(crs="EPSG:2056", transform=Affine(2, 0, 2.6e6, 0, -2, 1.2e6)),
    "lambert": dict(crs="+proj=lcc +lat_1=40 +lat_2=50 +lon_0=10 +ellps=GRS80 +units=m", transform=Affine(30, 0, 0, 0, -30, 5e6)),
    "no-system": dict(transform=Affine(30, 0, 5e5, 0, -30, 5.1e6)),
}
for (name, place), kind in itertools.product(places.items(), ["uint8", "uint16", "int16", "float32"]):
    tiff(f"place-{name}-{kind}.tif", law.astype(kind), place)
for kind in ["uint16", "float32"]:
    tiff(f"point-{kind}.tif", law.astype(kind), describe_it=False)
    with rasterio.open(at(f"point-{kind}.tif"), "r+") as out:
        out.update_tags(AREA_OR_POINT="Point")
    describe(f"point-{kind}.tif")
    tiff(f"world-{kind}.tif", law.astype(kind), dict(), TFW="YES", describe_it=False)
    open(at(f"world-{kind}.tfw"), "w").write("30\n0\n0\n-30\n500015\n5099985\n")
    describe(f"world-{kind}.tif")
    points = [GroundControlPoint(r, c, 5e5 + 30 * c, 5.1e6 - 30 * r) for r, c in [(0, 0), (0, 40), (30, 0), (30, 40), (15, 17)]]
    tiff(f"points-{kind}.tif", law.astype(kind), dict(gcps=points, crs="EPSG:32632"))

# Missing data
holes = np.zeros((ROWS, COLUMNS), bool)
holes[3:6, 4:9] = True
for kind, value in [("uint8", 255), ("uint16", 0), ("int16", -9999), ("int16", -32768), ("int32", -99999), ("float32", -9999), ("float32", np.nan), ("float32", -3.4028234663852886e38), ("float64", -1.7976931348623157e308)]:
    data = np.where(holes, value, law).astype(kind)
    tiff(f"void-{kind}-{value}.tif", data, nodata=value)
    tiff(f"undeclared-{kind}-{value}.tif", data)
for kind in ["uint8", "uint16", "float32"]:
    for inside in ["YES", "NO"]:
        with rasterio.Env(GDAL_TIFF_INTERNAL_MASK=inside):
            name = f"mask-{kind}-{inside}.tif"
            with rasterio.open(at(name), "w", driver="GTiff", width=COLUMNS, height=ROWS, count=1, dtype=kind, **UTM) as out:
                out.write(np.where(holes, 250, law).astype(kind), 1)
                out.write_mask(~holes)
            describe(name)
    name = f"alpha-{kind}.tif"
    with rasterio.open(at(name), "w", driver="GTiff", width=COLUMNS, height=ROWS, count=2, dtype=kind, ALPHA="YES", **UTM) as out:
        out.write(law.astype(kind), 1)
        out.write(np.where(holes, 0, 255).astype(kind), 2)
        out.colorinterp = [ColorInterp.gray, ColorInterp.alpha]
    describe(name)
    for sparse in [None, 7]:
        name = f"sparse-{kind}-{sparse}.tif"
        with rasterio.open(at(name), "w", driver="GTiff", width=COLUMNS, height=ROWS, count=1, dtype=kind, tiled=True, blockxsize=16, blockysize=16, SPARSE_OK=True, nodata=sparse, **UTM) as out:
            out.write(law[:16, :16].astype(kind), 1, window=((0, 16), (0, 16)))
        describe(name)

# Scale, offset and unit
for kind, scale, offset, unit in itertools.product(["uint8", "uint16", "int16", "float32"], [1.0, 0.1], [0.0, -50.0], ["", "ft", "cm", "m"]):
    name = f"scale-{kind}-{scale}-{offset}-{unit}.tif"
    with rasterio.open(at(name), "w", driver="GTiff", width=COLUMNS, height=ROWS, count=1, dtype=kind, **UTM) as out:
        out.write(law.astype(kind), 1)
        if scale != 1.0 or offset != 0.0:
            out.scales, out.offsets = [scale], [offset]
        if unit:
            out.units = [unit]
    describe(name)

# TIFF files without a position
for kind, shade, order in itertools.product(["uint8", "uint16", "int16", "int32", "float32", "float64"], ["minisblack", "miniswhite"], "<>"):
    name = f"plain-{kind}-{shade}-{'little' if order == '<' else 'big'}.tif"
    tifffile.imwrite(at(name), law.astype(kind), photometric=shade, byteorder=order)
    describe(name)
for bands, planar in itertools.product([2, 3, 5], ["contig", "separate"]):
    data = np.stack([law + 2 * k for k in range(bands)], -1 if planar == "contig" else 0).astype("uint16")
    tifffile.imwrite(at(f"bands-{bands}-{planar}.tif"), data, photometric="minisblack", planarconfig=planar)
    describe(f"bands-{bands}-{planar}.tif")
colours = np.stack([law, 255 - law, law // 2], -1).astype("uint8")
tifffile.imwrite(at("rgb.tif"), colours, photometric="rgb")
describe("rgb.tif")
tifffile.imwrite(at("pages.tif"), np.stack([law, law + 1]).astype("uint16"), photometric="minisblack")
describe("pages.tif")

# PNG
for name, picture in {
    "grey8": Image.fromarray(law.astype("uint8")),
    "grey16": Image.fromarray((law * 200).astype("uint16")),
    "grey-alpha": Image.fromarray(np.stack([law, np.where(holes, 0, 255)], -1).astype("uint8"), "LA"),
    "rgb": Image.fromarray(colours, "RGB"),
    "rgba": Image.fromarray(np.concatenate([colours, np.where(holes, 0, 255)[..., None].astype("uint8")], -1), "RGBA"),
}.items():
    picture.save(at(f"{name}.png"))
    describe(f"{name}.png")
Image.fromarray(law.astype("uint8")).save(at("transparent.png"), transparency=120)
describe("transparent.png")
Image.fromarray((law * 200).astype("uint16")).save(at("placed.png"))
open(at("placed.pgw"), "w").write("30\n0\n0\n-30\n500015\n5099985\n")
describe("placed.png")

# Text and raw numbers with a header
for driver, name, kinds in [("AAIGrid", "asc", ["int32", "float32"]), ("EHdr", "bil", ["uint8", "int16", "uint16", "float32"])]:
    for kind in kinds:
        for void in [None, -9999 if kind not in ("uint8", "uint16") else 0]:
            path = f"{driver}-{kind}-{void}.{name}"
            more = {} if void is None else dict(nodata=void)
            data = np.where(holes, void, law) if void is not None else law
            with rasterio.MemoryFile() as memory:
                with memory.open(driver="GTiff", width=COLUMNS, height=ROWS, count=1, dtype=kind, **UTM, **more) as out:
                    out.write(data.astype(kind), 1)
                with memory.open() as source:
                    rasterio.shutil.copy(source, at(path), driver=driver)
            describe(path)

# OpenEXR, which this build of GDAL cannot read
for packing, kind in itertools.product([OpenEXR.NO_COMPRESSION, OpenEXR.RLE_COMPRESSION, OpenEXR.ZIPS_COMPRESSION, OpenEXR.ZIP_COMPRESSION, OpenEXR.PIZ_COMPRESSION], ["float16", "float32", "uint32"]):
    name = f"exr-{str(packing).split('.')[-1]}-{kind}.exr"
    OpenEXR.File({"compression": packing, "type": OpenEXR.scanlineimage}, {"Y": law.astype(kind)}).write(at(name))
    describe(name, law)
for channels, read in [(["Y", "A"], "Y"), (["Z", "A"], "Z"), (["R", "G", "B"], "R"), (["height"], "height"), (["A", "B", "Y"], "Y")]:
    data = {channel: (law + 5 * k).astype("float32") for k, channel in enumerate(channels)}
    name = f"channels-{''.join(channels)}.exr"
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}, data).write(at(name))
    describe(name, law + 5 * channels.index(read))

json.dump(described, open(at("list.json"), "w"))
print(len(described))
