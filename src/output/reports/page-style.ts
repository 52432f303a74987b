/*
 * The look of a page: light, dark and on paper. One font family, hairlines instead of boxes, and colors that keep their
 * meaning in both modes.
 */

/** Names of the colors of a page; light and dark mode define them separately. */
const tones = ['good', 'warn', 'bad', 'odd', 'accent'] as const;
export type Tone = (typeof tones)[number];

const light = `
  --paper: #fcfbf9; --card: #ffffff; --ink: #1d1b18; --dim: #6b665e; --rule: #e5e1da; --accent: #0f6f73;
  --good: #2f8f5b; --warn: #c06c17; --bad: #c8402f; --odd: #8257b5;`;

const dark = `
  --paper: #161513; --card: #1e1c1a; --ink: #ece8e1; --dim: #a39c91; --rule: #35322d; --accent: #5cc0bd;
  --good: #56b883; --warn: #e79c52; --bad: #e8705f; --odd: #ab88d8;`;

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
p { margin: 0 0 12px; max-width: 72ch; }
.eyebrow {
  margin: 0 0 10px; color: var(--accent); font-size: 12.5px; font-weight: 620; letter-spacing: 0.06em;
  text-transform: uppercase;
}
.lead, .note, footer { color: var(--dim); }
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
${tones.map((tone) => `.${tone} dd { color: var(--${tone}); } rect.${tone} { fill: var(--${tone}); }`).join('\n')}
section { margin-top: 44px; }
section > .scroll { margin-top: 12px; max-height: 520px; }
td svg { display: block; width: 100%; min-width: 80px; height: 3px; margin-top: 3px; background: var(--rule); }
.scroll { overflow: auto; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
caption {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
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
.number + :not(.number) { padding-left: 12px; }
td.text { min-width: 11ch; }
code {
  font: 13px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Noto Sans Mono CJK KR", monospace;
}
ul.commands { margin: 12px 0 0; padding: 0; list-style: none; }
ul.commands li {
  margin: 0 0 8px; padding: 10px 14px; background: var(--card); border: 1px solid var(--rule);
  border-radius: 6px;
}
footer { margin-top: 56px; padding-top: 14px; border-top: 1px solid var(--rule); font-size: 13px; }
@media (max-width: 560px) {
  body { padding: 28px 16px 48px; } h1 { font-size: 25px; } section { margin-top: 36px; }
  .figures { grid-template-columns: 1fr 1fr; } .figures dd { font-size: 21px; }
}
@media print {
  @page { margin: 16mm; }
  body { padding: 0; font-size: 11pt; } section > .scroll { max-height: none; overflow: visible; }
  section { break-inside: auto; }
  h2 { break-after: avoid; }
  table { font-size: 8.5pt; }
  thead th { position: static; white-space: normal; font-size: 8pt; }
  td.text { min-width: 0; }
  tr, svg, ul.commands li { break-inside: avoid; }
}
`;
