import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../cli/run-cli.ts';

const program = join(import.meta.dirname, 'bench.js');

/** The output and the JSON file of the bench for these rows, with inputs too small for meaningful times. */
async function bench(rows: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const json = join(temporaryFolder(), 'bench.json');
  const args = [program, ...rows, '--scale', '0.0002', '--pairs', '1', '--json', json];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return { stdout, written: JSON.parse(readFileSync(json, 'utf8')) };
}

const pair = {
  ours: expect.any(Number),
  limit: expect.any(Number),
  ratio: expect.any(Number),
  spread: [expect.any(Number), expect.any(Number)],
  serviceShare: expect.any(Number),
  isServerBound: expect.any(Boolean),
};

it('measures rows by the beginning of their names, prints them and writes them for machines', async () => {
  const { stdout, written } = await bench(['push-million', 'products', 'journal-bytes', 'kills']);
  expect(written).toMatchObject({
    scale: 0.0002,
    pairs: 1,
    rows: [
      { name: 'push-million', goal: 3, ...pair },
      { name: 'products', goal: 2, ...pair },
      { name: 'journal-bytes', goal: 45, unit: 'bytes', ours: expect.any(Number) },
      { name: 'kills', skipped: expect.stringContaining('npm run campaign') },
    ],
  });
  expect(stdout).toMatch(/^row +ours +limit +ratio +processor +goal\npush-million +\S+ s +(\S+ +){3}3\.00/m);
  expect(stdout).toMatch(/^push-million: ours .* limit .* ratio .* goal 3\.00.* service .* of a processor/m);
}, 60_000);

it('measures lists against a service that lists nothing else', async () => {
  const { written } = await bench(['list-ndjson', 'list-table', 'list-stats', 'list-parallel']);
  const { ours, limit, ratio } = pair;
  const times = { ours, limit, ratio };
  expect(written.rows).toMatchObject([
    { name: 'list-ndjson', goal: 1.8, ...times },
    { name: 'list-table', goal: 1.5, ...times },
    { name: 'list-stats', goal: 1.2, ...times },
    { name: 'list-parallel', goal: 0.2, ...times },
  ]);
}, 60_000);

it('measures settling by polls and by webhook', async () => {
  const { written } = await bench(['settle-0', 'webhook']);
  expect(written.rows).toMatchObject([
    { name: 'settle-0', goal: 2.5, ...pair },
    { name: 'webhook-rate', goal: 1 / 0.6, ours: expect.any(Number), limit: expect.any(Number) },
    { name: 'webhook-p99', goal: 25, unit: 'ms', ours: expect.any(Number) },
  ]);
}, 60_000);

it('measures what one call takes, from nothing to its end', async () => {
  const { written } = await bench(['call-get']);
  const { ours, limit, ratio } = pair;
  expect(written.rows).toMatchObject([{ name: 'call-get', goal: 2, ours, limit, ratio }]);
}, 60_000);

it('says that it needs a C compiler', async () => {
  await expect(bench(['push-million'], { ...process.env, PATH: '' })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('needs a C compiler'),
  });
});

it('refuses a row that it does not have', async () => {
  await expect(promisify(execFile)(process.execPath, [program, 'pull'])).rejects.toMatchObject({
    code: 2,
    stderr: 'no row is named pull; --list shows them all\n',
  });
});

it('leaves neither files nor programs behind when it is interrupted in the middle of a push', async () => {
  const folder = temporaryFolder();
  const json = join(folder, 'bench.json');
  const args = [program, 'push-million', '--scale', '0.2', '--pairs', '1', '--json', json];
  const child = spawn(process.execPath, args, { env: { ...process.env, TMPDIR: folder }, stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  const ended = once(child, 'exit');
  const isPushing = () =>
    readdirSync(folder, { recursive: true }).some((entry) => /state-\w+\/.*pushes/.test(String(entry)));
  await expect.poll(isPushing, { timeout: 30_000 }).toBe(true);
  child.kill('SIGTERM');
  expect(await ended).toEqual([130, null]);
  expect(readdirSync(folder)).toEqual([]);
}, 60_000);
