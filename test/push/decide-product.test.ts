import { describe, expect, it, test } from 'vitest';
import { defaultAssumptions } from '../../src/contract/assumptions.ts';
import type { ProductRecord } from '../../src/input/records/record-kinds.ts';
import { decideProduct, onExistingChoices, type ProductRules } from '../../src/push/decide/decide-product.ts';
import type { ObservedProduct } from '../../src/push/lookup/observe-products.ts';
import { GroupNames } from '../../src/push/lookup/product-groups.ts';
import { shownOutcome } from '../../src/push/steps/outcome.ts';

const place = { file: 'p.csv', line: 2, originId: 'P1' };
const mug = { id: '7', originId: 'P1', name: 'Mug' };
const row = { originId: 'P1', name: 'Mug' };

/** The decision on a row of a product; by default the service does not have it. */
function decided(
  record: ProductRecord,
  observed: Partial<ObservedProduct> = {},
  rules: Partial<ProductRules> = {},
  newGroups = new GroupNames(),
) {
  const seen: ObservedProduct = {
    entry: { file: 'p.csv', line: 2, record },
    existing: [],
    known: undefined,
    groupId: undefined,
    ...observed,
  };
  return decideProduct(
    seen,
    {
      onExisting: 'update',
      isUpdateOnly: false,
      makesGroups: true,
      resend: undefined,
      assumptions: defaultAssumptions,
      ...rules,
    },
    newGroups,
  );
}

test('what is done with a product that is there already is one of three choices', () => {
  expect(onExistingChoices).toEqual(['update', 'skip', 'fail']);
});

const rejected = (error: unknown) => ({ outcome: { ...place, outcome: 'rejected', error } });
const known = { contentHash: '', jobId: undefined } as const;

describe('a product that the service does not have', () => {
  const made = { ...place, outcome: 'created' };

  test('is created with all of its row', () => {
    const record = {
      ...row,
      imageUrl: 'https://a.example/1',
      categories: [{ originId: 'C1' }],
      groupId: '3',
    };
    expect(decided(record)).toEqual({ outcome: made, write: { kind: 'create', body: record } });
  });

  it.each<[string, ProductRecord, Partial<ProductRules>, string]>([
    [
      'with --update-only',
      row,
      { isUpdateOnly: true },
      'the service has no such product, and --update-only creates none',
    ],
    ['without a name', { originId: 'P1' }, {}, 'name is needed to create a product'],
    [
      'with an id',
      { ...row, id: '9' },
      {},
      "the service has neither product 'P1' nor one with the id 9; to create it, leave the id out with --set id=",
    ],
    [
      'of a new group from a shard',
      { ...row, groupName: 'Cups' },
      { makesGroups: false },
      "no product group is named 'Cups', and several shards could make one each; push a product of the group " +
        'without --shard first',
    ],
  ])('is rejected %s', (_, record, rules, error) => {
    expect(decided(record, {}, rules)).toEqual(rejected(error));
  });

  test('makes the group that it names, unless there is one', () => {
    const groups = new GroupNames();
    const record = { ...row, groupName: 'Cups' };
    const write = { kind: 'create', body: record };
    expect(decided(record, {}, {}, groups)).toEqual({ outcome: made, write });
    expect(groups.has('Cups')).toBe(true);
    const others = new GroupNames();
    expect(decided(record, { groupId: '3' }, { makesGroups: false }, others)).toEqual({
      outcome: made,
      write,
    });
    expect(others.has('Cups')).toBe(false);
    expect(decided(row, {}, { makesGroups: false }).outcome).toEqual(made);
  });
});

describe('a product that may have been created before', () => {
  const made = { ...place, outcome: 'created' };
  const maybe = { ...known, fate: 'unknown' } as const;
  const taken = { ...known, fate: 'accepted' } as const;
  const unknown = {
    ...place,
    outcome: 'unknown',
    error:
      'a creation was sent in an earlier run, its answer was lost, and the service does not show the product; once it ' +
      'does, run the same command again; if it never will, say so with reviewctl runs resolve RUN --not-sent, or ' +
      'create it with --resend unknown',
  };
  const before = rejected(
    'the service accepted it in an earlier run, but does not show it now; if it was deleted there, create it again with ' +
      '--resend accepted',
  ).outcome;

  it.each([
    [maybe, undefined, unknown],
    [maybe, 'accepted', unknown],
    [maybe, 'unknown', made],
    [maybe, 'all', made],
    [taken, undefined, before],
    [taken, 'unknown', before],
    [taken, 'accepted', made],
    [taken, 'all', made],
    [{ ...taken, objectId: '7' }, undefined, made],
    [{ ...maybe, objectId: '7' }, undefined, made],
  ] as const)(
    'and may have been created before (%o) is decided by --resend %s',
    (journaled, resend, outcome) => {
      const decision = decided(row, { known: journaled }, { resend });
      expect(shownOutcome(decision.outcome, String)).toEqual(outcome);
    },
  );
});

describe('a product that the service has', () => {
  const renamed = { ...row, name: 'Cup' };
  const change = { name: { from: 'Mug', to: 'Cup' } };

  test('is changed where it differs', () => {
    expect(decided(renamed, { existing: [mug] })).toEqual({
      outcome: { ...place, outcome: 'updated', id: '7', changes: change },
      write: { kind: 'update', id: '7', body: { name: 'Cup' } },
      before: mug,
    });
    expect(decided(row, { existing: [mug] })).toEqual({
      outcome: { ...place, outcome: 'unchanged', id: '7' },
    });
  });

  test('is left alone, or rejected, as --on-existing says', () => {
    expect(decided(renamed, { existing: [mug] }, { onExisting: 'skip' })).toEqual({
      outcome: { ...place, outcome: 'skipped', id: '7' },
    });
    expect(decided(renamed, { existing: [mug] }, { onExisting: 'fail' })).toEqual(
      rejected('the service has it already, and --on-existing fail refuses that'),
    );
  });

  test('twice is rejected with its ids', () => {
    expect(decided(row, { existing: [mug, { ...mug, id: '8' }] })).toEqual(
      rejected('the service has it more than once: 7, 8'),
    );
  });

  const idHint =
    'correct the originId (a spreadsheet drops leading zeros), or if the column is not the id of the service, ' +
    'leave it out with --set id=';

  test('under another id or originId than the row is rejected', () => {
    expect(decided({ ...row, id: '7' }, { existing: [{ ...mug, originId: '0P1' }] })).toEqual(
      rejected(`id 7 belongs to product '0P1' at the service, but the row has the originId 'P1'; ${idHint}`),
    );
    expect(decided({ ...row, id: '8' }, { existing: [mug] })).toEqual(
      rejected(`the service has product 'P1' under the id 7, but the row has the id 8; ${idHint}`),
    );
    expect(decided({ ...row, id: '7' }, { existing: [mug] }).outcome.outcome).toBe('unchanged');
  });

  test('that could not be looked for has that outcome', () => {
    const failed = { ...place, outcome: 'failed', error: 'lost' } as const;
    expect(decided(row, { existing: [mug], failed })).toEqual({ outcome: failed });
  });

  test('after a creation that was lost is told to the journal', () => {
    const lost = { ...known, fate: 'unknown' } as const;
    expect(decided(row, { existing: [mug], known: lost })).toMatchObject({
      learned: { entry: { originId: 'P1', contentHash: '' }, objectId: '7' },
    });
    expect(decided(row, { existing: [mug], known: { ...lost, fate: 'accepted' } })).not.toHaveProperty(
      'learned',
    );
  });
});

describe('a product that the service has, and a group by name', () => {
  const record = { ...row, groupName: 'Cups' };
  const put = (from: string | null, to: string) => ({ groupId: { from, to } });

  test('is put into the group that there is', () => {
    expect(decided(record, { existing: [mug], groupId: '3' })).toEqual({
      outcome: { ...place, outcome: 'updated', id: '7', changes: put(null, '3') },
      write: { kind: 'update', id: '7', body: {}, groupName: 'Cups' },
      before: mug,
    });
    expect(
      decided(record, { existing: [{ ...mug, group: { id: '3' } }], groupId: '3' }).outcome.outcome,
    ).toBe('unchanged');
  });

  test('is put into one that a row before it makes', () => {
    const groups = new GroupNames();
    groups.add('Cups');
    expect(decided(record, { existing: [{ ...mug, group: { id: '2' } }] }, {}, groups)).toMatchObject({
      outcome: { outcome: 'updated', changes: put('2', '(new group Cups)') },
      write: { body: {}, groupName: 'Cups' },
    });
  });

  test('is rejected where there is none', () => {
    expect(decided(record, { existing: [mug] })).toEqual(
      rejected(
        "no product group is named 'Cups', and an update cannot make one; push a new product of it first",
      ),
    );
  });

  test('stays in its group where every update sends everything', () => {
    const assumptions = { ...defaultAssumptions, defaultsOnUpdate: 'apply' } as const;
    const grouped = { ...mug, group: { id: '3' } };
    const renamed = { ...record, name: 'Cup' };
    expect(decided(renamed, { existing: [grouped], groupId: '3' }, { assumptions }).write).toEqual({
      kind: 'update',
      id: '7',
      body: { name: 'Cup', groupId: '3' },
    });
  });

  test('by its id is put into that', () => {
    expect(decided({ ...row, groupId: '4' }, { existing: [mug] }).write).toEqual({
      kind: 'update',
      id: '7',
      body: { groupId: '4' },
    });
  });
});
