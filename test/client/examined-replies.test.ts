import { expect, test } from 'vitest';
import { createApi } from '../../src/client/caller.ts';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { Evidence } from '../../src/contract/evidence.ts';
import type { WireReply } from '../../src/contract/wire.ts';
import { productBody } from './call.ts';
import { replyOf, scriptedTransport } from './scripted-transport.ts';

/** The numbers of the replies that were held against the assumptions, of 130 alike; each would confirm or refute one. */
async function examined(name: 'createProduct' | 'listProducts', reply: WireReply): Promise<number[]> {
  const numbers = new Set<number>();
  let number = 0;
  const { transport } = scriptedTransport(reply);
  const onEvidence = () => numbers.add(number);
  const api = createApi({ transport, assumptions: defaultAssumptions, onEvidence });
  const call = () =>
    name === 'createProduct' ? api.call('createProduct', productBody) : api.call('listProducts', {});
  for (number = 1; number <= 130; number += 1) await call().catch(() => undefined);
  return [...numbers];
}

const all = Array.from({ length: 130 }, (_, index) => index + 1);

test('of the replies to writes of one kind the first 32 are held against the assumptions, then every 64th', async () => {
  expect(await examined('createProduct', replyOf(200, { id: '1' }))).toEqual([...all.slice(0, 32), 64, 128]);
});

test('every list and every refusal is held against the assumptions', async () => {
  expect(await examined('listProducts', replyOf(200, { totalCount: 1, data: [{ id: '1' }] }))).toEqual(all);
  expect(await examined('createProduct', replyOf(422, { detail: 'no' }))).toEqual(all);
});

test('a page that loses records without an id is held against the assumptions, also where pages are passed on', async () => {
  const page = { totalCount: 9, data: [{ id: '1' }, { name: 'without an id' }] };
  const bytes = Buffer.from(JSON.stringify(page));
  const { transport } = scriptedTransport({ ...replyOf(200, page), bytes });
  const findings: string[] = [];
  const onEvidence = ({ finding }: Evidence) => findings.push(finding);
  const api = createApi({ transport, assumptions: defaultAssumptions, onEvidence });
  for (let number = 1; number <= 20; number += 1) await api.callForLines('listProducts', {});
  expect(findings.filter((finding) => /without an id; they are left out/.test(finding))).toHaveLength(20);
});
