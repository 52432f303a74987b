import { environmentName } from '../src/config/setting-sources.ts';

/** Variables that set assumptions, given as `name=value`. */
export function assumptionVariables(assumptions: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    assumptions.map((assumption) => {
      const end = assumption.indexOf('=');
      return [environmentName(assumption.slice(0, end)), assumption.slice(end + 1)];
    }),
  );
}
