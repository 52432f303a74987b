import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** The rooms whose coverage guides the fuzzer. */
const guiding = /^src\/(?:base|client|contract|input|settle\/webhook)\//;

/** Functions that the instrumented code calls. */
const inject = ['test/fuzz/tracing.ts'];

/** Operators that `fuzzCompare` replaces. */
const operators = new Set(['===', '!==', '<', '<=', '>', '>=']);
/** String constants that may be a part of an input. */
const word = /^(?!\.*\/)\S{2,40}$/;
/** Methods that `fuzzSearch` replaces. */
const searches = new Set(['startsWith', 'endsWith', 'includes', 'has']);

/**
 * Options of esbuild that instrument these rooms: each function, branch and loop counts the steps that lead to it, and
 * each comparison records its operands. `plants` are bugs to insert.
 */
export function instrumented(plants = []) {
  const plugin = {
    name: 'instrumented',
    setup: ({ onStart, onLoad }) => {
      const sources = new Map();
      // Sorted by name: files load in any order, which would change the course of a seed each time.
      onStart(async () => {
        const numbers = { place: 0, comparison: 0 };
        for (const name of await guidingSources()) {
          const text = withPlants(name, await readFile(name, 'utf8'), plants);
          sources.set(name, withTraces(name, text, numbers));
        }
      });
      onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
        const contents = sources.get(relative('.', path));
        return contents === undefined ? undefined : { contents, loader: 'ts' };
      });
    },
  };
  return { inject, plugins: [plugin] };
}

async function guidingSources() {
  const names = await readdir('src', { recursive: true });
  return names
    .map((name) => join('src', name))
    .filter((name) => name.endsWith('.ts') && guiding.test(name))
    .toSorted();
}

/** Inserts planted bugs into the source. */
function withPlants(path, text, plants) {
  return plants.reduce((planted, { name, file, after, fails }) => {
    if (file !== path) return planted;
    if (planted.split(after).length !== 2) throw new Error(`${path} has no one place '${after}'`);
    const bug = `if (${fails}) throw new TypeError('planted: ${name}');`;
    return planted.replace(after, () => `${after} ${bug}`);
  }, text);
}

function withTraces(path, text, numbers) {
  const changes = [];
  const change = (at, until, piece, isEnd = false) =>
    changes.push({ at, until, piece, isEnd, order: changes.length });
  const source = {
    text,
    numbers,
    change,
    insert: (at, piece, isEnd = false) => change(at, at, piece, isEnd),
    /** Comparisons that only count the iterations of a loop. */
    counting: new Set(),
    constants: new Set(),
    members: {},
  };
  new Visitor({ ...steps(source), ...comparisons(source) }).visit(parseSync(path, text).program);
  const constants = `fuzzConstants[${JSON.stringify(path)}]=${JSON.stringify([...source.constants])};`;
  const members = `Object.assign(fuzzMembers,${JSON.stringify(source.members)});`;
  return `let fuzzAt=0;${constants}${members}${changed(text, changes)}`;
}

/** Counts each step from the previous place in a function to the next one, as AFL does. */
function steps({ numbers, insert, counting }) {
  const step = () => {
    numbers.place += 1;
    const place = Math.imul(numbers.place, 0x9e3779b1) >>> 16;
    return `fuzzHits[fuzzAt^${place}]++,fuzzAt=${place >>> 1}`;
  };
  const inBlock = (node) => {
    if (node == null || node.type === 'BlockStatement') return;
    insert(node.start, `{${step()};`);
    insert(node.end, '}', true);
  };
  const inExpression = (node) => {
    insert(node.start, `(${step()},`);
    insert(node.end, ')', true);
  };
  const inFunction = ({ body }) => {
    if (body == null) return;
    if (body.type === 'BlockStatement') return insert(body.start + 1, `let fuzzAt=0;`);
    insert(body.start, `{let fuzzAt=0;${step()};return(`);
    insert(body.end, ')}', true);
  };
  const inLoop = ({ body }) => inBlock(body);
  return {
    FunctionDeclaration: inFunction,
    FunctionExpression: inFunction,
    ArrowFunctionExpression: inFunction,
    BlockStatement: ({ start }) => insert(start + 1, `${step()};`),
    IfStatement: ({ consequent, alternate, end }) => {
      if (alternate == null) insert(end, ` else{${step()};}`, true);
      [consequent, alternate].forEach(inBlock);
    },
    ForStatement: ({ body, test }) => {
      inBlock(body);
      counting.add(test);
    },
    ForOfStatement: inLoop,
    ForInStatement: inLoop,
    WhileStatement: inLoop,
    ConditionalExpression: ({ consequent, alternate }) => [consequent, alternate].forEach(inExpression),
    LogicalExpression: ({ right }) => inExpression(right),
    SwitchCase: ({ consequent: [first] }) => {
      if (first !== undefined && first.type !== 'BlockStatement') insert(first.start, `${step()};`);
    },
  };
}

/** Records compared operands, and string constants of the source. */
function comparisons({ text, numbers, insert, change, counting, constants, members }) {
  return {
    Literal: ({ value }) => {
      if (typeof value === 'string' && word.test(value)) constants.add(value);
    },
    Property: ({ key, computed }) => {
      if (!computed && key.type === 'Identifier' && word.test(key.name)) constants.add(key.name);
    },
    SwitchStatement: ({ discriminant: { start, end }, cases }) => {
      const values = cases.flatMap(({ test }) => (isConstant(test) ? text.slice(test.start, test.end) : []));
      if (values.length === 0) return;
      numbers.comparison += 1;
      insert(start, `fuzzSwitch(${numbers.comparison},`);
      insert(end, `,[${values.join(',')}])`, true);
    },
    BinaryExpression: (node) => {
      const { start, end, operator, left, right } = node;
      if (!operators.has(operator) || counting.has(node) || isPlain(left) || isPlain(right)) return;
      numbers.comparison += 1;
      insert(start, `fuzzCompare['${operator}'](${numbers.comparison},`);
      change(left.end, right.start, ',');
      insert(end, ')', true);
      const member = [left, right].map(memberName).find((name) => name !== undefined);
      if (member !== undefined) members[numbers.comparison] = member;
    },
    CallExpression: ({ start, callee, arguments: given, optional }) => {
      if (optional || callee.type !== 'MemberExpression' || callee.computed || callee.optional) return;
      if (given.length !== 1 || given[0].type === 'SpreadElement' || callee.object.type === 'Super') return;
      if (!searches.has(callee.property.name) || isInChain(callee.object)) return;
      numbers.comparison += 1;
      insert(start, `fuzzSearch(${numbers.comparison},'${callee.property.name}',`);
      change(callee.object.end, given[0].start, ',');
    },
  };
}

/** True if a value may be missing, so that a call on it is skipped. */
function isInChain(node) {
  if (node.type === 'CallExpression') return node.optional || isInChain(node.callee);
  return node.type === 'MemberExpression' && (node.optional || isInChain(node.object));
}

/** The name of the variable or member in an operand: `originId` for `order.originId` and for `originId`. */
function memberName({ type, name, property, computed, expression }) {
  if (type === 'Identifier') return name;
  if (type === 'ChainExpression') return memberName(expression);
  return type === 'MemberExpression' && !computed && property.type === 'Identifier'
    ? property.name
    : undefined;
}

function isConstant(node) {
  return node?.type === 'Literal' && ['string', 'number'].includes(typeof node.value);
}

/** True if a comparison with this operand teaches nothing. */
function isPlain({ type, name, operator, value }) {
  if (type === 'Literal') return value === '' || !['string', 'number'].includes(typeof value);
  return type === 'PrivateIdentifier' || name === 'undefined' || operator === 'typeof';
}

/**
 * Applies the changes. At the same position, ends come before starts, inner ends before outer ones, and outer starts
 * before inner ones.
 */
function changed(text, changes) {
  const sorted = changes.toSorted(
    (one, other) =>
      one.at - other.at ||
      Number(other.isEnd) - Number(one.isEnd) ||
      (one.isEnd ? other.order - one.order : one.order - other.order),
  );
  const pieces = sorted.map(({ at, piece }, index) => text.slice(sorted[index - 1]?.until ?? 0, at) + piece);
  return pieces.join('') + text.slice(sorted.at(-1)?.until ?? 0);
}
