import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { charsetNamed } from '../../src/input/open/charset.ts';
import type { Encoding } from '../../src/input/records/options.ts';
import { productRecords } from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';
import { encodings, lineEnds } from './written.ts';

const cp949 = await charsetNamed('cp949');
const index = new URL('../../fixtures/encodings/index-euc-kr.txt.gz', import.meta.url);

/** The pairs of CP949 and their characters, by the index of the Encoding Standard. */
function cp949Pairs(): readonly { readonly bytes: Buffer; readonly character: string }[] {
  const lines = gunzipSync(readFileSync(index)).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [, pointer, codePoint] = /^\s*(\d+)\t0x([0-9A-F]+)\t/.exec(line) ?? [];
    if (pointer === undefined || codePoint === undefined) return [];
    const bytes = Buffer.from([0x81 + Math.floor(Number(pointer) / 190), 0x41 + (Number(pointer) % 190)]);
    return [{ bytes, character: String.fromCodePoint(Number.parseInt(codePoint, 16)) }];
  });
}

describe('CP949', () => {
  const pairs = cp949Pairs();

  it('has the 17,048 pairs of the index, each way', () => {
    expect(pairs).toHaveLength(17_048);
    const wrong = pairs.filter(
      ({ bytes, character }) =>
        cp949.decode(bytes) !== character || !bytes.equals(cp949.encode(character) as Uint8Array),
    );
    expect(wrong).toEqual([]);
  });

  it('has no other pair, and no single byte above ASCII', () => {
    const known = new Set(pairs.map(({ bytes }) => bytes.readUInt16BE()));
    for (let lead = 0x80; lead <= 0xff; lead += 1) {
      expect(cp949.decode(Buffer.from([lead]))).toBeUndefined();
      for (let trail = 0; trail <= 0xff; trail += 1) {
        const pair = Buffer.from([lead, trail]);
        if (!known.has(pair.readUInt16BE())) expect(cp949.decode(pair)).toBeUndefined();
      }
    }
  });

  it('comes out of a file with every pair in it', async () => {
    // Names are trimmed and composed: the marks protect blanks, and decomposed characters are left out.
    const shown = pairs.filter(({ character }) => character === character.normalize('NFC'));
    const lines = shown.map(({ bytes }, n) =>
      Buffer.concat([Buffer.from(`${n},<`), bytes, Buffer.from('>\r\n')]),
    );
    const records = await recordsOf(
      productRecords,
      Buffer.concat([Buffer.from('originId,name\r\n'), ...lines]),
    );
    expect(records).toEqual(
      shown.map(({ character }, n) => ({ originId: String(n), name: `<${character}>` })),
    );
  });
});

const text = '주문번호,originId,name\r\n1,가,"힣 똠 ㈜"\r\n2,갂,"여러\r\n줄"\r\n3,나,뷁"펲\r\n';

describe('a CP949 file that is cut at any byte', () => {
  const whole = cp949.encode(text) as Uint8Array;

  /** The records and problems of a file. */
  async function outcomeOf(content: string | Uint8Array) {
    const { entries, problems } = await read(productRecords, content, { encoding: 'auto' });
    return { entries, problems };
  }

  it.each(Array.from({ length: whole.length }, (_, at) => at + 1))(
    'gives the records of what is there, or is refused with the line (%i)',
    async (length) => {
      const cut = Buffer.from(whole.subarray(0, length));
      const there = cp949.decode(cut);
      if (there !== undefined) {
        expect(await outcomeOf(cut)).toEqual(await outcomeOf(there));
        return;
      }
      const line = 1 + lineEnds(cp949.decode(cut.subarray(0, -1)) ?? '');
      const reason = expect.stringMatching('^this line is neither UTF-8 nor CP949 text');
      const problem = { line, reason };
      expect(await outcomeOf(cut)).toMatchObject({ problems: [problem] });
    },
  );
});

describe('a piece of a CP949 file may end anywhere', () => {
  const pieceBytes = 65_536;
  const row = cp949.encode('갂힣A,"똠""방각하"\r\n나,다\r\n') as Uint8Array;

  it.each(Array.from({ length: row.length + 1 }, (_, before) => before))(
    '%i bytes into a row',
    async (before) => {
      const start = 'originId,name\r\n1,';
      const filler = 'x'.repeat(pieceBytes - before - start.length - '\r\n'.length);
      const content = Buffer.concat([Buffer.from(`${start}${filler}\r\n`), row]);
      expect(await recordsOf(productRecords, content)).toEqual([
        { originId: '1', name: filler },
        { originId: '갂힣A', name: '똠"방각하' },
        { originId: '나', name: '다' },
      ]);
    },
  );
});

const korean = 'originId,name\r\n가1,"한글, 이름"\r\n나2,둘\r\n';
const expected = [
  { originId: '가1', name: '한글, 이름' },
  { originId: '나2', name: '둘' },
];

describe('the encoding is found by itself', () => {
  it.each(Object.entries(encodings))('%s', async (_name, encode) => {
    expect(await recordsOf(productRecords, encode(korean))).toEqual(expected);
  });

  it('from the whole file, wherever its first Korean character stands', async () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `${n},plain\r\n`).join('');
    const records = await recordsOf(
      productRecords,
      cp949.encode(`originId,name\r\n${many}last,갂\r\n`) as Uint8Array,
    );
    expect(records.at(-1)).toEqual({ originId: 'last', name: '갂' });
  });

  it('what is neither is refused at the line that is damaged, not at the first Korean one', async () => {
    const good = Array.from({ length: 9_000 }, (_, n) => `${n},한글 ${n}\n`).join('');
    const damaged = (encode: (written: string) => Uint8Array) =>
      Buffer.concat([
        encode(`originId,name\n${good}`),
        Buffer.from([0x61, 0x2c, 0xff, 0x0a]),
        encode('z,끝\n'),
      ]);
    for (const [encode, charset] of [
      [(written: string) => Buffer.from(written), 'not UTF-8'],
      [(written: string) => cp949.encode(written), 'neither UTF-8 nor CP949'],
    ] as const) {
      const { problems, count } = await read(productRecords, damaged(encode));
      expect(problems).toMatchObject([
        { line: 9_002, reason: `this line is ${charset} text from character 3 on` },
      ]);
      expect(problems[0]?.remedy).toContain('--encoding');
      expect(count).toBe(9_000);
    }
  });
});

it.each([
  ['Shift_JIS', '8352815b8371815b834a83628376'],
  ['Big5', 'a5d5a6e2aee0a46caed4a457acf5a6e2'],
])('%s is refused, because nearly every file of it has bytes that CP949 lacks', async (_, hex) => {
  const file = Buffer.concat([Buffer.from('originId,name\n1,'), Buffer.from(hex, 'hex')]);
  const { records, problems } = await read(productRecords, file);
  expect({ records, problems }).toMatchObject({ records: [], problems: [{ line: 2 }] });
  expect(problems[0]?.code).toMatch(/^not-(?:cp949|utf-8)$/);
});

it('Western European text is refused, though its pairs of accented letters are CP949', async () => {
  const file = Buffer.from('originId;name\n1;T-Shirt Größe M\n', 'latin1');
  expect(cp949.decode(file), 'valid CP949').toBeDefined();
  const { problems } = await read(productRecords, file);
  expect(problems).toMatchObject([{ line: 2, code: 'not-utf-8' }]);
});

it('Korean text is CP949, though a Hanja of it is inside a Latin word', async () => {
  const mug = Buffer.from('b8d3b1d72061d3de62', 'hex');
  const file = Buffer.concat([Buffer.from('originId,name\n1,'), mug]);
  const { records } = await read(productRecords, file);
  expect(records).toMatchObject([{ name: '머그 a大b' }]);
});

describe('UTF-8 with a foreign byte is refused at that byte, though it is valid CP949', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, n) => `${n},머그 ${n}\n`).join('');

  it.each([
    ['in a short file', rows(3), rows(3)],
    ['in a long one', rows(30_000), rows(10)],
    ['before its last line', '', rows(2)],
  ])('%s', async (_, before, after) => {
    const parts = [Buffer.from(`originId,name\n${before}`), Buffer.from('z,머 머')];
    const content = Buffer.concat([...parts, Buffer.from([0xb0, 0x0a]), Buffer.from(after)]);
    const { problems } = await read(productRecords, content);
    const line = 2 + lineEnds(before);
    const reason = 'this line is not UTF-8 text from character 6 on';
    expect(problems).toMatchObject([{ line, reason }]);
  });

  it('also where a download has cut a character', async () => {
    const cut = Buffer.from(`originId,name\n${rows(3)}z,머그`).subarray(0, -2);
    expect(cp949.decode(cut), 'valid CP949').toBeDefined();
    const { problems } = await read(productRecords, cut);
    expect(problems).toMatchObject([{ line: 5, code: 'not-utf-8' }]);
  });

  it.each(['커피', '크림', '카드', '트레이', '타올'])('but %s in CP949 is read', async (word) => {
    const names = Array.from({ length: 50 }, (_, n) => `${word} ${n}`);
    const content = cp949.encode(`originId,name\n${names.map((name, n) => `${n},${name}\n`).join('')}`);
    const records = await recordsOf(productRecords, content as Uint8Array);
    expect(records.map(({ name }) => name)).toEqual(names);
  });
});

describe('--encoding', () => {
  it.each<[Encoding, Uint8Array]>([
    ['utf-8', Buffer.from(korean)],
    ['cp949', cp949.encode(korean)],
    ['utf-16le', Buffer.from(korean, 'utf16le')],
    ['utf-16be', Buffer.from(korean, 'utf16le').swap16()],
  ])('%s is taken at its word', async (encoding, content) => {
    expect(await recordsOf(productRecords, content, { encoding })).toEqual(expected);
  });

  it('is never bent: what does not fit is refused with its line', async () => {
    const { problems } = await read(productRecords, cp949.encode(korean) as Uint8Array, {
      encoding: 'utf-8',
    });
    expect(problems).toMatchObject([{ line: 2, code: 'not-utf-8' }]);
    expect(problems[0]?.reason).toMatch(/^this line is not UTF-8 text/);
  });

  it('leaves out the Ctrl-Z with which DOS ends a file', async () => {
    for (const last of ['b,둘', 'b,둘\n', 'b,둘\r\n'])
      expect(await recordsOf(productRecords, `originId,name\na,하나\n${last}\u001a`)).toHaveLength(2);
  });

  it('gives way to a byte-order mark', async () => {
    const content = Buffer.from(`\ufeff${korean}`);
    expect(await recordsOf(productRecords, content, { encoding: 'cp949' })).toEqual(expected);
  });
});

it('Windows-1252 is read where a person names it, each way, without its unused bytes', async () => {
  const latin = await charsetNamed('windows-1252');
  const text = 'Crème brûlée – 5 € „groß“';
  const bytes = Buffer.from(latin.encode(text));
  expect(bytes.length).toBe(text.length);
  const options = { encoding: 'windows-1252' } as const;
  const content = Buffer.concat([Buffer.from('originId,name\n1,'), bytes, Buffer.from('\n')]);
  const { records } = await read(productRecords, content, options);
  expect(records).toMatchObject([{ originId: '1', name: text }]);
  for (const unused of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) {
    const damaged = Buffer.concat([content, Buffer.from('2,'), Buffer.from([unused])]);
    const { problems } = await read(productRecords, damaged, options);
    expect(problems).toMatchObject([{ line: 3, code: 'not-windows-1252' }]);
  }
});
