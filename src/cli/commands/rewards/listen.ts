import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import * as z from 'zod';
import { Failure, messageOf } from '../../../base/failure.ts';
import { redactSecrets } from '../../../base/redact.ts';
import { ServiceFailure } from '../../../client/service-failure.ts';
import type { Environment } from '../../../config/folders.ts';
import { readPrivateFile } from '../../../config/private-file.ts';
import type { Notices } from '../../../output/terminal/notices.ts';
import { writeError, writeOutput } from '../../../output/terminal/streams.ts';
import { terminalJson, terminalText } from '../../../output/terminal/terminal-text.ts';
import type { Settlement } from '../../../settle/flow/settlement.ts';
import { createWebhookAnswers, type WebhookAnswers } from '../../../settle/webhook/answer-webhook.ts';
import {
  type CallerAllowlist,
  createAllowlist,
  parseNetwork,
} from '../../../settle/webhook/caller-allowlist.ts';
import type { AnsweredCall } from '../../../settle/webhook/receiver.ts';
import { isLedgerFailure } from '../../../store/ledger/ledger-failure.ts';
import { defaultFlag, integerValue, listFlag, settings, switchFlag, textFlag } from '../../flags/flags.ts';
import { payerFlags } from '../../flags/payer-flags.ts';
import { callFlags, settleFlags } from '../../flags/settle-flags.ts';
import { commonFlags } from '../../flags/shared-flags.ts';
import { defineCommand, type Invocation } from '../../runtime/command.ts';
import { refuseUnplanned } from '../../templates/settle/payment-plans.ts';
import { openSettlement } from '../../templates/settle/settlement-session.ts';

const networkValue = () =>
  z.string().transform((text, context) => {
    const network = parseNetwork(text);
    if (network !== undefined) return network;
    context.addIssue('is not an IP address or network, such as 203.0.113.7 or 203.0.113.0/24');
    return z.NEVER;
  });

const flags = {
  ...settings('Receiver', {
    host: defaultFlag(
      () => z.string().min(1),
      '127.0.0.1',
      'HOST',
      'the address to listen on (default 127.0.0.1, behind a reverse proxy)',
    ),
    port: defaultFlag(
      integerValue(0, 65_535),
      8420,
      'N',
      'the port to listen on, 0 for a free one (default 8420)',
    ),
    pathSecretFile: textFlag(
      'FILE',
      'a file only you can read, with the last part of the address: /rewards/<path secret>',
    ),
    allowIp: listFlag(
      networkValue,
      'A,B',
      'addresses or networks of the service, the only ones allowed to call',
    ),
    trustProxy: listFlag(networkValue, 'CIDR', 'reverse proxies whose X-Forwarded-For header is trusted'),
    metrics: switchFlag('serve /metrics for Prometheus to the allowed addresses'),
  }),
  ...payerFlags,
  ...settleFlags,
  ...callFlags,
  ...commonFlags,
};

type Flags = typeof flags;

export const command = defineCommand({
  flags,
  examples: [
    'reviewctl rewards listen -c path-secret-file=/etc/reviewctl/path-secret -c allow-ip=203.0.113.7 -c ' +
      'trust-proxy=127.0.0.1 --payer-command /usr/local/bin/pay-points',
  ],
  announcesStop: true,
  exitCodes: [4, 5, 9, 12],
  run: async (invocation) => {
    refuseUnplanned(invocation.flags.planOwner, 'rewards listen');
    const pathSecret = await readPathSecret(invocation);
    const allowlist = createAllowlist({
      allowed: requireAllowed(invocation.flags.allowIp),
      trustedProxies: invocation.flags.trustProxy ?? [],
    });
    const maxPerRun = { amount: null, count: null };
    const { settlement } = await openSettlement(invocation, { maxPerRun, isOnRecord: true });
    await listen(invocation, settlement, { pathSecret, allowlist });
  },
});

async function listen(
  { context, flags, notices, secrets }: Invocation<Flags>,
  settlement: Settlement,
  access: { readonly pathSecret: string; readonly allowlist: CallerAllowlist },
): Promise<void> {
  const { serveReceiver } = await import('../../../settle/webhook/receiver.ts');
  const { env, streams, clock } = context;
  const metrics = flags.metrics
    ? (await import('../../../settle/webhook/receiver-metrics.ts')).createReceiverMetrics(settlement.ledger)
    : undefined;
  const log = callLog(flags.logFormat === 'json' || !streams.isErrorTerminal);
  const broken = new AbortController();
  const stopping = AbortSignal.any([context.stopping, broken.signal]);
  const onTrouble = (error: unknown) => {
    // A failed ledger must not be written to until it is opened again.
    if (isLedgerFailure(error)) broken.abort(error);
    else notices.error(asFailure(error));
  };
  const answers = createWebhookAnswers(
    { ...settlement, stopping },
    { concurrency: flags.concurrency, onTrouble },
  );
  const served = await serveReceiver(
    {
      ...access,
      answers,
      health: () => healthOf(settlement, answers, onTrouble),
      ...(metrics === undefined ? {} : { metrics: () => metrics.read() }),
      onAnswered: (call) => {
        metrics?.count(call);
        writeError(streams, redactSecrets(log(call, clock.now()), secrets));
      },
      clock,
      stopping,
    },
    flags,
  );
  void askOnce(settlement, notices).catch((error: unknown) => {
    if (!stopping.aborted) broken.abort(error);
  });
  try {
    await writeOutput(streams, `${JSON.stringify({ url: `${served.origin}/rewards/[redacted]` })}\n`);
    await notifySystemd('--ready', env, notices);
    if (!stopping.aborted) await once(stopping, 'abort');
    await notifySystemd('STOPPING=1', env, notices);
    notices.info('stopping: calls in progress are answered first; a second signal stops at once');
  } finally {
    await served.close();
  }
  if (broken.signal.aborted) throw broken.signal.reason;
  notices.info('receiver stopped: every accepted call is answered, every outcome is in the ledger');
}

/**
 * Makes one request: with a wrong address or credential, a receiver could not verify any call. A short outage of the
 * service does not prevent listening.
 * @throws ServiceFailure if a retry would not help.
 */
async function askOnce({ service }: Settlement, notices: Invocation<Flags>['notices']): Promise<void> {
  try {
    for await (const _page of service.queued()) return;
  } catch (error) {
    if (!(error instanceof ServiceFailure) || !error.isPassing) throw error;
    notices.warning(
      `the service cannot be queried: ${error.message}`,
      'calls are answered 503 until it can; a later `rewards settle` pays those rewards',
    );
  }
}

/**
 * The reason why the receiver cannot pay; undefined if it can. A failed ledger ends the receiver, as it does in a call.
 */
async function healthOf(
  { ledger }: Settlement,
  { trouble }: WebhookAnswers,
  onTrouble: (error: unknown) => void,
): Promise<string | undefined> {
  try {
    return (await ledger.meta()).frozen === null ? trouble : 'the ledger is frozen';
  } catch (error) {
    onTrouble(error);
    return 'the ledger cannot be read';
  }
}

/** One line for each call: JSON for machines, words for a person at the terminal. */
function callLog(isJson: boolean): (call: AnsweredCall, nowMs: number) => string {
  return ({ status, tookMs, peer, caller = peer, rewardId, message, detail }, nowMs) => {
    const time = new Date(nowMs).toISOString();
    const ms = Math.round(tookMs);
    if (isJson) {
      const entry = { time, status, tookMs: ms, peer, caller, rewardId, message, detail };
      return `${terminalJson(JSON.stringify(entry))}\n`;
    }
    const why = detail === undefined ? message : `${message} (${detail})`;
    const what = rewardId === undefined ? why : `reward ${rewardId}: ${why}`;
    return `${terminalText(`${time} ${status} to ${caller} after ${ms} ms, ${what}`)}\n`;
  };
}

function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('bug', String(error), 'nothing was paid for this call; report this with --debug', {
    cause: error,
  });
}

/** Long enough to prevent guessing. */
const secretLengthMinimum = 16;

/** @throws Failure('usage') without a secret that is valid in an address; as `readPrivateFile`. */
async function readPathSecret({ context, flags, secrets }: Invocation<Flags>): Promise<string> {
  const { pathSecretFile: path } = flags;
  const make =
    'create one: (umask 077; openssl rand -hex 16 > path-secret), and pass it with the setting path-secret-file';
  if (path === undefined) throw new Failure('usage', 'the receiver needs a path secret', make);
  const secret = (await readPrivateFile(path, 'path-secret-file', context)).trim();
  if (secret.length < secretLengthMinimum || !/^[\w.~-]+$/.test(secret)) {
    throw new Failure(
      'usage',
      `the path secret of ${path} must have at least ${secretLengthMinimum} characters: letters, digits, hyphens ` +
        'or underscores',
      make,
    );
  }
  secrets.add(secret);
  return secret;
}

function requireAllowed<T>(allowed: readonly T[] | undefined): readonly T[] {
  if (allowed !== undefined && allowed.length > 0) return allowed;
  throw new Failure(
    'usage',
    'no caller is allowed',
    'set the addresses of the service with -c allow-ip=A,B,C; its operator knows them',
  );
}

/** `--ready`, or a variable of sd_notify(3), which every release of systemd-notify accepts. */
type ServiceState = '--ready' | 'STOPPING=1';

const notifyTimeoutMs = 5_000;

/**
 * Notifies systemd about a unit of Type=notify with systemd's own program. The program gets none of the secrets in the
 * environment. A failure is a warning: the unit works, but systemd may consider it not started.
 */
export async function notifySystemd(state: ServiceState, env: Environment, notices: Notices): Promise<void> {
  const { PATH, NOTIFY_SOCKET } = env;
  if (!NOTIFY_SOCKET) return;
  try {
    await promisify(execFile)('systemd-notify', [state], {
      env: { PATH, NOTIFY_SOCKET },
      timeout: notifyTimeoutMs,
    });
  } catch (error) {
    notices.warning(
      `systemd was not notified (${state}): ${messageOf(error)
        .trim()
        .replaceAll(/(?<!\s)\s*\n\s*/g, ': ')}`,
      'the unit needs Type=notify, NotifyAccess=all and the program systemd-notify',
    );
  }
}
