import type { Api } from '../../client/caller.ts';
import { paginate } from '../../client/paginate.ts';

/** The maximum number of cached names, far more than can be in use at once. A dropped name is looked up again. */
const namesMaximum = 10_000;

/**
 * Product groups by name, each name looked up once. The service creates a group for an unknown name, and two concurrent
 * creations could create two (assumption `groupName`). So the first use of a new name must end before the second
 * begins.
 */
export interface ProductGroups {
  /** The id of the group with this name; undefined if there is none, even after the creations begun before. */
  find(name: string): Promise<string | undefined>;
  /**
   * The id of the group with this name. If there is none, runs `create` while no other creation uses the name. `create`
   * resolves to the id of the new group, or undefined if it created none.
   */
  findOrCreate(name: string, create: () => Promise<string | undefined>): Promise<string | undefined>;
}

/** Names of groups. The oldest are dropped beyond a maximum. */
export interface GroupNames {
  has(name: string): boolean;
  add(name: string): void;
}

export function createGroupNames(): GroupNames {
  const names = new Set<string>();
  return {
    has: (name) => names.has(name),
    add: (name) => {
      names.add(name);
      if (names.size > namesMaximum) forgetOldest(names);
    },
  };
}

function forgetOldest(names: Set<string> | Map<string, unknown>): void {
  const [oldest] = names.keys();
  if (oldest !== undefined) names.delete(oldest);
}

export function createProductGroups(api: Api): ProductGroups {
  const byName = new Map<string, Promise<string | undefined>>();
  /** By name, a promise that resolves once all creations begun so far have ended. */
  const creations = new Map<string, Promise<unknown>>();
  const cache = (name: string, id: Promise<string | undefined>) => {
    byName.set(name, id);
    if (byName.size > namesMaximum) forgetOldest(byName);
    return id;
  };
  const find = (name: string) => {
    const known = byName.get(name);
    if (known !== undefined) return known;
    const lookup = findGroup(api, name);
    // A failed lookup is inconclusive, so the next record looks again.
    lookup.catch(() => byName.delete(name));
    return cache(name, lookup);
  };
  const findOrCreate: ProductGroups['findOrCreate'] = async (name, create) => {
    for (;;) {
      const before = find(name);
      const id = await before;
      if (id !== undefined) return id;
      // A second caller that waited for the same answer finds the first one's creation here.
      if (byName.get(name) !== before) continue;
      const created = create();
      void cache(
        name,
        created.catch(() => undefined),
      );
      return created;
    }
  };
  return {
    find: async (name) => {
      const begun = creations.get(name);
      const id = await find(name);
      if (id !== undefined || begun === undefined) return id;
      await begun;
      return find(name);
    },
    findOrCreate: (name, create) => {
      const created = findOrCreate(name, create);
      const all = Promise.allSettled([creations.get(name), created]).then(() => {
        if (creations.get(name) === all) creations.delete(name);
      });
      creations.set(name, all);
      return created;
    },
  };
}

async function findGroup(api: Api, name: string): Promise<string | undefined> {
  for await (const { records } of paginate(api, 'listProductGroups', { name })) {
    const exact = records.find((group) => group.name === name);
    if (exact !== undefined) return exact.id;
  }
  return undefined;
}
