import type * as oxc from 'oxc-parser';
import { parseSync, Visitor, type VisitorObject } from 'oxc-parser';

/** A change of a source file that replaces the text from `start` to `end` by `replacement`. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** True if it removes a statement; otherwise it replaces an expression. */
  readonly isStatement: boolean;
}

type Node = oxc.Node;

/** Operators, each with plausible mistakes for it. */
const swapped: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '++': ['--'],
  '--': ['++'],
};

/** Methods, each with its opposite. */
const opposites: Readonly<Record<string, string>> = {
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  toUpperCase: 'toLowerCase',
  toLowerCase: 'toUpperCase',
};

/** Methods that can be omitted without a change of type. */
const omissible = ['filter', 'slice', 'sort', 'toSorted', 'reverse', 'toReversed', 'trim', 'flat'];

/** All mutations of a TypeScript source in order; none changes a type. */
export function mutationsOf(path: string, text: string): readonly Mutation[] {
  const found = new Found(text);
  const visitor = { ...namesIn(found), ...statementsIn(found), ...conditionsIn(found), ...valuesIn(found) };
  new Visitor(visitor).visit(parseSync(path, text).program);
  return found.inOrder();
}

/** The mutations found so far. */
class Found {
  readonly #text: string;
  /** By position and replacement, because two rules may make the same change. */
  readonly #mutations = new Map<string, Mutation>();
  /** Nodes that are not separate expressions: names of properties and modules, types, links of an optional chain. */
  readonly #excluded = new Set<Node>();

  constructor(text: string) {
    this.#text = text;
  }

  exclude(node: Node | null | undefined): void {
    if (node != null) this.#excluded.add(node);
  }

  isExcluded(node: Node): boolean {
    return this.#excluded.has(node);
  }

  replace(node: Node, ...replacements: readonly string[]): void {
    for (const replacement of replacements) this.#add(node, replacement, false);
  }

  remove(node: Node): void {
    this.#add(node, '', true);
  }

  #add({ start, end }: Node, replacement: string, isStatement: boolean): void {
    this.#mutations.set(`${start} ${end} ${replacement}`, { start, end, replacement, isStatement });
  }

  slice(start: number, end: number): string {
    return this.#text.slice(start, end);
  }

  of(node: Node): string {
    return this.slice(node.start, node.end);
  }

  /** Replaces a part of a node: the first `part` after `from`. */
  replacePart(node: Node, part: string, from: number, replacement: string): void {
    const at = this.#text.indexOf(part, from);
    this.replace(node, this.slice(node.start, at) + replacement + this.slice(at + part.length, node.end));
  }

  inOrder(): readonly Mutation[] {
    return [...this.#mutations.values()].toSorted(
      (one, other) => one.start - other.start || other.end - one.end,
    );
  }
}

function namesIn(found: Found): VisitorObject {
  const source = (node: { readonly source: Node | null }) => found.exclude(node.source);
  const key = (node: { readonly computed?: boolean; readonly key: Node }) => {
    if (node.computed !== true) found.exclude(node.key);
  };
  return {
    ImportDeclaration: source,
    ExportNamedDeclaration: source,
    ExportAllDeclaration: source,
    ImportExpression: source,
    TSImportType: source,
    TSLiteralType: ({ literal }) => found.exclude(literal),
    Property: key,
    PropertyDefinition: key,
    MethodDefinition: key,
    TSPropertySignature: key,
    TSMethodSignature: key,
    TaggedTemplateExpression: ({ quasi }) => found.exclude(quasi),
  };
}

function statementsIn(found: Found): VisitorObject {
  const remove = (node: Node) => {
    if (!found.isExcluded(node)) found.remove(node);
  };
  // A function also returns undefined without this statement.
  const body = ({ body: block }: { readonly body: Node | null }) => {
    for (const last of lastOf(block)) {
      if (last.type === 'ReturnStatement' && isUndefined(last.argument)) found.exclude(last);
    }
  };
  return {
    FunctionDeclaration: body,
    FunctionExpression: body,
    ExpressionStatement: (node) => {
      const { expression } = node;
      if ('directive' in node && typeof node.directive === 'string') found.exclude(expression);
      else if (expression.type !== 'CallExpression' || expression.callee.type !== 'Super') remove(node);
    },
    ReturnStatement: remove,
    ThrowStatement: remove,
    BreakStatement: remove,
    ContinueStatement: remove,
  };
}

/** The statements that end a function, if this is its last one. */
function lastOf(statement: Node | null | undefined): readonly Node[] {
  if (statement == null) return [];
  switch (statement.type) {
    case 'BlockStatement':
      return lastOf(statement.body.at(-1));
    case 'TryStatement':
      return [...lastOf(statement.block), ...lastOf(statement.handler?.body)];
    case 'IfStatement':
      return [...lastOf(statement.consequent), ...lastOf(statement.alternate)];
    default:
      return [statement];
  }
}

function conditionsIn(found: Found): VisitorObject {
  const condition = ({ test }: { readonly test: Node }) => found.replace(test, 'true', 'false');
  // A loop with an always true condition never ends.
  const loop = ({ test }: { readonly test: Node | null }) => {
    if (test !== null) found.replace(test, 'false');
  };
  return {
    IfStatement: condition,
    ConditionalExpression: condition,
    WhileStatement: loop,
    ForStatement: loop,
    BinaryExpression: (node) => {
      if (node.operator === '+' && isTextual(node)) return;
      for (const other of swapped[node.operator] ?? [])
        found.replacePart(node, node.operator, node.left.end, other);
    },
    LogicalExpression: (node) => {
      const [left, right] = [found.of(node.left), found.of(node.right)];
      for (const other of swapped[node.operator] ?? []) found.replace(node, `(${left}) ${other} (${right})`);
      found.replace(node, left, right);
    },
    ChainExpression: (node) => mutateChain(found, node),
  };
}

/** Removes each `?.` of a chain. Its links are not separate expressions, since the chain may end at any of them. */
function mutateChain(found: Found, chain: oxc.ChainExpression): void {
  let link: Node = chain.expression;
  for (;;) {
    found.exclude(link);
    if (link.type === 'TSNonNullExpression') link = link.expression;
    else if (link.type === 'CallExpression' || link.type === 'MemberExpression') {
      const inner: Node = link.type === 'CallExpression' ? link.callee : link.object;
      const isNamed = link.type === 'MemberExpression' && !link.computed;
      if (link.optional) found.replacePart(chain, '?.', inner.end, isNamed ? '.' : '');
      link = inner;
    } else return;
  }
}

function valuesIn(found: Found): VisitorObject {
  return {
    CallExpression: (node) => mutateCall(found, node),
    AssignmentExpression: (node) => {
      if (isTextual(node.right)) return;
      for (const other of swapped[node.operator] ?? [])
        found.replacePart(node, node.operator, node.left.end, other);
    },
    UpdateExpression: (node) => {
      for (const other of swapped[node.operator] ?? [])
        found.replacePart(node, node.operator, node.start, other);
    },
    UnaryExpression: (node) => {
      if (node.operator === '!' || node.operator === '-') found.replace(node, found.of(node.argument));
    },
    ArrowFunctionExpression: ({ body }) => {
      if (body.type !== 'BlockStatement' && !isUndefined(body)) found.replace(body, 'undefined');
    },
    Literal: (node) => {
      if (found.isExcluded(node)) return;
      if (typeof node.value === 'boolean') found.replace(node, String(!node.value));
      if (typeof node.value === 'string') found.replace(node, node.value === '' ? "'?'" : "''");
    },
    TemplateLiteral: (node) => {
      if (!found.isExcluded(node)) found.replace(node, "''");
    },
    ArrayExpression: (node) => {
      if (node.elements.length > 0) found.replace(node, '[]');
    },
  };
}

function mutateCall(found: Found, node: oxc.CallExpression): void {
  const { callee } = node;
  if (found.isExcluded(node) || callee.type !== 'MemberExpression' || callee.computed) return;
  const { object, property } = callee;
  const opposite = Object.hasOwn(opposites, property.name) ? opposites[property.name] : undefined;
  if (opposite !== undefined) found.replacePart(node, property.name, property.start, opposite);
  if (omissible.includes(property.name)) found.replace(node, found.of(object));
}

function isUndefined(node: Node | null): boolean {
  return node === null || (node.type === 'Identifier' && node.name === 'undefined');
}

function isTextual(node: Node): boolean {
  if (node.type === 'BinaryExpression') return [node.left, node.right].some(isTextual);
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}
