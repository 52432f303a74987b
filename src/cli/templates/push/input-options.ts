import { Failure } from '../../../base/failure.ts';
import { present } from '../../../base/present.ts';
import { type InputFiles, openInput } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Notice } from '../../../input/records/problem.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import type { FlagValues } from '../../flags/flags.ts';
import type { inputFlags, tableFlags } from '../../flags/input-flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';

/** True if the assumption lets a push create whole orders from their rows. */
function makesWholeOrders(setting: string): boolean {
  return setting.startsWith('createOrders=');
}

/** True if an address, or a template of one, is the placeholder that `inspect` prints for an unknown shop. */
export function isPlaceholder(text: string): boolean {
  return /https?:\/\/your-shop\./i.test(text);
}

/** @throws Failure('usage') if an address is still a placeholder. */
function refusePlaceholders({ imageBaseUrl, map, set }: FlagValues<typeof inputFlags>): void {
  const typed = [
    ...(imageBaseUrl === undefined ? [] : [`-c image-base-url=${imageBaseUrl}`]),
    ...map.map((value) => `--map ${value}`),
    ...set.map((value) => `--set ${value}`),
  ];
  const placeholder = typed.find(isPlaceholder);
  if (placeholder === undefined) return;
  throw new Failure(
    'usage',
    `${placeholder}: YOUR-SHOP is a placeholder for the name of your shop`,
    'enter the real address of the images, as a browser shows it',
  );
}

/**
 * The options for reading the input, from the flags.
 * @throws Failure('usage') if an address is still a placeholder.
 */
export function inputOptions(
  flags: FlagValues<typeof inputFlags> & { readonly assume?: readonly string[] },
): InputOptions {
  refusePlaceholders(flags);
  const { allow = [], assume = [], map, set, timeZone, carriers } = flags;
  const { productKey, preset, nullWord, imageBaseUrl, decimal, dateOrder, openStatus } = flags;
  return {
    map,
    set,
    timeZone,
    allow,
    carriers,
    hasWholeOrders: assume.some(makesWholeOrders),
    ...present<Partial<InputOptions>>({
      ...{ productKey, preset, nullWord, imageBaseUrl },
      ...{ decimal, dateOrder, openStatus },
    }),
    ...tableOptions(flags),
  };
}

export type TableFlagValues = Omit<FlagValues<typeof tableFlags>, 'workbookPasswordFile'>;

/** The options for reading a file as a table, whatever its columns mean, from the flags. */
export function tableOptions({
  format,
  encoding,
  delimiter,
  sheet,
  headerRow,
}: TableFlagValues): Partial<InputOptions> {
  return present<Partial<InputOptions>>({
    format,
    // CP949 contains EUC-KR, and files labelled EUC-KR are usually written in it.
    encoding: encoding === 'euc-kr' ? 'cp949' : encoding,
    delimiter,
    sheet,
    headerRow,
  });
}

/**
 * Opens the files at `paths`, `-` for standard input, as input for `what`: `the results`. They are closed when the
 * command has ended.
 * @throws as `openInput`.
 */
export async function openFiles(
  invocation: Invocation,
  paths: readonly string[],
  what: string,
  isReadAgain = true,
): Promise<InputFiles> {
  const { context } = invocation;
  const stdin = paths.includes('-') ? standardInput(invocation, what) : context.stdin;
  const files = await openInput(paths, { stdin, stopping: context.stopping, isReadAgain });
  invocation.defer(() => files.close());
  return files;
}

/** Shows a notice about the input. */
export function showNotice({ isInfo, message, hint }: Notice, notices: Notices): void {
  if (isInfo) notices.info(message);
  else notices.warning(message, hint);
}
