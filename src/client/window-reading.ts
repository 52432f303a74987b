import { limitWork, mapConcurrently, streamOf } from '../base/lists.ts';
import { splitWindow, type TimeWindow } from './time-windows.ts';
import type { TimedPage } from './timed-pages.ts';

type Pages = AsyncGenerator<TimedPage>;

/** The plan for reading windows. */
interface WindowPlan {
  /** The number of windows to read concurrently. */
  readonly lanes: number;
  /** True if the latest window comes first. */
  readonly isLatestFirst: boolean;
  /** The time range of the records. */
  readonly known: TimeWindow;
  /** The pages of a window, in the order of the list. */
  readonly pagesOf: (window: TimeWindow) => Pages;
}

/** Records per window: enough to justify its requests, few enough to hold until its turn. */
const windowRecords = { min: 100, max: 1000 } as const;
/** Windows per lane, so that no lane is idle for long at the end. */
const windowsPerLane = 4;
/** Windows per lane to read or hold. */
const heldPerLane = 2;
/** Pages of a window to hold. Later ones are read when their turn comes. */
const heldPages = 20;

/** A window whose first pages were read, or the windows that replace it. */
type OpenedWindow =
  | { readonly held: readonly TimedPage[]; readonly rest: Pages | undefined }
  | { readonly parts: readonly TimeWindow[]; readonly count: number };

/**
 * Reads all windows of a list concurrently, and yields their pages in order. Windows have equal lengths of time. One
 * with far more records than expected is split again. `total` is the number of all records; if it is unknown, no window
 * is split again.
 */
export function readInWindows(plan: WindowPlan, total: number | undefined): Pages {
  const { lanes, isLatestFirst, known, pagesOf } = plan;
  const limit = limitWork(lanes);
  const wanted = clamp(Math.ceil((total ?? 0) / (lanes * windowsPerLane)), windowRecords);

  const split = (window: TimeWindow, parts: number) => {
    const windows = splitWindow(window, parts, known);
    return isLatestFirst ? windows.toReversed() : windows;
  };

  const begin = async (window: TimeWindow, maySplit: (count: number) => boolean): Promise<OpenedWindow> => {
    const pages = pagesOf(window);
    const held: TimedPage[] = [];
    for (;;) {
      if (held.length === heldPages) return { held, rest: pages };
      const { done, value } = await pages.next();
      if (done === true) return { held, rest: undefined };
      const count = value.page.totalCount ?? 0;
      if (held.length === 0 && maySplit(count) && count > 2 * wanted) {
        const parts = split(window, Math.ceil(count / wanted));
        if (parts.length > 1) {
          await pages.return(undefined);
          return { parts, count };
        }
      }
      held.push(value);
    }
  };

  async function* pagesIn(windows: readonly TimeWindow[], count: number): Pages {
    let left = count;
    // If windows have more records than the list's total, the service's totals do not refer to the window.
    const maySplit = (counted: number) => {
      left -= counted;
      return left >= -count / 2;
    };
    const width = { width: lanes, windowWidths: heldPerLane };
    const work = (window: TimeWindow) => limit(() => begin(window, maySplit));
    for await (const opened of mapConcurrently(streamOf(windows), width, work)) {
      if ('parts' in opened) yield* pagesIn(opened.parts, opened.count);
      else {
        yield* opened.held;
        if (opened.rest !== undefined) yield* opened.rest;
      }
    }
  }

  const all = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
  const parts = total === undefined ? lanes * windowsPerLane : Math.ceil(total / wanted);
  return pagesIn(split(all, parts), total ?? 0);
}

function clamp(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(Math.max(value, min), max);
}
