import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '../../base/failure.ts';
import type { Environment } from '../../config/folders.ts';
import type { Notices } from '../../output/terminal/notices.ts';

/** `--ready`, or a variable of sd_notify(3), which every release of systemd-notify takes. */
type ServiceState = '--ready' | 'STOPPING=1';

const notifyTimeoutMs = 5_000;

/**
 * Notifies systemd about a unit of Type=notify, by the program that comes with systemd. The program gets none of
 * the secrets in the environment. A failure is a warning: the unit works, but systemd may consider it not started.
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
