import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Allowed growth of the old heap since its last collection, in percent. */
const growthPercent = 100;
/** The largest young heap, in bytes; V8's own limit is twice as much. */
const youngMaximum = 16 * 1024 * 1024;
const checkEveryMs = 20;

/**
 * Makes V8 collect garbage before it takes more memory, for runs that stream millions of records: little is in use at a
 * time, but V8 would let a heap of 20 MB grow to 80 MB first. Costs some 7 % of the time of a push.
 */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // V8 reads the limit of the young heap only at its start, but a flag can stop its growth later.
  const timer = setInterval(() => {
    if (youngBytes() < youngMaximum) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, checkEveryMs);
  timer.unref();
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
