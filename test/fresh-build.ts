import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What the program is built of; packages are as the lock says. */
const sources = ['src', 'bin', 'esbuild.config.js', 'esbuild.maps.js', 'package.json', 'package-lock.json'];
/** What a build writes after the program. */
const built = 'dist/source-maps.json';

/** Builds the program where a source is newer, so that no run of tests examines an earlier one. */
export function setup(): void {
  if (isStale(root)) execFileSync(process.execPath, ['esbuild.config.js'], { cwd: root, stdio: 'inherit' });
}

/** Whether a source of a clone was changed, added or removed since its last build. */
export function isStale(clone: string): boolean {
  const program = join(clone, built);
  if (!existsSync(program)) return true;
  const builtMs = statSync(program).mtimeMs;
  return sources.some((path) => newestMs(join(clone, path)) > builtMs);
}

/** The last change of a file, or of a folder and all in it: what is removed changes its folder. */
function newestMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return Number.NEGATIVE_INFINITY;
  const inner = stats.isDirectory() ? readdirSync(path).map((name) => newestMs(join(path, name))) : [];
  return Math.max(stats.mtimeMs, ...inner);
}
