import { readFileSync } from 'node:fs';

/** The commands by which the README restores a ledger. */
export function restoreRecipe(): string {
  const readme = readFileSync('README.md', 'utf8');
  const recipe = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].find(([, block]) =>
    block?.includes('ledger accept'),
  );
  return recipe?.[1] ?? '';
}
