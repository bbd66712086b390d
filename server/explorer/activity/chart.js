// A small chart of the last minutes: bars of SVG. For those who do not see them, a table of the same numbers.
import { time } from "../core/format.js";
import { h } from "../core/render.js";

const kHeight = 64;
const kBar = 4;

// `points` are { time, value }, the oldest first; `format` makes a number text.
export function barChart({ title, points, format }) {
  const most = Math.max(...points.map(({ value }) => value), 0);
  const width = Math.max(points.length, 1) * kBar;
  const label = `${title}: at most ${format(most)}`;
  return h("figure", { class: "chart" },
    h("figcaption", null, h("b", null, title), h("span", { class: "dim" }, ` at most ${format(most)}`)),
    h("svg", {
      viewBox: `0 0 ${width} ${kHeight}`, preserveAspectRatio: "none", role: "img", "aria-label": label,
    }, points.map((point, i) => bar(point, i, most, format))),
    points.length > 1 && h("div", { class: "axis dim" },
      h("span", null, short(points[0].time)), h("span", null, short(points.at(-1).time))));
}

// Each spans the whole height, so that the pointer finds it; what is nothing has no bar.
function bar({ time: at, value }, i, most, format) {
  const height = barHeight(value, most);
  return h("g", { key: i },
    h("title", null, `${short(at)}: ${format(value)}`),
    h("rect", { class: "column", x: i * kBar, y: 0, width: kBar, height: kHeight }),
    height > 0 &&
      h("rect", { class: "bar", x: i * kBar + 0.5, y: kHeight - height, width: kBar - 1, height }));
}

// Something is never nothing.
export function barHeight(value, most) {
  return value > 0 ? Math.max(1, Math.round((value / most) * kHeight * 100) / 100) : 0;
}

const short = (iso) => time(iso).slice(0, 8);

export function chartTable(caption, minutes, columns) {
  return h("details", null, h("summary", null, caption),
    h("table", { class: "data numbers" },
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "From"),
        columns.map(({ title }) => h("th", { scope: "col", class: "number" }, title)))),
      h("tbody", null, minutes.map((minute) => h("tr", { key: minute.time },
        h("th", { scope: "row" }, short(minute.time)),
        columns.map(({ of, format }) => h("td", { class: "number" }, format(of(minute)))))))));
}
