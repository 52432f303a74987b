import { counter, createGate } from './open-receiver.ts';
import { pays, scriptedPayer } from './scripted-payer.ts';

/** A payer whose payments wait at a gate; it reports each arrival there. */
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
