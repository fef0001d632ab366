"""Contrasts and differences of colours in normal and colour-deficient vision and in grey."""

import numpy as np

#: What eyes without one kind of cone see of linear sRGB (Machado, Oliveira and Fernandes 2009).
EYES = {
    "normal": np.eye(3),
    "protan": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deutan": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritan": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(colours):
    """Return linear sRGB of colours given as #RRGGBB, one row per colour."""
    parts = np.array([[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in colours])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb):
    """Return CIE L*, a*, b* (D65) of linear sRGB."""
    white = rgb @ _XYZ.T / _XYZ.sum(axis=1)
    f = np.where(white > (6 / 29) ** 3, np.cbrt(white), white / (3 * (6 / 29) ** 2) + 4 / 29)
    x, y, z = f.T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(colours, page):
    """Return the contrast ratio of each colour to a page colour (WCAG 2)."""
    light = linear([*colours, page]) @ _XYZ[1] + 0.05
    return np.maximum(light[:-1], light[-1]) / np.minimum(light[:-1], light[-1])


def steps_in_grey(colours):
    """Return the differences in L* between colours of adjacent lightness."""
    return np.diff(np.sort(lab(linear(colours))[:, 0]))


def least_difference(colours, eyes):
    """Return the smallest CIEDE2000 difference of two of the colours, for one kind of vision."""
    points = lab(np.clip(linear(colours) @ EYES[eyes].T, 0, 1))
    first, second = np.triu_indices(len(points), 1)
    return ciede2000(points[first], points[second]).min()


def ciede2000(first, second):
    """Return the CIEDE2000 difference of L*a*b* colours, row by row (Sharma, Wu and Dalal 2005)."""
    (l1, a1, b1), (l2, a2, b2) = first.T, second.T
    grey = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    a1, a2 = (a * (1.5 - 0.5 * np.sqrt(grey / (grey + 25.0**7))) for a in (a1, a2))
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) for b, a in ((b1, a1), (b2, a2)))
    turn = (h2 - h1 + 180) % 360 - 180
    hue, chroma, light = h1 + turn / 2, (c1 + c2) / 2, (l1 + l2) / 2

    def wave(times, shift):
        return np.cos(np.radians(times * hue + shift))

    t = 1 - 0.17 * wave(1, -30) + 0.24 * wave(2, 0) + 0.32 * wave(3, 6) - 0.2 * wave(4, -63)
    d_light = (l2 - l1) / (1 + 0.015 * (light - 50) ** 2 / np.sqrt(20 + (light - 50) ** 2))
    d_chroma = (c2 - c1) / (1 + 0.045 * chroma)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2)) / (1 + 0.015 * chroma * t)
    bend = np.radians(60 * np.exp(-(((hue % 360 - 275) / 25) ** 2)))
    seventh = chroma**7 / (chroma**7 + 25.0**7)
    turned = -2 * np.sqrt(seventh) * np.sin(bend) * d_chroma * d_hue
    return np.sqrt(d_light**2 + d_chroma**2 + d_hue**2 + turned)
