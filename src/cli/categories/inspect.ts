import { categoryRecords } from '../../input/record-kinds.ts';
import { inspectCommand } from '../inspect-command.ts';

export const categoriesInspect = inspectCommand(categoryRecords, [
  'reviewctl categories inspect categories.csv',
]);
