import { serveHttp } from '../client/loopback.ts';

/** One ping as healthchecks parses it: `start` or the exit status; 0 if the path has none. */
export interface ReceivedPing {
  readonly event: string;
  readonly rid: string | null;
  readonly method: string | undefined;
  readonly body: string;
}

const uuid = '8f2b6a52-1f0e-4c9e-9d7a-3f1f6f7c1a90';
const ridForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const bytesMaximum = 10_000;

/**
 * A healthchecks server on loopback with one check, by the rules of its Pinging API: 404 for another check, 400 for a
 * `rid` that is not a UUID or an exit status above 255. A body above 10 kB counts as a fault here; healthchecks cuts
 * it.
 */
export async function serveHealthchecks(answer = 200) {
  const faults: string[] = [];
  const { url, seen } = await serveHttp((incoming, outgoing) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://localhost');
    const [, check = '', event = '0'] = /^\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    const rid = searchParams.get('rid');
    const isEvent = event === 'start' || (/^\d+$/.test(event) && Number(event) < 256);
    const status = check !== uuid ? 404 : isEvent && (rid === null || ridForm.test(rid)) ? answer : 400;
    if (status !== answer) faults.push(`${status} ${pathname}`);
    outgoing.writeHead(status).end('OK');
  });
  return {
    url: `${url}/${uuid}`,
    faults,
    pings: (): readonly ReceivedPing[] =>
      seen.map(({ method, url: path = '', body }) => {
        if (Buffer.byteLength(body) > bytesMaximum) faults.push(`body of ${body.length}`);
        const { pathname, searchParams } = new URL(path, 'http://localhost');
        const event = pathname.split('/')[2] ?? '0';
        return { event, rid: searchParams.get('rid'), method, body };
      }),
  };
}
