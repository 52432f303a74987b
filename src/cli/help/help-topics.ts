import { exitCodes } from '../../base/failure.ts';
import { allSurfaces, findSurface } from './find-surface.ts';
import { flagRow, flagVariable, isShared, rendered, type Section, sectionOf } from './help-text.ts';
import type { FlagSurface, HelpRow } from './surface.ts';
import { type Topic, topics } from './topic-names.ts';

/** The help of a topic, in lines that fit `columns` cells. */
export async function topicText(topic: Topic, columns: number): Promise<string> {
  const summary = topics[topic];
  const title = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  return rendered([title], await sectionsOf[topic](), columns);
}

const sectionsOf: Readonly<Record<Topic, () => Promise<readonly Section[]>>> = {
  settings,
  'exit-codes': async () => [codes],
  environment,
  output,
};

/** The flags of the shared sections, each once in a section. */
async function settings(): Promise<readonly Section[]> {
  const found = new Map<string, Map<string, FlagSurface>>();
  for (const flag of (await commandFlags()).filter((one) => isShared(sectionOf(one)))) {
    const section = found.get(sectionOf(flag)) ?? new Map<string, FlagSurface>();
    // Some commands offer fewer choices.
    const known = section.get(flag.name);
    if (known === undefined || countChoices(known) < countChoices(flag)) section.set(flag.name, flag);
    found.set(sectionOf(flag), section);
  }
  return [...found].map(([heading, flags]) => ({ heading, rows: [...flags.values()].map(flagRow) }));
}

function countChoices({ choices = [] }: FlagSurface): number {
  return choices.length;
}

async function commandFlags(): Promise<readonly FlagSurface[]> {
  return (await allSurfaces()).flatMap((surface) => (surface.kind === 'command' ? surface.flags : []));
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
  const sections = await settings();
  return [formats, ...sections.filter(({ heading }) => heading === 'Output')];
}
