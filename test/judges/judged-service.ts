import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { documentedOperations } from '../../src/contract/operations.ts';
import { judgeProgram } from './judges.ts';

/** The traffic through Prism. */
export interface Judgement {
  readonly requests: Map<string, number>;
  /** Each violation of the document, after its request. */
  readonly violations: string[];
  /** Requests without an operation in the document, which bypassed Prism. */
  readonly undocumented: string[];
}

/**
 * A proxy before a service. Each documented request passes through Prism, which compares it and its reply with the
 * document at this path.
 */
export async function judgedService(service: string, document: string) {
  const judgement: Judgement = { requests: new Map(), violations: [], undocumented: [] };
  const prism = await startPrism(document, service);
  const server = createServer((incoming, outgoing) => {
    const { method = '', url = '' } = incoming;
    const operation = operationOf(method, url);
    if (operation === undefined) judgement.undocumented.push(`${method} ${url}`);
    else judgement.requests.set(operation, (judgement.requests.get(operation) ?? 0) + 1);
    passOn(incoming, operation === undefined ? service : prism, outgoing, (violations) => {
      judgement.violations.push(`${method} ${url}: ${violations}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, judgement };
}

function operationOf(method: string, url: string): string | undefined {
  const { pathname } = new URL(url, 'http://localhost');
  const [name] =
    Object.entries(documentedOperations).find(
      ([, row]) => row.method === method && endsInPath(pathname, row.path),
    ) ?? [];
  return name;
}

/** True if the path ends in the path of an operation with its parameters filled in. */
function endsInPath(given: string, path: string): boolean {
  const expected = path.split('/').slice(1);
  const segments = given.split('/').slice(1).slice(-expected.length);
  return (
    segments.length === expected.length &&
    expected.every((segment, index) => isFilledIn(segments[index] ?? '', segment))
  );
}

function isFilledIn(given: string, segment: string): boolean {
  const [before = '', after] = segment.split(/\{\w+\}/);
  if (after === undefined) return given === before;
  return given.length > before.length + after.length && given.startsWith(before) && given.endsWith(after);
}

/** Forwards a request unchanged, and returns its reply. */
function passOn(
  incoming: IncomingMessage,
  address: string,
  outgoing: ServerResponse,
  onViolations: (violations: string) => void,
): void {
  const { method, url = '' } = incoming;
  const headers = { ...incoming.headers };
  delete headers.host;
  const forwarded = request(new URL(url, address), { method, headers }, (reply) => {
    const { 'sl-violations': violations, ...own } = reply.headers;
    if (violations !== undefined) onViolations(String(violations));
    outgoing.writeHead(reply.statusCode ?? 502, own);
    reply.pipe(outgoing);
  });
  forwarded.on('error', (error) => outgoing.destroy(error));
  incoming.pipe(forwarded);
}

/** Starts Prism on a free port; resolves with its address once it listens. */
function startPrism(document: string, service: string): Promise<string> {
  const child = spawn(process.execPath, [judgeProgram('prism'), 'proxy', document, service, '-p', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(`Prism has ended: ${said}`)));
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      const [, address] = /listening on (http:\S+)/.exec(said) ?? [];
      if (address !== undefined) resolve(address);
    });
  });
}
