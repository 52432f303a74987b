import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { outcomeView } from '../../src/output/views/views.ts';
import { outcomeOf, outcomeWords } from '../../src/push/steps/outcome.ts';

const text = fc.string({ unit: 'binary' });
const outcome = fc
  .record({
    place: fc.record({ file: text, line: fc.nat(), originId: text }),
    word: fc.constantFrom(...outcomeWords),
    details: fc.record(
      { id: text, jobId: text, error: text, changes: fc.constant({ name: { from: 'a', to: null } }) },
      { requiredKeys: [] },
    ),
  })
  .map(({ place, word, details }) => outcomeOf(place, word, details));

test('outcomes are written as JSON.stringify would write them', () => {
  fc.assert(
    fc.property(fc.array(outcome, { maxLength: 5 }), (outcomes) => {
      const { json } = outcomeView('product');
      for (const one of outcomes) expect(json?.(one as unknown as JsonObject)).toBe(JSON.stringify(one));
    }),
  );
});
