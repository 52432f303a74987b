import { createServer } from 'node:http';
import { parseArgs } from 'node:util';

/*
 * A list of reviews, and each single review, as fast as Node can serve them: pages are cached after the first request.
 * One review a minute, newest first. list-service.js --reviews N [--latency MS]
 *
 * Listens on loopback, prints its port, and ends when its standard input does. GET /stats returns its figures and
 * clears them.
 */

const { values } = parseArgs({
  options: { reviews: { type: 'string' }, latency: { type: 'string', default: '0' } },
});
const [count, latencyMs] = [Number(values.reviews), Number(values.latency)];
const newestMs = Date.parse('2026-11-01T00:00:00Z');
const minuteMs = 60_000;
const sentence =
  '정말 배송이 빠르고 포장도 꼼꼼해서 만족합니다 색상이 화면과 조금 달라요 하지만 재질은 부드럽고 사이즈가 딱 맞아요 ';
const image = (number) => ({
  urls: { thumbnail: `https://img.example/${number}_t.jpg`, large: `https://img.example/${number}_l.jpg` },
});

function review(number) {
  const createdAt = new Date(newestMs - number * minuteMs).toISOString();
  return JSON.stringify({
    id: `rv_${number}`,
    originId: `R${number}`,
    userNickname: '김**',
    title: '재구매했어요',
    text: sentence.repeat(4),
    rating: 1 + (number % 5),
    uploadFrom: 'CHATBOT',
    videos: [],
    images: [image(number)],
    product: {
      id: `pr_${number % 999}`,
      originId: `P${number % 999}`,
      name: `[라네즈] 프리미엄 크림 ${number % 999}`,
    },
    order: { id: `or_${number}`, originId: `20261101-${number}`, memberOriginId: `m${number % 9999}` },
    orderItem: {
      id: `oi_${number}`,
      originId: `20261101-${number}-1`,
      status: 'DELIVERED',
      paidPrice: '23900',
    },
    questionAnswers: [],
    isVisible: true,
    isBlocked: false,
    blockReason: null,
    helpfulCount: 3,
    reportStatus: null,
    createdAt,
    updatedAt: createdAt,
  });
}

/** The numbers of the reviews in a period, newest first. */
function rangeOf(query) {
  const numberAt = (name) => (newestMs - Date.parse(query.get(name))) / minuteMs;
  const first = query.has('createdAtEnd') ? Math.max(0, Math.ceil(numberAt('createdAtEnd'))) : 0;
  const end = query.has('createdAtStart')
    ? Math.min(count, Math.floor(numberAt('createdAtStart')) + 1)
    : count;
  return { first, length: Math.max(0, end - first) };
}

const ready = new Map();
let entries = 0;
let cpu = process.cpuUsage();

function page(search) {
  const query = new URLSearchParams(search);
  const range = rangeOf(query);
  const start = Number(query.get('after') ?? 0);
  const end = Math.min(start + Number(query.get('first')), range.length);
  const numbers = Array.from({ length: Math.max(0, end - start) }, (_, index) =>
    query.get('direction') === 'ASC'
      ? range.first + range.length - 1 - start - index
      : range.first + start + index,
  );
  const pageInfo = { hasNextPage: end < range.length, endCursor: `${end}` };
  const text = `{"totalCount":${range.length},"data":[${numbers.map(review).join(',')}],"pageInfo":${JSON.stringify(pageInfo)}}`;
  return { body: Buffer.from(text), records: numbers.length };
}

function answer(url) {
  if (url === '/stats') {
    const { user, system } = process.cpuUsage(cpu);
    const stats = JSON.stringify({ entries, cpuSeconds: (user + system) / 1e6 });
    entries = 0;
    cpu = process.cpuUsage();
    return stats;
  }
  const [, number] = /\/review\/rv_(\d+)$/.exec(url) ?? [];
  if (number !== undefined) return review(Number(number));
  const search = url.slice(url.indexOf('?'));
  if (!ready.has(search)) ready.set(search, page(search));
  const { body, records } = ready.get(search);
  entries += records;
  return body;
}

const server = createServer(({ url }, response) => {
  const send = () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(answer(url));
  };
  if (latencyMs > 0 && url !== '/stats') setTimeout(send, latencyMs);
  else send();
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.on('end', () => process.exit()).resume();
