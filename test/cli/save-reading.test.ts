import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlace } from './open-place.ts';
import { cleanEnvironment, expectEnd, temporaryFolder } from './run-cli.ts';
import { runInProcess } from './run-program.ts';

test('what inspect was told to keep is how files of that kind are read from then on, and no others', async () => {
  const { run, write, folder } = await openPlace();
  write('orders.csv', ['Nr,Thing', 'O-1,P-1', 'O-1,P-2']);
  write('products.csv', ['originId,name', 'P-1,Cup']);
  const flags = '--map orderOriginId=Nr --map originId={Nr}-{n} --map productOriginId=Thing';
  expect(await run(`orders inspect orders.csv ${flags} --save -o none`)).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'stored in profile default for all orders files: orders.map\n',
  });
  const config = join(folder, 'config', 'config.json');
  expect(statSync(config).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'config')).mode & 0o777).toBe(0o700);
  expect(JSON.parse(readFileSync(config, 'utf8'))).toEqual({
    profiles: {
      default: { 'orders.map': ['orderOriginId=Nr', 'originId={Nr}-{n}', 'productOriginId=Thing'] },
    },
  });

  expect(await run('orders push orders.csv -o ids')).toMatchObject({
    exitCode: 0,
    stdout: 'O-1-1\nO-1-2\n',
  });
  expect(await run('products push products.csv -o ids')).toMatchObject({
    exitCode: 0,
    stdout: 'P-1\n',
  });
});

test('every flag and setting by which files are read is kept, and reads them the same way', async () => {
  const folder = temporaryFolder();
  const env = cleanEnvironment(folder);
  const header = 'orderOriginId;Item;productOriginId;paidPrice;shipment.companyCode;shipment.deliveredAt';
  const text = `Lieferungen für heute\n${header}\nO1;I1;P1;19,90;Froschpost;24.11.2026\n`;
  writeFileSync(join(folder, 'items.csv'), Buffer.from(text, 'latin1'));
  const inspect = (flags: string) =>
    runInProcess(`order-items inspect items.csv ${flags} -o json`, { env, cwd: folder });
  const given = {
    '--format': 'csv',
    '--encoding': 'windows-1252',
    '--delimiter': ';',
    '--header-row': '2',
    '--map': 'originId=Item',
    '-c carriers': 'Froschpost=FROG',
    '-c time-zone': '+01:00',
    '-c decimal': 'comma',
    '-c date-order': 'dmy',
    '-c null-word': '-',
    '-c open-status': 'refuse',
  };
  const flags = Object.entries(given).map(([flag, value]) => `${flag}=${value}`);
  const first = expectEnd(await inspect(`${flags.join(' ')} --save`), 0, /stored in profile default/);
  const again = expectEnd(await inspect(''), 0);
  expect(JSON.parse(again.stdout)).toEqual(JSON.parse(first.stdout));
  expect(JSON.parse(again.stdout)).toMatchObject({
    first: [
      {
        line: 3,
        record: {
          originId: 'I1',
          paidPrice: '19.9',
          shipment: { companyCode: 'FROG', deliveredAt: '2026-11-24T00:00:00+01:00' },
        },
      },
    ],
  });
});

test('a reading that is not settled is not kept', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'orders.csv'), 'Nr,Thing\nO-1,P-1\n');
  const env = cleanEnvironment(folder);
  expectEnd(
    await runInProcess('orders inspect orders.csv --save -o none', {
      env,
      cwd: folder,
    }),
    3,
    'nothing was stored',
  );
});
