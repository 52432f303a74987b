import { expect, test } from 'vitest';
import { documentedOperations } from '../../src/contract/operations.ts';
import { type Commands, ownCommands, recordsIn, serviceCommands } from '../cli/every-command.ts';
import { openLedgerShop } from '../cli/ledger-shop.ts';
import { temporaryFolder } from '../cli/run-cli.ts';
import { type Judgement, judgedService } from './judged-service.ts';
import { writeDocument } from './judges.ts';

/** Prism accepts only credentials with a name and a password. */
const token = Buffer.from('shop:a-token').toString('base64');

/** Runs commands against a sandbox behind Prism with this document. */
async function judge(commands: Commands, document: string): Promise<Judgement> {
  const judgements: Judgement[] = [];
  const shop = await openLedgerShop({ token }, async (service) => {
    const { baseUrl, judgement } = await judgedService(service, document);
    judgements.push(judgement);
    return baseUrl;
  });
  for (const [, print] of Object.values(commands)) {
    await print(async (line, stdin = '') => {
      const { stdout } = await shop.run([line, '-o ndjson'], { stdin });
      return recordsIn(stdout, 'ndjson');
    }, shop);
  }
  const [judgement] = judgements;
  if (judgement === undefined) throw new Error('nothing stood before the sandbox');
  return judgement;
}

test('every command sends and accepts what the document says, and the sandbox answers so', async () => {
  const { requests, violations, undocumented } = await judge(
    { ...serviceCommands, ...ownCommands },
    writeDocument(temporaryFolder()),
  );
  const sum = [...requests.values()].reduce((total, count) => total + count, 0);
  console.log(
    `Prism: ${sum} requests of ${requests.size} operations, ${undocumented.length} of none; violations ${violations.length}`,
  );
  expect(violations).toEqual([]);
  expect([...requests.keys()].toSorted()).toEqual(Object.keys(documentedOperations).toSorted());
});

test('a violation is seen in both directions', async () => {
  const document = writeDocument(
    temporaryFolder(),
    ['"maximum":100', '"maximum":1'],
    ['"data":{"type":"array"', '"data":{"type":"object"'],
  );
  const { violations } = await judge({ list: ['product', (run) => run('products list')] }, document);
  expect(violations.join()).toContain('"location":["request","query","first"]');
  expect(violations.join()).toContain('"location":["response","body","data"]');
});
