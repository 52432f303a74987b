import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

function machine() {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  const run = (words: CommandLine, more: Readonly<Record<string, string>> = {}) =>
    runInProcess(words, { env: { ...env, ...more }, cwd: folder });
  return { folder, run };
}

/** The entry of a setting in `config list`. */
async function effective(
  run: ReturnType<typeof machine>['run'],
  name: string,
  ...more: Parameters<typeof run>
): Promise<unknown> {
  const [words, variables] = more;
  const { stdout } = await run(['config list -o ndjson', ...[words].flat()], variables);
  const records = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const found = records.find((record) => record.name === name);
  return found && { value: found.value, origin: found.origin };
}

test('a setting is given by -c, by its variable, by the folder and by the profile, the first wins', async () => {
  const { folder, run } = machine();
  expectEnd(await run('config set rate 1'), 0);
  expect(await effective(run, 'rate', [])).toEqual({ value: '1', origin: 'profile' });
  writeFileSync(join(folder, 'reviewctl.json'), '{"rate":2}');
  expect(await effective(run, 'rate', [])).toEqual({ value: 2, origin: 'project' });
  const variable = { REVIEWCTL_RATE: '3' };
  expect(await effective(run, 'rate', [], variable)).toEqual({ value: '3', origin: 'environment' });
  expect(await effective(run, 'rate', ['-c', 'rate=4'], variable)).toEqual({ value: '4', origin: 'flag' });
  expect(await effective(run, 'rate', ['--config=rate=5'], variable)).toEqual({ value: '5', origin: 'flag' });
});

test('-c of a noun counts for the commands of that noun alone', async () => {
  const { folder, run } = machine();
  writeFileSync(join(folder, 'p.csv'), 'Code No,name\nP1,Cup\n');
  const inspect = (noun: string) => run(`products inspect p.csv -c '${noun}.map=originId=Code No'`);
  expectEnd(await inspect('products'), 0);
  expectEnd(await inspect('orders'), 3);
});

test('a setting that is a list takes each -c of it', async () => {
  const { folder, run } = machine();
  writeFileSync(join(folder, 'p.csv'), 'SKU,Title\nP1,Cup\n');
  const maps = ['originId=SKU', 'name=Title'].flatMap((map) => ['-c', `map=${map}`]);
  expectEnd(await run(['products inspect p.csv', ...maps]), 0);
});

test.each([
  ['rat=5', '-c rat: no command reads this setting', 'did you mean -c rate=…?'],
  [
    'review.rate=5',
    "-c sets 'review.rate', but no commands are named 'review'",
    "did you mean 'reviews.rate'?",
  ],
  ['rate', "-c: 'rate' is not a setting and its value", 'write NAME=VALUE'],
  ['rate=many', "-c rate: expected a whole number, not 'many'", ''],
  ['token=abc', '-c token: other users of this machine could read the credential', 'set REVIEWCTL_TOKEN'],
  [
    'array-query=comas',
    "-c array-query: expected repeat, comma or brackets, not 'comas'",
    'did you mean comma?',
  ],
  ['get-job=job', '-c get-job: expected a method and a path with {jobId}, such as', ''],
])('-c %s is refused, and nothing is repeated that may be secret', async (word, message, hint) => {
  const { run } = machine();
  const { stderr } = expectEnd(await run(`reviews list -c ${word}`), 2, `error: ${message}`, hint);
  expect(stderr).not.toContain('abc');
});

test.each([
  [['--retries 0'], '-c retries=0; for all: reviewctl config set retries 0'],
  [['--base-url=http://x'], '-c base-url=http://x; for all: reviewctl config set base-url http://x'],
  [["--get-job 'GET /job/{jobId}'"], "-c 'get-job=GET /job/{jobId}'; for all: reviewctl config set get-job"],
])('a setting that is typed as the flag %j is refused with how to give it', async (words, way) => {
  expectEnd(
    await machine().run(['reviews list', ...words]),
    2,
    /^error: --[a-z-]+ is a setting, not a flag\nhint: for this call: /,
    way,
  );
});

test('a value may begin with two dashes if it does not look like a flag', async () => {
  const { stderr } = await machine().run('products update 1 --name --9');
  expect(stderr).toMatch(/^error: no service is configured\n/);
});

test('a field that is named like a setting is not taken for it', async () => {
  const { stderr } = await machine().run('products update 7 --group-name Cups');
  expect(stderr).toMatch(/^error: unknown option '--group-name'\nhint: did you mean --group-id\? else see: /);
});

test('a value that begins with - is named with the way to type it', async () => {
  const { stderr } = await machine().run('config set time-zone -05:30');
  expect(stderr).toContain(
    'put a value that starts with - after --: reviewctl config set time-zone -- -05:30; else',
  );
});

test.each([
  [
    '--rejects --dry-run',
    'the value of --rejects <FILE> is missing; if --dry-run is meant, write --rejects=--',
  ],
  ['--rejects -n', 'the value of --rejects <FILE> is missing; if -n is meant, write --rejects=-n'],
  ['--rejects', 'the value of --rejects <FILE> is missing\n'],
  ['--dry-run=true', "unknown option '--dry-run=true'\nhint: did you mean --dry-run? else see: "],
])('%s does not push: a flag and its value are not mixed up', async (words, message) => {
  expectEnd(await machine().run(`products push products.csv ${words}`), 2, `error: ${message}`);
});

test('a flag named like an assumption is not one: a group keeps its name', async () => {
  const served = await serveSandbox({ port: 0 });
  try {
    const { run } = machine();
    const create = 'products create --origin-id P1 --name Cup --group-name Cups';
    const service = { REVIEWCTL_BASE_URL: served.baseUrl, REVIEWCTL_TOKEN: served.token };
    expectEnd(await run(create, service), 0);
    const { stdout } = await run('product-groups list --fields name -o ndjson', service);
    expect(stdout).toContain('"name":"Cups"');
  } finally {
    await served.close();
  }
});

test('of a setting that is no list, the last -c counts', async () => {
  expect(await effective(machine().run, 'rate', ['-c', 'rate=4', '-c', 'rate=5'])).toEqual({
    value: '5',
    origin: 'flag',
  });
});

test.each([
  ['ping', 'https://hc-ping.com/7a1b-secret', 'URL'],
  ['payer-lookup-command', '/opt/look --key 7a1b-secret', 'COMMAND'],
])(
  '--%s, a setting, is refused without its value, which may be a secret',
  async (name, value, placeholder) => {
    const { stderr } = await machine().run([`rewards settle --${name}`, value]);
    expect(stderr).toContain(
      `-c ${name}=${placeholder}; for all: reviewctl config set ${name} ${placeholder}`,
    );
    expect(stderr).not.toContain('7a1b-secret');
  },
);

test('a setting that is typed as a flag at the end has the placeholder of its value', async () => {
  const { stderr } = await machine().run('products list --retries');
  expect(stderr).toContain('for this call: -c retries=N; for all: reviewctl config set retries N');
});

test('the variables of --profile and --debug are known', async () => {
  const { run } = machine();
  expect(
    await run('config list', {
      REVIEWCTL_PROFILE: 'default',
      REVIEWCTL_DEBUG: '1',
    }),
  ).toMatchObject({
    exitCode: 0,
    stderr: expect.not.stringContaining('no command reads'),
  });
});

test('an address that names no database is refused by what it lacks', async () => {
  const { run } = machine();
  const words = 'runs list -c base-url=http://127.0.0.1:9 -c state=mysql://x';
  expect((await run(words)).stderr).toMatch(
    /^error: the setting state is not the address of a PostgreSQL database\n/,
  );
});

test.each([
  [{ 'page-size': 1, timeout: 30 }, 'reviewctl.json: timeout: expected a duration such as 500ms, 30s'],
  [{ 'page-size': 'x' }, "reviewctl.json: page-size: expected a whole number, not 'x'"],
  [{ 'page-size': 0 }, "reviewctl.json: page-size: expected 1 to 100, not '0'"],
  [{ 'products.map': { originId: 'SKU' } }, `reviewctl.json: map: '{"originId":"SKU"}' is not valid`],
])('a wrong value in a file is named with its setting: %j', async (settings, message) => {
  const { folder, run } = machine();
  writeFileSync(join(folder, 'reviewctl.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'p.csv'), 'originId,name\nP1,Cup\n');
  const command = 'page-size' in settings ? 'products list' : 'products inspect p.csv';
  expectEnd(await run(command), 2, `error: ${message}`);
});

test.each(['profile list', 'config set map originId=SKU', 'config path', 'logout', 'doctor', 'config list'])(
  '%s refuses a mistyped -c',
  async (command) => {
    expectEnd(await machine().run(`${command} -c retires=1`), 2, '-c retires: no command reads this setting');
  },
);
