import { type Parts, readPart } from './parts.ts';
import { cellTextOf, type XmlHandler } from './xml.ts';
import { BrokenWorkbook } from './zip.ts';

/** Maximum number of characters in shared texts. They are held in memory, where this many take about 400 MB. */
const charactersMaximum = 200_000_000;

/**
 * Reads the texts that cells refer to by number. Joins runs with different formats and omits pronunciations.
 * @throws the failures of `readPart`, and the reason of `stopping` once it is aborted.
 */
export async function readSharedStrings(
  parts: Parts,
  part: string | undefined,
  stopping: AbortSignal,
): Promise<readonly string[]> {
  const strings = new SharedStrings();
  if (part === undefined || !parts.directory.has(part)) return strings.texts;
  for await (const _ of readPart(parts, part, strings)) stopping.throwIfAborted();
  return strings.texts;
}

class SharedStrings implements XmlHandler {
  readonly texts: string[] = [];
  readonly #text = new RichText();
  #characters = 0;

  open(name: string): void {
    this.#text.open(name);
  }

  text(written: string): void {
    this.#text.text(written);
  }

  close(name: string): void {
    this.#text.close(name);
    if (name !== 'si') return;
    const text = this.#text.flush();
    this.#characters += text.length + 1;
    if (this.#characters > charactersMaximum)
      throw new BrokenWorkbook('it contains more text than can be read');
    this.texts.push(text);
  }
}

/**
 * The text within an `si` or `is`: every `t` except those of a pronunciation. Throws BrokenWorkbook if a text contains
 * a tag, that is, an unescaped `<`.
 */
export class RichText implements XmlHandler {
  #written = '';
  #isInText = false;
  #isPronunciation = false;

  open(name: string): void {
    if (this.#isInText) throw tagInText(name);
    if (name === 't') this.#isInText = !this.#isPronunciation;
    else if (name === 'rPh') this.#isPronunciation = true;
  }

  text(written: string): void {
    if (this.#isInText) this.#written += written;
  }

  close(name: string): void {
    if (name === 't') this.#isInText = false;
    else if (name === 'rPh') this.#isPronunciation = false;
  }

  /** Returns the text since the last call. */
  flush(): string {
    const text = cellTextOf(this.#written);
    this.#written = '';
    return text;
  }
}

export function tagInText(name: string): BrokenWorkbook {
  return new BrokenWorkbook(`the text of a cell contains the tag <${name}>`);
}
