import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';

/** One version of each supported line of Node.js, as published on npm. */
const runtimes = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];

/** Packs the program, installs the tarball under each runtime and runs it there. Returns false if one of them fails. */
export function runtimesCampaign(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-runtimes-'));
  try {
    const tarball = packed(folder);
    return runtimes.map((runtime) => runsOn(runtime, tarball, folder)).every(Boolean);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packed(folder: string): string {
  const [pack] = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], '.'));
  return join(folder, pack.filename);
}

function runsOn(runtime: string, tarball: string, folder: string): boolean {
  const place = join(folder, runtime);
  try {
    npm(
      ['install', '--prefix', place, ...quietly, `node-${platform()}-${arch()}@${runtime}`, tarball],
      folder,
    );
    const node = join(place, `node_modules/node-${platform()}-${arch()}/bin/node`);
    const program = join(place, 'node_modules/reviewctl/bin/reviewctl.js');
    const run = (...args: readonly string[]) =>
      execFileSync(node, [program, ...args], {
        cwd: place,
        encoding: 'utf8',
        env: { HOME: place },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const isRight =
      execFileSync(node, ['--version'], { encoding: 'utf8' }) === `v${runtime}\n` &&
      run('--version') === `${version}\n` &&
      run('orders', 'push', '--help').startsWith('Usage: reviewctl orders push ') &&
      run('demo').includes('# The rewards owed for them');
    console.log(`Node.js ${runtime}: ${isRight ? 'installs and runs' : 'tells something else'}`);
    return isRight;
  } catch (error) {
    console.log(`Node.js ${runtime}: ${String(error)}`);
    return false;
  }
}

const quietly = ['--prefer-offline', '--no-audit', '--no-fund'];

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
