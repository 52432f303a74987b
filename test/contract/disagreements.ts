import type { ApiDocument } from './api-document.ts';
import type { Contract } from './contract.ts';
import { blocksOfContract } from './contract-lines.ts';
import { blocksOfDocument } from './document-lines.ts';

/*
 * Contract and document are both written down as the same plain lines, `14 body: array of at most 100` or
 * `Order.buyer.phone: string`, and the lines compared. What one side says in other words, more or in another order
 * is a disagreement.
 */

/** Every point on which the contract and the document differ; none when they say the same. */
export function disagreements(contract: Contract, document: ApiDocument): string[] {
  const ours = blocksOfContract(contract);
  const theirs = blocksOfDocument(document);
  const ourLines = linesOnlyIn(ours, theirs);
  const theirLines = linesOnlyIn(theirs, ours);
  const differences = [
    ...theirLines.filter((line) => !ourLines.includes(line)).map((line) => `only in the document: ${line}`),
    ...ourLines.filter((line) => !theirLines.includes(line)).map((line) => `only in the contract: ${line}`),
  ];
  const isInOrder = ours.join() === theirs.join();
  return differences.length > 0 || isInOrder ? differences : [`in another order: ${ourLines.join(', ')}`];
}

/** A block holds the lines of one operation, resource or the like; nearly all are the same on both sides. */
function linesOnlyIn(blocks: readonly string[], others: readonly string[]): string[] {
  const same = new Set(others);
  return blocks.filter((block) => !same.has(block)).flatMap((block) => block.split('\n'));
}
