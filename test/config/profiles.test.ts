import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readConfig, readProfile, saveSettings, useProfile } from '../../src/config/profiles.ts';
import { fileWith, testFolder } from './folder.ts';

const two = {
  current: 'live',
  profiles: { live: { 'base-url': 'https://live.example', token: 'abc' }, test: { 'batch-size': 5 } },
};

/** The profile in a config file with this content, and the path of the file. */
function read(content: unknown, wanted?: string, mode = 0o600) {
  const folder = testFolder();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const path = fileWith(text, { folder, name: 'config.json', mode });
  const profile = Promise.resolve().then(() => readProfile({ config: folder, state: folder }, wanted));
  return { path, folder, profile };
}

describe('a profile', () => {
  it('is the one that is named', async () => {
    expect(await read(two, 'test').profile).toEqual({ name: 'test', settings: { 'batch-size': 5 } });
  });

  it('that cannot be looked at is not taken for none, since its guards would be gone', () => {
    const folder = testFolder();
    const path = join(folder, 'config.json');
    symlinkSync(path, path);
    expect(() => readConfig({ config: folder, state: folder })).toThrow(`${path} cannot be accessed: ELOOP`);
  });

  it('is the current one where none is named', async () => {
    expect(await read(two).profile).toEqual({ name: 'live', settings: two.profiles.live });
  });

  it('is an empty one without a config file, and none is made', () => {
    const folder = testFolder();
    const profile = readProfile({ config: folder, state: folder }, undefined);
    expect(profile).toEqual({ name: 'default', settings: {} });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('named default needs no entry', async () => {
    expect(await read({}, 'default').profile).toEqual({ name: 'default', settings: {} });
  });

  it('that nobody has made is refused with the names there are', async () => {
    await expect(read(two, 'tset').profile).rejects.toMatchObject({
      kind: 'config',
      message: "there is no profile 'tset'",
      hint: 'profiles: live, test; to make it: reviewctl login --profile tset --base-url https://…',
    });
  });

  it.each(['constructor', 'toString'])('is not what every object has: %s', async (name) => {
    await expect(read(two, name).profile).rejects.toMatchObject({ message: `there is no profile '${name}'` });
  });

  it.each(['', '-p', '__proto__', '../live', 'a/b', 'a.b', '사과', 'a'.repeat(65)])(
    'is not named "%s"',
    async (name) => {
      await expect(read(two, name).profile).rejects.toMatchObject({
        message: `'${name}' is not a profile name`,
      });
    },
  );
});

describe('a config file', () => {
  it.each([0o750, 0o705, 0o720, 0o777])('in a folder that others may open (%o) is refused', async (mode) => {
    const { folder, profile } = read(two);
    chmodSync(folder, mode);
    await expect(profile).rejects.toMatchObject({
      kind: 'config',
      message: `${folder} is open to other users of this machine, and it holds credentials`,
      hint: `chmod 700 ${folder}`,
    });
  });

  it.each([0o640, 0o604, 0o620, 0o666])('that others may open (%o) is refused', async (mode) => {
    const { path, profile } = read(two, undefined, mode);
    await expect(profile).rejects.toMatchObject({
      kind: 'config',
      message: `${path} is open to other users of this machine, and it holds credentials`,
      hint: `chmod 600 ${path}`,
    });
  });

  it.each([
    ['is cut', '{"profiles":{"a":{"token":"canary', 'it is not JSON at position 33'],
    ['has a stray word', '{"profiles": canary}', 'it is not JSON'],
    ['is empty', '', 'it is not JSON'],
    ['is a list', '["canary"]', 'it: Invalid input: expected object, received array'],
    [
      'has settings that are none',
      '{"profiles":{"a":"canary"}}',
      'profiles.a: Invalid input: expected record, received string',
    ],
    ['has a current profile that is no name', '{"current":"../canary"}', 'current: is not a profile name'],
  ])('that %s is refused without a word of what it holds', async (_, text, why) => {
    const { path, profile } = read(text);
    const error: unknown = await profile.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: 'config',
      exitCode: 2,
      message: `${path} cannot be used: ${why}`,
      hint: `correct it, or move it away and set up again: mv ${path} ${path}.broken && reviewctl login`,
    });
    expect(inspect(error)).not.toContain('canary');
  });

  it('may begin with a byte order mark', async () => {
    expect((await read(`\ufeff${JSON.stringify(two)}`).profile).name).toBe('live');
  });
});

describe('what is kept', () => {
  const openFolders = () => {
    const folder = join(testFolder(), 'config');
    return { config: folder, state: folder };
  };

  it('is for this user alone, folder and file', async () => {
    const folders = openFolders();
    await saveSettings(folders, 'mall', { token: 'abc' });
    const modes = [folders.config, join(folders.config, 'config.json')].map((path) => statSync(path).mode);
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600]);
  });

  it('is added to what was there, and taken away by leaving it out', async () => {
    const folders = openFolders();
    await saveSettings(folders, 'mall', { token: 'abc', 'orders.map': ['originId=No'] });
    await saveSettings(folders, 'fair', { rate: '5' });
    await saveSettings(folders, 'mall', { token: undefined, rate: '7' });
    expect(readConfig(folders)).toEqual({
      profiles: { mall: { 'orders.map': ['originId=No'], rate: '7' }, fair: { rate: '5' } },
    });
  });

  it('keeps what a newer version wrote beside the profiles', async () => {
    const folders = openFolders();
    await saveSettings(folders, 'mall', {});
    const path = join(folders.config, 'config.json');
    writeFileSync(path, '{"later":{"x":1},"profiles":{"mall":{}}}');
    await useProfile(folders, 'mall');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      later: { x: 1 },
      profiles: { mall: {} },
      current: 'mall',
    });
  });

  it('is kept beside what is changed at the same time', async () => {
    const folders = openFolders();
    const names = Array.from({ length: 8 }, (_, index) => `setting-${index}`);
    await Promise.all(names.map((name) => saveSettings(folders, 'mall', { [name]: 'kept' })));
    expect(Object.keys(readConfig(folders).profiles['mall'] ?? {}).toSorted()).toEqual(names);
  });

  it('makes no profile current that is not there', async () => {
    const folders = openFolders();
    await saveSettings(folders, 'mall', {});
    await expect(useProfile(folders, 'mal')).rejects.toMatchObject({ message: "there is no profile 'mal'" });
    expect(readConfig(folders).current).toBeUndefined();
  });

  it('goes into no folder that others may open', async () => {
    const folder = testFolder();
    chmodSync(folder, 0o755);
    await expect(saveSettings({ config: folder, state: folder }, 'mall', {})).rejects.toMatchObject({
      hint: `chmod 700 ${folder}`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused where nothing can be written', async () => {
    const config = join(fileWith(''), 'config');
    await expect(saveSettings({ config, state: config }, 'mall', {})).rejects.toMatchObject({
      kind: 'config',
      hint: 'name a folder you may write to with REVIEWCTL_CONFIG_DIR',
    });
  });
});
