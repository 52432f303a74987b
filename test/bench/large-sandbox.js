import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const products = 100_000;
const reviews = 1_000_000;
const readings = 200;

/**
 * What a sandbox of a large shop takes: seconds of processor time to its first line, its memory then, in MiB, and pages of reviews alone
 * and with a write between each two, in milliseconds a request.
 */
export async function measureLargeSandbox(program) {
  const args = [
    'sandbox',
    'serve',
    '--port',
    '0',
    '--products',
    products,
    '--reviews',
    reviews,
    '-o',
    'json',
  ];
  const server = spawn(process.execPath, [program, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(server.stdout, 'data');
    const startSeconds = cpuSeconds(server.pid);
    const memoryMiB =
      Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
    const { baseUrl, token } = JSON.parse(String(line));
    const call = caller(baseUrl, token);
    const first = performance.now();
    const { data } = await call('GET', 'reviews?first=20');
    const firstMs = performance.now() - first;
    const list = () => call('GET', 'reviews?first=20');
    const hide = (number) =>
      call('PATCH', `review/${data[number % data.length].id}`, { isVisible: number % 2 === 0 });
    const readMs = await msEach(readings, list);
    const writeMs = await msEach(readings, hide);
    const mixedMs = await msEach(readings, async (number) => {
      await hide(number);
      await list();
    });
    return { startSeconds, memoryMiB, firstMs, readMs, writeMs, mixedMs };
  } finally {
    server.kill();
  }
}

/** Processor time of a process so far; the kernel counts hundredths of a second. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function caller(baseUrl, token) {
  return async (method, path, body) => {
    const reply = await fetch(`${baseUrl}/admin/v2/${path}`, {
      method,
      headers: { authorization: `Basic ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status}`);
    return reply.json();
  };
}

async function msEach(count, work) {
  const startedMs = performance.now();
  for (let number = 0; number < count; number += 1) await work(number);
  return (performance.now() - startedMs) / count;
}
