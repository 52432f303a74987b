import { expect, it } from 'vitest';
import { resultRows } from '../../src/cli/commands/rewards/result-rows.ts';
import { openInput } from '../../src/input/open/open.ts';
import { statementColumns, statementSynonyms } from '../../src/payer/read-statement.ts';
import { surroundings, withFiles } from '../input/reading.ts';

const columns = { required: [], known: statementColumns, synonyms: statementSynonyms };

it.each([
  ['key', ['key', '결제키', '지급키', 'payment key', 'Payment Key', 'idempotency key']],
  ['rewardId', ['rewardId', '리워드ID', '리워드번호', 'reward']],
  ['ref', ['ref', '거래번호', '거래ID', '승인번호', 'reference', 'transaction ID']],
  ['amount', ['amount', '금액', '지급액', '지급금액', '적립금', '적립금액', '포인트', 'points']],
  ['outcome', ['outcome']],
  ['status', ['status', 'Payment Status', '상태', '처리상태', '지급상태', '적립상태']],
  ['memberOriginId', ['memberOriginId', 'member ID', '회원ID', '회원아이디']],
] as const)('a statement has the column %s under each of its usual names', async (name, headers) => {
  for (const header of headers) {
    await withFiles({ 'statement.csv': `메모,${header}\na,500\n` }, async (paths) => {
      const [file] = (await openInput(paths, surroundings())).files;
      if (file === undefined) throw new Error('no file');
      const rows = [];
      for await (const { cells } of resultRows(file, {}, columns)) rows.push(cells);
      expect(rows, header).toEqual([{ [name]: '500' }]);
    });
  }
});
