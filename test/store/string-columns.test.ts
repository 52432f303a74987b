import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ColumnReader, ColumnWriter } from '../../src/store/journal/packed/string-columns.ts';

/** Any UTF-16 units, also halves of surrogate pairs; ids that count up; some values missing. */
const value = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 8 })
    .map((units) => String.fromCharCode(...units)),
  fc.nat(9999).map((number) => `job_${String(number).padStart(12, '0')}`),
  fc.constant('x'.repeat(70_000)),
);
const column = fc.array(fc.option(value, { nil: undefined }), { maxLength: 12 });

test('columns of whatever strings come back as they were, in each form in which they may be written', () => {
  const writer = new ColumnWriter();
  fc.assert(
    fc.property(column, fc.boolean(), (values, areCut) => {
      const beginnings = areCut ? values.map((one) => one?.slice(0, 5)) : values.toReversed();
      writer.writeNumber(values.length);
      writer.writeJoined(values);
      writer.writeBeginnings(beginnings, values);
      writer.writeCounted(values);
      const reader = new ColumnReader(writer.take());
      const count = reader.readNumber();
      for (const written of [values, beginnings, values]) {
        const read = reader.readColumn(count);
        expect(written.map((_, position) => read.at(position))).toEqual(written);
        for (const [position, one] of written.entries()) {
          if (one === undefined) continue;
          expect([read.isAt(position, one), read.isAt(position, `${one}+`)]).toEqual([true, false]);
        }
      }
    }),
    { numRuns: 200 },
  );
});
