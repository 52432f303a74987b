import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../src/base/json.ts';
import { cleanEnvironment, temporaryFolder } from '../cli/run-cli.ts';
import { runInProcess } from '../cli/run-program.ts';
import { serveHttp } from '../client/loopback.ts';

/*
 * A service in plain node:http, written only from the API document, so that the client meets another interpretation of
 * open points than that of the sandbox.
 */

/** A request as a stand-in receives it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Segments of the path at each `{}` of the route. */
  readonly ids: readonly string[];
  readonly body: Json;
}

/** Returns a JSON body to send with 200, unless it writes an answer to `outgoing`. */
export type Route = (asked: Asked, outgoing: ServerResponse) => object | null | undefined;

/** Routes by method and path, `{}` for an id: `GET /admin/v2/job/{}`. */
export type Routes = Readonly<Record<string, Route>>;

/** Serves `routes` on loopback until the test ends. Requests without a route are answered with 404. */
async function serveStandIn(routes: Routes) {
  const asked: string[] = [];
  const { url: baseUrl } = await serveHttp((_, outgoing, { method = '', url = '', body: text }) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://stand-in');
    asked.push(`${method} ${path}`);
    const found = routeOf(routes, method, path);
    const request = { method, path, query, body: text === '' ? null : (JSON.parse(text) as Json) };
    const answer = found?.route({ ...request, ids: found.ids }, outgoing);
    if (outgoing.writableEnded || outgoing.destroyed) return;
    if (found === undefined) outgoing.writeHead(404).end('{"detail":"Not Found"}');
    else if (answer !== undefined) outgoing.end(JSON.stringify(answer));
  });
  return { baseUrl, asked, countOf: (request: string) => asked.filter((one) => one === request).length };
}

function routeOf(routes: Routes, method: string, path: string) {
  for (const [name, route] of Object.entries(routes)) {
    const [routeMethod, pattern = ''] = name.split(' ');
    const ids = routeMethod === method ? matchPath(pattern, path) : undefined;
    if (ids !== undefined) return { route, ids };
  }
  return undefined;
}

function matchPath(pattern: string, path: string): readonly string[] | undefined {
  const [expected, actual] = [pattern.split('/'), path.split('/')];
  const isMatch =
    expected.length === actual.length &&
    expected.every((segment, index) => segment === '{}' || segment === actual[index]);
  if (!isMatch) return undefined;
  return actual.filter((_, index) => expected[index] === '{}').map(decodeURIComponent);
}

/** A page that contains a whole list. */
export function pageOf(data: readonly object[]) {
  return { totalCount: data.length, data, pageInfo: { hasNextPage: false, endCursor: null } };
}

/** The program and a stand-in, in a temporary folder. `env` is for tests that start the program as a process. */
export async function standInShop(routes: Routes) {
  const standIn = await serveStandIn(routes);
  const folder = temporaryFolder();
  const env = {
    ...cleanEnvironment(folder),
    REVIEWCTL_BASE_URL: standIn.baseUrl,
    REVIEWCTL_TOKEN: 'test',
  };
  const cli = (...args: readonly string[]) => runInProcess(args, { env, cwd: folder });
  const writeLines = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), lines.join('\n'));
  return { ...standIn, folder, env, cli, writeLines };
}

/** The entries of a bulk request. */
export const entriesIn = (body: Json | undefined) => (Array.isArray(body) ? body.filter(isJsonObject) : []);

/** The jobs that answer a bulk request, each named after its entry, with these further fields. */
export const jobsFor = (body: Json, fields: JsonObject = {}) =>
  entriesIn(body).map(({ originId }) => ({
    jobId: `J-${textOf(originId)}`,
    entryOriginId: originId ?? null,
    ...fields,
  }));

/** Returns a field that must be text. */
export function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new Error(`not text: ${JSON.stringify(value)}`);
}

/** The records on stdout, one per line. */
export function recordsIn({ stdout }: { readonly stdout: string }) {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
