"""Draws the measurements of a soak over time as SVG: one small chart for each column."""
import xml.sax.saxutils

WIDTH, HEIGHT, LEFT, GAP = 640, 90, 90, 42
COLOUR = "#2f6f4f"


def panel(name, times, values, top):
    """Draws a line with an axis from zero, so that slopes are not exaggerated."""
    most = max(max(values), 1)
    points = " ".join(
        f"{LEFT + time / times[-1] * WIDTH:.1f},{top + HEIGHT - value / most * HEIGHT:.1f}"
        for time, value in zip(times, values)
    )
    return (
        f'<text x="{LEFT}" y="{top - 6}" font-weight="bold">{xml.sax.saxutils.escape(name)}</text>'
        f'<path d="M{LEFT} {top} V{top + HEIGHT} H{LEFT + WIDTH}" fill="none" stroke="#8c8c8c"/>'
        f'<text x="{LEFT - 6}" y="{top + 10}" text-anchor="end">{most:,.0f}</text>'
        f'<text x="{LEFT - 6}" y="{top + HEIGHT}" text-anchor="end">0</text>'
        f'<polyline points="{points}" fill="none" stroke="{COLOUR}" stroke-width="1.5"/>'
    )


def draw(columns, rows, destination):
    """Draws all columns. The first column is the time in seconds."""
    if not rows:
        return
    times, *figures = zip(*rows)
    panels = [panel(name, times, values, 24 + i * (HEIGHT + GAP))
              for i, (name, values) in enumerate(zip(columns[1:], figures))]
    bottom = 24 + len(panels) * (HEIGHT + GAP)
    panels.append(f'<text x="{LEFT + WIDTH}" y="{bottom - GAP + 14}" text-anchor="end">{times[-1] / 60:.0f} min</text>')
    with open(destination, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 20}" height="{bottom}" '
                   'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="white"/>\n')
        file.write("\n".join(panels))
        file.write("\n</svg>\n")
