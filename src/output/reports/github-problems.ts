import { isAbsolute, relative, resolve } from 'node:path';

/** A problem of one place in a file, for GitHub Actions. */
export interface GithubProblem {
  readonly file: string;
  readonly line?: number | undefined;
  /** The id of the record, where one is known. */
  readonly id?: string | undefined;
  readonly message: string;
}

/** Where the files of a workflow are: the working folder, and the folder that GitHub shows them relative to. */
export interface Checkout {
  readonly cwd: string;
  readonly workspace: string | undefined;
}

/**
 * The workflow command that marks a problem in its file, as GitHub reads it from the output of a step. Text of the
 * input is escaped, so it can neither end the command nor begin another one.
 */
export function errorCommand({ file, line, id, message }: GithubProblem, checkout: Checkout): string {
  const properties = [
    `file=${escapedProperty(pathIn(checkout, file))}`,
    ...(line === undefined ? [] : [`line=${line}`]),
    ...(id === undefined ? [] : [`title=${escapedProperty(id)}`]),
  ];
  return `::error ${properties.join(',')}::${escapedData(message)}`;
}

/** A section of the job summary, in Markdown: the problems as a table, and how many there are besides. */
export function problemTable(title: string, problems: readonly GithubProblem[], more: number): string {
  const rows = problems.map(({ file, line, id = '', message }) =>
    row([file, line === undefined ? '' : String(line), id, message]),
  );
  const rest = more > 0 ? ['', `and ${more} more`] : [];
  return [
    `### ${escapedMarkdown(title)}`,
    '',
    row(['file', 'line', 'id', 'problem']),
    '|---|---|---|---|',
    ...rows,
    ...rest,
    '',
    '',
  ].join('\n');
}

/** The path from the workspace, to which GitHub attaches annotations; as given where it is outside. */
function pathIn({ cwd, workspace }: Checkout, file: string): string {
  if (workspace === undefined || workspace === '') return file;
  const path = relative(workspace, resolve(cwd, file));
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function escapedData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapedProperty(text: string): string {
  return escapedData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(escapedMarkdown).join(' | ')} |`;
}

/** Text as it is: no markup, no link, no end of a cell. */
function escapedMarkdown(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*_{}[\]()#+!|~@]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}
