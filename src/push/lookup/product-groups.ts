import type { Api } from '../../client/caller.ts';
import { paginate } from '../../client/paginate.ts';

/** Names that are cached, far more than can be under way at once; one that was dropped is looked up again. */
const namesMaximum = 10_000;

/**
 * Product groups by name, each name looked up once. The service makes a group for a name it does not know, and two
 * creations at once could make two of one name (assumption `groupName`), so the first use of a new name is awaited
 * before the second begins.
 */
export interface ProductGroups {
  /** The id of the group with this name, or undefined where there is none and no creation begun before makes it. */
  find(name: string): Promise<string | undefined>;
  /**
   * The id of the group with this name. Where there is none, `create` is run with the name still free, alone; it
   * resolves to the id of the group that came of it, or undefined where none did.
   */
  findOrCreate(name: string, create: () => Promise<string | undefined>): Promise<string | undefined>;
}

/** Names of groups, of which the oldest are forgotten when there are many. */
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
  /** By name, what is settled once all creations begun so far have come to their end. */
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
    // A lookup that failed says nothing of the group, so the next record asks again.
    lookup.catch(() => byName.delete(name));
    return cache(name, lookup);
  };
  const findOrCreate: ProductGroups['findOrCreate'] = async (name, create) => {
    for (;;) {
      const before = find(name);
      const id = await before;
      if (id !== undefined) return id;
      // A second caller that waited for the same answer finds the creation of the first one in its place.
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
