import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/base/failure.ts';
import { deadAddress, serveHttp } from '../client/loopback.ts';
import { openPayingShop } from './ledger-shop.ts';
import { openPlace, type Place, recordsIn } from './open-place.ts';
import { expectEnd } from './run-cli.ts';
import { serveHealthchecks } from './serve-healthchecks.ts';

/** Parses the samples of a metrics file by the grammar of the Prometheus text format. */
function samplesIn(text: string): ReadonlyMap<string, number> {
  const samples = new Map<string, number>();
  const typed = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, name] = /^# TYPE (\w+) gauge$/.exec(line) ?? [];
    if (name !== undefined) {
      typed.add(name);
      continue;
    }
    const [, metric = '', labels = '', value = ''] =
      /^([a-z_]+)\{((?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*)\} (-?[\d.e+]+)$/.exec(line) ?? [];
    expect(typed, line).toContain(metric);
    expect(samples.has(`${metric}{${labels}}`), line).toBe(false);
    samples.set(`${metric}{${labels}}`, Number(value));
  }
  return samples;
}

function monitoredFiles({ folder }: Pick<Place, 'folder'>) {
  const [metrics, summary] = [join(folder, 'x.prom'), join(folder, 'x.json')];
  return {
    flags: `-c metrics-file=${metrics} -c summary-file=${summary}`,
    samples: () => samplesIn(readFileSync(metrics, 'utf8')),
    summary: () => JSON.parse(readFileSync(summary, 'utf8')),
    metrics,
  };
}

/** A place with a file of one product, and the monitoring files written for its runs. */
async function openMonitored() {
  const place = await openPlace();
  const file = place.write('products.csv', ['originId,name', 'P-1,Cup']);
  return { place, file, files: monitoredFiles(place) };
}

const person = '김영희 010-1234-5678 kim@example.com';

describe('a push', () => {
  it('reports its start, its exit code and a summary to healthchecks, under one id', async () => {
    const { place, file } = await openMonitored();
    const { url, pings, faults } = await serveHealthchecks();
    expectEnd(await place.run(`products push ${file} -c ping=${url}`), 0);
    const [start, end, ...more] = pings();
    expect(more).toEqual([]);
    expect(start).toMatchObject({ event: 'start', method: 'POST', body: '' });
    expect(end).toMatchObject({ event: '0', method: 'POST', rid: start?.rid });
    expect(JSON.parse(end?.body ?? '')).toMatchObject({
      command: 'products push',
      run: expect.stringMatching(/\d/),
      profile: 'default',
      started: '2026-01-01T09:00:00+09:00',
      seconds: expect.any(Number),
      exitCode: 0,
      meaning: expect.stringMatching(/^success/),
      counts: { created: 1, failed: 0 },
    });
    expect(faults).toEqual([]);
  });

  it('that fails reports its exit code, the kind of failure and the next command, and nothing of its input', async () => {
    const { place, files } = await openMonitored();
    const { url, pings } = await serveHealthchecks();
    const file = place.write('orders.csv', [
      'orderOriginId,originId,productOriginId,memberName,phone,paidPrice',
      `O-1,I-1,P-1,${person},${person},${person}`,
    ]);
    expectEnd(await place.run(`orders push ${file} -c ping=${url} ${files.flags}`), 3);
    const [, end] = pings();
    expect(end?.event).toBe('3');
    expect(files.summary()).toEqual(JSON.parse(end?.body ?? ''));
    expect(files.summary()).toMatchObject({ exitCode: 3, error: 'input' });
    const told = [end?.body, readFileSync(files.metrics, 'utf8')].join('\n');
    expect(told).not.toMatch(/김영희|010-1234|kim@|O-1|I-1/);
  });

  it('names the run and the next commands where records were refused, without values of the input', async () => {
    const { place, files } = await openMonitored();
    const file = place.write('products.csv', ['originId,name,categories', `P-1,${person},C-9`]);
    expectEnd(await place.run(`products push ${file} ${files.flags}`), 6);
    const { run, next, counts } = files.summary();
    expect(next).toContain(`reviewctl runs rejects ${run}`);
    expect(counts).toMatchObject({ rejected: 1 });
    expect(
      files
        .samples()
        .get('reviewctl_run_records{command="products push",profile="default",outcome="rejected"}'),
    ).toBe(1);
    expect(JSON.stringify(files.summary())).not.toContain('김영희');
  });

  it.each([
    ['-c', 'ping='],
    ['--config', 'ping='],
    ['-c', 'products.ping='],
    ['', '--config=ping='],
    ['', '-cping='],
  ])('that names its monitor by %s %s has no address on record', async (flag, name) => {
    const { place, file } = await openMonitored();
    const { url } = await serveHealthchecks();
    const words = ['products', 'push', file, '--limit', '1'];
    await place.run([...words, ...(flag === '' ? [] : [flag]), name + url]);
    const [run] = recordsIn(await place.run('runs list'));
    expect(run?.['command']).toEqual(words);
  });
});

describe('a push that does not begin, or only plans,', () => {
  it('reports wrong flags, with no start', async () => {
    const { place, files } = await openMonitored();
    const { url, pings } = await serveHealthchecks();
    const env = { ...place.env, REVIEWCTL_PING: url };
    const wrong = [
      `products push x.csv --frobnicate ${files.flags}`,
      `products push x.csv -c nope=1 ${files.flags}`,
      `products push x.csv -c concurrency=many ${files.flags}`,
      `products push ${files.flags}`,
    ];
    for (const argv of wrong) {
      expectEnd(await place.run(argv, { env }), 2);
      expect(files.summary()).toMatchObject({ command: 'products push', exitCode: 2, error: 'usage' });
    }
    expect(pings().map(({ event }) => event)).toEqual(['2', '2', '2', 'start', '2']);
  });

  it('reports a damaged project file to the monitor that the command line names', async () => {
    const { place, files } = await openMonitored();
    writeFileSync(join(place.folder, 'reviewctl.json'), '{');
    expectEnd(await place.run(`products push x.csv ${files.flags}`), 2);
    expect(files.summary()).toMatchObject({ exitCode: 2, error: 'config' });
  });

  it('sends and writes nothing as a dry run or a plan', async () => {
    const { place, files, file } = await openMonitored();
    const { url, pings } = await serveHealthchecks();
    const push = `products push ${file} -c ping=${url} ${files.flags}`;
    await place.run(`${push} --dry-run`);
    await place.run(`${push} --plan-out a.plan`);
    expect(pings()).toEqual([]);
    expect(files.samples).toThrow('ENOENT');
  });

  it('is only what its command takes for that: no setting makes a run that sends unwatched, nor one that fails', async () => {
    const { place, files, file } = await openMonitored();
    const push = `products push ${file} ${files.flags}`;
    const env = (more: Readonly<Record<string, string>>) => ({ env: { ...place.env, ...more } });
    await place.run(push, env({}));
    expect(files.summary()).toMatchObject({ exitCode: 0, counts: { created: 1 } });
    await place.run(push, env({ REVIEWCTL_RATE: 'maybe' }));
    expect(files.summary()).toMatchObject({ exitCode: 2, error: 'usage' });
    await place.run(`jobs wait ${files.flags}`, env({}));
    expect(files.summary()).toMatchObject({ command: 'jobs wait' });
  });
});

describe('the metrics file', () => {
  it('keeps the last success apart from the last run, and what other commands and profiles wrote', async () => {
    const { place, files } = await openMonitored();
    const success = 'reviewctl_run_last_success_timestamp_seconds{command="products push",profile="default"}';
    const last = success.replace('success_', '');
    const exit = 'reviewctl_run_exit_code{command="products push",profile="default"}';
    const push = (lines: readonly string[], ...more: readonly string[]) =>
      place.run([`products push ${place.write('p.csv', lines)} ${files.flags}`, ...more]);
    await push(['nothing']);
    expect(files.samples().get(success)).toBe(0);
    await push(['originId,name', 'P-1,Cup']);
    const before = files.samples();
    expect(before.get(success)).toBe(before.get(last));
    expect(before.get(exit)).toBe(0);
    await place.run('config set rate 100 --profile mall');
    await push(['originId,name', 'P-1,Mug'], '--profile mall');
    await push(['nothing']);
    const after = files.samples();
    expect(after.get(success)).toBe(before.get(success));
    expect(after.get(exit)).toBe(3);
    expect([...after.keys()].filter((name) => name.includes('profile="mall"')).length).toBeGreaterThan(4);
    expect([...after.keys()].filter((name) => /records.*"default"/.test(name))).toEqual([]);
    expect(statSync(files.metrics).mode & 0o777).toBe(0o666 & ~process.umask());
  });

  it('loses nothing where commands that share it end at once', async () => {
    const { place, files, file } = await openMonitored();
    const category = place.write('c.csv', ['originId,name', 'C-1,Cups']);
    await Promise.all([
      place.run(`products push ${file} ${files.flags}`),
      place.run(`categories push ${category} ${files.flags}`),
      place.run(`reviews list --since-last x ${files.flags}`),
    ]);
    const commands = [...files.samples().keys()].flatMap(
      (name) => /exit_code\{command="([^"]*)"/.exec(name)?.[1] ?? [],
    );
    expect(commands.toSorted()).toEqual(['categories push', 'products push', 'reviews list']);
  });
});

it('the summary file of a run that is killed holds no success of an earlier one', async () => {
  const { place, files, file } = await openMonitored();
  await place.run(`products push ${file} ${files.flags}`);
  expect(files.summary()).toMatchObject({ exitCode: 0 });
  const { url } = await serveHttp((_, outgoing) => {
    expect(files.summary()).toMatchObject({ exitCode: null, meaning: expect.stringMatching(/^not ended/) });
    outgoing.writeHead(404).end();
  });
  const flags = `-c base-url=${url} ${files.flags}`;
  expect((await place.run(`products push ${file} ${flags}`)).exitCode).toBeGreaterThan(0);
  expect(files.summary().exitCode).toBeGreaterThan(0);
});

describe('a monitor that is down', () => {
  it.each([
    ['does not listen', async () => ({ url: `http://${await deadAddress()}`, seen: undefined })],
    ['answers with 503', () => serveHttp((_, outgoing) => outgoing.writeHead(503).end())],
  ])('and %s is a warning after two tries, and changes no exit code', async (_, serve) => {
    const { place, file } = await openMonitored();
    const { url: address, seen } = await serve();
    const url = `healthchecks:${address}/secret-key/nightly`;
    const { stderr } = expectEnd(
      await place.run(`products push ${file} -c ping=${url}`),
      0,
      /warning: the monitor at 127\.0\.0\.1:\d+ could not be notified of the end of this run: /,
    );
    expect(stderr).not.toContain('secret-key');
    const paths = seen?.map(({ url: path = '' }) => path.split('?')[0]);
    const called = ['start', '0', '0'].map((event) => `/secret-key/nightly/${event}`);
    if (paths !== undefined) expect(paths).toEqual(called);
  });

  it('cannot be told where its file cannot be written, which is a warning', async () => {
    const { place, file } = await openMonitored();
    const flags = '-c metrics-file=missing/x.prom -c summary-file=missing/x.json';
    expectEnd(
      await place.run(`products push ${file} ${flags}`),
      0,
      'warning: the summary of this run was not written: ENOENT',
      /warning: the metrics of this run were not written: the folder \S+ does not exist/,
    );
  });
});

describe('other long commands', () => {
  it('settle reports counts and exact amounts, by the words of its totals', async () => {
    const shop = await openPayingShop({ reviews: 4 });
    const files = monitoredFiles(shop);
    const { stderr } = await shop.settle(0, files.flags);
    const { counts, amounts, run } = files.summary();
    expect(stderr).toContain(`${counts.paid} paid (${Number(amounts.paid).toLocaleString('en')})`);
    expect(run).toMatch(/^[0-9a-z]{6}-\d+-[0-9a-z]{4}$/);
    const paid = 'reviewctl_run_amount{command="rewards settle",profile="default",outcome="paid"}';
    expect(files.samples().get(paid)).toBe(Number(amounts.paid));
  });

  it('a list reports by settings only with --since-last, and an interrupted one is no success', async () => {
    const place = await openPlace({ reviews: 5 });
    const { url, pings } = await serveHealthchecks();
    const env = { ...place.env, REVIEWCTL_PING: url };
    await place.run('reviews list', { env });
    expect(pings()).toEqual([]);
    await place.run('reviews list --since-last a', { env });
    const stop = new AbortController();
    stop.abort(new Failure('interrupted', 'interrupted before the end'));
    await place.run('reviews list --since-last b', { env, stopping: stop.signal });
    const ends = pings().filter(({ event }) => event !== 'start');
    expect(ends.map(({ event }) => event)).toEqual(['0', '130']);
    expect(JSON.parse(ends[0]?.body ?? '')).toMatchObject({ counts: { listed: 5 } });
  });

  it('a signal during the last ping, when the work is over, changes neither the exit code nor what is reported', async () => {
    const place = await openPlace({ reviews: 5 });
    const stop = new AbortController();
    const { url, seen } = await serveHttp((incoming, outgoing) => {
      if (!incoming.url?.includes('/start'))
        stop.abort(new Failure('interrupted', 'interrupted before the end'));
      outgoing.end('OK');
    });
    const argv = `reviews list --since-last a -c ping=healthchecks:${url}/check`;
    const { exitCode } = await place.run(argv, { stopping: stop.signal });
    expect(stop.signal.aborted).toBe(true);
    expect(exitCode).toBe(0);
    expect(JSON.parse(seen.at(-1)?.body ?? '')).toMatchObject({ exitCode: 0 });
  });

  it('jobs wait reports the jobs by their states', async () => {
    const { place, files } = await openMonitored();
    const getJob = "-c 'get-job=GET /admin/v2/job/{jobId}'";
    await place.run(`jobs wait 1s ${getJob} ${files.flags}`);
    expect(files.summary()).toMatchObject({ command: 'jobs wait', counts: { pending: 0 } });
  });
});

describe('the address of a monitor', () => {
  it('can stand in the profile, where it is checked at once, and is not shown', async () => {
    const place = await openPlace();
    const { url, pings } = await serveHealthchecks();
    expectEnd(await place.run('config set ping nonsense'), 2);
    expectEnd(
      await place.run(`config set products.ping healthchecks:${url}`),
      0,
      /: products\.ping = healthchecks:[^ ]+\/\[redacted\]\n$/,
    );
    const { stdout } = await place.run('config list --fields name,value -o json');
    expect(stdout).toContain(`healthchecks:${new URL(url).origin}/[redacted]`);
    await place.run(['products push', place.write('p.csv', ['originId,name', 'P-1,Cup'])]);
    await place.run(['categories push', place.write('c.csv', ['originId,name', 'C-1,Cups'])]);
    expect(pings().map(({ event }) => event)).toEqual(['start', '0']);
  });

  it('is not set by the file of a folder, and neither are files to write', async () => {
    const place = await openPlace();
    for (const name of ['ping', 'metrics-file', 'summary-file']) {
      writeFileSync(join(place.folder, 'reviewctl.json'), JSON.stringify({ [name]: 'x' }));
      expectEnd(await place.run('config list'), 2);
    }
  });
});
