import { counter, createGate } from './open-receiver.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

/** A payer: every payment waits at a gate, and tells when it has come there. */
export function gatedPayer() {
  const gate = createGate();
  const begun = counter();
  const payer = scriptedPayer({
    script: async () => {
      begun.add();
      await gate.passed();
      return pays;
    },
  });
  return { payer, gate, begun };
}
