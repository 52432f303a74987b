/** A heading and the text below it, up to the next heading of any level. */
export interface Section {
  readonly heading: string;
  readonly text: string;
}

/** One row of a table: cells by the heading of their column. */
export type TableRow = Readonly<Record<string, string>>;

/** The sections of a Markdown text, in order. */
export function sectionsOf(markdown: string): Section[] {
  return markdown
    .split(/^(?=#{1,6} )/m)
    .filter((part) => part.startsWith('#'))
    .map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      return { heading: heading.replace(/^#+ /, ''), text: lines.join('\n').trim() };
    });
}

/** The sections after the one whose heading starts with `from` and before the one that starts with `to`. */
export function sectionsBetween(sections: readonly Section[], from: string, to: string): Section[] {
  const start = sections.findIndex(({ heading }) => heading.startsWith(from));
  const end = sections.findIndex(({ heading }, index) => index > start && heading.startsWith(to));
  return sections.slice(start + 1, end);
}

/** The text of the first section whose heading starts with `heading`; the document must have one. */
export function textUnder(sections: readonly Section[], heading: string): string {
  const section = sections.find((candidate) => candidate.heading.startsWith(heading));
  if (section === undefined) throw new Error(`the document has no section '${heading}'`);
  return section.text;
}

/** The rows of all tables in a text, in order. */
export function tableRowsOf(text: string): TableRow[] {
  const rows: TableRow[] = [];
  let headings: readonly string[] | undefined;
  for (const line of text.split('\n')) {
    if (!line.startsWith('|')) headings = undefined;
    else if (headings === undefined) headings = cellsOf(line);
    else if (!/^\|[-|\s]+$/.test(line)) rows.push(rowOf(headings, cellsOf(line)));
  }
  return rows;
}

function rowOf(headings: readonly string[], cells: readonly string[]): TableRow {
  return Object.fromEntries(headings.map((heading, column) => [heading, cells[column] ?? '']));
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}
