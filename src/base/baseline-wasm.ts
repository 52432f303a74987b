import { setFlagsFromString } from 'node:v8';

/**
 * Leaves WebAssembly as the baseline compiler makes it, from the next module on. The parser of undici is all there is of it here: optimised, it
 * costs 35 MB and 50 ms of a processor in the background, and parses no reply any faster than the network brings it.
 */
export function useBaselineWasm(): void {
  setFlagsFromString('--liftoff-only');
}
