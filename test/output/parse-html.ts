import { Parser } from 'htmlparser2';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

/**
 * Parses a page as strictly as its writer writes it: every tag is closed, every attribute in double quotes. Throws at
 * anything else.
 */
export function parseHtml(text: string): Element {
  if (!text.startsWith('<!doctype html>\n')) throw new Error('no doctype');
  const page = { name: '', attributes: {}, children: [] as (Element | string)[] };
  const open = [page];
  let attributes: Record<string, string> = {};
  const parser = new Parser({
    onattribute: (name, value, quote) => {
      if (quote !== '"') throw new Error(`${name} is not in double quotes`);
      attributes[name] = value;
    },
    onopentag: (name) => {
      const element = { name, attributes, children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
      attributes = {};
    },
    ontext: (part) => open.at(-1)?.children.push(part),
    onclosetag: (name, isImplied) => {
      const isVoid = open.pop()?.children.length === 0 && ['meta', 'link', 'rect'].includes(name);
      if (isImplied && !isVoid) throw new Error(`${name} is not closed`);
    },
  });
  parser.end(text);
  const [root, ...others] = page.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
  if (typeof root !== 'object' || others.length > 0) throw new Error('something is beside the page');
  return root;
}

/** This element and every element below it. */
export function allElements(element: Element): readonly Element[] {
  return [
    element,
    ...element.children.flatMap((child) => (typeof child === 'string' ? [] : allElements(child))),
  ];
}

export function elementsNamed(element: Element, name: string): readonly Element[] {
  return allElements(element).filter((one) => one.name === name);
}

/** The visible text. */
export function textIn({ name, children }: Element): string {
  if (['style', 'title'].includes(name)) return '';
  return children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

/** The cell texts of a table by row, headers first. */
export function tableRows(table: Element): readonly (readonly string[])[] {
  return elementsNamed(table, 'tr').map(({ children }) =>
    children.flatMap((cell) => (typeof cell === 'string' ? [] : [textIn(cell)])),
  );
}
