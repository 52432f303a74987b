import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** How far the heap of old objects may grow beyond what was in use when it was collected last. */
const growthPercent = 100;
/** How large the heap of young objects may become, in bytes; V8 itself stops at twice as much. */
const youngMaximum = 16 * 1024 * 1024;
const checkEveryMs = 20;

/**
 * Has V8 collect garbage rather than take more memory, where records stream through by the million: what is in use at a
 * time is little, and by itself V8 lets a heap of 20 MB grow to 80 MB first. Costs some 7 % of the time of a push.
 */
export function keepHeapLean(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  // V8 reads the largest size of the young heap at its start only, but a flag can keep it from growing later.
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
