import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/*
 * What fast-service.c answers, with the same options, for machines without a C compiler: most of the time is then its own, which the
 * bench says. Prints its port, and ends when its standard input does.
 */

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '0' },
    'slow-above': { type: 'string', default: '0' },
    'refuse-above': { type: 'string', default: '0' },
    rewards: { type: 'string', default: '0' },
  },
});
const [latencyMs, slowAbove, refuseAbove] = [
  values.latency,
  values['slow-above'],
  values['refuse-above'],
].map(Number);
const originIdKey = Buffer.from('"originId"');
const quote = 34;
const products = new Map();
const rewardStates = Array(Number(values.rewards)).fill('QUEUED');
const dayMs = 24 * 60 * 60 * 1000;
let stats = { requests: 0, entries: 0, refused: 0, mostInFlight: 0, connections: 0 };
let cpuAtStart = process.cpuUsage();
let inFlight = 0;
let made = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const send = (status, body) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    };
    if (request.url === '/stats') return send(200, statsText());
    stats.requests += 1;
    if (refuseAbove > 0 && inFlight >= refuseAbove) {
      stats.refused += 1;
      return send(429, '{"detail":"too many requests"}');
    }
    const [status, body] = answerTo(request, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    inFlight += 1;
    stats.mostInFlight = Math.max(stats.mostInFlight, inFlight);
    const finish = () => {
      inFlight -= 1;
      send(status, body);
    };
    if (latencyMs === 0) finish();
    else setTimeout(finish, latencyMs * (slowAbove > 0 ? Math.max(1, inFlight / slowAbove) ** 2 : 1));
  });
});

function statsText() {
  const { user, system } = process.cpuUsage(cpuAtStart);
  const text = JSON.stringify({ ...stats, cpuSeconds: (user + system) / 1e6 });
  stats = { requests: 0, entries: 0, refused: 0, mostInFlight: 0, connections: 0 };
  cpuAtStart = process.cpuUsage();
  return text;
}

function answerTo({ method, url }, body) {
  const [path, query = ''] = url.split('?');
  if (method === 'POST' && path.endsWith('/bulk')) return answerJobs(body);
  if (method === 'POST' && path.endsWith('/product')) return [200, madeProduct(body.toString())];
  if (path === '/pay') return [200, '{"outcome":"paid"}'];
  if (path === '/reset') return [200, JSON.stringify(rewardStates.fill('QUEUED').length)];
  if (path.endsWith('/rewards')) return [200, rewardPage(new URLSearchParams(query))];
  if (path.includes('/reward/rw_')) return [200, changedReward(path, body)];
  if (path.endsWith('/products')) return [200, pageOf(new URLSearchParams(query))];
  if (path.endsWith('/product-groups')) return [200, pageOf(new URLSearchParams())];
  return [404, '{"detail":"no such thing"}'];
}

function answerJobs(body) {
  const jobs = [];
  for (let at = body.indexOf(originIdKey); at >= 0; at = body.indexOf(originIdKey, at)) {
    const start = body.indexOf(quote, at + originIdKey.length) + 1;
    at = body.indexOf(quote, start);
    made += 1;
    const originId = body.latin1Slice(start, at);
    jobs.push(
      `{"jobId":"job_${made}","status":"PENDING","entryOriginId":"${originId}","successObjectId":null,"failureReason":null,"createdAt":"2026-11-20T05:00:00.000Z","startedAt":null,"endedAt":null}`,
    );
  }
  if (jobs.length > 100) return [422, '{"detail":[]}'];
  stats.entries += jobs.length;
  return [201, Buffer.from(`[${jobs.join(',')}]`, 'latin1')];
}

function madeProduct(text) {
  made += 1;
  stats.entries += 1;
  const shown = text.replace(/"imageUrl":\s*("[^"]*")/, '"image":{"url":$1}');
  const product = `{"id":"pr_${made}",${shown.slice(1)}`;
  products.set(/"originId":\s*"([^"]*)"/.exec(text)?.[1], product);
  return product;
}

/** Number n is for a review written on day n since 1970. */
function rewardOf(number) {
  const createdAt = new Date(number * dayMs).toISOString();
  return {
    id: `rw_${number}`,
    amount: 500,
    reviewCategory: 'TEXT',
    status: rewardStates[number],
    review: { id: `rv_${number}`, createdAt, updatedAt: createdAt },
    order: { id: `or_${number}`, originId: `20261101-${number}`, memberOriginId: `m${number % 999}` },
    orderItem: { id: `oi_${number}`, originId: `20261101-${number}-1` },
    createdAt,
  };
}

function rewardPage(query) {
  const dayOf = (name, otherwise) =>
    query.has(name) ? Math.floor(Date.parse(query.get(name).slice(0, 10)) / dayMs) : otherwise;
  const first = Number(query.get('first') ?? 30);
  const until = Math.min(rewardStates.length, dayOf('createdAtEnd', rewardStates.length) + 1);
  const data = [];
  let number = Math.max(Number(query.get('after') ?? 0), dayOf('createdAtStart', 0));
  for (; number < until && data.length < first; number += 1) {
    if (rewardStates[number] === 'QUEUED') data.push(rewardOf(number));
  }
  const pageInfo = { hasNextPage: number < until, endCursor: String(number) };
  return JSON.stringify({ totalCount: rewardStates.length, data, pageInfo });
}

function changedReward(path, body) {
  const number = Number(path.slice(path.lastIndexOf('_') + 1));
  rewardStates[number] = JSON.parse(body.toString()).status;
  stats.entries += 1;
  return JSON.stringify(rewardOf(number));
}

function pageOf(query) {
  const asked = [...query].flatMap(([name, value]) => (name.startsWith('originIds') ? [value] : []));
  const data = asked.flatMap((originId) => products.get(originId) ?? []);
  return `{"totalCount":${data.length},"data":[${data.join(',')}],"pageInfo":{"hasNextPage":false,"endCursor":null}}`;
}

server.on('connection', () => {
  stats.connections += 1;
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
