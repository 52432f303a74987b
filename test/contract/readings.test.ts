import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { isJsonObject, type Json } from '../../src/base/json.ts';
import { pick, type Random, seededRandom } from '../../src/base/random.ts';
import { type BentReply, repliesOf } from './bent-replies.ts';
import { contract } from './contract.ts';
import { readDocument } from './document.ts';
import { outcomeOf, readingDisagreements } from './readings.ts';

const document = readDocument();

describe('replies', () => {
  it('are read with any field null, missing, of another type or unknown, at every depth', () => {
    expect(readingDisagreements(contract, document)).toEqual([]);
  });

  it.each(Object.entries(contract.resources))(
    'of %s are read as the schema reads them, however odd',
    (name, schema) => {
      const random = seededRandom(1);
      const replies = repliesOf(document)[`one ${name}`] ?? [];
      const counts = { read: 0, refused: 0 };
      for (let round = 0; round < 500; round += 1) {
        const reply = mixed(oneOf(random, replies), oneOf(random, replies), random);
        const expected = z.safeDecode(schema, reply as never);
        const outcome = outcomeOf(schema, reply);
        counts[outcome.kind] += 1;
        expect(outcome.kind).toBe(expected.success ? 'read' : 'refused');
        if (outcome.kind === 'read') expect(outcome.value).toEqual(expected.data);
      }
      expect(counts.read).toBeGreaterThan(0);
      expect(counts.refused).toBeGreaterThan(0);
    },
  );
});

const oneOf = (random: Random, replies: readonly BentReply[]): Json => {
  return replies[Math.floor(random() * replies.length)]?.written ?? null;
};

/** Share of values unlike anything in the document. */
const oddRate = 0.01;

/** Mixes two replies: each part comes from one of them, or is odd. */
function mixed(one: Json | undefined, other: Json | undefined, random: Random): Json | undefined {
  if (random() < oddRate)
    return pick<Json>(random, [null, '', 'Y', -1.5, 1e21, '1e3', false, [], {}, [null]]);
  if (isJsonObject(one) && isJsonObject(other)) {
    const names = Object.keys({ ...one, ...other });
    return Object.fromEntries(names.map((name) => [name, mixed(one[name], other[name], random)]));
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return [mixed(one[0], other[0], random) ?? null, mixed(other[0], one[0], random) ?? null];
  }
  return random() < 0.5 ? one : other;
}
