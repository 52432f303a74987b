export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (Element | string)[];
}

const voidElements = new Set(['meta', 'link', 'br', 'hr', 'img', 'input']);
const rawElements = new Set(['style', 'script']);
const tag = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>/y;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/**
 * Parses a page as strictly as its writer writes it: every tag is closed, every attribute in double quotes. Throws at
 * anything else.
 */
export function parseHtml(text: string): Element {
  const start = '<!doctype html>\n';
  if (!text.startsWith(start)) throw new Error('no doctype');
  let at = start.length;
  const read = (): Element => {
    tag.lastIndex = at;
    const [all, close, name = '', attributes = '', isClosed] = tag.exec(text) ?? [];
    if (all === undefined || close) throw new Error(`no tag: ${text.slice(at, at + 80)}`);
    at += all.length;
    const element = { name, attributes: readAttributes(attributes), children: [] as (Element | string)[] };
    if (voidElements.has(name) || isClosed) return element;
    const end = `</${name}>`;
    if (rawElements.has(name)) {
      const to = text.indexOf(end, at);
      element.children.push(text.slice(at, to));
      at = to;
    }
    while (!text.startsWith(end, at)) {
      const to = text.indexOf('<', at);
      if (to < 0 || text.startsWith('</', at))
        throw new Error(`${name} is not closed: ${text.slice(at, at + 80)}`);
      if (to > at) element.children.push(decode(text.slice(at, to)));
      at = to;
      if (!text.startsWith('</', at)) element.children.push(read());
    }
    at += end.length;
    return element;
  };
  const page = read();
  if (text.slice(at).trim() !== '') throw new Error('something follows the page');
  return page;
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/([\w:-]+)(?:="([^"]*)")?/g)].map(([, name = '', value = '']) => [name, decode(value)]),
  );
}

function decode(text: string): string {
  return text.replaceAll(/&(#?\w+);/g, (all, name: string) => {
    const character = entities[name];
    if (character === undefined) throw new Error(`no such entity: ${all}`);
    return character;
  });
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
  if (rawElements.has(name) || name === 'title') return '';
  return children.map((child) => (typeof child === 'string' ? child : textIn(child))).join('');
}

/** The cell texts of a table by row, headers first. */
export function tableRows(table: Element): readonly (readonly string[])[] {
  return elementsNamed(table, 'tr').map(({ children }) =>
    children.flatMap((cell) => (typeof cell === 'string' ? [] : [textIn(cell)])),
  );
}
