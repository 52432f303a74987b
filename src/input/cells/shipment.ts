import type { Json } from '../../base/json.ts';
import { isRefusal, type Refusal, refuse } from '../records/cell.ts';
import { comparisonKey } from '../records/headers.ts';
import { readId, withoutApostrophe } from './id.ts';

/**
 * Codes of common carriers in Korean tracking services, with the names that exports use. The API document defines no
 * codes, so `-c carriers=NAME=CODE` overrides this table.
 */
const namesOfCarriers: Readonly<Record<string, readonly string[]>> = {
  '01': ['우체국택배', '우체국', '우편등기', '등기우편', '우체국등기', 'EPOST'],
  '04': ['CJ대한통운', 'CJ대한통운택배', '대한통운', '대한통운택배', 'CJ택배', 'CJ', 'CJGLS', 'CJ Logistics'],
  '05': ['한진택배', '한진', 'HANJIN'],
  '06': ['로젠택배', '로젠', 'KGB', 'LOGEN'],
  '08': ['롯데택배', '롯데', '롯데글로벌로지스', '현대택배', '롯데(구현대)택배', 'LOTTE', 'HYUNDAI'],
  // API 2, shipment: the carrier of deliveries without one is `self`.
  self: ['자체배송', '직접배송', '방문수령', '직접전달', '매장픽업', '퀵서비스', 'self'],
};

const knownCarriers: ReadonlyMap<string, string> = new Map(
  Object.entries(namesOfCarriers).flatMap(([code, names]) =>
    names.map((name) => [keyOf(name), code] as const),
  ),
);

/**
 * Creates a parser of carriers: a known name becomes its code, an unknown one is kept. The `name=code` pairs `given`
 * override the table.
 */
export function carrierReader(given: readonly string[] = []): (cell: Json) => string | Refusal {
  const carriers = new Map(knownCarriers);
  for (const pair of given) {
    const at = pair.indexOf('=');
    carriers.set(keyOf(pair.slice(0, at)), pair.slice(at + 1).trim());
  }
  return (cell) => {
    const written = readId(cell);
    if (isRefusal(written)) return written;
    if (/^\d{9,}$/.test(written.replaceAll('-', ''))) return notACarrier;
    return carriers.get(keyOf(written)) ?? written;
  };
}

function keyOf(name: string): string {
  return comparisonKey(name.replace(/\(주\)|㈜|주식회사/g, ''));
}

const longestTrackingNumber = 40;

/**
 * Parses a tracking number and removes separators between digits: `6933-4061-8584` becomes `693340618584`. Refuses
 * words, such as the delivery messages that some exports have in this column.
 */
export function readTrackingNumber(cell: Json): string | Refusal {
  const number = readId(withoutApostrophe(cell));
  if (isRefusal(number)) return number.code === 'id-control-character' ? notATrackingNumber : number;
  if (/^[\s-]*\d[\d\s-]*$/.test(number)) return number.replace(/[\s-]/g, '');
  const isCode = /^[A-Za-z\d-]+$/.test(number) && /\d/.test(number);
  return isCode && number.length <= longestTrackingNumber ? number : notATrackingNumber;
}

const notACarrier = refuse(
  'not-a-carrier',
  'this is a long number, not a carrier: perhaps a tracking number',
  'check whether the columns of carrier and tracking number are swapped, or leave the cell blank',
);
const notATrackingNumber = refuse(
  'not-a-tracking-number',
  'this is not a tracking number: perhaps a delivery message',
  'leave the cell blank, or check that the right column is mapped',
);
