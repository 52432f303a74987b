import { describe, expect, it, test } from 'vitest';
import { exposedPart, exposureOf, type PathUser } from '../../src/base/path-exposure.ts';

const me = 1000;
const file = (uid: number, mode: number) => exposureOf('/c/my config', { uid, mode }, me);

test('a path of this user alone, or of root, is private', () => {
  expect([file(me, 0o100600), file(me, 0o100400), file(0, 0o100600)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('a path of another user is not, and the remedy takes it over', () => {
  expect(file(1001, 0o100600)).toEqual({
    why: 'belongs to another user',
    remedy: `sudo chown "$(id -un)" '/c/my config'`,
  });
});

test('a path that others may open is not, and the remedy closes it', () => {
  expect(file(me, 0o100640)?.remedy).toBe(`chmod 600 '/c/my config'`);
  expect(exposureOf('/c', { uid: me, mode: 0o40_755 }, me)?.remedy).toBe('chmod 700 /c');
});

test('where the system knows no user ids, nothing is asked', () => {
  expect(exposureOf('/c', { uid: 0, mode: 0o40_777 }, undefined)).toBeUndefined();
});

describe('a path that decides about money', () => {
  const trusted: PathUser = { id: me, isOwnGroup: (id) => id === me };
  interface Part {
    readonly uid?: number;
    readonly gid?: number;
    readonly mode?: number;
    readonly to?: string;
  }
  /** Checks a path with folders of root above a file of this user, changed by `parts`. */
  const exposed = (path: string, parts: Readonly<Record<string, Part>>, user = trusted) => {
    const tree: Readonly<Record<string, Part>> = {
      '/': { uid: 0 },
      '/srv': { uid: 0 },
      '/srv/shop': { mode: 0o40_700 },
      '/srv/shop/ledger.db': { mode: 0o100_600 },
      ...parts,
    };
    return exposedPart(path, user, {
      at: (at) => {
        const part = tree[at];
        if (part === undefined) return undefined;
        const { uid = me, gid = 1, to, mode = to === undefined ? 0o40_755 : 0o120_777 } = part;
        return { uid, gid, mode };
      },
      targetOf: (link) => tree[link]?.to ?? '',
    });
  };
  const path = '/srv/shop/ledger.db';

  it('is safe where it and all above it belong to this user or root, and only they may write', () => {
    expect(exposed(path, {})).toBeUndefined();
    expect(exposed(path, { [path]: { mode: 0o100_644 }, '/srv/shop': { mode: 0o40_755 } })).toBeUndefined();
    expect(exposed('/srv/shop/none', {})).toBeUndefined();
  });

  it.each([
    [path, { mode: 0o100_660 }, `chmod go-w ${path}`],
    [path, { mode: 0o100_602 }, `chmod go-w ${path}`],
    ['/srv/shop', { mode: 0o40_775 }, 'chmod go-w /srv/shop'],
    ['/srv', { uid: 0, mode: 0o40_775 }, 'sudo chmod go-w /srv'],
    ['/srv', { uid: 1001 }, 'sudo chown "$(id -un)" /srv'],
    [path, { uid: 1001, mode: 0o100_600 }, `sudo chown "$(id -un)" ${path}`],
  ])('is exposed at %s by %j, which `%s` mends', (at, part, remedy) => {
    expect(exposed(path, { [at]: part })).toMatchObject({ path: at, remedy });
  });

  it('may be in a folder of its own below one where everyone may write but only owners rename', () => {
    const sticky = { '/srv': { uid: 0, mode: 0o41_777 } };
    expect(exposed(path, sticky)).toBeUndefined();
    expect(exposed('/srv', sticky)).toMatchObject({
      path: '/srv',
      remedy: 'use a folder of your own instead: mkdir -m 700 /srv/reviewctl',
    });
    expect(exposed(path, { '/srv': { uid: 0, mode: 0o40_777 } })).toMatchObject({ path: '/srv' });
  });

  it('is followed through links, which others must not be able to turn', () => {
    const link = (uid: number, to: string) => ({ '/srv/data': { uid, to } });
    expect(exposed('/srv/data/ledger.db', link(0, 'shop'))).toBeUndefined();
    expect(exposed('/srv/data/ledger.db', link(0, '../srv/./shop'))).toBeUndefined();
    expect(exposed('/srv/data/ledger.db', link(1001, '/srv/shop'))).toMatchObject({
      path: '/srv/data',
      remedy: 'sudo chown -h "$(id -un)" /srv/data',
    });
    const loose = { ...link(0, '/srv/shop'), '/srv/shop': { mode: 0o40_770 } };
    expect(exposed('/srv/data/ledger.db', loose)).toMatchObject({ path: '/srv/shop' });
    expect(exposed('/srv/data', link(0, 'data'))).toBeUndefined();
  });

  it('may be written to by a group of this user alone, such as the one Kubernetes gives the volume of a container', () => {
    const volume = { '/srv/shop': { uid: 0, gid: 2000, mode: 0o42_775 } };
    expect(exposed(path, volume, { id: me, isOwnGroup: (id: number) => id === 2000 })).toBeUndefined();
    expect(exposed(path, volume)).toMatchObject({ remedy: 'sudo chmod go-w /srv/shop' });
    const everyone = { '/srv/shop': { uid: 0, gid: 2000, mode: 0o40_777 } };
    expect(exposed(path, everyone, { id: me, isOwnGroup: (id: number) => id === 2000 })).toBeDefined();
  });
});
