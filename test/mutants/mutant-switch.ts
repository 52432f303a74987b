/** Activates a mutant in this process, and reports the mutants that tests reach; called by `switchable` sources. */
export interface MutantSwitch {
  /** Activates one mutant or none; then allows this number of lookups. */
  activate: (mutant: number | undefined, callsMaximum?: number) => void;
  /** Calls `reach` for each mutant that is looked up while none is active. */
  onReach: (reach: (mutant: number) => void) => void;
  readonly calls: () => number;
}

/** Installs the switch for the `switchable` sources of all modules loaded afterwards. */
export function installSwitch(): MutantSwitch {
  let active: number | undefined;
  let calls = 0;
  let most = Number.POSITIVE_INFINITY;
  let reach: (mutant: number) => void = () => undefined;
  const isMutant = (mutant: number): boolean => {
    calls += 1;
    if (calls > most) throw new Error('the mutant runs on without end');
    if (active === undefined) reach(mutant);
    return mutant === active;
  };
  Object.assign(globalThis, { [Symbol.for('reviewctl.mutants')]: isMutant });
  return {
    activate: (mutant, callsMaximum = Number.POSITIVE_INFINITY) => {
      active = mutant;
      calls = 0;
      most = callsMaximum;
    },
    onReach: (next) => {
      reach = next;
    },
    calls: () => calls,
  };
}
