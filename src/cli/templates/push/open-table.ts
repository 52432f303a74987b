import { recognize } from '../../../input/mapping/recognize.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { FlagSet } from '../../flags/flags.ts';
import type { Invocation } from '../../runtime/command.ts';
import { showNotice, type TableFlagValues, tableOptions } from './input-options.ts';
import { findPassword, type PasswordFlags } from './workbook-password.ts';

/** The read options of a file that holds no records, from the flags; announces the sheet of a workbook. */
export async function openTable(
  input: InputFiles,
  invocation: Pick<Invocation<FlagSet>, 'context' | 'secrets' | 'notices'> & {
    readonly flags: TableFlagValues & PasswordFlags;
  },
): Promise<Partial<InputOptions>> {
  const options = { ...tableOptions(invocation.flags), ...(await findPassword(input, invocation)) };
  for (const file of input.files) {
    const { sheets } = await recognize(file, options);
    if (sheets?.notice !== undefined) showNotice(sheets.notice, invocation.notices);
  }
  return options;
}
