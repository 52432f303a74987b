import { ownSection, sectionOf } from './help-text.ts';
import type { FlagSurface } from './surface.ts';

/** The sections that many commands share. */
const sharedSections = [
  'Sending',
  'Reading',
  'Connection',
  'Service',
  'Files',
  'State',
  'Payer',
  'Paying',
  'Receiver',
  'Messages',
  'Monitoring',
  'Output',
  'Questions',
  'Common',
];

/**
 * The one order of flags, for the help of every command: first the sections of few commands, by name, with those of the
 * command itself before them; then the shared sections, always in the same order. Within a section, by name.
 */
export function inHelpOrder(flags: readonly FlagSurface[]): readonly FlagSurface[] {
  return flags.toSorted((a, b) => {
    const [one, other] = [sectionOf(a), sectionOf(b)];
    return rankOf(one) - rankOf(other) || compareText(one, other) || compareText(a.name, b.name);
  });
}

function rankOf(section: string): number {
  return section === ownSection ? -2 : sharedSections.indexOf(section);
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
