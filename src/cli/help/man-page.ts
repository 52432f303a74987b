import { version } from '../../base/version.ts';
import { flagRow, helpParts, type Section, sentence, termsOf } from './help-text.ts';
import type { FlagSurface, HelpRow, Surface } from './surface.ts';

/** The date of each version; the day of the build would make every build different. */
export const versionDates: Readonly<Record<string, string>> = { '0.1.0': '2026-11-25' };

/** The file of the page about `words`. */
export function manPageFile(words: string): string {
  return `${pageName(words)}.1`;
}

/** The man page of a surface: the same sections and flags as its help, in roff with the macros of man(7), in ASCII. */
export function manPage(surface: Surface): string {
  const { words, summary } = surface;
  const name = roffText(pageName(words));
  const { before, flags, examples, topics } = helpParts(surface, rowWithChoices);
  return [
    `.TH "${name.toUpperCase()}" "1" "${versionDates[version] ?? ''}" "reviewctl ${version}" "reviewctl"`,
    '.SH NAME',
    `${name} \\- ${roffText(summary)}`,
    '.SH SYNOPSIS',
    synopsis(surface),
    '.SH DESCRIPTION',
    roffText(sentence(summary)),
    ...before.map((section) => sectionText('.SH', section)),
    '.SH OPTIONS',
    ...flags.map((section) => sectionText('.SS', section)),
    ...[...examples, ...topics].map((section) => sectionText('.SH', section)),
    '.SH SEE ALSO',
    words === '' ? roffText('reviewctl help COMMAND') : '.BR reviewctl (1)',
    '',
  ].join('\n');
}

/** A flag with its choices, if its help omits them. */
function rowWithChoices(flag: FlagSurface): HelpRow {
  const { choices = [], help } = flag;
  const [term, meaning] = flagRow(flag);
  const isNamed = choices.every((word) => help.includes(word));
  return [term, isNamed ? meaning : `${meaning}: ${choices.join(', ')}`];
}

function pageName(words: string): string {
  return ['reviewctl', ...words.split(' ')].filter((word) => word !== '').join('-');
}

function synopsis(surface: Surface): string {
  const terms = termsOf(surface).join(' ');
  return `.B ${roffText(`reviewctl ${surface.words}`.trim())}\n${roffText(`${terms} [flags]`.trim())}`;
}

function sectionText(macro: '.SH' | '.SS', { heading, rows }: Section): string {
  const title = macro === '.SH' ? heading.toUpperCase() : heading;
  const isVerbatim = rows.every(([, meaning]) => meaning === '');
  const body = isVerbatim
    ? ['.nf', ...rows.map(([term]) => roffText(term)), '.fi']
    : rows.flatMap(([term, meaning]) => ['.TP', `.B ${roffText(term)}`, roffText(meaning)]);
  return [`${macro} ${title}`, ...body].join('\n');
}

/** Text with roff's special characters escaped, and with hyphens that can be copied. */
function roffText(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('"', '\\(dq')
    .replaceAll(
      /[^\n -~]/gu,
      (sign) => `\\[u${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  return escaped.startsWith('.') ? `\\&${escaped}` : escaped;
}
