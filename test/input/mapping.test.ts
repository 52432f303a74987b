import { describe, expect, it } from 'vitest';
import type { InputOptions } from '../../src/input/records/options.ts';
import { categoryRecords, orderItemRecords, productRecords } from '../../src/input/records/record-kinds.ts';
import { read, recordsOf } from './reading.ts';
import { oneSheet, workbook } from './write-xlsx.ts';

describe('a column is found by its name', () => {
  it.each([
    ['exactly', 'originId,groupName'],
    ['without regard to case, blanks and underscores', 'ORIGIN_ID,Group Name'],
    ['without one parenthesis at its end', 'originId(KR),groupName (한국어)'],
    ['composed', 'originId,groupName'.normalize('NFD')],
    ['trimmed', ' originId , groupName '],
  ])('%s', async (_name, header) => {
    expect(await recordsOf(productRecords, `${header}\n1,a\n`)).toEqual([{ originId: '1', groupName: 'a' }]);
  });

  it('exactly before any other likeness', async () => {
    expect(await recordsOf(productRecords, 'originId,name (KR),name\n1,a,b\n')).toEqual([
      { originId: '1', name: 'b' },
    ]);
  });

  it('and leaves the choice where two differ in their spelling alone', async () => {
    const content = 'originId,Name,name\n1,a,b\n';
    const { problems } = await read(productRecords, content);
    const remedy = expect.stringMatching(/--map name=Name\n--map name=name$/);
    expect(problems).toMatchObject([{ line: 1, code: 'ambiguous-columns', remedy }]);
    expect(await recordsOf(productRecords, content, { map: ['name=Name'] })).toEqual([
      { originId: '1', name: 'a' },
    ]);
  });

  it('without the invisible characters in it', async () => {
    expect(await recordsOf(productRecords, '\u200boriginId,na\u200bme\n1,a\n')).toEqual([
      { originId: '1', name: 'a' },
    ]);
  });

  it('and proposes no mark with which a mail quotes every line', async () => {
    const { problems } = await read(productRecords, '> originId,name\n> P1,a\n> P2,b\n');
    expect(problems).toContainEqual(expect.objectContaining({ line: 1, code: 'quoted-mail' }));
    expect(problems.map(({ remedy }) => remedy).join()).not.toContain('--map');
  });

  it('and --map compares in the same way', async () => {
    expect(
      await recordsOf(productRecords, '상품_코드(KR),b\n1,x\n', { map: ['originId=상품 코드'] }),
    ).toEqual([{ originId: '1' }]);
  });

  it('a name that stands twice is a problem only where it is needed', async () => {
    expect(await recordsOf(productRecords, 'originId,x,x\n1,a,b\n')).toEqual([{ originId: '1' }]);
    const { problems } = await read(productRecords, 'originId,x,x\n1,a,b\n', { map: ['name=x'] });
    expect(problems).toMatchObject([{ line: 1, column: 'x', code: 'duplicate-header' }]);
  });
});

describe('--map and --set', () => {
  const content = 'originId,name,Code,Text\n1,a,C-1,\n2,b,C-2,t {n}\n';
  const mapped = (options: Partial<InputOptions>) => recordsOf(productRecords, content, options);

  it('--set goes before --map, --map before the column of the name', async () => {
    expect(await mapped({ map: ['originId=Code'] })).toMatchObject([
      { originId: 'C-1' },
      { originId: 'C-2' },
    ]);
    expect(await mapped({ map: ['name=Code'], set: ['name=fixed'] })).toMatchObject([
      { name: 'fixed' },
      { name: 'fixed' },
    ]);
  });

  it('a formula that keeps Excel from changing text is no part of it, in any field and template', async () => {
    const file = 'a,b,c\n"=""007""","=""1,900"" ",x\n"=""1 """"A""""""","=""""",x\n';
    const map = ['orderOriginId=a', 'originId={a}-{c}', 'productOriginId={a|b}', 'paidPrice=b'];
    expect(await recordsOf(orderItemRecords, file, { map })).toEqual([
      { orderOriginId: '007', originId: '007-x', productOriginId: '007', paidPrice: '1900' },
      { orderOriginId: '1 "A"', originId: '1 "A"-x', productOriginId: '1 "A"' },
    ]);
  });

  it('the last of several for one field counts', async () => {
    expect(await mapped({ map: ['name=Text', 'name=Code'] })).toMatchObject([
      { name: 'C-1' },
      { name: 'C-2' },
    ]);
  });

  it('what is set is read as a cell is', async () => {
    expect(await mapped({ set: ['isReviewDisabled=Y'] })).toMatchObject([
      { isReviewDisabled: true },
      { isReviewDisabled: true },
    ]);
  });

  it('a template joins columns and text', async () => {
    expect(await mapped({ map: ['name={Code} {name}'] })).toMatchObject([
      { name: 'C-1 a' },
      { name: 'C-2 b' },
    ]);
    expect(await mapped({ map: ['name=[{Code}] {name}'] })).toMatchObject([
      { name: '[C-1] a' },
      { name: '[C-2] b' },
    ]);
  });

  it('a template in which a column is blank is blank', async () => {
    expect(await mapped({ map: ['name={Code}-{Text}'] })).toEqual([
      { originId: '1' },
      { originId: '2', name: 'C-2-t {n}' },
    ]);
  });

  it('a template takes the first column that is not blank', async () => {
    expect(await mapped({ map: ['name={Text|Code}'] })).toMatchObject([{ name: 'C-1' }, { name: 't {n}' }]);
  });

  it('doubled braces are braces', async () => {
    expect(await mapped({ map: ['name={{{Code}}}'] })).toMatchObject([{ name: '{C-1}' }, { name: '{C-2}' }]);
  });
});

describe('a mapping that is written wrongly is a mistake of the command line', () => {
  it.each([
    [{ map: ['nam=Code'] }, "products have no field 'nam'", 'did you mean name?'],
    [{ set: ['orginId=1'] }, "products have no field 'orginId'", 'did you mean originId?'],
    [{ map: ['name={Code'] }, 'an unmatched brace', '{{ and }}'],
    [{ map: ['originId={Code}-{n}'] }, '{n} numbers the items of an order', 'columns of the file'],
    [
      { map: ['상품코드=originId'] },
      "products have no field '상품코드'",
      "the field comes first: --map 'originId=상품코드'",
    ],
  ])('%j', async (options, message, hint) => {
    await expect(read(productRecords, 'originId,Code\n1,a\n', options)).rejects.toMatchObject({
      kind: 'usage',
      exitCode: 2,
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });
});

describe('a header that does not fit is a problem, and no row below it is looked at', () => {
  const reason = "there is no column 'Cod'";
  const remedy = "did you mean 'Code'? the columns are originId, Code";

  it.each(['name=Cod', 'name={Code|Cod}'])('--map %s', async (map) => {
    const { problems, count, notices } = await read(productRecords, 'originId,Code\n1,a\n', { map: [map] });
    expect(notices).toEqual([]);
    expect(problems).toEqual([{ file: 'input', line: 1, code: 'no-such-column', reason, remedy }]);
    expect(count).toBe(0);
  });

  it('of a mapping that a setting may hold, with the way around it', async () => {
    const { problems } = await read(orderItemRecords, 'a\n1\n', { map: ['originId=주문번호'] });
    expect(problems[0]?.remedy).toMatch(
      /^if a setting maps it, -c map= ignores this setting; the only column is a;/,
    );
  });

  it('for fields that every record needs: all at once, with the columns there are', async () => {
    const { problems } = await read(orderItemRecords, 'orderOrigin,₩,x\n1,2,a\n');
    expect(problems).toEqual([
      {
        file: 'input',
        line: 1,
        code: 'missing-columns',
        reason: 'no columns for orderOriginId, originId, productOriginId, which orders need',
        remedy:
          'name them with --map orderOriginId=orderOrigin --map originId=HEADER --map productOriginId=HEADER; the columns are orderOrigin, ₩, x',
      },
    ]);
  });

  it('unless it is a title above the header, which is found', async () => {
    const rows = [
      ['주문 정보', null, '상품 정보'],
      ['주문번호', '품목주문번호', '상품코드'],
      ['O', 'I', 'P'],
    ];
    const files = { 'o.xlsx': oneSheet(rows) };
    const { problems } = await read(orderItemRecords, files);
    expect(problems).toMatchObject([
      { line: 1, code: 'missing-columns', remedy: 'line 2 looks like the header; add --header-row 2' },
    ]);
    expect(await read(orderItemRecords, files, { headerRow: 2 })).toMatchObject({ problems: [], count: 1 });
  });

  it('is told for every file', async () => {
    const { problems } = await read(categoryRecords, {
      'a.csv': 'origin,name\n1,a\n',
      'b.csv': 'originId,label\n1,a\n',
      'c.csv': 'originId,name,name\n1,a,b\n',
    });
    expect(problems).toMatchObject([
      { file: 'a.csv', reason: 'no column for originId, which categories need' },
      { file: 'b.csv', reason: 'no column for name, which categories need' },
      { file: 'c.csv', column: 'name', code: 'duplicate-header' },
    ]);
  });
});

describe('a file without rows', () => {
  it.each([
    ['', 'p.csv is empty', undefined],
    ['\n\r\n \n', 'p.csv is empty', undefined],
    ['\ufeff', 'p.csv is empty', undefined],
    ['[]', 'p.csv is empty', undefined],
    ['originId,name\n', 'p.csv has a header but no rows', undefined],
    ['originId,name', 'p.csv has a header but no rows', undefined],
    [
      'originI',
      'p.csv has a header but no rows; with rows it would be refused: no column for originId, which products need',
      expect.stringContaining('--map'),
    ],
  ])('%j is named and stops nothing', async (content, message, hint) => {
    const { problems, notices } = await read(productRecords, {
      'p.csv': content,
      'q.csv': 'originId\n1\n',
    });
    const told = notices.map((notice) => ({ ...notice, message: notice.message.split('/').at(-1) }));
    expect({ problems, told }).toMatchObject({ problems: [], told: [{ message, ...(hint && { hint }) }] });
  });

  it.each([
    ['has only a header', [['originId', 'name']], 'input has a header but no rows'],
    ['is empty', [], 'input is empty'],
  ])(
    'of a workbook is named as well, with another sheet if there is one: %s',
    async (_case, rows, message) => {
      const alone = await read(productRecords, oneSheet(rows));
      const [, ofOne] = alone.notices;
      expect(ofOne).toEqual({ code: expect.any(String), message: expect.stringMatching(`/${message}$`) });
      const sheets = ['A', 'B'].map((name) => ({ name, rows }));
      const [, ofTwo] = (await read(productRecords, workbook(sheets))).notices;
      expect(ofTwo).toMatchObject({
        message: expect.stringMatching(`^the sheet to read in .*/${message}$`),
        hint: expect.stringContaining('--sheet 2'),
      });
    },
  );
});

describe('a column of a known name', () => {
  it.each(['product_id', 'Product ID', 'sku'])('of products: %s', async (id) => {
    const records = await recordsOf(productRecords, `${id},name\na,b\n`);
    expect(records).toEqual([{ originId: 'a', name: 'b' }]);
  });

  it.each([
    'InvoiceNo,order_item_id,product_id',
    'invoice_no,Order Item ID,sku',
    'Invoice No,ORDER_ITEM_ID,SKU',
  ])('of orders: %s', async (header) => {
    expect(await recordsOf(orderItemRecords, `${header}\na,b,c\n`)).toEqual([
      { orderOriginId: 'a', originId: 'b', productOriginId: 'c' },
    ]);
  });

  it('is chosen among others by nobody but the user', async () => {
    const { problems } = await read(productRecords, 'product_id,sku\na,b\n');
    expect(problems).toMatchObject([{ code: 'ambiguous-columns' }]);
  });

  it('for an invoice gives way to the number of the order', async () => {
    const file = 'order_id,invoice_no,order_item_id,product_id\nO,W,I,P\n';
    expect(await recordsOf(orderItemRecords, file)).toMatchObject([{ orderOriginId: 'O' }]);
  });

  it.each([
    ['memberOriginId,originId,productOriginId', 'orderOriginId'],
    ['member_id,originId,productOriginId', 'orderOriginId'],
    ['orderOriginId,productOriginId,status', 'originId'],
  ])('is never proposed for another field: %s', async (header, path) => {
    const { problems } = await read(orderItemRecords, `${header}\na,b,c\n`);
    expect(problems).toMatchObject([{ code: 'missing-columns' }]);
    expect(problems[0]?.remedy).toMatch(new RegExp(`--map '?${path}=(?:HEADER|\\{)`));
  });

  it('is not proposed for a mapping of another field, nor as a column that was perhaps meant', async () => {
    const file = 'originId,productOriginId,memberOriginId\na,b,c\n';
    const { problems } = await read(orderItemRecords, file, { map: ['orderOriginId=emberOriginId'] });
    expect(problems[0]?.remedy).not.toContain('did you mean');
    const { notices } = await read(productRecords, 'originId,order_id\na,b\n');
    expect(notices).toEqual([{ code: 'unknown-columns', message: 'columns not used: order_id' }]);
  });
});

describe('a column that is not used', () => {
  it('is named once for all files, with the field it may have meant', async () => {
    const file = 'originId,nmae,weight\n';
    const { notices } = await read(productRecords, { 'a.csv': `${file}1,a,b\n`, 'b.csv': `${file}2,a,b\n` });
    expect(notices).toEqual([
      {
        code: 'unknown-columns',
        message: 'columns not used: nmae, weight',
        hint: 'did you mean name? --map name=nmae',
      },
    ]);
  });

  it('is no other name of a field that has a column', async () => {
    const { notices } = await read(productRecords, 'originId,name,nmae\n1,a,b\n');
    expect(notices).toEqual([{ code: 'unknown-columns', message: 'columns not used: nmae' }]);
  });
});

it('the fields of an input are those that a record has a value for, in any file and by any flag', async () => {
  const start = 'orderOriginId,originId,productOriginId';
  const { fields } = await read(
    orderItemRecords,
    {
      'a.csv': `${start},paidPrice,buyer.name,status\nO,a,P,1,,\n`,
      'b.csv': `${start},buyer.name,buyer.email\nO,b,P,Kim,\n`,
    },
    { set: ['memberOriginId=M'] },
  );
  expect(fields).toEqual([
    'orderOriginId',
    'originId',
    'productOriginId',
    'paidPrice',
    'memberOriginId',
    'buyer.name',
  ]);
});

describe('the null word', () => {
  const content = 'orderOriginId,originId,productOriginId,alimtalkTemplateCode,memberOriginId\n';
  const row = 'O,a,P';

  it('is null where the document has null', async () => {
    const records = await recordsOf(orderItemRecords, `${content}${row}, NULL ,\n`, { nullWord: 'NULL' });
    expect(records).toEqual([
      { orderOriginId: 'O', originId: 'a', productOriginId: 'P', alimtalkTemplateCode: null },
    ]);
  });

  it('is a problem elsewhere', async () => {
    const { problems } = await read(orderItemRecords, `${content}${row},,NULL\n`, { nullWord: 'NULL' });
    expect(problems).toMatchObject([{ column: 'memberOriginId', value: 'NULL', code: 'not-nullable' }]);
  });

  it('is a word of a program unless it is named, and sent only where that is allowed', async () => {
    const file = `${content}${row},NULL,\n`;
    const { problems } = await read(orderItemRecords, file);
    expect(problems).toMatchObject([
      { code: 'null-word', remedy: expect.stringContaining('the setting null-word') },
    ]);
    const [record] = await recordsOf(orderItemRecords, file, { allow: ['null-words'] });
    expect(record?.alimtalkTemplateCode).toBe('NULL');
  });
});

describe('names that shops use are known, wherever no more usual one is there', () => {
  const product = { originId: 'P1', name: '크림' };
  it.each([
    ...['품번', '품목코드', '제품코드', '상품ID', '판매자상품코드', '바코드'].map(
      (id) => [id, '상품명'] as const,
    ),
    ...['제품명', '품명', '품목명', '상품이름', '모델명', 'Product Name', 'Product'].map(
      (name) => ['상품코드', name] as const,
    ),
  ])('products by %s and %s', async (id, name) => {
    expect(await recordsOf(productRecords, `${id},${name}\nP1,크림\n`)).toEqual([product]);
  });

  it('and the more usual one is read where a file has both', async () => {
    const content = '바코드,품번,모델명,제품명,상품명,상품코드\n880,A,M-1,B,크림,P1\n';
    expect(await recordsOf(productRecords, content)).toEqual([product]);
  });

  it.each(['주문코드', '주문서번호', 'order_number'])('orders by %s', async (order) => {
    for (const member of ['회원ID', '아이디', '고객ID', '고객번호']) {
      const content = `${order},상품주문번호,상품코드,${member}\nO1,I1,P1,m1\n`;
      const record = { orderOriginId: 'O1', originId: 'I1', productOriginId: 'P1', memberOriginId: 'm1' };
      expect(await recordsOf(orderItemRecords, content)).toEqual([record]);
    }
  });

  it.each(['썸네일', '사진'])('images by %s, if they are addresses', async (image) => {
    const content = (url: string) => `상품코드,상품명,${image}\nP1,크림,${url}\n`;
    const imageUrl = 'https://a.example/1.jpg';
    expect(await recordsOf(productRecords, content(imageUrl))).toEqual([{ ...product, imageUrl }]);
    expect(await recordsOf(productRecords, content('Y'))).toEqual([product]);
  });

  it('categories by 분류코드', async () => {
    const record = { originId: 'C1', name: '화장품' };
    expect(await recordsOf(categoryRecords, '분류코드,분류명\nC1,화장품\n')).toEqual([record]);
  });
});
