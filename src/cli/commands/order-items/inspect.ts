import { orderItemUpdateRecords } from '../../../input/records/record-kinds.ts';
import { inspectCommand } from '../../templates/push/inspect-command.ts';

export const command = inspectCommand(orderItemUpdateRecords, [
  'reviewctl order-items inspect delivered.csv',
  'reviewctl order-items inspect orders.csv --set status=DELIVERED',
]);
