import { Failure } from '../../base/failure.ts';
import {
  categoryRecords,
  orderItemRecords,
  orderItemUpdateRecords,
  productRecords,
} from '../../input/records/record-kinds.ts';
import { csvLine } from '../../output/formats/csv.ts';
import { writeOutput } from '../../output/terminal/streams.ts';
import { unsentFields } from '../../push/flows/orders.ts';
import { readFlags } from '../flags/flags.ts';
import { connectionFlags } from '../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../runtime/command.ts';
import { readAssumptions } from '../runtime/session.ts';
import { suggestion } from '../runtime/suggestion.ts';

const kinds = [productRecords, categoryRecords, orderItemRecords, orderItemUpdateRecords];
const names = kinds.map(({ name }) => name);

/** A value for each field of a file; fields without one are looked up or rarely known. */
const examples: Readonly<Record<string, string>> = {
  name: '머그컵 블루',
  imageUrl: 'https://shop.example/images/mug-1.jpg',
  groupName: 'Mugs',
  isAlimtalkEnabled: 'Y',
  isReviewDisabled: 'N',
  isVisible: 'Y',
  position: '1',
  parentOriginId: '',
  orderOriginId: 'O-20261124-1',
  productOriginId: 'MUG-1',
  status: 'DELIVERED',
  selectedOptions: '색상=블루',
  paidPrice: '12900',
  'shipment.companyCode': 'cj',
  'shipment.trackingNumber': '581747451098',
  'shipment.deliveredAt': '2026-11-24 14:00',
  orderedAt: '2026-11-20 09:30',
  memberOriginId: 'M10001',
  'buyer.name': '김하나',
  'buyer.phone': '010-1234-5678',
  'buyer.email': 'hana@mail.example',
  'recipient.name': '김하나',
  'recipient.phone': '010-1234-5678',
};

const ids: Readonly<Record<string, string>> = {
  products: 'MUG-1',
  categories: 'MUGS',
  orders: 'O-20261124-1-1',
  'order-items': 'O-20261124-1-1',
};

const flags = { profile: connectionFlags.profile, assume: connectionFlags.assume };

export const command = defineCommand({
  argument: { term: '<kind>', help: names.join(', '), choices: names },
  flags,
  examples: ['reviewctl template products > products.csv', 'reviewctl template orders > orders.csv'],
  run: async ({ args: [word = ''], context, sources }: Invocation<typeof flags>) => {
    const kind = kinds.find(({ name }) => name === word);
    if (kind === undefined) throw unknownKind(word);
    // As a push of this kind reads them: `orders.create-orders` counts.
    const { assume } = readFlags(flags, { ...sources, noun: kind.name });
    const paths = [
      'originId',
      ...kind.fields.map(({ path }) => path).filter((path) => Object.hasOwn(examples, path)),
    ];
    const unsent = kind.name === 'orders' ? unsentFields(paths, readAssumptions(assume)) : undefined;
    const left = new Set([...(unsent?.ofOrders ?? []), ...(unsent?.ofItems ?? [])]);
    const columns = paths.filter((path) => !left.has(path));
    const example = columns.map((path) =>
      path === 'originId' ? (ids[kind.name] ?? '') : (examples[path] ?? ''),
    );
    await writeOutput(context.streams, csvLine(columns) + csvLine(example));
  },
});

function unknownKind(word: string): Failure {
  return new Failure(
    'usage',
    `no template for '${word}'`,
    `${suggestion(word, names)}choose from: ${names.join(', ')}`,
  );
}
