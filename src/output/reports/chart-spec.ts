/** Colors of a page, which are others in the dark. */
export type Tone =
  | 'good'
  | 'fine'
  | 'calm'
  | 'pale'
  | 'warn'
  | 'bad'
  | 'odd'
  | 'accent'
  | `rate${1 | 2 | 3 | 4 | 5}`;

export interface ChartSeries {
  readonly name: string;
  readonly tone: Tone;
  /** One for each label; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** What a chart shows: columns that stand on each other, lines over time, or rows from the top down. */
export interface ChartSpec {
  readonly kind: 'columns' | 'lines' | 'rows';
  /** What it shows, for readers who cannot see it. */
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly ChartSeries[];
  /** A value in words; left out, the number with its thousands apart. */
  readonly inWords?: (value: number) => string;
  /** Whether the names of several series are listed above; left out, they are. */
  readonly hasLegend?: boolean;
  /** The end of the axis of values, where it is known. */
  readonly maximum?: number;
}
