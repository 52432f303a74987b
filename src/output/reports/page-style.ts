import { tones } from './chart.ts';

/*
 * The look of a page: light, dark and on paper. One font family, hairlines instead of boxes, and colors that keep their
 * meaning in both modes.
 */

const light = `
  --paper: #fcfbf9; --card: #ffffff; --ink: #1d1b18; --dim: #6b665e; --rule: #e5e1da; --accent: #0f6f73;
  --good: #2f8f5b; --fine: #2b7bb9; --warn: #c06c17; --bad: #c8402f; --odd: #8257b5;
  --rate1: #c8402f; --rate2: #e08a4f; --rate3: #d8c06a; --rate4: #86b98d; --rate5: #2f8f5b;`;

const dark = `
  --paper: #161513; --card: #1e1c1a; --ink: #ece8e1; --dim: #a39c91; --rule: #35322d; --accent: #5cc0bd;
  --good: #56b883; --fine: #64a9dd; --warn: #e79c52; --bad: #e8705f; --odd: #ab88d8;
  --rate1: #e8705f; --rate2: #e39c69; --rate3: #cdb866; --rate4: #7fae87; --rate5: #56b883;`;

export const pageStyle = `
:root { color-scheme: light dark; ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 48px 24px 64px; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "Apple SD Gothic Neo", "Malgun Gothic", "Noto Sans KR",
    "Noto Sans CJK KR", sans-serif;
  overflow-wrap: anywhere; word-break: keep-all; -webkit-text-size-adjust: 100%;
}
main, header, footer { max-width: 1120px; margin: 0 auto; }
h1 { margin: 0 0 6px; font-size: 30px; line-height: 1.2; font-weight: 650; letter-spacing: -0.015em; }
h2 { margin: 0 0 4px; font-size: 18px; line-height: 1.35; font-weight: 620; letter-spacing: -0.005em; }
h3 { margin: 26px 0 4px; font-size: 14px; font-weight: 600; }
p { margin: 0 0 12px; max-width: 72ch; }
.eyebrow {
  margin: 0 0 10px; color: var(--accent); font-size: 12.5px; font-weight: 620; letter-spacing: 0.06em;
  text-transform: uppercase;
}
.lead, .note, caption, footer { color: var(--dim); }
.lead { margin: 0; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); gap: 0; margin: 30px 0 0;
  padding: 0; border-top: 1px solid var(--rule); border-bottom: 1px solid var(--rule);
}
.figures div { padding: 16px 20px 16px 0; }
.figures dt { color: var(--dim); font-size: 13px; }
.figures dd {
  margin: 2px 0 0; font-size: 23px; line-height: 1.3; white-space: nowrap; font-weight: 600;
  letter-spacing: -0.015em; font-variant-numeric: tabular-nums;
}
.figures dd small {
  display: block; white-space: normal; line-height: 1.4; color: var(--dim); font-size: 13px;
  font-weight: 400; letter-spacing: 0;
}
.figures .good dd { color: var(--good); }
.figures .bad dd { color: var(--bad); }
.figures .warn dd { color: var(--warn); }
.figures .odd dd { color: var(--odd); }
section { margin-top: 44px; }
section > .scroll { margin-top: 12px; max-height: 520px; }
figure {
  margin: 16px 0 0; display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 32px;
  align-items: start;
}
figure > * { min-width: 0; }
svg { display: block; width: 100%; }
${tones.map((tone) => `.chart .${tone} { color: var(--${tone}); }`).join('\n')}
.chart rect { fill: currentColor; }
.chart path {
  fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round;
  vector-effect: non-scaling-stroke;
}
.chart .spot { fill: transparent; }
.rows > div { display: flex; align-items: center; gap: 10px; margin: 0 0 8px; font-size: 13px; }
.rows span {
  flex: 0 0 33%; overflow: hidden; color: var(--dim); text-align: right; text-overflow: ellipsis; white-space: nowrap;
}
.rows svg { flex: 1; min-width: 0; height: 16px; }
.rows b { flex: 0 0 4em; font-weight: 500; font-variant-numeric: tabular-nums; }
.columns, .lines { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 4px 10px; }
.columns svg, .lines svg { height: 220px; border: solid var(--rule); border-width: 1px 0; }
.values, .labels { display: flex; justify-content: space-between; color: var(--dim); font-size: 12px; }
.values { flex-direction: column; text-align: right; }
.labels { grid-column: 2; }
.each span { flex: 1; text-align: center; }
.legend {
  display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 0 0 10px; padding: 0; list-style: none;
  color: var(--dim); font-size: 13px;
}
.legend i { font-style: normal; }
.scroll { max-height: 330px; overflow: auto; }
.scroll:focus-visible, button:focus-visible, summary:focus-visible, a:focus-visible {
  outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px;
}
table { width: 100%; border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
section > .scroll caption, details caption {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
caption { padding: 0 0 6px; text-align: left; font-size: 13px; }
th, td {
  overflow-wrap: break-word; padding: 6px 14px 6px 0; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top;
}
th:last-child, td:last-child { padding-right: 2px; }
thead th {
  position: sticky; top: 0; background: var(--paper); color: var(--dim); font-size: 12.5px; font-weight: 550;
  white-space: nowrap; box-shadow: inset 0 -1px var(--rule); border-bottom: 0;
}
.number { text-align: right; white-space: nowrap; }
figure th, figure td { padding-right: 10px; }
.number + :not(.number) { padding-left: 12px; }
td.text { min-width: 11ch; }
th button { all: unset; cursor: pointer; }
th button::after { content: ""; display: inline-block; width: 1em; margin-right: -1em; text-align: center; }
th[aria-sort="ascending"] button::after { content: "↑"; }
th[aria-sort="descending"] button::after { content: "↓"; }
th[aria-sort] button { color: var(--ink); }
code {
  
  font: 13px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK KR", monospace;
}
ul.commands { margin: 12px 0 0; padding: 0; list-style: none; }
ul.commands li {
  margin: 0 0 8px; padding: 10px 14px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 6px;
}
details { margin: 10px 0 0; }
summary { cursor: pointer; color: var(--accent); font-size: 14px; }
details .scroll { margin-top: 8px; }
footer { margin-top: 56px; padding-top: 14px; border-top: 1px solid var(--rule); font-size: 13px; }
@media (max-width: 860px) { figure { grid-template-columns: minmax(0, 1fr); gap: 16px; } }
@media (max-width: 560px) {
  body { padding: 28px 16px 48px; } h1 { font-size: 25px; } section { margin-top: 36px; }
  .figures { grid-template-columns: 1fr 1fr; } .figures dd { font-size: 21px; }
}
@media print {
  @page { margin: 16mm; }
  body { padding: 0; font-size: 11pt; } .scroll { max-height: none; overflow: visible; }
  figure { grid-template-columns: minmax(0, 1fr); }
  section { break-inside: auto; }
  h2, .legend { break-after: avoid; }
  table { font-size: 8.5pt; }
  thead th { position: static; white-space: normal; font-size: 8pt; }
  td.text { min-width: 0; }
  tr, svg, ul.commands li { break-inside: avoid; }
}
`;
