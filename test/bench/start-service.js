import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Compiles the service; returns its command. @throws without a C compiler. */
export function buildService(folder) {
  const program = join(folder, 'fast-service');
  const { status } = spawnSync('cc', ['-O2', '-o', program, here('fast-service.c')], { stdio: 'ignore' });
  if (status !== 0) throw new Error('fast-service.c needs a C compiler: apt-get install gcc');
  return [program];
}

/**
 * Starts the service with `options` (see fast-service.c). It ends with its standard input: when it is stopped, and
 * whenever the bench ends.
 */
export async function startService([command, ...args], options) {
  const child = spawn(command, [...args, ...options.map(String)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  const address = `http://127.0.0.1:${String(port).trim()}`;
  return {
    address,
    /** The figures since the last call. */
    stats: async () => (await fetch(`${address}/stats`)).json(),
    stop: async () => {
      child.stdin.end();
      if (child.exitCode === null) await once(child, 'close');
    },
  };
}
