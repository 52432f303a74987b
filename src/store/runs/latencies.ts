/**
 * How long requests took: for each bucket how many of them. Buckets grow with the time they stand for, by 9 % each, so
 * a handful holds every time there is, and those of several runs add up.
 */
export type Latencies = Readonly<Record<string, number>>;

const bucketsPerDoubling = 8;

/** The bucket of a time in milliseconds. */
export function latencyBucket(tookMs: number): number {
  return Math.round(bucketsPerDoubling * Math.log2(Math.max(0, tookMs) + 1));
}

/** The time that a bucket stands for, in milliseconds. */
function latencyOfBucket(bucket: number): number {
  return 2 ** (bucket / bucketsPerDoubling) - 1;
}

export function countLatencies(latencies: Latencies): number {
  return Object.values(latencies).reduce((sum, count) => sum + count, 0);
}

/** The time in milliseconds within which `share` of the requests were answered; undefined without requests. */
export function latencyPercentile(latencies: Latencies, share: number): number | undefined {
  const wanted = Math.max(1, Math.ceil(share * countLatencies(latencies)));
  let counted = 0;
  // Keys that are whole numbers come in their order.
  for (const [bucket, count] of Object.entries(latencies)) {
    counted += count;
    if (counted >= wanted) return latencyOfBucket(Number(bucket));
  }
  return undefined;
}
