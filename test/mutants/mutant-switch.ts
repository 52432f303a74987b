/** Which mutant acts in this process, and which ones the tests reach: what `switchable` sources ask. */
export interface MutantSwitch {
  /** Switches one on, or none; afterwards it may be asked for so many times. */
  activate: (mutant: number | undefined, callsMaximum?: number) => void;
  /** Calls `reach` for each mutant that is asked for while none acts. */
  onReach: (reach: (mutant: number) => void) => void;
  readonly calls: () => number;
}

/** Puts the switch where `switchable` sources find it, in all modules that are loaded from then on. */
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
