#!/usr/bin/env python3
"""Makes the strip images of src/ground/assets/stamps. A strip is terrain along a line; its left and right ends join
without a seam (Génevaux 2014, fig. 9).

Each run writes the same bytes. Needs numpy and Pillow: python3 tools/strips.py
"""

import numpy as np
from PIL import Image

ALONG, ACROSS = 512, 97


def noise(u, v, waves, seed):
    """Gradient noise at the positions (u, v) with wavelength 1 / `waves`, periodic in u with period 1."""
    table = np.random.default_rng(seed).uniform(0, 2 * np.pi, (4 * waves + 8, waves))
    x, y = u * waves, v * waves
    i, j = np.floor(x).astype(int), np.floor(y).astype(int)
    fx, fy = x - i, y - j
    fade = lambda t: t**3 * (t * (t * 6 - 15) + 10)

    def corner(di, dj):
        angle = table[(j + dj) % table.shape[0], (i + di) % waves]
        return np.cos(angle) * (fx - di) + np.sin(angle) * (fy - dj)

    a, b = corner(0, 0), corner(1, 0)
    c, d = corner(0, 1), corner(1, 1)
    top, low = a + fade(fx) * (b - a), c + fade(fx) * (d - c)
    return top + fade(fy) * (low - top)


def grid():
    """Coordinates of the samples: u along the strip from 0 to 1 (exclusive), v across the strip from -1 to 1."""
    return np.meshgrid(np.arange(ALONG) / ALONG, np.linspace(-1, 1, ACROSS))


def write(name, heights):
    # The last column repeats the first, so that both ends are the same position.
    joined = np.concatenate([heights, heights[:, :1]], axis=1)
    joined = (joined - joined.min()) / (joined.max() - joined.min())
    Image.fromarray((joined * 65535 + 0.5).astype(np.uint16)).save(f"src/ground/assets/stamps/{name}.png", optimize=True)


def ridge():
    u, v = grid()
    crest = 0.16 * noise(u, 0 * v + 0.4, 6, 1) + 0.08 * noise(u, 0 * v + 0.4, 14, 2)
    away = np.abs(v - crest * (1 - v * v))
    spurs = sum(0.55**k * (1 - 2 * np.abs(noise(u, 0.25 * v, 12 * 2**k, 3 + k))) for k in range(4)) / 2.0
    # A ridge: level at the sides, with a sharp crest in the middle.
    body = np.clip(1 - away, 0, 1) ** 1.5
    heights = body * (0.82 + 0.25 * noise(u, 0 * v + 0.3, 9, 8)) + 0.34 * spurs * body * (1 - 0.6 * body)
    return heights * np.clip((1 - np.abs(v)) * 5, 0, 1) ** 2


def river():
    u, v = grid()
    bend = 0.42 * np.sin(4 * np.pi * u) + 0.12 * np.sin(10 * np.pi * u + 1.0)
    side = v - bend * (1 - v * v)
    # Two arms around islands, with banks and low terraces next to the arms.
    split = np.clip(np.sin(6 * np.pi * u + 0.6), 0, 1) ** 2 * 0.16
    arm = np.minimum(np.abs(side - split), np.abs(side + split))
    bed = np.clip(1 - (arm / 0.15) ** 2, 0, 1)
    bank = np.exp(-(((arm - 0.21) / 0.06) ** 2))
    ground = 0.55 + 0.07 * noise(u, 0.25 * v, 10, 21) + 0.03 * noise(u, 0.25 * v, 26, 22)
    share = np.clip((1 - np.abs(v)) * 3, 0, 1)
    return 0.62 + share * (ground - 0.62 + 0.09 * bank * (1 - bed) - 0.5 * bed)


if __name__ == "__main__":
    write("ridge-strip", ridge())
    write("river-strip", river())
