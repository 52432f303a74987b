import { appendFileSync, readFileSync } from 'node:fs';

/** The figures of campaigns. Each is a sum; violations are broken promises. */
const figureNames = [
  'kills',
  'suspensions',
  'faults',
  'schedules',
  'mutants',
  'executions',
  'violations',
] as const;

export type FigureName = (typeof figureNames)[number];
export type Figures = Readonly<Partial<Record<FigureName, number>>>;

/** The environment variable with the file in which `campaign -- all` collects figures. */
export const figuresVariable = 'CAMPAIGN_FIGURES';

/** Adds to the figures of a campaign, from any of its processes. Without `campaign -- all` it does nothing. */
export function addFigures(campaign: string, figures: Figures): void {
  const path = process.env[figuresVariable];
  if (path !== undefined) appendFileSync(path, `${JSON.stringify({ campaign, ...figures })}\n`);
}

/** The sums of each campaign. */
export function readFigures(path: string): ReadonlyMap<string, Figures> {
  const sums = new Map<string, Figures>();
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const { campaign, ...figures }: Figures & { readonly campaign: string } = JSON.parse(line);
    const known = sums.get(campaign) ?? {};
    const named = figureNames.filter((name) => figures[name] !== undefined || known[name] !== undefined);
    sums.set(
      campaign,
      Object.fromEntries(named.map((name) => [name, (known[name] ?? 0) + (figures[name] ?? 0)])),
    );
  }
  return sums;
}

/** A row of the table printed by `campaign -- all`. */
export interface CampaignRow {
  readonly campaign: string;
  /** Undefined if it ran within another campaign. */
  readonly seconds: number | undefined;
  readonly figures: Figures;
  readonly isSound: boolean;
  /** The missing program because of which it was skipped. */
  readonly missing?: string;
}

/** The figure that each campaign must report. One that does not report it did nothing, or failed to report. */
const due: Readonly<Record<string, FigureName>> = {
  push: 'kills',
  settle: 'kills',
  machines: 'kills',
  schedules: 'schedules',
  power: 'faults',
  midnight: 'kills',
  mutants: 'mutants',
  fuzz: 'executions',
  faults: 'faults',
  'crash-points': 'kills',
  ledger: 'kills',
};

/** The figure that a campaign should have reported but did not. */
export function missingFigure(campaign: string, figures: Figures): FigureName | undefined {
  const name = due[campaign];
  return name !== undefined && (figures[name] ?? 0) === 0 ? name : undefined;
}

/** Formats one line per campaign and a line of totals; missing figures are blank. */
export function figuresTable(rows: readonly CampaignRow[]): string {
  const total = Object.fromEntries(
    figureNames.map((name) => [name, rows.reduce((sum, { figures }) => sum + (figures[name] ?? 0), 0)]),
  );
  const all = {
    campaign: 'all',
    seconds: rows.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0),
    figures: total,
    isSound: rows.every((row) => row.isSound),
  };
  const cells = [
    ['campaign', 'seconds', ...figureNames, 'result'],
    ...[...rows, all].map(({ campaign, seconds, figures, isSound, missing }: CampaignRow) => [
      campaign,
      seconds?.toFixed(0) ?? '',
      ...figureNames.map((name) => figures[name]?.toLocaleString('en') ?? ''),
      missing === undefined ? (isSound ? 'ok' : 'FAILED') : `needs ${missing}`,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  );
  return lines.map((row) => row.join('  ').trimEnd()).join('\n');
}
