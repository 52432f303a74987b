import { describe, expect, it } from 'vitest';
import { documentedOperations } from '../../src/contract/operations.ts';
import { serveHttp } from '../client/loopback.ts';
import { hostileTexts, livingCharacters } from '../output/hostile-text.ts';
import { sharedSandbox } from './open-place.ts';
import { cleanEnvironment, environmentAt, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

const folder = temporaryFolder();
const sandbox = await sharedSandbox({ port: 0, token: 'a-token', products: 5, orders: 60, reviews: 120 });

const environmentOf = (baseUrl: string) => environmentAt(folder, { baseUrl, token: 'a-token' });

const run = (argv: readonly string[], options: ProgramOptions = {}) =>
  runInProcess(['api', ...argv], { env: environmentOf(sandbox.baseUrl), cwd: folder, ...options });

describe('api without an operation', () => {
  it('lists the 19 of the document with number, method, path and name', async () => {
    const { exitCode, stdout } = await runInProcess('api', { env: cleanEnvironment(folder) });
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(exitCode).toBe(0);
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(documentedOperations));
    expect(rows[18]).toEqual({
      number: 19,
      method: 'PATCH',
      path: '/admin/v2/reward/{rewardId}',
      name: 'updateReward',
      purpose: 'update reward',
    });
  });
});

describe('a call', () => {
  it('of a list is one page in its envelope, as the service sent it', async () => {
    const { exitCode, stdout } = await run(['listReviews', '--query first=2 --query isVisible=true']);
    const page = JSON.parse(stdout);
    expect({
      exitCode,
      total: page.totalCount,
      records: page.data.length,
      more: page.pageInfo.hasNextPage,
    }).toEqual({
      exitCode: 0,
      total: 120,
      records: 2,
      more: true,
    });
  });

  it('of an operation beyond the document works where the setting names it', async () => {
    expectEnd(await run(['getJob', '--param jobId=1']), 2, "-c 'get-job=GET /admin/v2/job/{jobId}'");
    const entry = '[{"originId":"hats","name":"모자"}]';
    const [job] = JSON.parse((await run(['bulkCreateCategories', `--body ${entry}`])).stdout);
    const named = ['-c', 'get-job=GET /admin/v2/job/{jobId}', '--param', `jobId=${job.jobId}`];
    expect(JSON.parse((await run(['getJob', ...named])).stdout).entryOriginId).toBe('hats');
  });

  it('that creates in bulk says that it went past the journal', async () => {
    const { stderr } = await run(['bulkCreateCategories', '--body -'], {
      stdin: '[{"originId":"caps","name":"Caps"}]',
    });
    expect(stderr).toMatch(/^warning: this request bypassed the journal.*\nhint: reviewctl categories push /);
  });

  it('shown by a dry run needs no service and shows no credential', async () => {
    const env = { ...cleanEnvironment(folder), REVIEWCTL_TOKEN: 'secret-token' };
    const argv = 'api listProducts --query originIds=a --query originIds=b,c --dry-run';
    const { stdout, stderr } = expectEnd(await runInProcess(argv, { env }), 0);
    expect(JSON.parse(stdout)).toEqual({
      method: 'GET',
      path: '/admin/v2/products?originIds=a&originIds=b%2Cc',
    });
    expect(stdout + stderr).not.toContain('secret');
  });

  it.each(Object.entries(hostileTexts))('shows nothing on a terminal that acts: %s', async (_, text) => {
    const { url } = await serveHttp((__, outgoing) =>
      outgoing.end(JSON.stringify({ id: '1', [text]: text })),
    );
    const { stdout } = await runInProcess('api getProduct --param productId=1', {
      env: environmentOf(url),
      isOutputTerminal: true,
    });
    expect(livingCharacters(stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toEqual({ id: '1', [text]: text });
  });
});

describe('a call that makes no sense', () => {
  it.each([
    ['listReward', "there is no operation 'listReward'", 'did you mean listRewards?'],
    ['DELETE /admin/v2/product/1', "there is no operation 'DELETE'", 'operations: createProduct, '],
    [
      'getOrderItem --param orderId=1',
      'getOrderItem needs --param orderItemId=…',
      '/order-item/{orderItemId}',
    ],
    ['getProduct --param productId=1 --param id=2', "no path parameter 'id'", 'takes: productId'],
    ['getProduct --param productId', "'productId' is not NAME=VALUE", '--param name=value'],
    ['getProduct --param productId=1 --param productId=2', 'is given 2 times', 'only list elements'],
    ['listReviews --query rating=1', "no query parameter 'rating'", 'did you mean ratings?'],
    [
      'listReviews --query ratings=1,2',
      "--query ratings: expected an integer, not '1,2'",
      '--query for each element',
    ],
    [
      'listReviews --query ratings=6',
      "--query ratings: expected 1 to 5, not '6'",
      '--query for each element',
    ],
    ['listReviews --query first=101', "--query first: expected 1 to 100, not '101'", 'nothing was sent'],
    ['listRewards --query status=FAILED', "--query status: 'FAILED' ", 'nothing was sent'],
    ['getProduct --param productId=1 --body {}', 'getProduct takes no body', 'remove --body'],
    ['updateProduct --param productId=1', 'updateProduct (PATCH) needs a body', '--body @FILE'],
    [
      'updateProduct --param productId=1 --body {"groupName":"a"}',
      'is not a field of this request',
      'nothing was sent; reviewctl products update --help describes every field',
    ],
    [
      'updateReview --param reviewId=1 --body {"visible":true}',
      'is not a field of this request',
      'API 4.17 describes every field',
    ],
    ['getProduct --param productId=..', "productId must be an id, not '..'", ''],
  ])('is exit 2 before anything is sent: %s', async (line, told, remedy) => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{}'));
    const { stderr } = expectNothing(await runInProcess(`api ${line}`, { env: environmentOf(url) }), 2);
    expect(seen).toEqual([]);
    expect(stderr.split('\n')[0]).toContain(told);
    expect(stderr).toContain(remedy);
  });
});

describe('a reply', () => {
  const ofTwo = ['--query first=2'];

  it('of a list is its records in the format that is asked for', async () => {
    const { stdout } = await run(['listReviews', ...ofTwo, '-o csv --fields id,rating']);
    expect(stdout).toMatch(/^id,rating\r?\n\d+,\d\r?\n\d+,\d\r?\n$/);
  });

  it('of one record has only the chosen fields', async () => {
    const [id] = (await run(['listProducts', ...ofTwo, '-o ids'])).stdout.split('\n');
    const { stdout } = await run(['getProduct', `--param productId=${id} --fields id`]);
    expect(JSON.parse(stdout)).toEqual({ id });
  });
});

describe('a call of a path', () => {
  it('gives what the operation gives, and says that nothing is checked', async () => {
    const named = await run(['listReviews', '--query ratings=1 --query first=3']);
    const raw = await run(['GET', '/admin/v2/reviews', '--query ratings=1 --query first=3']);
    expect(raw).toEqual({
      exitCode: 0,
      stdout: named.stdout,
      stderr: 'neither the request nor its reply is checked against the API document\n',
    });
    const inPath = await run(['GET', '/admin/v2/reviews?ratings=1&first=3', '-q']);
    expect(inPath).toEqual({ exitCode: 0, stdout: named.stdout, stderr: '' });
    expect(await run(['get', '/admin/v2/reviews?ratings=1&first=3', '-q'])).toEqual(inPath);
  });

  it('takes its body from standard input, and shows it with --dry-run', async () => {
    const argv = ['POST', '/admin/v2/category', '--body', '-', '--dry-run'];
    const { stdout } = await run(argv, { stdin: '{"originId":"socks","name":"Socks"}' });
    expect(JSON.parse(stdout)).toEqual({
      method: 'POST',
      path: '/admin/v2/category',
      body: { originId: 'socks', name: 'Socks' },
    });
  });

  it('that writes asks first with a production profile', async () => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{}'));
    const env = { ...environmentOf(url), ...cleanEnvironment(temporaryFolder()) };
    await runInProcess('config set production true', { env });
    const write = 'api PATCH /admin/v2/review/1 --body {"isVisible":false}';
    const refused = await runInProcess(write, { env });
    expect({ exitCode: refused.exitCode, seen }).toEqual({ exitCode: 2, seen: [] });
    expect(refused.stderr).toContain('confirmation required');
    expectEnd(await runInProcess(`${write} --yes`, { env }), 0);
  });

  it.each([
    '//evil.example/admin',
    'https://evil.example/admin',
    '/admin/../../secret',
    '/%2e%2e/secret',
    '/\\evil.example',
    'admin/v2/reviews',
    '/a b',
    '/admin#x',
  ])('never leaves the address of the service: %s', async (path) => {
    const { url, seen } = await serveHttp((_, outgoing) => outgoing.end('{}'));
    expectEnd(
      await runInProcess(['api GET', path], { env: environmentOf(url) }),
      2,
      'is not a path below the address of the service',
    );
    expect(seen).toEqual([]);
  });

  it('refuses what only an operation can have', async () => {
    expect(await run(['GET', '/admin/v2/reviews', '--param a=b'])).toMatchObject({
      exitCode: 2,
      stderr: 'error: --param needs the name of an operation\nhint: remove --param\n',
    });
  });
});
