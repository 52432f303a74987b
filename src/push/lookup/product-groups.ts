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
export class GroupNames extends Set<string> {
  override add(name: string): this {
    super.add(name);
    if (this.size > namesMaximum) forgetOldest(this);
    return this;
  }
}

function forgetOldest(names: Set<string> | Map<string, unknown>): void {
  const [oldest] = names.keys();
  if (oldest !== undefined) names.delete(oldest);
}

export function createProductGroups(api: Api): ProductGroups {
  /** By name, the id of its group once all creations begun so far have ended. */
  const ids = new Map<string, Promise<string | undefined>>();
  const keep = (name: string, id: Promise<string | undefined>) => {
    ids.set(name, id);
    if (ids.size > namesMaximum) forgetOldest(ids);
    // A failed lookup is inconclusive, so the next record looks again.
    id.catch(() => {
      if (ids.get(name) === id) ids.delete(name);
    });
    return id;
  };
  const find = (name: string) => ids.get(name) ?? keep(name, findGroup(api, name));
  return {
    find,
    findOrCreate: (name, create) => {
      const before = find(name);
      const id = before.then((found) => found ?? create());
      // A failed creation made no group, so the next record of the group makes it.
      void keep(
        name,
        before.then(() => id.catch(() => undefined)),
      );
      return id;
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
