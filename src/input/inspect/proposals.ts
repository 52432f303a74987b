import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { type Binding, type ColumnChoice, choiceMaps } from '../mapping/binding.ts';
import { findHeaderBelow } from '../mapping/header-below.ts';
import type { RecognizedFile } from '../mapping/recognize.ts';
import type { InputOptions } from '../records/options.ts';
import type { RecordKind } from '../records/record-kinds.ts';

/** A flag of push that the input needs. */
export interface PushFlag {
  readonly flag: '--map' | '--set' | '-c image-base-url' | '--header-row' | '--sheet' | '-c product-key';
  readonly value: string;
  /** Other possible values. */
  readonly alternatives: readonly string[];
}

export interface Proposal extends PushFlag {
  readonly reason: HintText;
}

/** Proposes the line of the header, if it is below the assumed one, on the same line in all files. */
export function proposeHeaderRow(
  files: readonly RecognizedFile[],
  kind: RecordKind,
  given: InputOptions,
): readonly Proposal[] {
  const lines = new Set(files.map((file) => findHeaderBelow(file, kind, given)?.line));
  const [line] = lines;
  if (line === undefined || lines.size > 1) return [];
  const reason = `line ${line} looks like the header, unlike the line above`;
  return [{ flag: '--header-row', value: String(line), reason, alternatives: [] }];
}

/** Proposes a sheet if several have the same columns. It must exist in all workbooks. */
export function proposeSheet(files: readonly RecognizedFile[]): readonly Proposal[] {
  const workbooks = files.flatMap(({ sheets }) => sheets ?? []);
  const open = workbooks.find(({ isOpen }) => isOpen);
  const shared = open?.names.filter((name) => workbooks.every(({ names }) => names.includes(name)));
  const [value, ...alternatives] = shared ?? [];
  if (value === undefined) return [];
  const reason = 'these sheets have the same columns, but only one can be read at a time: choose';
  return [{ flag: '--sheet', value, reason, alternatives }];
}

/** Proposes a source for each field that needs one; if files differ, the one for the first file. */
export function proposeMaps(bindings: readonly (Binding | undefined)[]): readonly Proposal[] {
  const all = bindings.flatMap((binding): Proposal[] => [
    ...(binding?.choices ?? []).map(choiceProposal),
    ...(binding?.proposals ?? []).map((value) => {
      const reason = `no column for ${fieldOf(value)}, which every record needs`;
      return { flag: '--map', value, reason, alternatives: [] } as const;
    }),
  ]);
  const subjects = all.map(subjectOf);
  return all.filter((_, at) => subjects.indexOf(subjects[at] ?? '') === at);
}

/** Flags without which the command would be refused, and whose values only the user can choose. */
export function missingFlags(bindings: readonly (Binding | undefined)[]): readonly PushFlag[] {
  const maps = new Set(bindings.flatMap((binding) => binding?.suggestedMaps ?? []));
  const keys = bindings.flatMap((binding) => binding?.keyRemedy ?? []).slice(0, 1);
  const missing = [...maps].map((value) => ({ flag: '--map', value }) as const);
  return [...missing, ...keys].map((flag) => ({ ...flag, alternatives: [] }));
}

function choiceProposal(choice: ColumnChoice): Proposal {
  const [value = '', ...alternatives] = choiceMaps(choice);
  const reason = `${choice.path} can come from ${choice.columns.join(' or ')}, which may mean different things: choose`;
  return { flag: '--map', value, reason, alternatives };
}

/** The field that a proposal concerns, or `--sheet`. */
export function subjectOf({ flag, value }: Proposal): string {
  if (flag === '--sheet') return flag;
  return flag === '-c image-base-url' ? 'imageUrl' : fieldOf(value);
}

/** The field to which a value of `--map` or `--set` assigns. */
export function fieldOf(assignment: string): string {
  return assignment.slice(0, assignment.indexOf('='));
}

export function withProposals(options: InputOptions, proposals: readonly Proposal[]): InputOptions {
  const valuesOf = (wanted: Proposal['flag']) =>
    proposals.filter(({ flag }) => flag === wanted).map(({ value }) => value);
  const [imageBaseUrl = options.imageBaseUrl] = valuesOf('-c image-base-url');
  const [headerRow = options.headerRow] = valuesOf('--header-row').map(Number);
  const [sheet = options.sheet] = valuesOf('--sheet');
  const map = [...options.map, ...valuesOf('--map')];
  return { ...options, map, set: [...options.set, ...valuesOf('--set')], imageBaseUrl, headerRow, sheet };
}

/** The base URL of images in the shop's system, with a placeholder if the shop's address is unknown. */
function imageBaseUrlOf(headers: readonly RecognizedFile[], shopUrl: string | undefined): string {
  const known = headers.map(({ preset }) => preset?.shape.imageBaseUrl).find((url) => url !== undefined);
  if (shopUrl === undefined) return known ?? 'https://YOUR-SHOP.example/images/';
  return new URL(known === undefined ? '/' : new URL(known).pathname, shopUrl).href;
}

export function proposeForProblems(
  codes: ReadonlySet<string>,
  headers: readonly RecognizedFile[],
  shopUrl: string | undefined,
): readonly Proposal[] {
  const proposals: Proposal[] = [];
  if (codes.has('relative-image')) {
    const reason = 'images are written as paths, and the service needs complete URLs';
    const save = reviewctl`config set image-base-url https://…/images/`;
    proposals.push({
      flag: '-c image-base-url',
      value: imageBaseUrlOf(headers, shopUrl),
      reason:
        shopUrl === undefined
          ? hint`${reason}: replace YOUR-SHOP, or save where images are: ${save}`
          : reason,
      alternatives: [],
    });
  }
  if (codes.has('masked-member')) {
    const reason =
      'member ids are masked, so several people may share one: omit them, or map a column with complete ids';
    proposals.push({ flag: '--set', value: 'memberOriginId=', reason, alternatives: [] });
  }
  return proposals;
}
