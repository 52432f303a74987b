import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { openPlanFile } from '../../src/store/plans/open-plan-file.ts';
import { findPlanOwner } from '../../src/store/plans/plan-access.ts';
import { createPlanFile } from '../../src/store/plans/plan-file.ts';
import { temporaryFolder } from '../push/open-push.ts';

const heading = {
  kind: 'rewards',
  createdAtMs: Date.UTC(2026, 10, 20),
  about: { origin: 'https://shop.example' },
};
const me = findPlanOwner(String(process.getuid?.()));

/** A folder that nobody else may write to, whatever the system's temporary folder is. */
function planPath(): string {
  return join(temporaryFolder(), 'today.plan');
}

async function madePlan(records: readonly string[] = ['{"id":"1"}', '{"id":"2"}']): Promise<string> {
  const path = planPath();
  await createPlanFile(path, heading, async (add) => {
    for (const record of records) add(record);
    return { amount: 1200 };
  });
  return path;
}

async function readRecords(path: string): Promise<string[]> {
  const plan = await openPlanFile(path);
  const records: string[] = [];
  try {
    for await (const page of plan.records()) records.push(...page);
  } finally {
    await plan.close();
  }
  return records;
}

test('a plan is NDJSON for its owner alone, and comes back as it was written', async () => {
  const path = await madePlan();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([
    ['reviewctlPlan', 'id', 'kind', 'createdAt', 'about'],
    ['id'],
    ['id'],
    ['records', 'totals', 'sha256'],
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const plan = await openPlanFile(path, { kind: 'rewards', owner: me });
  expect(plan.heading).toEqual({ ...heading, id: expect.stringMatching(/^plan-[0-9a-f]{16}$/) });
  expect(plan.end).toMatchObject({ records: 2, totals: { amount: 1200 } });
  await plan.close();
  expect(await readRecords(path)).toEqual(['{"id":"1"}', '{"id":"2"}']);
});

test('any records come back in their order, also none, and long ones across many blocks', async () => {
  const long = JSON.stringify({ text: '가'.repeat(900_000) });
  for (const records of [
    [],
    [long, '{}', long, long],
    Array.from({ length: 150_000 }, (_, n) => `{"n":${n}}`),
  ]) {
    expect(await readRecords(await madePlan(records))).toEqual(records);
  }
  const jsonLines = fc.array(fc.jsonValue().map((value) => JSON.stringify({ value })));
  await fc.assert(
    fc.asyncProperty(jsonLines, async (records) => {
      expect(await readRecords(await madePlan(records))).toEqual(records);
    }),
    { numRuns: 30 },
  );
});

test('a plan is made whole or not at all, and never in the place of a file', async () => {
  const path = planPath();
  const failing = createPlanFile(path, heading, async (add) => {
    add('{}');
    throw new Error('the list ended early');
  });
  await expect(failing).rejects.toThrow('the list ended early');
  expect(readdirSync(join(path, '..'))).toEqual([]);
  const overtaken = createPlanFile(path, heading, async () => {
    writeFileSync(path, 'kept');
    return {};
  });
  await expect(overtaken).rejects.toMatchObject({
    kind: 'usage',
    message: expect.stringContaining('exists already'),
  });
  expect(readFileSync(path, 'utf8')).toBe('kept');
  expect(readdirSync(join(path, '..'))).toEqual(['today.plan']);
});

test('wherever a plan is cut off or edited, nothing of it is taken', async () => {
  const path = await madePlan(['{"amount":100}', '{"amount":200}']);
  const bytes = readFileSync(path);
  const copy = (content: Uint8Array) => {
    writeFileSync(path, content);
    return openPlanFile(path);
  };
  for (let length = 0; length < bytes.length; length += 1) {
    await expect(copy(bytes.subarray(0, length))).rejects.toMatchObject({ kind: 'input' });
    const edited = Buffer.from(bytes);
    edited[length] = (edited[length] ?? 0) ^ 1;
    await expect(copy(edited)).rejects.toMatchObject({ kind: 'input' });
  }
  await expect(copy(Buffer.concat([bytes, Buffer.from('\n')]))).rejects.toMatchObject({ kind: 'input' });
  const lines = bytes.toString().split('\n');
  for (const content of [Buffer.from(lines.toSpliced(1, 1).join('\n')), bytes.subarray(0, -40)])
    await expect(copy(content)).rejects.toThrow('is incomplete, or was changed after it was made');
});

test('what is no plan, of another format or of another kind is named as that', async () => {
  const path = await madePlan();
  await expect(openPlanFile(path, { kind: 'products' })).rejects.toMatchObject({
    kind: 'input',
    message: `${path} is a plan of rewards, not of products`,
  });
  writeFileSync(path, readFileSync(path, 'utf8').replace('"reviewctlPlan":1', '"reviewctlPlan":2'));
  await expect(openPlanFile(path)).rejects.toThrow('has format 2; this version reads only format 1');
  for (const text of ['', 'id,name\n', '{}\n', '[1]\n', '{"id":"1"}\n{"id":"2"}\n']) {
    writeFileSync(path, text);
    await expect(openPlanFile(path)).rejects.toThrow('is not a plan');
  }
});

test('what is written to a plan after it was opened is never handed on', async () => {
  const records = Array.from({ length: 300_000 }, (_, n) => `{"n":${n}}`);
  const path = await madePlan(records);
  const plan = await openPlanFile(path);
  appendFileSync(path, '{"n":-1}\n');
  const read: string[] = [];
  const reading = async () => {
    for await (const page of plan.records()) {
      read.push(...page);
      const text = readFileSync(path, 'utf8');
      writeFileSync(path, text.replace('{"n":299999}', '{"n":999999}'));
    }
  };
  await expect(reading()).rejects.toThrow('was changed after it was made');
  expect(read.length).toBeGreaterThan(0);
  expect(read).toEqual(records.slice(0, read.length));
  truncateSync(path, 10);
  await expect(plan.records()[Symbol.asyncIterator]().next()).rejects.toThrow('is incomplete');
  await plan.close();
});

test('a plan that others may read or change is refused with the command that mends it', async () => {
  const path = await madePlan();
  for (const [mode, word] of [
    [0o640, 'read'],
    [0o604, 'read'],
    [0o620, 'changed'],
    [0o602, 'changed'],
  ] as const) {
    chmodSync(path, mode);
    await expect(openPlanFile(path)).rejects.toMatchObject({
      kind: 'config',
      message: expect.stringContaining(`may be ${word} by other users`),
      hint: expect.stringContaining(`chmod 600 ${path}`),
    });
  }
  chmodSync(path, 0o640);
  for (const access of [{ owner: me }, { isOnlyShown: true }])
    await (await openPlanFile(path, access)).close();
  for (const mode of [0o604, 0o660, 0o602]) {
    chmodSync(path, mode);
    await expect(openPlanFile(path, { owner: me })).rejects.toMatchObject({ kind: 'config' });
  }
});

test('with an owner only a file of theirs is taken, that nobody else may replace', async () => {
  const path = await madePlan();
  const folder = join(path, '..');
  const other = { user: 'somebody', uid: me.uid + 1 };
  await expect(openPlanFile(path, { owner: other })).rejects.toMatchObject({
    kind: 'guard',
    message: expect.stringContaining(`belongs to user ${me.uid}, and only plans of somebody`),
  });
  const link = join(folder, 'link.plan');
  symlinkSync(path, link);
  await (await openPlanFile(link)).close();
  await expect(openPlanFile(link, { owner: me })).rejects.toThrow('is a symbolic link');
  chmodSync(folder, 0o777);
  await expect(openPlanFile(path, { owner: me })).rejects.toMatchObject({
    kind: 'guard',
    message: expect.stringContaining(`they may write to ${folder}`),
  });
  chmodSync(folder, 0o1777);
  await (await openPlanFile(path, { owner: me })).close();
  chmodSync(folder, 0o700);
  linkSync(path, join(folder, 'second.plan'));
  await expect(openPlanFile(path, { owner: me })).rejects.toThrow('has 2 names');
});

test('a folder that others may write to is found behind a linked folder, and above', async () => {
  const top = temporaryFolder();
  const inner = join(top, 'open', 'plans');
  mkdirSync(inner, { recursive: true });
  const path = join(inner, 'a.plan');
  await createPlanFile(path, heading, async () => ({}));
  const linked = join(top, 'linked');
  symlinkSync(inner, linked);
  await (await openPlanFile(join(linked, 'a.plan'), { owner: me })).close();
  chmodSync(join(top, 'open'), 0o777);
  for (const named of [path, join(linked, 'a.plan')]) {
    await expect(openPlanFile(named, { owner: me })).rejects.toThrow(
      `they may write to ${join(top, 'open')}`,
    );
  }
});

test('a folder that others may write to is found in the middle of a chain of links', async () => {
  const top = temporaryFolder();
  const [plans, middle] = [join(top, 'plans'), join(top, 'middle')];
  for (const folder of [plans, middle]) mkdirSync(folder);
  await createPlanFile(join(plans, 'a.plan'), heading, async () => ({}));
  symlinkSync('../plans', join(middle, 'second'));
  symlinkSync(join(middle, 'second'), join(top, 'first'));
  const path = join(top, 'first', 'a.plan');
  await (await openPlanFile(path, { owner: me })).close();
  chmodSync(middle, 0o777);
  await expect(openPlanFile(path, { owner: me })).rejects.toThrow(`they may write to ${middle}`);
});

test('an owner is found by name or number, and an unknown one is refused', () => {
  expect(findPlanOwner('root')).toEqual({ user: 'root', uid: 0 });
  expect(findPlanOwner('1234')).toEqual({ user: '1234', uid: 1234 });
  for (const user of ['nobody-of-this-name', '-u', '', 'a b']) {
    expect(() => findPlanOwner(user)).toThrow('this machine has no user');
  }
});

test('each refusal names what to do next', async () => {
  const hintOf = async (path: string, access: Parameters<typeof openPlanFile>[1] = {}) => {
    const opened = openPlanFile(path, access);
    const failure: unknown = await opened.catch((error: unknown) => error);
    return failure instanceof Failure ? failure.hint : undefined;
  };
  const path = await madePlan();
  const text = readFileSync(path, 'utf8');
  const folder = join(path, '..');
  const link = join(folder, 'link.plan');
  symlinkSync(path, link);
  expect(await hintOf(link, { owner: me })).toBe(`name the file itself: realpath ${link} prints its path`);
  expect(await hintOf(path, { kind: 'products' })).toBe(`see what it plans: reviewctl plan show ${path}`);
  for (const gone of [`${path}.gone`, join(path, 'below')])
    expect(await hintOf(gone)).toMatch(/^check the path, and that you or your group may read the file;/);
  expect(await hintOf(folder)).toBe('name the file of a plan');
  expect(await hintOf(path, { owner: { user: 'somebody', uid: me.uid + 1 } })).toBe(
    'let somebody make the plan, with --plan-out',
  );
  for (const [content, hint] of [
    [
      text.slice(0, -40),
      'copy it again from where it was made, or make a new plan: a plan is carried out only if it is unchanged',
    ],
    ['{}\n', 'name a file written by --plan-out'],
    [text.replace(':1', ':2'), 'make a new plan with --plan-out'],
  ] as const) {
    writeFileSync(path, content);
    expect(await hintOf(path)).toBe(hint);
  }
  await expect(createPlanFile(path, heading, async () => ({}))).rejects.toMatchObject({
    kind: 'usage',
    message: `${path} exists already; a plan never replaces a file`,
    hint: 'name a new file, or remove this one first',
  });
  await expect(createPlanFile(join(folder, 'no', 'a.plan'), heading, async () => ({}))).rejects.toMatchObject(
    {
      kind: 'unwritable-path',
      message: expect.stringContaining('cannot be written: ENOENT'),
      hint: 'nothing was written; name a new file in a folder you may write to, on a disk with room',
    },
  );
});

test.each([
  ['without an id', { id: undefined }],
  ['without a kind', { kind: 1 }],
  ['of no time', { createdAt: 'soon' }],
  ['of a time in milliseconds', { createdAt: 5 }],
  ['about nothing', { about: null }],
])('a heading %s is that of a plan that was changed', async (_, change) => {
  const path = await madePlan();
  const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
  writeFileSync(path, [JSON.stringify({ ...JSON.parse(first), ...change }), ...rest].join('\n'));
  await expect(openPlanFile(path)).rejects.toThrow(
    `the plan ${path} is incomplete, or was changed after it was made`,
  );
});
