import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveHttp } from '../client/loopback.ts';
import { sharedSandbox } from './open-place.ts';
import type { CommandLine } from './run-cli.ts';
import { cleanEnvironment, environmentAt, expectEnd, expectNothing, temporaryFolder } from './run-cli.ts';
import { type ProgramOptions, runInProcess } from './run-program.ts';

const folder = temporaryFolder();
/** No service at this address: checks before sending need none. */
const nowhere = cleanEnvironment(folder);
const sandbox = await sharedSandbox({ port: 0, token: 'a-token', products: 3, orders: 3 });

function run(argv: CommandLine, options: ProgramOptions = {}) {
  return runInProcess(argv, { env: nowhere, cwd: folder, ...options });
}

function runOnSandbox(argv: CommandLine, options: ProgramOptions = {}) {
  return run(argv, { env: environmentAt(folder, sandbox), ...options });
}

/** The body that a dry run would send. */
async function bodyOf(argv: readonly string[], options: ProgramOptions = {}) {
  const { stdout, stderr } = expectEnd(await run([...argv, '--dry-run'], options), 0);
  expect(stderr).toBe('dry run, nothing was sent\n');
  return JSON.parse(stdout).body;
}

describe('the flags of a record', () => {
  it('are shown as the request they make, without a service and without a credential', async () => {
    const { stdout } = expectEnd(await run('products update p/1 --name 지갑 --dry-run'), 0);
    expect(JSON.parse(stdout)).toEqual({
      method: 'PATCH',
      path: '/admin/v2/product/p%2F1',
      body: { name: '지갑' },
    });
  });

  it('are sent with all that the service shows of a product, if an update puts the rest back', async () => {
    const shown = { group: { id: '3' }, isAlimtalkEnabled: 'false', isReviewDisabled: true };
    const { url } = await serveHttp((_, out) => out.end(JSON.stringify({ id: '7', name: 'Cup', ...shown })));
    const env = environmentAt(folder, { baseUrl: url, token: 'a-token' });
    const body = await bodyOf(['products update 7 --name Mug -c defaults-on-update=apply'], { env });
    expect(body).toEqual({ name: 'Mug', groupId: '3', isAlimtalkEnabled: false, isReviewDisabled: true });
  });

  it('are shown whole on a terminal, null and all', async () => {
    const argv = 'orders update 1 --alimtalk-template-code null --dry-run';
    const { stdout } = await run(argv, { isOutputTerminal: true });
    expect(stdout).toBe('PATCH /admin/v2/order/1\n{\n  "alimtalkTemplateCode": null\n}\n');
  });

  it('that are missing are named all at once, before a service is looked for', async () => {
    expectNothing(
      await run(['products', 'create', '--image-url https://a.example']),
      2,
      /^error: createProduct: --origin-id and --name must be set\nhint: .*--body/,
    );
  });

  it('must be given to an update', async () => {
    for (const body of [[], ['--body {}']]) {
      expectEnd(
        await run(['products update 1', ...body]),
        2,
        /^error: updateProduct: nothing to change\nhint: .*--name/,
      );
    }
  });

  it('send null where the document allows it, and nowhere else', async () => {
    const order = ['orders', 'update', '1', '--member-origin-id', 'null', '--alimtalk-template-code', 'null'];
    expect(await bodyOf(order)).toEqual({ memberOriginId: 'null', alimtalkTemplateCode: null });
  });

  it('take lists element by element, in words or as JSON, and empty ones', async () => {
    const item = ['orders', 'add-item', '1', '--origin-id', 'i', '--product-origin-id', 'p'];
    const options = ['--selected-options', '색상=a=b', '--selected-options', '{"name":"=","value":"x,y"}'];
    expect((await bodyOf([...item, ...options])).selectedOptions).toEqual([
      { name: '색상', value: 'a=b' },
      { name: '=', value: 'x,y' },
    ]);
    const product = ['products', 'update', '1'];
    expect(await bodyOf([...product, '--categories', 'a,b', '--categories', 'c'])).toEqual({
      categories: [{ originId: 'a,b' }, { originId: 'c' }],
    });
    expect(await bodyOf([...product, '--categories', '[]'])).toEqual({ categories: [] });
  });
});

describe('the values of such flags', () => {
  it.each([
    [['products update 1 --is-review-disabled vielleicht'], '--is-review-disabled'],
    [['categories create --origin-id c --name C --position 1.5'], 'expected a whole number'],
    [['order-items update 1 --product-origin-id p --paid-price 12,900'], 'point before decimals'],
    [['order-items update 1 --product-origin-id p --paid-price 1234567890.1234567'], 'at most 15 digits'],
    [['order-items update 1 --product-origin-id p --status sold'], 'expected DELIVERED, '],
    [['order-items update 1 --product-origin-id', ''], '--product-origin-id: must not be empty'],
    [['orders update 1 --ordered-at 20.11.2026'], '--ordered-at: expected a time'],
    [
      ['order-items update 1 --product-origin-id p --shipment-delivered-at 20.11.2026'],
      '--shipment-delivered-at: expected a time',
    ],
    [
      ['orders update 1 --ordered-at 2026-11-20T09:30Z'],
      "'2026-11-20T09:30Z' is not a time with seconds and a zone",
    ],
    [['orders update 1 --items x'], '--items: expected JSON'],
    [['orders update 1 --items {"originId":"i"}'], '--items entry 1 productOriginId must be set'],
    [['orders add-item 1 --selected-options =x'], 'expected NAME=VALUE, or JSON'],
  ])('that do not fit are exit 2 by their own name: %j', async (argv, told) => {
    const { stderr } = expectNothing(await run(argv), 2);
    expect(stderr.split('\n')[0]).toContain(told);
  });

  it('are never taken from environment or profile, where they are meant for lists', async () => {
    const own = cleanEnvironment(temporaryFolder());
    const config = own['REVIEWCTL_CONFIG_DIR'] ?? '';
    mkdirSync(config, { mode: 0o700 });
    writeFileSync(
      join(config, 'config.json'),
      '{"profiles":{"default":{"status":"SUCCESS","name":"a","body":"{}"}}}',
      { mode: 0o600 },
    );
    const env = { ...own, REVIEWCTL_STATUS: 'SUCCESS', REVIEWCTL_NAME: 'a', REVIEWCTL_BODY: '{"name":"a"}' };
    for (const argv of ['rewards update 1 --yes', 'products update 1']) {
      expectEnd(await runInProcess(argv, { env, cwd: folder }), 2, 'nothing to change');
    }
  });
});

describe('what a push refuses is refused of a single record too, however it is given', () => {
  const item = '"originId":"i","productOriginId":"p"';
  it.each([
    ['a price below 0', 'order-items update 1 --product-origin-id p --paid-price=-1', 2],
    ['a price below 0', `orders add-item 1 --body {${item},"paidPrice":-0.5}`, 2],
    ['a price below 0', `orders update 1 --items {${item},"paidPrice":-1}`, 2],
    ['a price below 0', `api addOrderItem --param orderId=1 --body {${item},"paidPrice":-1}`, 2],
    ['a masked member', 'orders update 1 --member-origin-id han*', 2],
    ['a masked member', 'orders update 1 --body -', 3],
  ])('%s: %j', async (what, argv, code) => {
    const stdin = '{"memberOriginId":"hane****"}';
    expectNothing(
      await run(`${argv} --dry-run`, { stdin }),
      code,
      what === 'a masked member' ? /ember.*masked/ : /rice.*negative/,
    );
  });
});

describe('a whole body', () => {
  const create = ['categories', 'create', '--body'];
  const body = { originId: 'mugs', name: '머그' };

  it('comes from a file, from standard input, or as it stands', async () => {
    writeFileSync(join(folder, 'body.json'), `\ufeff${JSON.stringify(body)}`);
    expect(await bodyOf([...create, '@body.json'])).toEqual(body);
    expect(await bodyOf([...create, '-'], { stdin: JSON.stringify(body) })).toEqual(body);
    expect(await bodyOf([...create, JSON.stringify(body)])).toEqual(body);
  });

  it.each([
    ['no JSON', '{"originId":', 3, '- is not JSON: '],
    ['a key twice', '{"originId":"a","originId":"b","name":"c"}', 3, "- has the key 'originId' twice"],
    ['a rounded number', '{"originId":12345678901234567890,"name":"c"}', 3, "'originId' has more than 15"],
    [
      'an unknown field',
      '{"originId":"a","name":"c","nmae":"d"}',
      3,
      '-: nmae: is not a field of this request',
    ],
    ['a missing field', '{"originId":"a"}', 3, 'createCategory: -: name must be set'],
    ['no object', '[1]', 3, 'createCategory: -: expected object'],
  ])('with %s is refused before anything is sent', async (_, stdin, code, told) => {
    expectNothing(await run([...create, '-'], { stdin }), code, told);
  });

  it.each([
    [['--body @nowhere.json'], 'nowhere.json cannot be read: there is no such file'],
    [['--body @/dev/null/x'], "/dev/null/x cannot be read: ENOTDIR: not a directory, stat '/dev/null/x'"],
    [['--body mugs.json'], "--body: 'mugs.json' is not JSON"],
    [['--body {} --name Mugs'], '--body is the whole body, so it cannot be combined with --name'],
    [['--body - -c token-file=-'], 'standard input cannot hold both the credential and the body'],
  ])('that cannot be is exit 2: %j', async (flags, told) => {
    const { stderr } = expectEnd(await run(['categories create', ...flags]), 2);
    expect(stderr.split('\n')[0]).toBe(`error: ${told}`);
  });

  it('in another encoding than UTF-8 is refused, not sent with holes', async () => {
    writeFileSync(join(folder, 'cp949.json'), Buffer.from('{"originId":"a","name":"\xb8\xd3"}', 'latin1'));
    expect(await run([...create, '@cp949.json'])).toMatchObject({
      exitCode: 3,
      stderr: 'error: cp949.json is not UTF-8\nhint: save it as UTF-8; nothing was sent\n',
    });
  });
});

describe('what the service says', () => {
  it('of an id it does not know leads to the way to find it', async () => {
    expect(await runOnSandbox("products get 'MUG 1'")).toEqual({
      exitCode: 6,
      stdout: '',
      stderr: [
        "error: getProduct: the service has no product with the id 'MUG 1' (404)",
        "hint: use the id assigned by the service, not your own; to find it: reviewctl products list --origin-ids 'MUG 1' -o ids",
        '',
      ].join('\n'),
    });
  });

  it('of one of two ids names that one', async () => {
    const { stdout } = await runOnSandbox('products list --limit 1 -o ids');
    const { stderr } = expectEnd(await runOnSandbox(['product-groups add-product g-1', stdout.trim()]), 6);
    expect(stderr.split('\n')[0]).toBe(
      "error: addProductToGroup: the service has no product group with the id 'g-1' (404)",
    );
  });

  it('against a value names its flag', async () => {
    const create = 'products create --origin-id N-1 --name New';
    expectEnd(
      await runOnSandbox(`${create} --categories nowhere`),
      6,
      '--categories entry 1 originId: no category has the originId nowhere',
    );
  });

  it.each([
    [['products create --origin-id', "it's,1", '--name x'], "products get origin:'it'\\''s,1'"],
    [['orders add-item 815 --origin-id i --product-origin-id p'], 'orders get 815 --fields items'],
    [['categories create --origin-id c --name C'], 'look for it in the web pages of the service'],
    [['api bulkCreateCategories --body [{"originId":"c","name":"C"}]'], 'look for it at the service'],
  ])(
    'is lost: the write is not sent again, exit 11, and the way to look is named: %j',
    async (argv, look) => {
      const { url, seen } = await serveHttp((_, outgoing) => outgoing.destroy());
      const env = environmentAt(folder, { baseUrl: url, token: 'a-token' });
      expectNothing(
        await runInProcess(argv, { env }),
        11,
        'the service may have carried it out anyway',
        look,
      );
      expect(seen.length).toBe(1);
    },
  );
});

describe('one record', () => {
  it('is printed as the service sent it, unknown fields and all', async () => {
    const sent = '{"id":"1","later":{"a":[1]},"reviewCount":"3"}';
    const { url } = await serveHttp((_, outgoing) => outgoing.end(sent));
    const env = environmentAt(folder, { baseUrl: url, token: 'a-token' });
    const { stdout } = await runInProcess('products get 1', { env });
    expect(stdout).toBe(`${sent}\n`);
  });

  it('is one line a field on a terminal', async () => {
    const { url } = await serveHttp((_, outgoing) =>
      outgoing.end('{"id":"1","name":"Cup","isVisible":true}'),
    );
    const env = environmentAt(folder, { baseUrl: url, token: 'a-token' });
    const { stdout } = await runInProcess('products get 1', { env, isOutputTerminal: true });
    expect(stdout).toBe('id         1\nname       Cup\nisVisible  yes\n');
  });
});
