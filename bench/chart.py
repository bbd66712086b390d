"""Draws the main figures of a benchmark as bars.

    bench/chart.py bench.json chart.svg

Each scenario has a group of bars, each target a bar, on a logarithmic scale. Longer is better.
"""
import json
import math
import sys
import xml.sax.saxutils

SCENARIOS = (
    "point of 100k, c=32",
    "insert, c=32",
    "insert-or-replace, c=32",
    "merge, c=32",
    "transactions of 100, c=1, entities",
    "range of 100 of 100k, c=1",
    "paging through 100k",
    "table scan, 10 of 100k",
    "start, empty",
)
COLOURS = ("#2f6f4f", "#c0504d", "#8c8c8c", "#c8c8c8")
BAR, GAP, LABEL, WIDTH = 14, 14, 250, 560


def per_second(figure):
    """Converts a figure to a rate per second, so that all figures can be compared."""
    return figure["median"] if figure["unit"] == "1/s" else 1e6 / figure["median"]


def text_of(figure):
    value = figure["median"]
    if figure["unit"] == "1/s":
        return f"{value:,.0f}/s"
    return f"{value:,.0f} µs" if value < 1000 else f"{value / 1000:,.1f} ms" if value < 1e6 else f"{value / 1e6:,.1f} s"


def main():
    source, destination = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        report = json.load(file)
    targets = report["targets"]
    figures = {(f["scenario"], f["target"]): f for f in report["figures"]}
    scenarios = [name for name in SCENARIOS if (name, targets[0]) in figures]
    rates = [per_second(figures[key]) for key in figures if key[0] in scenarios]
    low, high = math.floor(math.log10(min(rates)) - 0.3), math.log10(max(rates))

    parts, y = [], 40
    for position, target in enumerate(targets):
        parts.append(f'<rect x="{LABEL + position * 130}" y="12" width="12" height="12" fill="{COLOURS[position % 4]}"/>'
                     f'<text x="{LABEL + position * 130 + 18}" y="22">{xml.sax.saxutils.escape(target)}</text>')
    for name in scenarios:
        present = [t for t in targets if (name, t) in figures]
        parts.append(f'<text x="{LABEL - 8}" y="{y + len(present) * BAR / 2 + 4}" text-anchor="end">'
                     f'{xml.sax.saxutils.escape(name)}</text>')
        for target in present:
            figure = figures[name, target]
            width = (math.log10(per_second(figure)) - low) / (high - low) * WIDTH
            colour = COLOURS[targets.index(target) % 4]
            parts.append(f'<rect x="{LABEL}" y="{y}" width="{width:.1f}" height="{BAR - 2}" fill="{colour}"/>'
                         f'<text x="{LABEL + width + 6:.1f}" y="{y + BAR - 4}">{text_of(figure)}</text>')
            y += BAR
        y += GAP
    parts.append(f'<text x="{LABEL}" y="{y + 4}" fill="#666666">longer is faster, on a logarithmic scale</text>')
    with open(destination, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LABEL + WIDTH + 100}" height="{y + 14}" '
                   'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n')
        file.write("\n".join(parts))
        file.write("\n</svg>\n")


if __name__ == "__main__":
    main()
