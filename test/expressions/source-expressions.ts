import { parseSync, Visitor } from 'oxc-parser';
import type { SourceFile } from '../law.ts';

/** A regular expression literal in a file. */
export interface SourceExpression {
  readonly path: string;
  readonly expression: RegExp;
}

/** The compilations of regular expressions from text in a file. */
interface MadeExpressions {
  readonly path: string;
  /** Number of those during module load. */
  readonly atLoad: number;
  /** Number of those inside functions, which repeat them at each call. */
  readonly inFunctions: number;
}

/** All regular expression literals of the files, by their syntax trees. */
export function literalsOf(files: readonly SourceFile[]): SourceExpression[] {
  return files.flatMap(({ path, text }) => {
    const found: SourceExpression[] = [];
    new Visitor({
      Literal(node) {
        if (!('regex' in node)) return;
        found.push({ path, expression: new RegExp(node.regex.pattern, node.regex.flags) });
      },
    }).visit(parseSync(path, text).program);
    return found;
  });
}

/** The files that compile regular expressions from text. */
export function madeExpressions(files: readonly SourceFile[]): MadeExpressions[] {
  return files.flatMap(({ path, text }) => {
    if (!text.includes('RegExp(')) return [];
    const { atLoad, inFunctions } = countMade(path, text);
    return atLoad + inFunctions === 0 ? [] : [{ path, atLoad, inFunctions }];
  });
}

function countMade(path: string, text: string): { atLoad: number; inFunctions: number } {
  let depth = 0;
  const count = { atLoad: 0, inFunctions: 0 };
  const enter = () => {
    depth += 1;
  };
  const leave = () => {
    depth -= 1;
  };
  const make = (node: { readonly callee: { readonly type: string } }) => {
    if (!('name' in node.callee) || node.callee.name !== 'RegExp') return;
    count[depth === 0 ? 'atLoad' : 'inFunctions'] += 1;
  };
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    'FunctionDeclaration:exit': leave,
    'FunctionExpression:exit': leave,
    'ArrowFunctionExpression:exit': leave,
    NewExpression: make,
    CallExpression: make,
  }).visit(parseSync(path, text).program);
  return count;
}
