import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** A process, distinguishable from all earlier and later ones with the same id. */
interface ProcessIdentity {
  /** When it started, in the system's notation. */
  readonly startedAt: string;
  /** Whether it has ended, and its id is only kept because its status has not been collected. */
  readonly hasEnded: boolean;
  /**
   * How long it has run by the kernel's clock, in milliseconds; undefined where the system does not report
   * it.
   */
  readonly ageMs?: number;
  /**
   * The proof, with `startedAt`, that this is the process; undefined where the kernel gives none, and the
   * process must not be signalled.
   */
  readonly proof?: ProcessProof;
}

/** A process id is unique together with the boot, the namespace, and the start time of the process. */
interface ProcessProof {
  readonly namespace: string;
  /** Whether it leads a process group of its own, which a signal may reach as a whole. */
  readonly isGroupLeader: boolean;
}

const psTimeoutMs = 5000;

/** The process with this id; undefined where there is none. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  try {
    return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
  } catch {
    return undefined;
  }
}

/** Positions in /proc/<pid>/stat after the name, which is in brackets and may contain anything. */
const statePlace = 0;
const groupPlace = 2;
const startTimePlace = 19;
/** The unit of times in that file on every machine: a hundredth of a second. */
const tickMs = 10;

function linuxIdentity(pid: number): ProcessIdentity {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Start times are relative to the boot.
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  const startedMs = Number(fields[startTimePlace]) * tickMs;
  return {
    startedAt: `${boot} ${fields[startTimePlace]}`,
    hasEnded: isEndedState(fields[statePlace]),
    ageMs: Math.max(0, uptimeMs() - startedMs),
    proof: {
      namespace: readlinkSync('/proc/self/ns/pid'),
      isGroupLeader: Number(fields[groupPlace]) === pid,
    },
  };
}

function uptimeMs(): number {
  const [seconds] = readFileSync('/proc/uptime', 'latin1').split(' ');
  return Number(seconds) * 1000;
}

function psIdentity(pid: number): ProcessIdentity | undefined {
  const output = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
    env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
    timeout: psTimeoutMs,
    encoding: 'latin1',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [state = '', ...started] = output.trim().split(/\s+/);
  return state === '' ? undefined : { startedAt: started.join(' '), hasEnded: isEndedState(state) };
}

function isEndedState(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state);
}
