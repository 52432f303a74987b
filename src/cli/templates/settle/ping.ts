import { Failure, messageOf } from '../../../base/failure.ts';
import type { FlagSet } from '../../flags/flags.ts';
import type { Invocation } from '../../runtime/command.ts';

type PingInvocation = Pick<Invocation<FlagSet>, 'context' | 'notices' | 'secrets'>;

/** The address to ping. It is kept out of messages, because anyone who knows it can silence the alarm. */
export function readPingUrl(text: string | undefined, { secrets }: PingInvocation): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Failure(
      'usage',
      '--ping: this is not an address',
      'pass the whole address of the monitor, https://…',
    );
  }
  secrets.add(url.pathname + url.search);
  return url;
}

/** Reports success to the monitor. A failed report is a warning, because the work itself is done. */
export async function sendPing(url: URL, { context, notices }: PingInvocation): Promise<void> {
  const { ping } = await import('../../../client/ping.ts');
  const trouble = await ping(url, context.env).catch(messageOf);
  if (trouble === undefined) return;
  notices.warning(
    `the monitor at ${url.host} could not be notified of the success of this run: ${trouble}`,
    'check the address given with --ping',
  );
}
