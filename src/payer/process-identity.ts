import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { messageOf, systemCodeOf } from '../base/failure.ts';

/** A process, distinguishable from all earlier and later ones with the same id. */
interface ProcessIdentity {
  /** Its start time, in the system's notation. */
  readonly startedAt: string;
  /** True if it has ended, and its id is only kept because its status has not been collected. */
  readonly hasEnded: boolean;
  /** Its running time by the kernel's clock, in milliseconds; undefined if the system does not report it. */
  readonly ageMs?: number;
  /**
   * The proof, with `startedAt`, that this is the process. Undefined if the kernel gives none; the process must not be
   * signalled then.
   */
  readonly proof?: ProcessProof;
}

/** Makes a process id unique, together with boot and start time of the process. */
interface ProcessProof {
  readonly namespace: string;
  /** True if it leads its own process group, so that a signal can reach the whole group. */
  readonly isGroupLeader: boolean;
}

const psTimeoutMs = 5000;

/**
 * Finds the process with this id; undefined if there is none.
 * @throws if the system does not show its processes.
 */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? linuxIdentity(pid, '/proc') : psIdentity(pid);
}

/** The namespace of process ids; undefined if the system has no such namespaces, or does not show them. */
export function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/**
 * The time since a process started, by its `startedAt` and the kernel's clock, in milliseconds. Undefined for a process
 * of another boot, which has ended, or if the system does not report it.
 */
export function msSinceStart(startedAt: string): number | undefined {
  try {
    const [boot, ticks] = startedAt.split(' ');
    return boot === bootId('/proc') ? msSinceTick(Number(ticks), '/proc') : undefined;
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

/** Like `processIdentity`, from the kernel's files below `proc`. */
export function linuxIdentity(pid: number, proc: string): ProcessIdentity | undefined {
  const stat = readStat(pid, proc);
  if (stat === undefined) return undefined;
  const fields = fieldsOf(stat);
  const startTicks = Number(fields[startTimePlace]);
  return {
    // Start times are relative to the boot.
    startedAt: `${bootId(proc)} ${startTicks}`,
    hasEnded: isEndedState(fields[statePlace]),
    ageMs: msSinceTick(startTicks, proc),
    proof: {
      namespace: readlinkSync(`${proc}/self/ns/pid`),
      isGroupLeader: Number(fields[groupPlace]) === pid,
    },
  };
}

/** True if a process group has a live process; false if the system does not show its processes. */
export function isGroupAlive(group: number, proc = '/proc'): boolean {
  if (!existsSync(`${proc}/self/stat`)) return false;
  return readdirSync(proc).some((name) => {
    const stat = /^\d+$/.test(name) ? readStat(Number(name), proc) : undefined;
    const fields = stat === undefined ? [] : fieldsOf(stat);
    return Number(fields[groupPlace]) === group && !isEndedState(fields[statePlace]);
  });
}

function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readStat(pid: number, proc: string): string | undefined {
  try {
    return readFileSync(`${proc}/${pid}/stat`, 'latin1');
  } catch (error) {
    if (existsSync(`${proc}/self/stat`)) return undefined;
    throw new Error(`processes cannot be identified: ${proc} is not mounted`, { cause: error });
  }
}

function bootId(proc: string): string {
  return readFileSync(`${proc}/sys/kernel/random/boot_id`, 'latin1').trim();
}

function msSinceTick(tick: number, proc: string): number {
  const [uptime] = readFileSync(`${proc}/uptime`, 'latin1').split(' ');
  return Math.max(0, Number(uptime) * 1000 - tick * tickMs);
}

function psIdentity(pid: number): ProcessIdentity | undefined {
  const [state = '', ...started] = shownByPs(pid).trim().split(/\s+/);
  return state === '' ? undefined : { startedAt: started.join(' '), hasEnded: isEndedState(state) };
}

/** The output of `ps`; empty if there is no such process: `ps` then ends with an exit code, not with a system error. */
function shownByPs(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], {
      env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
      timeout: psTimeoutMs,
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (error) {
    if (systemCodeOf(error) === undefined) return '';
    throw new Error(`processes cannot be identified by ps: ${messageOf(error)}`, { cause: error });
  }
}

function isEndedState(state: string | undefined): boolean {
  return state !== undefined && /^[ZX]/.test(state);
}
