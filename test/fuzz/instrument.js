import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** The rooms that a fuzzer is guided by. */
const guiding = /^src\/(?:base|client|contract|input|settle\/webhook)\//;

/** Counts of a bundle, by place. */
const banner = { js: 'const hits = (globalThis.hits = new Uint8Array(16_384));' };

/** What makes each function, branch and loop of these rooms count how often it runs: options of esbuild. */
const plugin = {
  name: 'instrumented',
  setup: ({ onLoad }) => {
    let places = 0;
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      if (!guiding.test(relative('.', path))) return undefined;
      const text = await readFile(path, 'utf8');
      return { contents: withCounters(path, text, () => places++), loader: 'ts' };
    });
  },
};
export const instrumented = { banner, plugins: [plugin] };

/** The source with a counter at the beginning of everything that may run or not. */
function withCounters(path, text, nextPlace) {
  const insertions = [];
  const insert = (at, piece, isEnd = false) =>
    insertions.push({ at, piece, isEnd, order: insertions.length });
  const counter = () => `hits[${nextPlace()}]++`;
  const inBlock = (node) => {
    if (node == null || node.type === 'BlockStatement') return;
    insert(node.start, `{${counter()};`);
    insert(node.end, '}', true);
  };
  const inExpression = (node) => {
    insert(node.start, `(${counter()},`);
    insert(node.end, ')', true);
  };
  const ofLoop = ({ body }) => inBlock(body);
  new Visitor({
    BlockStatement: ({ start }) => insert(start + 1, `${counter()};`),
    ArrowFunctionExpression: ({ body }) => {
      if (body.type !== 'BlockStatement') inExpression(body);
    },
    IfStatement: ({ consequent, alternate }) => [consequent, alternate].forEach(inBlock),
    ForStatement: ofLoop,
    ForOfStatement: ofLoop,
    ForInStatement: ofLoop,
    WhileStatement: ofLoop,
    ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate].forEach(inExpression),
    LogicalExpression: ({ right }) => inExpression(right),
    SwitchCase: ({ consequent: [first] }) => {
      if (first !== undefined && first.type !== 'BlockStatement') insert(first.start, `${counter()};`);
    },
  }).visit(parseSync(path, text).program);
  return inserted(text, insertions);
}

/** At one place, what ends comes before what begins, inner ends before outer ones, and outer beginnings before inner ones. */
function inserted(text, insertions) {
  const sorted = insertions.toSorted(
    (one, other) =>
      one.at - other.at ||
      Number(other.isEnd) - Number(one.isEnd) ||
      (one.isEnd ? other.order - one.order : one.order - other.order),
  );
  const pieces = sorted.map(({ at, piece }, index) => text.slice(sorted[index - 1]?.at ?? 0, at) + piece);
  return pieces.join('') + text.slice(sorted.at(-1)?.at ?? 0);
}
