"""Rounds heights to whole metres, cuts four gaps and writes a GeoTIFF: see README.md."""

import sys

import numpy
import rasterio
from rasterio.transform import from_origin

SIDE, METRES = 257, 24000.0
VOID = -32768
# row, column, half height and half width of each gap
GAPS = [(70, 180, 9, 5), (150, 60, 6, 11), (205, 130, 4, 7), (40, 40, 3, 3)]

heights = numpy.fromfile(sys.argv[1], "<f4").reshape(SIDE, SIDE)
metres = numpy.round(heights).astype("int16")
rows, columns = numpy.mgrid[0:SIDE, 0:SIDE]
for row, column, high, wide in GAPS:
    metres[((rows - row) / high) ** 2 + ((columns - column) / wide) ** 2 < 1] = VOID
step = METRES / (SIDE - 1)
# samples are areas, so the corner lies half a step beyond the first sample
place = from_origin(-0.5 * step, METRES + 0.5 * step, step, step)
with rasterio.open(sys.argv[2], "w", driver="GTiff", width=SIDE, height=SIDE, count=1, dtype="int16", nodata=VOID,
                   transform=place, compress="deflate", predictor=2, zlevel=9) as out:
    out.write(metres, 1)
    out.set_band_unit(1, "m")
