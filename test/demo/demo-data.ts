import { parse } from 'csv-parse/sync';

/** A line of the data set in fixtures/online-retail. */
interface Line {
  readonly InvoiceNo: string;
  readonly StockCode: string;
  readonly Description: string;
  readonly Quantity: string;
  readonly InvoiceDate: string;
  readonly CustomerID: string;
}

/** Stock codes that stand for charges and corrections rather than goods. */
const chargeCodes: ReadonlySet<string> = new Set(['POST', 'D', 'C2', 'DOT', 'M']);

/** The files of fixtures/demo, derived from one day of a real shop. */
export function deriveDemoFiles(
  csv: string,
): Readonly<Record<'categories.csv' | 'products.csv' | 'orders.csv', string>> {
  const lines: readonly Line[] = parse(csv, { columns: true });
  // Negative quantities are returns and corrections: nobody ordered them.
  const ordered = lines.filter(({ Quantity }) => Number(Quantity) > 0);
  const products = productsOf(ordered);
  const categories = [...new Set(products.map(([, , category]) => category))].sort();
  return {
    'categories.csv': table(
      ['originId', 'name'],
      categories.map((code) => [code, code === 'charges' ? 'Charges' : `Range ${code}`]),
    ),
    'products.csv': table(['originId', 'name', 'categories'], products),
    'orders.csv': table(
      ['orderOriginId', 'originId', 'productOriginId', 'orderedAt', 'memberOriginId'],
      orderItemsOf(ordered),
    ),
  };
}

/** One product a stock code, under the first description it has, else under its code. */
function productsOf(lines: readonly Line[]): readonly (readonly [string, string, string])[] {
  const names = new Map<string, string>();
  for (const { StockCode, Description } of lines) {
    names.set(StockCode, names.get(StockCode) || Description.trim());
  }
  return [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, name]) => [code, name || code, categoryOf(code)]);
}

function categoryOf(code: string): string {
  return chargeCodes.has(code) ? 'charges' : code.slice(0, 2);
}

/** The data has no id for an item, so each gets its place within the order. Customers become members. */
function orderItemsOf(lines: readonly Line[]): readonly (readonly string[])[] {
  const counts = new Map<string, number>();
  return lines.map(({ InvoiceNo, StockCode, InvoiceDate, CustomerID }) => {
    const count = (counts.get(InvoiceNo) ?? 0) + 1;
    counts.set(InvoiceNo, count);
    // `17850.0` is what a spreadsheet made of 17850.
    return [InvoiceNo, `${InvoiceNo}-${count}`, StockCode, InvoiceDate, CustomerID.replace(/\.0$/, '')];
  });
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('');
}

function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
