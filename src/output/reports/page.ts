import { createHash } from 'node:crypto';
import { Html, html } from './html.ts';
import { pageStyle } from './page-style.ts';

/** A number that readers look for first. */
export interface KeyFigure {
  readonly name: string;
  readonly value: string;
  /** More about the number. */
  readonly note?: string | undefined;
  readonly tone?: 'good' | 'warn' | 'bad' | 'odd' | undefined;
}

/** A page: its subject, the key figures, and one section for each question. */
export interface Page {
  /** The kind of report: `Run report`. */
  readonly kind: string;
  readonly title: string;
  readonly lead: string;
  readonly figures: readonly KeyFigure[];
  readonly sections: readonly Html[];
  /** The time and version of the report, and the data that it omits. */
  readonly footer: string;
}

export function section(heading: string, note: string | undefined, content?: Html): Html {
  const lead = note === undefined ? undefined : html`<p class="note">${note}</p>`;
  return html`<section><h2>${heading}</h2>${lead}${content}</section>
`;
}

/** The section with the commands to run next. */
export function nextSection(commands: readonly string[]): Html {
  if (commands.length === 0) return section('Next', 'Nothing is left to do.');
  const items = commands.map((command) => html`<li><code>${command}</code></li>`);
  return section('Next', undefined, html`<ul class="commands">${items}</ul>`);
}

/**
 * The page as one self-contained file: its style is inline, and its policy forbids every request and every script.
 */
export function pageText({ kind, title, lead, figures, sections, footer }: Page): string {
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`${doctype}
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(pageStyle)}</style>
</head>
<body>
<header>
<p class="eyebrow">${kind}</p>
<h1>${title}</h1>
<p class="lead">${lead}</p>
<dl class="figures">${figures.map(keyFigure)}</dl>
</header>
<main>
${sections}</main>
<footer>${footer}</footer>
</body>
</html>
`.markup;
}

const doctype = new Html('<!doctype html>');

function keyFigure({ name, value, note, tone }: KeyFigure): Html {
  const more = note === undefined ? undefined : html`<small>${note}</small>`;
  return html`<div class="${tone ?? 'plain'}"><dt>${name}</dt><dd>${value}${more}</dd></div>`;
}
