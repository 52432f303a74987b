import { koreanZone } from '../../base/korean-time.ts';
import { flagWord, shellWord } from '../../base/shell-word.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKindName } from '../records/record-kinds.ts';
import { fieldOf, type PushFlag, proposeSheet } from './proposals.ts';

/** The settings that read such files in the same way, named per kind of record so that one folder can have several. */
export function settingsToKeep(
  kind: RecordKindName,
  { preset, productKey, map, set, imageBaseUrl, carriers = [] }: InputOptions,
): Readonly<Record<string, string | readonly string[]>> | undefined {
  const settings = {
    ...(preset === undefined ? {} : { preset }),
    ...(map.length === 0 ? {} : { map }),
    ...(set.length === 0 ? {} : { set }),
    ...(carriers.length === 0 ? {} : { carrier: carriers }),
    ...(imageBaseUrl === undefined ? {} : { 'image-base-url': imageBaseUrl }),
  };
  const named = Object.entries(settings).map(([key, value]) => [`${kind}.${key}`, value] as const);
  // The product key applies to the whole shop.
  const ofShop = productKey === undefined ? [] : [['product-key', productKey] as const];
  const all = [...ofShop, ...named];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

/** The commands that push the input: one per workbook if sheets must be chosen and the workbooks share none. */
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

/** One command per alternative; with several choices, each command uses the next alternative of each. */
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

/** A path as a word of the shell, with `./` if it would be read as a flag. */
function fileWord(path: string): string {
  return shellWord(path.startsWith('-') && path !== '-' ? `./${path}` : path);
}

function flagWords(options: InputOptions): readonly string[] {
  const { format, encoding, delimiter, sheet, headerRow, preset, productKey, nullWord, imageBaseUrl } =
    options;
  const given: readonly (readonly [string, string | number | undefined])[] = [
    ['--format', format],
    ['--encoding', encoding],
    ['--delimiter', delimiter],
    ['--sheet', sheet],
    ['--header-row', headerRow],
    ['--preset', preset],
    ['-c product-key', productKey],
    ...options.map.map((value) => ['--map', value] as const),
    ...options.set.map((value) => ['--set', value] as const),
    ...(options.carriers ?? []).map((value) => ['-c carriers', value] as const),
    ['-c time-zone', options.timeZone === koreanZone ? undefined : options.timeZone],
    ['-c decimal', options.decimal],
    ['-c date-order', options.dateOrder],
    ['-c null-word', nullWord],
    ...(options.allow ?? []).map((trace) => ['--allow', trace] as const),
    ['-c image-base-url', imageBaseUrl],
  ];
  return given.flatMap(([flag, value]) => (value === undefined ? [] : [flagWord(flag, String(value))]));
}
