"""Pictures of figures rendered by Foldwise and by Chromium, side by side.

``python -m benchmarks.rendering_comparison FOLDER`` writes one PNG at 192 dpi for every figure of
four analyses of the samples: ours at the left. It needs a Chromium that playwright finds, or the
path of one in ``CHROMIUM``.
"""

import base64
import io
import json
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page
from plotly.offline import get_plotlyjs

from benchmarks.axe import chromium
from benchmarks.speed import PANEL, figures_of
from foldwise.rendering.figure_files import draw_for_print
from foldwise.rendering.from_plotly import export
from stats_core.data.settings import Settings

DPI = 192
ANALYSES = (
    ("uci38_5x2.csv", Settings()),
    ("uci38_5x2.csv", Settings(dataset="australian")),
    ("twoclass_scores.csv.gz", Settings(dataset="acceptors", measure="auc")),
    ("twoclass_counts.csv", Settings(dataset="donors", measures=("fpr", "tpr"))),
)


def by_chromium(page: Page, figure) -> Image.Image:
    """Return a figure rendered by Plotly in Chromium."""
    size = {"width": figure.layout.width, "height": figure.layout.height}
    data_url = page.evaluate(
        "([spec, options]) => Plotly.toImage(spec, options)",
        [json.loads(figure.to_json()), {"format": "png", "scale": DPI / 96, **size}],
    )
    return Image.open(io.BytesIO(base64.b64decode(data_url.partition(",")[2])))


def beside(one: Image.Image, other: Image.Image, gap: int = 40) -> Image.Image:
    """Return two images side by side in one."""
    combined = Image.new("RGB", (one.width + gap + other.width, max(one.height, other.height)), "#DDDDDD")
    combined.paste(one, (0, 0))
    combined.paste(other, (one.width + gap, 0))
    return combined


def main(folder: Path) -> None:
    """Write the images."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = {spec.name: spec for file, settings in ANALYSES for spec in figures_of(file, settings)}
    with chromium() as browser:
        page = browser.new_page()
        page.set_content("<div></div>")
        page.add_script_tag(content=get_plotlyjs())
        for name, spec in chosen.items():
            figure = draw_for_print(spec, PANEL)
            ours = Image.open(io.BytesIO(export(figure, "png", DPI)))
            beside(ours, by_chromium(page, figure)).save(folder / f"{name}.png")
    print(f"{len(chosen)} pictures in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
