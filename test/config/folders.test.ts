import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findFolders, stateFolder, stateFolderPath } from '../../src/config/folders.ts';
import { testFolder } from './folder.ts';

const service = (address: string) => new URL(address);

describe('the folders', () => {
  it('are those of XDG', () => {
    expect(findFolders({ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' })).toEqual({
      config: '/c/reviewctl',
      state: '/s/reviewctl',
    });
  });

  it('are moved by variables of their own', () => {
    const env = { REVIEWCTL_CONFIG_DIR: '/a', REVIEWCTL_STATE_DIR: '/b', XDG_CONFIG_HOME: '/c' };
    expect(findFolders(env)).toEqual({ config: '/a', state: '/b' });
  });

  it.each([{}, { XDG_CONFIG_HOME: 'relative', XDG_STATE_HOME: '' }, { REVIEWCTL_CONFIG_DIR: '' }])(
    'are in the home folder with %o',
    (env) => {
      expect(findFolders(env)).toEqual({
        config: join(homedir(), '.config/reviewctl'),
        state: join(homedir(), '.local/state/reviewctl'),
      });
    },
  );
});

describe('the folder of a state', () => {
  it('is made for its user alone, with all above it', () => {
    const state = join(testFolder(), 'deep', 'state');
    const folder = stateFolder({ config: '', state }, 'shop', service('https://reviews.example/a'));
    const modes = [join(state, '..'), state, join(state, 'shop'), folder].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o700]);
  });

  it('is refused where other users could change it, with the command that mends it', () => {
    const state = testFolder();
    const make = () => stateFolder({ config: '', state }, 'shop', service('https://reviews.example'));
    const folder = make();
    chmodSync(state, 0o775);
    const words = `and it leads to ${folder}, which decides what is sent and paid`;
    expect(make).toThrow(
      expect.objectContaining({
        kind: 'config',
        message: `${state} may be changed by other users of this machine, ${words}`,
        hint: `chmod go-w ${state}`,
      }),
    );
  });

  it('can be named without being made', () => {
    const folders = { config: '', state: join(testFolder(), 'state') };
    const address = service('https://reviews.example/a');
    const path = stateFolderPath(folders, 'shop', address);
    expect(existsSync(folders.state)).toBe(false);
    expect(stateFolder(folders, 'shop', address)).toBe(path);
  });

  it('is found again when it is there', () => {
    const state = testFolder();
    const first = stateFolder({ config: '', state }, 'shop', service('https://reviews.example'));
    mkdirSync(join(first, 'kept'));
    const second = stateFolder({ config: '', state }, 'shop', service('https://reviews.example/'));
    expect(statSync(join(second, 'kept')).isDirectory()).toBe(true);
  });

  it('is another one for each profile and service', () => {
    const state = testFolder();
    const addresses = [
      'https://reviews.example',
      'https://reviews.example:8443',
      'https://reviews.example/a/b',
      'https://reviews.example/a_b',
      'https://reviews.example/a%2Fb',
      'http://[::1]:80/',
      'http://[::1]:81/',
    ];
    const folders = ['shop', 'other'].flatMap((profile) =>
      addresses.map((address) => stateFolder({ config: '', state }, profile, service(address))),
    );
    expect(new Set(folders).size).toBe(folders.length);
    expect(folders.every((folder) => folder.startsWith(state))).toBe(true);
  });

  it.each(['/proc/nowhere', '/dev/null/below'])(
    'that cannot be made is told with the way out: %s',
    (state) => {
      const make = () => stateFolder({ config: '', state }, 'shop', service('https://reviews.example'));
      expect(make).toThrow(
        expect.objectContaining({
          kind: 'config',
          message: expect.stringContaining(state),
          hint: expect.stringContaining('without its journal, every record is sent again'),
        }),
      );
    },
  );
});
