import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';

/** A process, told apart from every other that has had its id or will. */
export interface ProcessIdentity {
  /** When it started, in the words of the system. */
  readonly startedAt: string;
  /** Whether it has ended, and only its id is still taken because nobody has asked how. */
  readonly hasEnded: boolean;
  /** For how long it has run, by the kernel's own clock, in milliseconds; undefined where that is not told. */
  readonly ageMs?: number;
  /** What proves, with `startedAt`, that this is the process; undefined where the kernel proves nothing, and nobody may signal it. */
  readonly proof?: ProcessProof;
}

/** Ids are told apart by the start of the machine, by their namespace, and by the instant at which the process started. */
export interface ProcessProof {
  readonly namespace: string;
  /** Whether it leads a process group of its own, which a signal may reach as a whole. */
  readonly isGroupLeader: boolean;
}

const psTimeoutMs = 5000;

/** What is known of the process of this id; undefined where there is none. */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  try {
    return process.platform === 'linux' ? linuxIdentity(pid) : psIdentity(pid);
  } catch {
    return undefined;
  }
}

/** Places in /proc/<pid>/stat behind the name, which is in brackets and may hold anything. */
const statePlace = 0;
const groupPlace = 2;
const startTimePlace = 19;
/** In which times of that file are written, whatever the machine: a hundredth of a second. */
const tickMs = 10;

function linuxIdentity(pid: number): ProcessIdentity {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Start times count from the start of the machine.
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
