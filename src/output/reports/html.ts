import { terminalText } from '../terminal/terminal-text.ts';

/** Markup that is safe in a page: only `html` makes it, and it escapes every value. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/** Markup with values: texts are escaped, lists are joined, and undefined is omitted. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(parts.map((part, index) => part + markupOf(values[index])).join(''));
}

function markupOf(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(markupOf).join('');
  return escapeHtml(terminalText(String(value)));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
