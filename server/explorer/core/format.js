// Numbers, times and hostile texts as people read them.

const kCount = new Intl.NumberFormat("en-US");

export const count = (n) => kCount.format(n);

// Three digits and a unit, for estimates and narrow places.
export function about(n) {
  for (const [size, unit] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ])
    if (n >= size) return `${short(n / size)}${unit}`;
  return count(n);
}

export function bytes(n) {
  for (const [size, unit] of [
    [2 ** 30, "GB"],
    [2 ** 20, "MB"],
    [2 ** 10, "KB"],
  ])
    if (n >= size) return `${short(n / size)} ${unit}`;
  return `${n} B`;
}

const short = (n) => (n >= 100 ? n.toFixed(0) : n.toFixed(1).replace(/\.0$/, ""));

export function milliseconds(x) {
  if (x >= 1000) return `${(x / 1000).toFixed(x >= 10_000 ? 0 : 1)} s`;
  return `${x >= 100 ? x.toFixed(0) : x >= 1 ? x.toFixed(1) : x.toFixed(2)} ms`;
}

export function percent(share) {
  const x = share * 100;
  return `${x >= 10 || x === 0 ? x.toFixed(0) : x >= 0.1 ? x.toFixed(1) : "< 0.1"} %`;
}

// The time of day here, to the millisecond.
export function time(iso) {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return String(iso);
  const two = (n, digits = 2) => String(n).padStart(digits, "0");
  const day = [at.getHours(), at.getMinutes(), at.getSeconds()].map((n) => two(n)).join(":");
  return `${day}.${two(at.getMilliseconds(), 3)}`;
}

// Characters that show nothing, or change how their neighbours are shown: controls, bidi, invisible, lone
// surrogates.
const kHidden = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff" +
    "\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]|\\p{Surrogate}",
  "gu",
);
const sign = (one) => `‹U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;

// `text` with those characters as signs; longer than `max` it is cut, and its size told.
export function shown(text, max = Infinity) {
  const whole = String(text);
  if (whole.length <= max) return whole.replace(kHidden, sign);
  const size = bytes(new TextEncoder().encode(whole).length);
  return `${whole
    .slice(0, max)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(kHidden, sign)} … ${size}`;
}
