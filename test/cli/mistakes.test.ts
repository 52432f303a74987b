import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CliResult,
  cleanEnvironment,
  expectEnd,
  programPath,
  runShell,
  temporaryFolder,
} from './run-cli.ts';

/*
 * The first five minutes of a user who makes every mistake, and follows each message. The test reads the commands from
 * the messages; they are not written here.
 */

const folder = temporaryFolder();
const work = join(folder, 'work');
const env = cleanEnvironment(folder);
let served: ChildProcess | undefined;
let baseUrl = '';
let token = '';

beforeAll(() => {
  mkdirSync(work);
  writeFileSync(join(work, 'products.csv'), 'originId,Naem\nMUG-1,Blue mug\nMUG-2,Green mug\n');
  writeFileSync(join(work, 'orders.csv'), 'Order No,Item No,SKU\n1001,1001-1,MUG-1\n');
});
afterAll(async () => {
  if (served === undefined) return;
  served.kill();
  await once(served, 'exit');
});

const run = (command: string, more: Readonly<Record<string, string>> = {}, stdin = '') =>
  runShell(command, { env: { ...env, ...more }, cwd: work, stdin });

/** The last hint of a message. */
function hintOf({ stderr }: CliResult): string {
  return (
    stderr
      .split('\n')
      .findLast((line) => line.startsWith('hint: '))
      ?.slice('hint: '.length) ?? ''
  );
}

/** The command in a message: the first, or the first that contains `word`. */
function commandIn(text: string, word = ''): string {
  const commands = [...text.matchAll(/(?:unset \w+ && )?reviewctl [a-z].*?(?=;|, or |$)/gm)].map(([found]) =>
    found.trim(),
  );
  const command = commands.find((found) => found.includes(word));
  if (command === undefined) throw new Error(`no command ${word} in: ${text}`);
  return command;
}

/** Starts the sandbox with the command of a message, on a free port. */
async function serve(command: string): Promise<void> {
  const [, ...words] = command.split(' ');
  served = spawn(process.execPath, [programPath, ...words, '--port', '0'], { env, cwd: work, stdio: 'pipe' });
  if (served.stdout === null) throw new Error('no output to read');
  for await (const line of createInterface({ input: served.stdout })) {
    ({ baseUrl, token } = JSON.parse(line) as { baseUrl: string; token: string });
    return;
  }
}

test('a newcomer who makes every mistake is led on by each message to a first push', async () => {
  // No service is configured.
  const unnamed = expectEnd(await run('reviewctl products push products.csv --map name=Naem'), 2);
  await serve(commandIn(hintOf(unnamed), 'sandbox serve'));

  // First the address lacks its scheme, then it has a path; once it is right, the credential is wrong.
  const bare = expectEnd(
    await run(
      commandIn(hintOf(unnamed), 'login').replace('https://…', baseUrl.replace('http://', '')),
      {},
      'wrong',
    ),
    2,
  );
  const [, withScheme = ''] = /-c base-url=(\S+)/.exec(hintOf(bare)) ?? [];
  const elsewhere = expectEnd(await run(`reviewctl login --base-url ${withScheme}/shop`, {}, 'wrong'), 2);
  const wrong = expectEnd(await run(commandIn(hintOf(elsewhere), 'login'), {}, 'wrong'), 4);
  const right = expectEnd(await run(commandIn(hintOf(wrong), 'login'), {}, token), 0);
  expectEnd(await run(commandIn(right.stderr, 'doctor')), 0);

  // First a missing file, then an unknown column.
  const missing = expectEnd(await run('reviewctl products push product.csv'), 2);
  const [, meant = ''] = /did you mean (\S+)\?/.exec(hintOf(missing)) ?? [];
  const inspected = await run(
    commandIn(right.stderr, 'products inspect').replace(/FILE.*/, `${meant} -o table`),
  );
  expect(inspected.stdout).toContain('not used: Naem');
  const nameless = expectEnd(await run(`reviewctl products push ${meant}`), 6);
  const [mapping = ''] = /--map (?:'[^']+'|[^\s']+)/.exec(nameless.stderr) ?? [];
  const pushed = await run(`reviewctl products push ${meant} ${mapping} -o ids`);
  expect(pushed).toMatchObject({ exitCode: 0, stdout: 'MUG-1\nMUG-2\n' });
}, 60_000);

test('a wrong variable is found by the command the message names, and mended by the one that says', async () => {
  const variables = { REVIEWCTL_TOKEN: 'wrong' };
  const refused = expectEnd(await run('reviewctl products list', variables), 4);
  const doctor = expectEnd(await run(commandIn(hintOf(refused), 'doctor'), variables), 4);
  const { hint } = JSON.parse(
    doctor.stdout.split('\n').find((line) => line.includes('"problem"')) ?? '{}',
  ) as { hint: string };
  const mended = await run(
    `${commandIn(hint, 'login')} && reviewctl products list -o count`,
    variables,
    token,
  );
  expect(mended).toMatchObject({ exitCode: 0, stdout: '2\n' });
}, 60_000);

test('what logout removes is made again by the command that it names', async () => {
  const gone = expectEnd(await run('reviewctl logout'), 0);
  const without = expectEnd(
    await run(
      'reviewctl orders push orders.csv --map orderOriginId="Order No" --map originId="Item No" --map productOriginId=SKU',
    ),
    2,
  );
  expect(hintOf(without)).toContain('reviewctl login');
  expectEnd(await run(commandIn(gone.stderr, 'login'), {}, token), 0);
});

test('columns that are not known are mapped by the flags the message names', async () => {
  const blind = expectEnd(await run('reviewctl orders push orders.csv'), 3);
  const flags =
    blind.stderr.match(/--map (?:'[^']+'|[^\s']+)/g)?.map((flag) => flag.replace('HEADER', 'SKU')) ?? [];
  const pushed = await run(`reviewctl orders push orders.csv ${flags.join(' ')} -o ids`);
  expect(pushed).toMatchObject({ exitCode: 0, stdout: '1001-1\n' });
});
