import { mkdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMountedSecret } from '../../src/config/mounted-secret.ts';
import { readPrivateFile } from '../../src/config/private-file.ts';
import { fileWith, testFolder } from './folder.ts';

const isTaken = (path: string, folder: string) =>
  isMountedSecret(path, statSync(path), { CREDENTIALS_DIRECTORY: folder });

test.each([0o444, 0o440, 0o400])('a mounted file of mode %o is a secret of this container', (mode) => {
  const folder = testFolder();
  expect(isTaken(fileWith('s', { mode, folder }), folder)).toBe(true);
});

test.each([0o644, 0o460, 0o446, 0o600])('a file of mode %o, to which somebody may write, is not', (mode) => {
  const folder = testFolder();
  expect(isTaken(fileWith('s', { mode, folder }), folder)).toBe(false);
});

test('the links by which Kubernetes replaces its secrets at once are followed', () => {
  const folder = testFolder();
  const version = join(folder, '..2026_11_22');
  mkdirSync(version);
  fileWith('s', { name: 'token', mode: 0o444, folder: version });
  symlinkSync('..2026_11_22', join(folder, '..data'));
  symlinkSync('..data/token', join(folder, 'token'));
  expect(isTaken(join(folder, 'token'), folder)).toBe(true);
});

test('a link out of the folder, a path that climbs out of it, and a folder with a similar name are not trusted', () => {
  const folder = testFolder();
  const outside = fileWith('s', { mode: 0o444 });
  symlinkSync(outside, join(folder, 'link'));
  expect(isTaken(join(folder, 'link'), folder)).toBe(false);
  expect(isTaken(`${folder}/../${outside.split('/').slice(-2).join('/')}`, folder)).toBe(false);
  const similar = `${folder}-similar`;
  mkdirSync(similar);
  expect(isTaken(fileWith('s', { mode: 0o444, folder: similar }), folder)).toBe(false);
});

test('a folder that is missing, relative or empty is none', () => {
  const path = fileWith('s', { mode: 0o444 });
  for (const folder of ['', '.', '/no/such/folder']) expect(isTaken(path, folder)).toBe(false);
});

test('headers and path secrets are taken from there, too, and elsewhere the remedy names both ways', async () => {
  const folder = testFolder();
  const path = fileWith('s', { mode: 0o444, folder });
  const mounted = { env: { CREDENTIALS_DIRECTORY: folder } };
  expect(await readPrivateFile(path, 'path-secret-file', mounted)).toBe('s');
  await expect(readPrivateFile(path, 'path-secret-file', { env: {} })).rejects.toThrow(
    expect.objectContaining({
      kind: 'config',
      message: `${path} is open to other users of this machine, and it holds secrets`,
      hint: `chmod 600 ${path}; mount a secret of Kubernetes below /run/secrets, with defaultMode: 0400`,
    }),
  );
});
