import { readFileSync } from 'node:fs';
import { fencedBlocks } from '../markdown.ts';

/** The commands in `docs/ledger-operations.md` that restore a ledger. */
export function restoreRecipe(): string {
  const page = readFileSync('docs/ledger-operations.md', 'utf8');
  const blocks = fencedBlocks(page, 'sh');
  return ['ledger accept', 'ledger unfreeze']
    .map((word) => blocks.find((block) => block.includes(word)))
    .join('\n');
}
