import { koreanZone } from '../../base/korean-time.ts';
import { kebabCase } from '../../base/name-case.ts';
import { flagWord, shellWord } from '../../base/shell-word.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKindName } from '../records/record-kinds.ts';
import { fieldOf, type PushFlag, proposeSheet } from './proposals.ts';

/** Settings with a flag of their own; the others need `-c`. */
const flagged: ReadonlySet<string> = new Set(
  'format encoding delimiter sheet header-row preset map set'.split(' '),
);

/** The input options that are settings, in the order in which commands list them. */
const settings = [
  ...([
    'format',
    'encoding',
    'delimiter',
    'sheet',
    'headerRow',
    'preset',
    'productKey',
    'map',
    'set',
  ] as const),
  ...(['carriers', 'timeZone', 'decimal', 'dateOrder', 'nullWord', 'openStatus', 'imageBaseUrl'] as const),
];

/** Writes these options as settings, omitting defaults. */
function settingsOf(
  options: InputOptions,
): readonly (readonly [name: string, value: string | readonly string[]])[] {
  return settings.flatMap((name) => {
    const option = options[name];
    const value = typeof option === 'number' ? String(option) : option;
    const isDefault = name === 'timeZone' && value === koreanZone;
    return value === undefined || value.length === 0 || isDefault ? [] : [[kebabCase(name), value] as const];
  });
}

/** Settings that read such files in the same way, prefixed by the kind of record so that kinds can differ. */
export function settingsToKeep(
  kind: RecordKindName,
  options: InputOptions,
): Readonly<Record<string, string | readonly string[]>> | undefined {
  const all = settingsOf(options).map(([name, value]) => {
    // The product key applies to the whole shop.
    return [name === 'product-key' ? name : `${kind}.${name}`, value] as const;
  });
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The commands that push the input: one per workbook if sheets must be chosen and no sheet exists in all workbooks. */
export function pushCommands(
  files: readonly RecognizedFile[],
  kind: RecordKindName,
  given: InputOptions,
  proposals: readonly PushFlag[],
): readonly string[] {
  const isChosen = proposals.some(({ flag }) => flag === '--sheet');
  const alone = files.map((file) => proposeSheet([file]));
  if (isChosen || alone.flat().length === 0) return commandsOfChoices(files, kind, given, proposals);
  return files.flatMap((file, at) =>
    commandsOfChoices([file], kind, given, [...(alone[at] ?? []), ...proposals]),
  );
}

/** One command per alternative. With several choices, each command uses the next alternative of each. */
function commandsOfChoices(
  files: readonly RecognizedFile[],
  kind: RecordKindName,
  given: InputOptions,
  proposals: readonly PushFlag[],
): readonly string[] {
  const isProposed = (flag: PushFlag['flag']) => proposals.some((proposal) => proposal.flag === flag);
  const isReplaced = (map: string) =>
    proposals.some(({ flag, value }) => flag === '--map' && fieldOf(value) === fieldOf(map));
  const kept: InputOptions = {
    ...given,
    map: given.map.filter((map) => !isReplaced(map)),
    ...(isProposed('-c product-key') && { productKey: undefined }),
  };
  const { headerRow: _headerRow, ...others } = kept;
  const start = [
    'reviewctl',
    kind,
    'push',
    ...files.map(({ file }) => fileWord(file.shownAs)),
    ...flagWords(isProposed('--header-row') ? others : kept),
  ];
  const ways = Math.max(1, ...proposals.map(({ alternatives }) => alternatives.length + 1));
  return Array.from({ length: ways }, (_, way) => {
    const flags = proposals.map(({ flag, value, alternatives }) => {
      const values = [value, ...alternatives];
      return flagWord(flag, values[Math.min(way, values.length - 1)] ?? value);
    });
    return [...start, ...flags].join(' ');
  });
}

/** A path as a shell word, with `./` if it would be read as a flag. */
function fileWord(path: string): string {
  return shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path);
}

function flagWords(options: InputOptions): readonly string[] {
  const settings = settingsOf(options).flatMap(([name, value]) =>
    [value].flat().map((one) => flagWord(flagged.has(name) ? `--${name}` : `-c ${name}`, one)),
  );
  return [...settings, ...(options.allow ?? []).map((trace) => flagWord('--allow', trace))];
}
