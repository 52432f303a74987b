import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CountingServer, startCountingServer } from './counting-server.ts';
import {
  cleanEnvironment,
  environmentAt,
  expectEnd,
  expectNothing,
  runCli,
  temporaryFolder,
} from './run-cli.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
let server: CountingServer;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  server = await startCountingServer();
  env = environmentAt(folder, { baseUrl: server.baseUrl, token: 'token' });
});
afterAll(() => server.close());

function pushFile(name: string, content: string | Buffer) {
  const path = resolve(folder, name);
  writeFileSync(path, content);
  return runInProcess(`orders push ${path}`, {
    env,
  });
}

const header = 'orderOriginId,originId,productOriginId\n';
const row = 'O-1,I-1,P-1\n';
const record = '{"orderOriginId":"O-1","originId":"I-1","productOriginId":"P-1"}';

/** Each with the line number that the message must contain. */
const badInputs: readonly (readonly [string, string, string | Buffer, number])[] = [
  ['a row with too few cells', 'ragged-short.csv', `${header}${row}O-2,I-2\n`, 3],
  ['a quote that is never closed', 'quote.csv', `${header}${row}O-2,"I-2,P-2\n`, 3],
  ['JSON cut in the middle', 'cut.json', `[\n${record},\n{"orderOriginId":"O-2","ori`, 3],
  ['an id that a spreadsheet turned into a float', 'float.csv', `${header}O-1,1.23457E+15,P-1\n`, 2],
  ['100,001 blank lines', 'blanks.csv', `${header}${row}${'\n'.repeat(100_001)}O-2,I-2,P-2\n`, 3],
  ['100,001 blank lines above NDJSON', 'blanks.ndjson', `${'\r\n'.repeat(100_001)}${record}\n`, 1],
  ['100,001 blank lines in JSON', 'blanks.json', `[\n${record}${'\n'.repeat(100_002)}]`, 3],
  ['the same id twice', 'duplicate.csv', `${header}${row}${row}`, 3],
];

test.each(badInputs)('%s: file and line are named, exit 3, no request', async (_, name, content, line) => {
  expectNothing(await pushFile(name, content), 3, `${name}:${line}`, 'nothing was sent', 'hint: ');
  expect(server.count()).toBe(0);
});

test.each([
  ['an empty file', 'empty.csv', '', 'is empty'],
  ['a header alone', 'header.csv', header, 'has a header but no rows'],
  ['an empty array', 'empty.json', '[]', 'is empty'],
  ['blank lines', 'blank.ndjson', '\n\n', 'is empty'],
])('%s is named, and is "no records", exit 0, no request', async (_, name, content, what) => {
  const { stderr } = expectNothing(await pushFile(name, content), 0);
  expect({ stderr, requests: server.count() }).toEqual({
    stderr: `warning: ${join(folder, name)} ${what}\nno records\n`,
    requests: 0,
  });
});

test.each([
  ['the error of a server', 'error.csv', 'Internal Server Error\n', 'this is not a table'],
  ['an opening bracket', 'bracket.csv', '[', 'this is not a table'],
  ['a line without data', 'line.csv', 'somethingElse,more\n', 'this is not a table'],
  ['an opening tag', 'tag.csv', '<html>', 'web page'],
  ['the error of a storage service', 'storage.csv', '<Error><Code>AccessDenied</Code></Error>', 'XML'],
  ['text called JSON', 'p.json', 'originId,name\n1,a\n', 'its name ends with .json'],
  [
    'text called NDJSON in gzip',
    'p.ndjson.gz',
    gzipSync('originId,name\n1,a\n'),
    'its name ends with .ndjson',
  ],
  ['text called a workbook', 'p.xlsx', 'originId,name\n1,a\n', 'its name ends with .xlsx'],
  ['a value called JSON', 'null.json', 'null', 'its name ends with .json'],
  ['a bracket called JSON', 'open.json', '[', 'ends inside the JSON'],
  ['a list that goes on after its end', 'closed.json', '[]]', 'JSON is broken'],
  ['a minus', 'minus.json', '[-]', 'JSON is broken'],
])('%s is refused with exit 3, no request', async (_, name, content, words) => {
  expectNothing(await pushFile(name, content), 3, name, words);
  expect(server.count()).toBe(0);
});

test('what a push refuses, also beside other records, its dry run and inspect refuse alike; without a request', async () => {
  const wholeOrders = ['-c', 'create-orders=POST /admin/v2/orders/bulk'];
  const files = {
    categories: 'originId,name,parentOriginId\nA,a,B\nB,b,A\nC,c,\n',
    orders: `${header.trim()},memberOriginId\nO-1,I-1,P-1,kim\nO-1,I-2,P-1,lee\n`,
  };
  for (const [noun, content] of Object.entries(files)) {
    const path = join(folder, `${noun}.csv`);
    writeFileSync(path, content);
    const given = noun === 'orders' ? [path, ...wholeOrders] : [path];
    const push = await runInProcess([`${noun} push`, ...given], { env });
    const dry = await runInProcess([`${noun} push`, ...given, '--dry-run'], { env });
    const inspect = await runInProcess([`${noun} inspect`, ...given], { env });
    const { problems } = JSON.parse(inspect.stdout);
    for (const { reason } of problems) expect(push.stderr).toContain(reason);
    expect({ dry, codes: [push.exitCode, inspect.exitCode], told: problems.length }).toEqual({
      dry: push,
      codes: [3, 3],
      told: 1,
    });
  }
  expect(server.count()).toBe(0);
});

test('a file may be said to be EUC-KR, by which CP949 is known', async () => {
  const path = join(folder, 'euc-kr.csv');
  writeFileSync(path, Buffer.from([...Buffer.from('originId,name\n1,'), 0xb0, 0xa1, 0x0a]));
  const { stdout } = expectEnd(
    await runCli(`products inspect ${path} --encoding euc-kr`, {
      env: cleanEnvironment(folder),
    }),
    0,
  );
  expect(JSON.parse(stdout).first).toMatchObject([{ record: { originId: '1', name: '가' } }]);
});

test.each([
  ['titles', 'orders of today\n2026-01-01\n', 3],
  ['another header', 'originId,orderOriginId,productOriginId\n', 2],
])('a header below %s is refused with the whole command that reads it', async (what, above, line) => {
  const path = join(folder, `${what.replace(' ', '-')}.csv`);
  expectEnd(
    await pushFile(path, above + header + row),
    3,
    `1 problem in the input; nothing was sent\nhint: run this command instead:\n  reviewctl orders push ${path} --header-row ${line}\n`,
  );
});

test.each([['--header-row', '1'], ['--header-row=1']])(
  'the command that reads a header below has one --header-row, also where another was typed (%s)',
  async (...typed) => {
    const path = join(folder, 'typed.csv');
    writeFileSync(path, `orders of today\n2026-01-01\n${header}${row}`);
    expectEnd(
      await runInProcess(['orders push', ...typed, path, '--dry-run'], { env }),
      3,
      `run this command instead:\n  reviewctl orders push ${path} --dry-run --header-row 3\n`,
    );
    const inspected = await runInProcess(['orders inspect', ...typed, path], { env });
    expect(JSON.parse(inspected.stdout).commands).toEqual([`reviewctl orders push ${path} --header-row 3`]);
  },
);

test.each([
  ['cut short', 'cut.csv.gz', gzipSync(header + longRows()).subarray(0, -200)],
  ['with a quote that is never closed', 'open.csv', `${header + row}"O-2,I-2,P-2\nO-3,I-3,P-3\n`],
])(
  '--rejects skips no unknown rest of a file: one %s is refused, also in a dry run and in a shard',
  async (_, name, content) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    const skip = ['--rejects', join(folder, `${name}.rejects`)];
    for (const flags of [[], ['--dry-run'], ['--shard 1/2'], ['--shard 2/2 --dry-run']]) {
      expectEnd(
        await runInProcess([`orders push ${path}`, ...skip, ...flags], { env }),
        3,
        'has problems that concern more than single records, so no record can be skipped',
      );
    }
  },
);

function longRows(): string {
  return Array.from({ length: 2000 }, (_, at) => `O-${at},J-${at},P-${(at * 7919) % 10_007}\n`).join('');
}
