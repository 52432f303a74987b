import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../src/base/failure.ts';
import { decodeReply } from '../../src/client/caller.ts';
import { LineReader } from '../../src/client/page-lines.ts';
import { type OperationName, operations } from '../../src/contract/operations.ts';
import {
  type Identified,
  orderItemRecords,
  productRecords,
  type RecordKind,
} from '../../src/input/records/record-kinds.ts';
import { validateInput } from '../../src/input/validate.ts';
import { claimedAmount, readReward } from '../../src/settle/webhook/verify-webhook.ts';
import { withoutRounded } from '../base/without-rounded.ts';
import { HeldRecords, plainOptions } from '../input/reading.ts';
import { zip } from '../input/write-xlsx.ts';
import { HeldFile } from './held-file.ts';
import { type Syntax, syntaxes } from './syntax.ts';

/** A reader of untrusted bytes. */
export interface Target {
  readonly seeds: readonly (string | Buffer)[];
  /** Words that this reader recognizes, besides the string constants in `sources`, which are prefixes of paths. */
  readonly words: readonly string[];
  readonly sources: readonly string[];
  readonly syntax: Syntax;
  /** Resolves if the input is read or refused with a message; rejects with anything else. */
  readonly run: (input: Buffer) => Promise<void>;
}

const orderHeader = 'orderOriginId,originId,productOriginId,paidPrice,buyer.name,orderedAt,status';
const itemWords = [
  ...orderHeader.split(','),
  '주문번호',
  '상품번호',
  'O-1',
  '2026-11-20T09:00:00+09:00',
  'DELIVERED',
];

const fixture = (path: string) => readFileSync(join(process.cwd(), 'fixtures', path));

const readWorkbook = readingOf('sheet.xlsx', orderItemRecords);

/** Reads the input as a file with this name. */
function readingOf<T extends Identified>(name: string, kind: RecordKind<T>) {
  return (content: Buffer): Promise<void> =>
    inWords(async () => {
      const input = { files: [new HeldFile(name, content)], close: async () => undefined };
      const { problems } = await validateInput(input, kind, plainOptions, new HeldRecords<T>());
      const mute = problems.find(({ reason, remedy }) => reason === '' || String(remedy) === '');
      if (mute !== undefined) throw new Error('a problem has no words');
    });
}

/** Accepts a refusal with a message, like a result. */
async function inWords(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Failure) || error.message === '') throw error;
  }
}

const repliesRead: readonly (readonly [OperationName, number])[] = [
  ['listReviews', 200],
  ['listRewards', 200],
  ['getOrder', 200],
  ['bulkCreateCategories', 201],
  ['getReview', 422],
];

async function decodeReplies(input: Buffer): Promise<void> {
  for (const [operation, status] of repliesRead) {
    const row = operations[operation];
    const { isRepeatable, method, path } = row;
    const request = { operation, isRepeatable, method, path, headers: {}, body: undefined };
    await inWords(async () => {
      decodeReply(row, request, { status, headers: {}, body: input.toString() });
    });
  }
  const page = new LineReader().readLines(Buffer.from(input));
  for (const line of page?.lines.bytes.toString().split('\n').slice(0, -1) ?? []) {
    const exact = withoutRounded(line);
    if (JSON.stringify(JSON.parse(exact)) !== exact) throw new Error('a line is not as it would be printed');
  }
}

/** Separates the parts of a workbook within one input. */
const partMark = '\n\n';
const sheetParts = {
  'xl/worksheets/sheet1.xml':
    '<worksheet><cols><col min="4" max="4" hidden="1"/></cols><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="inlineStr"><is><t>productOriginId</t></is></c><c r="D1" t="str"><v>paidPrice</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>7</v></c><c r="C2" s="1"><v>45000.5</v></c><c r="D2"><f>A1</f><v>12</v></c></row></sheetData><mergeCells><mergeCell ref="C2:C3"/></mergeCells></worksheet>',
  'xl/sharedStrings.xml':
    '<sst><si><t>orderOriginId</t></si><si><t xml:space="preserve">originId</t></si><si><r><t>O</t></r><r><t>-1</t></r></si></sst>',
  'xl/styles.xml':
    '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="0.00"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
  'xl/workbook.xml':
    '<workbook xmlns:r="r"><workbookPr date1904="0"/><sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    '<Relationships><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="t" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
};

/** Packs these parts as a workbook. An input replaces their texts, so that mutations are not rejected by checksums. */
function packed(input: Buffer, { isStored = true } = {}): Buffer {
  const texts = input.toString().split(partMark);
  const entries = Object.entries(sheetParts).map(([name, usual], index) => [name, texts[index] ?? usual]);
  return zip({ '[Content_Types].xml': '<Types/>', ...Object.fromEntries(entries) }, { isStored });
}

/** By the names of their corpus files. */
export const targets: Readonly<Record<string, Target>> = {
  csv: {
    seeds: [
      `${orderHeader}\nO-1,I-1,P-1,12900,Kim,2026-11-20,DELIVERED\nO-1,I-2,P-2,"1,000","a ""b""",,\n`,
      'orderOriginId;originId;productOriginId\r\nO-1;I-1;P-1\r\n',
      'orderOriginId\toriginId\tproductOriginId\nO-1\tI-1\tP-1\n',
      fixture('input/presets/cafe24-products.csv').subarray(0, 3_000),
    ],
    words: itemWords,
    sources: ['src/input/cells/', 'src/input/records/', 'src/input/mapping/presets/neutral'],
    syntax: syntaxes.csv,
    run: readingOf('input.csv', orderItemRecords),
  },
  json: {
    seeds: [
      '[{"originId":"P-1","name":"컵","categories":[{"originId":"C-1","isPrimary":true}],"image":{"url":"https://a.b/c"}}]',
      '{"originId":"P-1","name":"Cup"}\n{"originId":"P-2","name":"Mug","isAlimtalkEnabled":false}\n',
      '{"data":[{"originId":"P-1","name":"Cup"}]}',
    ],
    words: [
      '"originId"',
      '"name"',
      '"categories"',
      '"data"',
      '"isPrimary"',
      '"groupId"',
      'https://a.b/c.jpg',
    ],
    sources: ['src/input/records/', 'src/input/formats/json/'],
    syntax: syntaxes.json,
    run: readingOf('input.json', productRecords),
  },
  workbook: {
    seeds: [
      packed(Buffer.alloc(0)),
      packed(Buffer.alloc(0), { isStored: false }),
      fixture('workbooks/plain-orders.xlsx'),
    ],
    words: ['PK\u0001\u0002', 'PK\u0003\u0004', 'PK\u0005\u0006', 'xl/workbook.xml'],
    sources: ['src/input/formats/workbook/'],
    syntax: syntaxes.zip,
    run: readingOf('input.xlsx', orderItemRecords),
  },
  sheet: {
    seeds: [Object.values(sheetParts).join(partMark)],
    words: [
      '<row r="2">',
      '<c r="A2" t="s">',
      't="inlineStr"',
      '<v>',
      '</v>',
      '<is><t>',
      's="1"',
      'XFD1048576',
      '<f>',
    ],
    sources: ['src/input/formats/workbook/'],
    syntax: syntaxes.xml,
    run: (input) => readWorkbook(packed(input)),
  },
  html: {
    seeds: [
      '<html><meta charset="utf-8"><table><tr><th>orderOriginId<th>originId<th>productOriginId</tr>' +
        '<tr><td>O-1</td><td>I-1</td><td>P&amp;1<br>2</td></tr></table></html>',
    ],
    words: [
      '<table>',
      '</table>',
      '<tr>',
      '<td>',
      '</tr>',
      '<br>',
      'colspan="2"',
      '<!--',
      '&#x41;',
      '<script>',
    ],
    sources: ['src/input/formats/html'],
    syntax: syntaxes.xml,
    run: readingOf('input.xls', orderItemRecords),
  },
  reply: {
    seeds: [
      '{"totalCount":1,"data":[{"id":"1","rating":5,"createdAt":"2026-11-20T09:00:00Z"}],"pageInfo":{"hasNextPage":false,"endCursor":null}}',
      '{"id":"1","items":[{"id":"2","paidPrice":"6300","product":{"id":"3","categories":[]}}],"buyer":{"name":"Kim"}}',
      '[{"jobId":"1","status":"PENDING","entryOriginId":"a"}]',
      '{"detail":[{"loc":["body",0,"originId"],"msg":"missing","type":"missing"}]}',
    ],
    words: [
      '"id":',
      '"data":[',
      '"totalCount":',
      '"pageInfo":',
      '"items":',
      '"amount":',
      '"jobId":',
      '"detail":',
    ],
    sources: ['src/contract/resources', 'src/contract/validation'],
    syntax: syntaxes.json,
    run: decodeReplies,
  },
  webhook: {
    seeds: [
      '{"id":"1","amount":500,"status":"QUEUED","review":{"id":"2"},"order":{"id":"3","memberOriginId":"m"},"orderItem":null}',
    ],
    words: ['"id":', '"amount":', '"status":', '"order":', '"memberOriginId":', '"QUEUED"', '500.00'],
    sources: ['src/contract/resources', 'src/settle/webhook/verify'],
    syntax: syntaxes.json,
    run: async (input) => {
      const called = readReward(input);
      if (called !== undefined) claimedAmount(called);
    },
  },
};
