import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';

/** A CSV file of `count` order items, four per order, numbered from `first`. */
export function orderItemsFile(folder, count, first = 0) {
  return writeLines(
    join(folder, `items-${first}-${count}.csv`),
    'orderOriginId,originId,productOriginId',
    count,
    (n) => {
      const number = first + n;
      const order = `20261101-${1_000_000 + (number >> 2)}`;
      return `${order},${order}-${number & 3},P-${number % 977}`;
    },
  );
}

/** A CSV file of `count` products. */
export function productsFile(folder, count) {
  return writeLines(join(folder, `products-${count}.csv`), 'originId,name,imageUrl', count, (number) => {
    return `B-${number},프리미엄 수분 크림 50ml,https://img.example/${number}.jpg`;
  });
}

/** Writes the file atomically, unless an earlier row has. */
async function writeLines(path, header, count, lineOf) {
  if (existsSync(path)) return path;
  const stream = createWriteStream(`${path}.part`);
  stream.write(`${header}\n`);
  for (let start = 0; start < count; start += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - start) }, (_, index) => lineOf(start + index));
    if (!stream.write(`${lines.join('\n')}\n`)) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
  renameSync(`${path}.part`, path);
  return path;
}
