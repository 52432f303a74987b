import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { workbook } from '../input/write-xlsx.ts';
import { cleanEnvironment, expectEnd, runCli, temporaryFolder } from './run-cli.ts';
import { runOnTerminal } from './run-on-terminal.ts';
import { runInProcess } from './run-program.ts';

const workbooks = new URL('../../fixtures/workbooks/', import.meta.url);
const cwd = temporaryFolder();
const env = { ...cleanEnvironment(cwd), REVIEWCTL_BASE_URL: 'http://127.0.0.1:9', REVIEWCTL_TOKEN: 'token' };

/** Copies workbooks of the corpus to the working folder; returns their names. */
function bring(...names: readonly string[]): readonly string[] {
  for (const name of names) copyFileSync(new URL(name, workbooks), join(cwd, name));
  return names;
}

const run = (...argv: readonly string[]) => runInProcess(argv, { env, cwd });
const at = (name: string) => join(cwd, name);

describe('the sheet of a workbook', () => {
  it('that is read is named on stderr, and so are the others with their rows', async () => {
    bring('hidden-sheets.xlsx', 'plain-orders.xlsx');
    const several = await run('orders inspect', at('hidden-sheets.xlsx'));
    expect(several.stderr).toContain('read from sheet 주문 (4 rows); not read: 안내 (hidden, 1 row), ');
    const one = await run('orders inspect', at('plain-orders.xlsx'));
    expect(one).toMatchObject({
      exitCode: 0,
      stderr: `${at('plain-orders.xlsx')}: read from sheet 주문 (3 rows)\n`,
    });
  });

  it('has to be chosen among those alike, with the very commands to choose from', async () => {
    bring('sheets-alike.xlsx');
    const { exitCode, stderr } = await run('orders push', at('sheets-alike.xlsx'), '--dry-run');
    const command = `reviewctl orders push ${at('sheets-alike.xlsx')} --dry-run`;
    expect(exitCode).toBe(3);
    expect(stderr).toContain(
      `choose one of these commands:\n  ${command} --sheet '1월'\n  ${command} --sheet '2월'\n  ${command} --sheet '3월 '\\''끝'\\'''`,
    );
  });
});

describe('the sheet of several workbooks', () => {
  const header = ['orderOriginId', 'originId', 'productOriginId'];
  const sheet = (name: string, key: string) => ({ name, rows: [header, [`O${key}`, `I${key}`, 'P1']] });
  const write = (name: string, ...names: readonly string[]) => {
    writeFileSync(at(name), workbook(names.map((each) => sheet(each, `${name}-${each}`))));
    return at(name);
  };
  const commandsOf = (stdout: string) => JSON.parse(stdout).commands;

  it('is chosen among those that all of them have', async () => {
    const files = [write('one.xlsx', 'Jan', 'Feb', 'Mar'), write('other.xlsx', 'Feb', 'Mar', 'Apr')];
    const all = [...files, write('clear.xlsx', 'Mar')];
    const inspected = await run('orders inspect', ...files, '-o json');
    expect(commandsOf(inspected.stdout)).toEqual(
      ['Feb', 'Mar'].map((name) => `reviewctl orders push ${files.join(' ')} --sheet ${name}`),
    );
    expect(commandsOf((await run('orders inspect', ...all, '-o json')).stdout)).toEqual([
      `reviewctl orders push ${all.join(' ')} --sheet Mar`,
    ]);
    const pushed = await run('orders push', ...files, '--dry-run');
    const command = `reviewctl orders push ${files.join(' ')} --dry-run`;
    expect(pushed.exitCode).toBe(3);
    expect(pushed.stderr).toContain(
      `choose one of these commands:\n  ${command} --sheet Feb\n  ${command} --sheet Mar\n`,
    );
  });

  it('is chosen for each by itself where they share none', async () => {
    const files = [
      write('one.xlsx', 'Jan', 'Feb'),
      write('other.xlsx', 'Mar', 'Apr'),
      write('clear.xlsx', 'May'),
    ];
    const { exitCode, stdout } = await run('orders inspect', ...files, '-o json');
    const [one = '', other = '', clear = ''] = files;
    expect({ exitCode, commands: commandsOf(stdout) }).toEqual({
      exitCode: 3,
      commands: [
        `reviewctl orders push ${one} --sheet Jan`,
        `reviewctl orders push ${one} --sheet Feb`,
        `reviewctl orders push ${other} --sheet Mar`,
        `reviewctl orders push ${other} --sheet Apr`,
        `reviewctl orders push ${clear}`,
      ],
    });
  });
});

describe('a workbook under a password', () => {
  const password = '비밀 pass 1';

  it('is refused in one plain sentence, without the password or with another', async () => {
    bring('protected-agile.xlsx');
    expectEnd(
      await run('orders push', at('protected-agile.xlsx')),
      3,
      'this workbook is protected with a password',
    );
    writeFileSync(at('wrong'), 'no\n');
    expectEnd(
      await run('orders push', at('protected-agile.xlsx'), '-c', `workbook-password-file=${at('wrong')}`),
      3,
      'the password of this workbook is wrong',
    );
    expectEnd(
      await run('orders push', at('protected-agile.xlsx'), '-c', `workbook-password-file=${at('nothing')}`),
      2,
      'workbook-password-file',
    );
  });

  it('is opened by the setting workbook-password-file, which the command that inspect prints repeats', async () => {
    bring('protected-standard.xlsx');
    writeFileSync(at('password'), `${password}\n`);
    const path = at('password');
    const { stdout } = expectEnd(
      await run('orders inspect', at('protected-standard.xlsx'), `-c workbook-password-file=${path} -o json`),
      0,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      recordCount: 2,
      commands: [`reviewctl orders push ${at('protected-standard.xlsx')} -c workbook-password-file=${path}`],
    });
    expect(stdout).not.toContain(password);
  });

  it('is opened by what is typed on a terminal, which is not shown', async () => {
    bring('protected-agile.xlsx');
    const { shown } = expectEnd(
      await runOnTerminal(['orders', 'inspect', 'protected-agile.xlsx'], {
        env: { ...env, NO_COLOR: '1' },
        cwd,
        answers: [['password of protected-agile.xlsx (not shown):', `${password}\r`]],
      }),
      0,
    );
    expect(shown.includes(password)).toBe(false);
    expect(shown).toContain('2 records to send');
  });
});

describe('no command ends without a word', () => {
  it.each([2, 3])('where a workbook was written %i times into one file', async (times) => {
    const one = readFileSync(new URL('plain-orders.xlsx', workbooks));
    writeFileSync(at('doubled.xlsx'), Buffer.concat(Array.from({ length: times }, () => one)));
    expectEnd(
      await runCli(['orders push', at('doubled.xlsx')], { env, cwd }),
      3,
      'more than one zip archive',
    );
  });

  it('where it waits for what can never come', async () => {
    const program = new URL('../../bin/load-commands.js', import.meta.url).href;
    writeFileSync(
      at('waits.mjs'),
      `import { Readable } from 'node:stream';
       import commands from ${JSON.stringify(program)};
       const stdin = new Readable({ read() {} });
       const own = Object.create(process, { argv: { value: ['', '', 'orders', 'push', '-'] }, stdin: { value: stdin } });
       process.exitCode = await commands.runProcess(own);`,
    );
    expectEnd(
      await runCli([], {
        env: { ...env, NODE_OPTIONS: `--import ${at('waits.mjs')}` },
        cwd,
      }),
      1,
      'error: the command stopped',
    );
  });
});

describe('2 GB of blank rows in a gzip file of 2 MB', () => {
  const packed = (row: string) => {
    const block = gzipSync(Buffer.alloc(16_777_216, row));
    writeFileSync(at('blank.csv.gz'), Buffer.concat(Array.from({ length: 128 }, () => block)));
    return ['orders', 'inspect', at('blank.csv.gz'), '--encoding', 'utf-8'];
  };

  it('are refused without reading them if they are blank lines', async () => {
    expect(await runInProcess(packed('\n'), { env, cwd })).toMatchObject({
      exitCode: 3,
      stdout: expect.stringContaining('more than 100,000 blank lines follow'),
    });
  });

  it('are read until a signal if they consist of delimiters', async () => {
    const argv = packed(',\n');
    const signal = new AbortController();
    AbortSignal.timeout(500).addEventListener('abort', () =>
      signal.abort(new Failure('interrupted', 'interrupted')),
    );
    expectEnd(await runInProcess(argv, { env, cwd, stopping: signal.signal }), 130);
  });
});
