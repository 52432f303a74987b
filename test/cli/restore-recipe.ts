import { readFileSync } from 'node:fs';
import { fencedBlocks } from '../markdown.ts';

/** The commands by which `docs/ledger-operations.md` restores a ledger. */
export function restoreRecipe(): string {
  const page = readFileSync('docs/ledger-operations.md', 'utf8');
  return fencedBlocks(page, 'sh').find((block) => block.includes('ledger accept')) ?? '';
}
