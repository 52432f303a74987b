import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The sources of the build; the lock file stands for the packages. */
const sources = ['src', 'bin', 'esbuild.config.js', 'esbuild.maps.js', 'package.json', 'package-lock.json'];
/** The last file that a build writes. */
const built = 'dist/source-maps.json';

/** Builds the program if a source is newer, so that tests never run an outdated build. */
export function setup(): void {
  if (isStale(root)) execFileSync(process.execPath, ['esbuild.config.js'], { cwd: root, stdio: 'inherit' });
}

/** True if a source of a clone was changed, added or removed since its last build. */
export function isStale(clone: string): boolean {
  const program = join(clone, built);
  if (!existsSync(program)) return true;
  const builtMs = statSync(program).mtimeMs;
  return sources.some((path) => newestMs(join(clone, path)) > builtMs);
}

/** The last change of a file, or of a folder and its content. Removing a file changes its folder. */
function newestMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return Number.NEGATIVE_INFINITY;
  const inner = stats.isDirectory() ? readdirSync(path).map((name) => newestMs(join(path, name))) : [];
  return Math.max(stats.mtimeMs, ...inner);
}
