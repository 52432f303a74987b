import { categoryRecords } from '../../input/records/record-kinds.ts';
import { inspectCommand } from '../push-frame/inspect-command.ts';

export const categoriesInspect = inspectCommand(categoryRecords, [
  'reviewctl categories inspect categories.csv',
]);
