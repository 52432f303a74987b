import { exitCodes } from '../../base/failure.ts';
import { findSettings } from './all-setting-flags.ts';
import { type Topic, topics } from './command-path.ts';
import { findSurface } from './find-surface.ts';
import { flagRow, flagVariable, rendered, type Section, sentence } from './help-text.ts';
import { commonSurfaces } from './read-surface.ts';
import type { HelpRow } from './surface.ts';

/** The help of a topic, in lines that fit `columns` cells. */
export async function topicText(topic: Topic, columns: number): Promise<string> {
  return rendered([sentence(topics[topic])], await sectionsOf[topic](), columns);
}

const sectionsOf: Readonly<Record<Topic, () => Promise<readonly Section[]>>> = {
  settings,
  'exit-codes': async () => [codes],
  environment,
  output,
};

/** All settings, by section. */
async function settings(): Promise<readonly Section[]> {
  const all = await findSettings();
  const headings = [...new Set(all.map(({ section }) => section))];
  const common = commonSurfaces().map(flagRow);
  const sections = headings.map((heading) => ({
    heading,
    rows: all.filter(({ section }) => section === heading).map(({ name, help }): HelpRow => [name, help]),
  }));
  return [{ heading: 'Flags of every command', rows: common }, ...sections];
}

const codes: Section = {
  heading: 'Exit codes',
  rows: Object.entries(exitCodes).map(([code, meaning]): HelpRow => [code, meaning]),
};

async function environment(): Promise<readonly Section[]> {
  const { variables } = await findSurface('');
  return [{ heading: 'Environment', rows: [...variables, flagVariable] }];
}

const formats: Section = {
  heading: 'Formats',
  rows: [
    ['table', 'for people; the default on a terminal'],
    ['ndjson', 'one record a line, with all its fields, as it comes; the default in a pipe'],
    ['json', 'one array of all records'],
    ['csv', 'the fields of the document as columns, nested ones with dots'],
    ['ids', 'one id a line, for - of another command'],
    ['count', 'the number of records'],
    ['none', 'nothing; messages and totals still go to stderr'],
  ],
};

async function output(): Promise<readonly Section[]> {
  return [formats, { heading: 'Flags', rows: outputRows }];
}

const outputRows: readonly HelpRow[] = [
  ['-o, --output FORMAT', 'one of the formats above; also a setting'],
  ['--fields a,b.c', 'only these fields, nested ones with dots'],
  ['--excel', 'with -o csv: a byte order mark, for Excel'],
  ['-q, --quiet', 'only warnings and errors on stderr'],
  ['-c progress=MODE', 'progress on stderr: auto, plain, json or none'],
  ['-c log-format=json', 'messages on stderr as JSON, one a line'],
  ['-c time-zone=OFFSET', 'time zone of times on a terminal (+09:00)'],
];
