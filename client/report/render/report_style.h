// The style of the report as a page. All contrasts of text are at least 4.5, as WCAG 2 AA has it.
#pragma once

#include <string_view>

namespace rocktable {

inline constexpr std::string_view kReportStyle = R"css(
:root { color-scheme: light dark; --page: #ffffff; --card: #f6f8fa; --text: #1f2328; --quiet: #57606a;
  --line: #d0d7de; --accent: #0969da; --error: #c4202b; --warn: #8a5a00; --good: #116329; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0d1117; --card: #161b22; --text: #e6edf3; --quiet: #9198a1;
    --line: #3d444d; --accent: #58a6ff; --error: #ff7b72; --warn: #d9a532; --good: #57c26a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 78rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
h1, h2, h3 { line-height: 1.25; overflow-wrap: anywhere; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: .35rem 0; overflow-wrap: anywhere; }
code { font: .875em/1.45 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; overflow-wrap: anywhere; }
pre { margin: 8px 0; white-space: pre-wrap; }
.quiet { color: var(--quiet); }
.error { color: var(--error); }
.warning { color: var(--warn); }
.good { color: var(--good); }
.totals { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem;
  margin: 1.25rem 0 0; }
.totals div { padding: .6rem .9rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.totals dt { color: var(--quiet); font-size: .875rem; }
.totals dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.group { margin: 0 0 1rem; padding: .9rem 1.1rem; background: var(--card); border: 1px solid var(--line);
  border-left: .3rem solid var(--warn); border-radius: .5rem; }
.group.of-errors { border-left-color: var(--error); }
.group ul { margin: .5rem 0; padding-left: 1.2rem; }
.group li { margin: .5rem 0; overflow-wrap: anywhere; }
.group li code, .group li .quiet { display: block; }
.group li p code { display: inline; }
article.caller { margin: 0 0 1rem; padding: .9rem 1.1rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; break-inside: avoid; }
.caller dl { margin: .5rem 0; }
.caller dl div { display: grid; grid-template-columns: minmax(0, 11rem) minmax(0, 1fr); gap: 0 1rem; }
.caller dt { color: var(--quiet); }
.caller dd { margin: 0; overflow-wrap: anywhere; }
pre.copied { padding: .6rem .9rem; background: var(--page); border: 1px solid var(--line); border-radius: .5rem;
  user-select: all; }
summary { cursor: pointer; color: var(--accent); width: fit-content; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.charts { columns: 30rem; column-gap: 1rem; }
figure { margin: 0 0 1rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem;
  break-inside: avoid; }
figcaption { margin-bottom: .75rem; font-size: .9rem; }
figcaption strong { display: block; }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--text); font: 11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }
svg .label, svg .value { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .value { text-anchor: end; }
svg .tick { fill: var(--quiet); text-anchor: middle; }
svg .tick.first { text-anchor: start; }
svg .tick.last { text-anchor: end; }
svg .grid { stroke: var(--line); }
svg .span { stroke: var(--quiet); stroke-width: 2; }
svg .bar, svg .high { fill: var(--accent); }
svg .bad { fill: var(--warn); }
svg .low { fill: var(--card); stroke: var(--accent); stroke-width: 2; }
.key { display: inline-block; width: .7rem; height: .7rem; border: 2px solid var(--accent); border-radius: 50%; }
.key.full { background: var(--accent); }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .45rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; vertical-align: bottom; }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th.number { white-space: normal; }
td.shape { width: 45%; overflow-wrap: anywhere; }
td.class { white-space: nowrap; }
tbody tr:hover { background: var(--card); }
tfoot td { font-weight: 600; }
@media (max-width: 52rem) {
  table, tbody, tfoot, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 12rem), 1fr)); gap: 0 1.5rem;
    padding: .6rem 0; border-bottom: 1px solid var(--line); }
  td.shape, td.class { grid-column: 1 / -1; }
  td, td.shape { width: auto; padding: .1rem 0; border: 0; }
  td.number, td.class { display: flex; justify-content: space-between; gap: 1rem; }
  td.number::before, td.class::before { content: attr(data-label); color: var(--quiet); font-weight: 400; }
}
@media print { body { max-width: none; } .group, figure, tr { break-inside: avoid; } }
)css";

}  // namespace rocktable
