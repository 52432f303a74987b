import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import { orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { assumptionVariables } from '../assumption-variables.ts';
import { exportFile, exportNames, exportPath, exportsFolder, readExport } from '../input/exports.ts';
import { cleanEnvironment, environmentAt, expectEnd, runShell, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';
import { runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const getJob = 'getJob=GET /admin/v2/job/{jobId}';
let folders = 0;

/** A new folder, and with it a new state. */
function freshFolder(): string {
  folders += 1;
  const path = join(folder, String(folders));
  mkdirSync(path);
  return path;
}

function inspect(args: readonly string[], cwd = exportsFolder) {
  return runInProcess(args, { env: cleanEnvironment(folder), cwd });
}

async function commandsFor(name: string): Promise<readonly string[]> {
  const noun = name.split('-')[1] ?? '';
  const { stdout } = await runInProcess([`${noun} inspect`, exportFile(name), '-o json'], {
    env: { ...cleanEnvironment(folder), ...assumptionVariables([getJob]) },
    cwd: exportsFolder,
  });
  const { commands } = JSON.parse(stdout) as { commands: readonly string[] };
  return commands.map((command) => command.replace('YOUR-SHOP', 'my-shop'));
}

/** The words of a line, as a shell splits them. */
function shellWords(line: string): readonly string[] {
  return execFileSync('bash', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8', cwd: exportsFolder })
    .split('\0')
    .slice(0, -1);
}

/** Runs a printed command against a new sandbox with the categories and products of the file. */
async function runPrinted(command: string, name: string) {
  const sandbox = await serveSandbox({ port: 0, jobDelayMs: 0 });
  const own = freshFolder();
  const env = {
    ...environmentAt(own, sandbox),
    ...assumptionVariables([getJob]),
  };
  const pushIds = async (noun: string, ids: Iterable<string>) => {
    const path = join(own, `${noun}.csv`);
    writeFileSync(path, `originId,name\n${[...ids].map((id) => `"${id}",x\n`).join('')}`);
    expectEnd(await runInProcess(`${noun} push ${path} -o none`, { env }), 0);
  };
  try {
    const maps = [...command.matchAll(/--map '([^']+)'/g)].map(([, map = '']) => map);
    if (name.endsWith('products')) {
      const products = await readExport(name, productRecords, maps);
      const ids = products.flatMap(({ categories = [] }) => categories.map(({ originId }) => originId));
      await pushIds('categories', new Set(ids));
    } else {
      const items = await readExport(name, orderItemRecords, maps);
      await pushIds('products', new Set(items.map(({ productOriginId }) => productOriginId)));
    }
    const wait = name.endsWith('orders') ? ' --wait' : '';
    return await runShell(`${command} -o ndjson${wait}`, { env, cwd: exportsFolder });
  } finally {
    await sandbox.close();
  }
}

describe('the command that inspect prints pushes the export of a shop system', () => {
  it.each(exportNames)(
    '%s',
    async (name) => {
      const commands = await commandsFor(name);
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) {
        const flags = [...command.matchAll(/ (--[a-z-]+|-c [a-z-]+)/g)].map(([, flag]) => flag);
        const flagsOfOrders = ['-c create-orders', '--without-order-fields'];
        expect(['--map', '-c image-base-url', ...flagsOfOrders]).toEqual(expect.arrayContaining(flags));
        const { exitCode, stdout, stderr } = await runPrinted(command, name);
        expect(stderr).not.toContain('error');
        const outcomes = stdout
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as JsonObject)['outcome']);
        expect({ exitCode, outcomes: new Set(outcomes) }).toEqual({
          exitCode: 0,
          outcomes: new Set(['created']),
        });
      }
    },
    60_000,
  );

  it.each(exportNames)('%s: with its flags, inspect finds nothing wrong', async (name) => {
    const [command = ''] = await commandsFor(name);
    const [, ...words] = shellWords(command.replace(' push ', ' inspect '));
    const { exitCode, stderr } = await inspect([...words, '-o', 'none']);
    const sheet = name === 'smartstore-orders' ? /^\S+: read from sheet \S+ \(\d+ rows\)\n$/ : /^$/;
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(sheet) });
  });
});

describe('inspect needs no service and no credential', () => {
  const pushable = 'originId,name\nP-1,하나\nP-2,둘\nP-3,셋\nP-4,넷\n';

  it('and shows people what would happen, the command last', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'products.csv'), pushable);
    const { stdout, stderr } = expectEnd(
      await inspect(['products', 'inspect', 'products.csv', '-o', 'table'], cwd),
      0,
    );
    expect(stderr).toBe('');
    expect(stdout).toBe(`products.csv: csv, utf-8, cells separated by commas, header on line 1
  read without a preset
  originId  from originId  (own name)
  name      from name      (own name)
  without a column: imageUrl, categories, groupId, groupName, isAlimtalkEnabled, isReviewDisabled

first records, as they would be sent:
  line 2: {"originId":"P-1","name":"하나"}
  line 3: {"originId":"P-2","name":"둘"}
  line 4: {"originId":"P-3","name":"셋"}

4 records to send, no problems

push with:
  reviewctl products push products.csv
`);
  });

  it('tells what a push would refuse with exit 3, alike problems together', async () => {
    const cwd = freshFolder();
    const bad = Array.from({ length: 5 }, (_, row) => `P-${row},maybe\n`).join('');
    writeFileSync(join(cwd, 'p.csv'), `originId,isReviewDisabled\n${bad}`);
    const { stdout, stderr } = expectEnd(
      await inspect(['products', 'inspect', 'p.csv', '-o', 'table'], cwd),
      3,
    );
    expect(stdout).toContain('no records to send, 5 problems\n');
    expect(stdout).toContain(
      'push with, once the problems are corrected:\n  reviewctl products push p.csv\n',
    );
    expect(stdout).toContain(
      '  p.csv: isReviewDisabled: this is not a boolean value: 5 times, first line 2, 3, 4, such as "maybe"\n',
    );
    expect(stderr).toContain('error: 5 problems in the input: a push would refuse it');
  });

  it('keeps what reviewctl.json is told to keep', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), '상품번호,상품코드,상품명\n17,P0,하나\n');
    const { stdout } = await inspect(['products', 'inspect', 'p.csv', '-o', 'json'], cwd);
    writeFileSync(
      join(cwd, 'reviewctl.json'),
      JSON.stringify((JSON.parse(stdout) as JsonObject)['settings']),
    );
    expect(await inspect(['products', 'inspect', 'p.csv', '-o', 'none'], cwd)).toMatchObject({
      exitCode: 0,
      stderr: '',
    });
  });

  it('gives a program one object', async () => {
    const { stdout } = await inspect(['orders', 'inspect', exportPath('shopify-orders'), '-o', 'ndjson']);
    expect(stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'orders',
      recordCount: 5,
      problemCount: 0,
      wouldPush: false,
    });
  });

  it('and a hostile cell stays dead on a terminal', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), 'originId,name,\u001b[31mred\nP-1,a\u202eb,c\n');
    const env = { ...cleanEnvironment(folder), COLUMNS: '60' };
    const { stdout } = await runInProcess('products inspect p.csv -o table', { env, cwd });
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
    expect(stdout.split('\n').filter((line) => line.length > 60 && !line.includes('{'))).toEqual([]);
  });
});

describe('what inspect leaves to a person', () => {
  it('ends with the command where only a choice is open, and without an error', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), '상품번호,상품코드,상품명\n17,P0,하나\n');
    const argv = ['products', 'inspect', 'p.csv', '-o', 'table'];
    const { exitCode, stdout, stderr } = await inspect(argv, cwd);
    const command = "reviewctl products push p.csv --map 'originId=상품코드'";
    expect(exitCode).toBe(3);
    expect(stdout).toContain(command);
    expect(stderr).toBe(
      `one choice is open: originId can come from 상품코드 or 상품번호, which may mean different things: choose\n  push with: ${command}\n  or: ${command.replace('코드', '번호')}\n`,
    );
    const { stdout: help } = await inspect(['products', 'inspect', '--help'], cwd);
    expect(help.replaceAll(/\s+/g, ' ')).toContain('a choice is open');
  });

  it('leaves no choice open where there is one way to read the file, and ends with 0', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'o.csv'), 'orderOriginId,productOriginId\nA,P\n');
    writeFileSync(join(cwd, 'p.csv'), '상품코드,자체 상품코드,진열상태,이미지등록(상세)\nP0,,Y,a/b.jpg\n');
    for (const [argv, command] of [
      [['orders', 'inspect', 'o.csv'], "push o.csv --map 'originId={orderOriginId}-{n}'"],
      [
        ['products', 'inspect', 'p.csv', '-c', 'image-base-url=https://myshop.co.kr/web/product/big/'],
        'push p.csv -c image-base-url=https://myshop.co.kr/web/product/big/',
      ],
    ] as const) {
      const { stdout, stderr } = expectEnd(await inspect([...argv, '-o', 'table'], cwd), 0);
      expect(stderr).toBe('');
      expect(stdout).toContain(command);
    }
  });

  it.each([
    ['an address that is to be filled in', 'originId,imageUrl\n1,a.jpg\n', 'products', 'YOUR-SHOP'],
    [
      'a member that is to be left out',
      'orderOriginId,originId,productOriginId,memberOriginId\nA,1,P,ki****\n',
      'orders',
      'so several people may share one: omit them',
    ],
  ])('%s is a choice that is named', async (_, content, noun, named) => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'f.csv'), content);
    expectEnd(
      await inspect([noun, 'inspect', 'f.csv', '-o', 'none'], cwd),
      3,
      new RegExp(`^one choice is open: .*${named}[^]*\\n  push with: `),
    );
  });
});

it('an object without fields is said to have no columns', async () => {
  const cwd = freshFolder();
  writeFileSync(join(cwd, 'f.json'), '{}');
  const { stdout } = await inspect(['products', 'inspect', 'f.json', '-o', 'table'], cwd);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('the columns are none');
});

describe('the push that inspect proposes', () => {
  it('is refused while an address is still to be filled in', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), 'originId,imageUrl\n1,a.jpg\n');
    const address = 'https://your-shop.cafe24.com/web/';
    const argv = ['products', 'inspect', 'p.csv', '-c', `image-base-url=${address}`];
    expectEnd(await inspect(argv, cwd), 2, `-c image-base-url=${address}: YOUR-SHOP is a placeholder`);
  });

  it.each([
    ['--set', 'imageUrl=https://your-shop.cafe24.com/a.jpg'],
    ['--map', 'imageUrl=https://YOUR-SHOP.example/images/{imageUrl}'],
  ])('is refused with such an address in %s', async (flag, value) => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), 'originId,imageUrl\n1,a.jpg\n');
    expectEnd(
      await inspect(['products', 'inspect', 'p.csv', flag, value], cwd),
      2,
      `${flag} ${value}: YOUR-SHOP is a placeholder`,
    );
  });

  it('names images where the setting says that they are', async () => {
    const env = { ...cleanEnvironment(freshFolder()), REVIEWCTL_MAP: 'originId=상품코드' };
    const run = (...args: readonly string[]) => runInProcess(args, { env, cwd: exportsFolder });
    const argv = ['products', 'inspect', exportFile('cafe24-products'), '-o', 'table'];
    const unknown = await run(...argv);
    expect(unknown.stdout).toContain('reviewctl config set image-base-url https://…/images/');
    await run('config', 'set', 'image-base-url', 'https://mall.example.com/web/');
    const { stdout } = await run(...argv);
    expect(stdout).toContain(' -c image-base-url=https://mall.example.com/web/\n');
    expect(stdout).not.toMatch(/your-shop/i);
  });

  it('asks a person for the address of the shop, who may leave it open', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'p.csv'), 'originId,imageUrl\n1,a.jpg\n');
    const ask = async (keys: string) => {
      const { shown } = await runOnTerminal(['products', 'inspect', 'p.csv'], {
        env: cleanEnvironment(cwd),
        cwd,
        columns: 400,
        answers: [['Address of your shop', keys]],
      });
      return shown;
    };
    expect(await ask('mall.example.com\r')).toContain('p.csv -c image-base-url=https://mall.example.com/\n');
    expect(await ask('\r')).toContain('p.csv -c image-base-url=https://YOUR-SHOP.example/images/\n');
  });

  it('is one under the assumption that orders are made whole, and under no other', async () => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, 'o.csv'), 'orderOriginId,originId,productOriginId\nO,I,P\n');
    const assume = ['create-orders=POST /orders', 'get-job=GET /job/{jobId}'].flatMap((setting) => [
      '-c',
      setting,
    ]);
    const { stdout } = await inspect(['orders', 'inspect', 'o.csv', '-o', 'json', ...assume], cwd);
    expect((JSON.parse(stdout) as JsonObject)['commands']).toEqual([
      "reviewctl orders push o.csv -c 'create-orders=POST /orders'",
    ]);
  });
});

describe('the export of a shop system', () => {
  it('is announced by a push as what it is taken for, once', async () => {
    const { stderr } = await runInProcess(['products push', exportPath('shopify-products'), '-n'], {
      env: {
        ...cleanEnvironment(freshFolder()),
        REVIEWCTL_BASE_URL: 'http://127.0.0.1:9',
        REVIEWCTL_TOKEN: 't',
        REVIEWCTL_RETRIES: '0',
      },
    });
    expect(stderr.split('\n')[0]).toBe(
      'read as a shopify export (to change that: --preset none or another name)',
    );
    expect(stderr.match(/shopify export/g)).toHaveLength(1);
  });
});
