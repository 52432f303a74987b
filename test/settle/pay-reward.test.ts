import { expect, it } from 'vitest';
import { openSettlement } from './open-settlement.ts';
import { type CallScript, isGone, losesAnswer, pays, refuses, scriptedPayer } from './scripted-payer.ts';

it.each<[what: string, script: CallScript, areForgotten: boolean]>([
  ['paid are forgotten', pays, true],
  ['refused are forgotten', refuses, true],
  ['unknown are kept', losesAnswer, false],
  ['not made are kept', isGone, false],
])('the records of payments that are %s', async (_, script, areForgotten) => {
  const forgotten: string[] = [];
  const scripted = scriptedPayer({ script: () => script });
  const payer = { ...scripted, forget: async (key: string) => void forgotten.push(key) };
  const { settle } = await openSettlement({ reviews: 3 });
  await settle(payer);
  expect(scripted.calls.length).toBeGreaterThan(0);
  expect(forgotten).toEqual(areForgotten ? scripted.calls.map(({ key }) => key) : []);
});
