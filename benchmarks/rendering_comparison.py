"""Figures printed by our printer, each beside Chromium's picture of the same figure.

``python -m benchmarks.rendering_comparison FOLDER`` writes one PNG at 192 dpi for every figure of four analyses
of the samples: ours at the left. It needs a Chromium that playwright finds, or the path of one in
``CHROMIUM``.
"""

import base64
import io
import json
import os
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright
from plotly.offline import get_plotlyjs

from benchmarks.export_speed import PANEL, figures_of
from foldwise.figure_specs.figure_zip import draw_for_print
from foldwise.rendering.write_files import export
from stats_core.data.settings import Settings

DPI = 192
ANALYSES = (
    ("uci38_5x2.csv", Settings()),
    ("uci38_5x2.csv", Settings(dataset="australian")),
    ("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
    ("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
)


def by_chromium(page: Page, figure) -> Image.Image:
    """Return Plotly's own picture of a figure."""
    size = {"width": figure.layout.width, "height": figure.layout.height}
    said = page.evaluate(
        "([spec, options]) => Plotly.toImage(spec, options)",
        [json.loads(figure.to_json()), {"format": "png", "scale": DPI / 96, **size}],
    )
    return Image.open(io.BytesIO(base64.b64decode(said.partition(",")[2])))


def beside(one: Image.Image, other: Image.Image, gap: int = 40) -> Image.Image:
    """Return two pictures in one."""
    both = Image.new(
        "RGB", (one.width + gap + other.width, max(one.height, other.height)), "#DDDDDD"
    )
    both.paste(one, (0, 0))
    both.paste(other, (one.width + gap, 0))
    return both


def main(folder: Path) -> None:
    """Write the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {one.name: one for file, settings in ANALYSES for one in figures_of(file, settings)}
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ.get("CHROMIUM"))
        page = browser.new_page()
        page.set_content("<div></div>")
        page.add_script_tag(content=get_plotlyjs())
        for name, one in chosen.items():
            figure = draw_for_print(one, PANEL)
            ours = Image.open(io.BytesIO(export(figure, "png", DPI)))
            beside(ours, by_chromium(page, figure)).save(folder / f"{name}.png")
        browser.close()
    print(f"{len(chosen)} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
