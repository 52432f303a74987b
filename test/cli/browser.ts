import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/**
 * The path of a browser on this machine: `CHROMIUM` if it is set, else the first on the path; undefined if there is
 * none.
 */
export function findBrowser({ CHROMIUM, PATH = '' }: NodeJS.ProcessEnv = process.env): string | undefined {
  if (CHROMIUM) return CHROMIUM;
  const folders = PATH.split(delimiter);
  const places = ['chromium', 'chromium-browser'].flatMap((name) =>
    folders.map((folder) => join(folder, name)),
  );
  return places.find((path) => existsSync(path));
}

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Opens the browser headless with a new profile, runs `work` and closes it. */
export async function withBrowser(
  executablePath: string,
  options: BrowserContextOptions,
  work: (browser: BrowserContext) => Promise<void>,
): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'reviewctl-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
    ...options,
    executablePath,
    headless: true,
    args: quiet,
  });
  try {
    await work(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
