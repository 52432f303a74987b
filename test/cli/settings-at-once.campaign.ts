import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withConfigLock } from '../../src/config/config-lock.ts';
import { saveSettings } from '../../src/config/profiles.ts';
import { cleanEnvironment, runCli, temporaryFolder } from './run-cli.ts';

/** Settings that eight processes save at once, and the expected file. */
const eight = {
  production: true,
  rate: '7',
  timeout: '45s',
  retries: '3',
  output: 'json',
  shop: 'mall',
  'orders.concurrency': '2',
  'orders.batch-size': '50',
};
const rounds = 10;

function ownFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('settings that are changed at the same time', () => {
  it('are all kept, by eight processes ten times', async () => {
    const env = cleanEnvironment(ownFolder());
    for (let round = 1; round <= rounds; round += 1) {
      const profile = `mall-${round}`;
      const ends = await Promise.all(
        Object.entries(eight).map(([name, value]) =>
          runCli([`config set ${name}`, String(value), `--profile ${profile}`], { env }),
        ),
      );
      expect(ends.filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
      const text = readFileSync(join(env['REVIEWCTL_CONFIG_DIR'] ?? '', 'config.json'), 'utf8');
      expect(JSON.parse(text).profiles[profile]).toEqual(eight);
    }
  }, 240_000);

  it('wait for a moment, then end with exit code 9 and nothing changed', async () => {
    const config = join(ownFolder(), 'config');
    mkdirSync(config, { mode: 0o700 });
    const folders = { config, state: config };
    await withConfigLock(config, async () => {
      await expect(saveSettings(folders, 'mall', { rate: '7' })).rejects.toMatchObject({
        exitCode: 9,
        hint: 'wait until it has ended, then run the same command again',
      });
    });
    await saveSettings(folders, 'mall', { rate: '8' });
    expect(JSON.parse(readFileSync(join(config, 'config.json'), 'utf8')).profiles).toEqual({
      mall: { rate: '8' },
    });
  }, 30_000);
});
