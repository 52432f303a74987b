import type { ApiDocument } from './api-document.ts';
import type { Contract } from './contract.ts';
import { blocksOfContract } from './contract-lines.ts';
import { blocksOfDocument } from './document-lines.ts';

/*
 * Contract and document are both written as plain lines, such as `14 body: array of at most 100` or
 * `Order.buyer.phone: string`, and the lines are compared. A line that differs, is missing or has another position is a
 * disagreement.
 */

/** Every line in which the contract and the document differ. */
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

/** A block contains the lines of one operation, resource or the like. Nearly all blocks are equal on both sides. */
function linesOnlyIn(blocks: readonly string[], others: readonly string[]): string[] {
  const same = new Set(others);
  return blocks.filter((block) => !same.has(block)).flatMap((block) => block.split('\n'));
}
