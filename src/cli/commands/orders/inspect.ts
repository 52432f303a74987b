import { orderItemRecords } from '../../../input/records/record-kinds.ts';
import { inspectCommand } from '../../templates/push/inspect-command.ts';
import { warnOfUnsent } from './warn-of-unsent.ts';

export const command = inspectCommand(
  orderItemRecords,
  ['reviewctl orders inspect orders.csv', 'reviewctl orders inspect orders.xlsx -o json'],
  warnOfUnsent,
);
