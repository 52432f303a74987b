import { productRecords } from '../../../input/records/record-kinds.ts';
import { inspectCommand } from '../../templates/push/inspect-command.ts';

export const command = inspectCommand(productRecords, [
  'reviewctl products inspect export.csv',
  "reviewctl products inspect export.csv --preset cafe24 --map 'originId=상품코드'",
]);
