import { categoryRecords } from '../../../input/records/record-kinds.ts';
import { inspectCommand } from '../../templates/push/inspect-command.ts';

export const command = inspectCommand(categoryRecords, ['reviewctl categories inspect categories.csv']);
