import { BrokenWorkbook } from './zip.ts';

/** Handles the events of a document. Names have no prefix. */
export interface XmlHandler {
  /** `tag` is the text between the brackets, for `attribute`. An empty element is opened and closed. */
  open(name: string, tag: string): void;
  /** Receives escaped text between tags, for `cellTextOf`. It may arrive in several pieces. */
  text(written: string): void;
  close(name: string): void;
}

/** Maximum length of a tag, comment or section, in characters. A cell of Excel holds 32,767. */
const markupMaximum = 1_048_576;

/** Maximum nesting of tags; workbooks have about ten levels. */
const depthMaximum = 256;

/**
 * Reads an XML part of a workbook piece by piece in constant memory. Refuses a document that is not well-formed, as
 * Excel does: if a tag is missing, a cell would lose its value or receive that of another. Refuses a DOCTYPE, which no
 * workbook has, because its entities can expand without limit. The handler has to check that the tags make sense.
 */
export class XmlReader {
  readonly #handler: XmlHandler;
  #held = '';
  /** The names of the open tags. */
  readonly #open: string[] = [];
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /** Reads the next piece of the document. @throws BrokenWorkbook, and the failures of the handler. */
  read(piece: string): void {
    const document = this.#held + piece;
    let at = 0;
    for (;;) {
      const markup = document.indexOf('<', at);
      const textEnd = markup === -1 ? wholeTextEnd(document, at) : markup;
      if (textEnd > at) this.#handler.text(document.slice(at, textEnd));
      at = textEnd;
      const end = markup === -1 ? -1 : this.#markup(document, markup);
      if (end === -1) break;
      at = end;
    }
    if (document.length - at > markupMaximum) throw new BrokenWorkbook('it contains an unterminated XML tag');
    this.#held = document.slice(at);
  }

  /** Ends the document. @throws BrokenWorkbook if it is truncated. */
  end(): void {
    const open = this.#open.at(-1);
    if (open !== undefined) throw new BrokenWorkbook(`it is cut short: <${open}> is not closed`);
    if (this.#held.trim() !== '') throw new BrokenWorkbook('it is cut short');
  }

  /** Reads the markup that begins with `<` at `start`. Returns its end, or -1 if it is incomplete. */
  #markup(document: string, start: number): number {
    switch (document.charAt(start + 1)) {
      case '/':
        return this.#readUntil(document, start + 2, '>', (tag) => this.#close(localName(tag)));
      case '?':
        return this.#readUntil(document, start + 2, '?>', () => undefined);
      case '!':
        return this.#declaration(document, start);
      case '':
        return -1;
      default:
        return this.#element(document, start);
    }
  }

  #readUntil(document: string, from: number, mark: string, use: (content: string) => void): number {
    const end = document.indexOf(mark, from);
    if (end === -1) return -1;
    use(document.slice(from, end));
    return end + mark.length;
  }

  #declaration(document: string, start: number): number {
    if (document.length - start < cdata.length) return -1;
    if (document.startsWith('<!--', start))
      return this.#readUntil(document, start + 4, '-->', () => undefined);
    if (!document.startsWith(cdata, start))
      throw new BrokenWorkbook('it contains a DOCTYPE, which is not allowed');
    const use = (text: string) => this.#handler.text(text.replaceAll('&', '&amp;'));
    return this.#readUntil(document, start + cdata.length, ']]>', use);
  }

  #element(document: string, start: number): number {
    const end = tagEnd(document, start + 1);
    if (end === -1) return -1;
    const isEmpty = document.charAt(end - 1) === '/';
    const tag = document.slice(start + 1, isEmpty ? end - 1 : end);
    const name = localName(tag);
    if (!isNameStart(name.charCodeAt(0))) throw unescapedBracket();
    if (this.#open.length === 0 && this.#hasRoot)
      throw new BrokenWorkbook('it has more than one root element');
    if (this.#open.length === depthMaximum) throw new BrokenWorkbook('its tags are nested too deeply');
    this.#hasRoot = true;
    this.#open.push(name);
    this.#handler.open(name, tag);
    if (isEmpty) this.#close(name);
    return end + 1;
  }

  #close(name: string): void {
    const open = this.#open.pop();
    if (open === undefined) throw new BrokenWorkbook(`</${name}> does not close a tag`);
    if (open !== name) throw new BrokenWorkbook(`<${open}> is not closed before </${name}>`);
    this.#handler.close(name);
  }
}

const cdata = '<![CDATA[';

/** The end of the complete text. Text without a following tag may end within an entity. */
function wholeTextEnd(document: string, from: number): number {
  const entity = document.lastIndexOf('&');
  return entity < from || document.indexOf(';', entity) !== -1 ? document.length : entity;
}

const equals = 0x3d;

/**
 * The index of the `>` that ends the tag from `start` on; -1 if it is incomplete.
 * @throws BrokenWorkbook if it contains a `<`, or attributes without quotes or blanks, which would be overlooked.
 */
function tagEnd(document: string, start: number): number {
  let open = 0;
  let last = 0;
  for (let at = start; at < document.length; at += 1) {
    const code = document.charCodeAt(at);
    if (code === 0x3c) throw unescapedBracket();
    if (open !== 0) {
      if (code === open) open = 0;
    } else if (code === 0x3e) return at;
    else if (isQuote(code)) {
      if (last !== equals) throw malformed(document, start, at);
      open = code;
    } else if (code > 0x20 && (last === equals || (code !== 0x2f && isQuote(document.charCodeAt(at - 1)))))
      throw malformed(document, start, at);
    if (code > 0x20) last = code;
  }
  return -1;
}

function isQuote(code: number): boolean {
  return code === 0x22 || code === 0x27;
}

function unescapedBracket(): BrokenWorkbook {
  return new BrokenWorkbook("it contains an unescaped '<'");
}

function malformed(document: string, start: number, at: number): BrokenWorkbook {
  return new BrokenWorkbook(`the tag <${document.slice(start, at + 1)} is malformed`);
}

/** True if a name can begin with this character: a letter, `_`, or anything beyond ASCII. */
function isNameStart(code: number): boolean {
  const small = code | 0x20;
  return (small >= 0x61 && small <= 0x7a) || code === 0x5f || code >= 0x80;
}

function localName(tag: string): string {
  let end = 0;
  let start = 0;
  for (; end < tag.length && tag.charCodeAt(end) > 0x20; end += 1) {
    if (tag.charCodeAt(end) === 0x3a) start = end + 1;
  }
  return tag.slice(start, end);
}

/** The value of a tag's attribute, with or without a prefix; undefined if there is none. */
export function attribute(tag: string, name: string): string | undefined {
  // Fast path for the form that nearly all programs write.
  const start = tag.indexOf(` ${name}="`);
  if (start !== -1) {
    const from = start + name.length + 3;
    return unescaped(tag.slice(from, tag.indexOf('"', from)));
  }
  if (!tag.includes(`${name}=`) && !tag.includes(`${name} `)) return undefined;
  for (const [, found, double = '', single = double] of tag.matchAll(attributes)) {
    if (found === name) return unescaped(single);
  }
  return undefined;
}

/** Each attribute of a tag: its name without a prefix, and its value in either kind of quotes. */
const attributes = /\s(?:[\w.-]+:)?([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** True if the value of a boolean attribute is true in any notation. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

/** Resolves the escapes of XML. @throws BrokenWorkbook if an entity is unknown. */
function unescaped(written: string): string {
  if (!written.includes('&')) return written;
  return written.replace(/&(#x[\dA-Fa-f]{1,6}|#\d{1,7}|\w*)(;?)/g, (_, name: string, end: string) => {
    const known = name.startsWith('#') ? characterOf(name.slice(1)) : entities.get(name);
    if (known === undefined || end === '')
      throw new BrokenWorkbook(`it contains the unknown entity '${name}'`);
    return known;
  });
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/** The only control characters that XML allows. */
const whitespace: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d]);

function characterOf(number: string): string | undefined {
  const code = number.startsWith('x') ? Number.parseInt(number.slice(1), 16) : Number(number);
  const isAllowed = code >= 0x20 ? code <= 0x10_ffff : whitespace.has(code);
  return isAllowed ? String.fromCodePoint(code) : undefined;
}

/**
 * The text of a cell. Resolves escapes of XML and of characters that XML cannot contain (`_x000D_`; ECMA-376 22.4.2.4).
 */
export function cellTextOf(written: string): string {
  const text = unescaped(written);
  if (!text.includes('_x')) return text;
  return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
