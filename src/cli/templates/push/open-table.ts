import { recognize } from '../../../input/mapping/recognize.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Invocation } from '../../runtime/command.ts';
import { openFiles, showNotice, type TableFlagValues, tableOptions } from './input-options.ts';
import { findPassword, type PasswordFlags } from './workbook-password.ts';

/**
 * Opens the table in the file at `path`, or on standard input (`-`), and returns the options for reading it; announces
 * the sheet of a workbook. `what` names it in notices: `the results`. It is closed when the command has ended.
 */
export async function openTable(
  path: string,
  what: string,
  invocation: Invocation & { readonly flags: TableFlagValues & PasswordFlags },
): Promise<{ readonly file: InputFile; readonly options: Partial<InputOptions> }> {
  const { flags, notices } = invocation;
  const input = await openFiles(invocation, [path], what);
  const [file] = input.files;
  if (file === undefined) throw new Error('one file was opened');
  const options = { ...tableOptions(flags), ...(await findPassword(input, invocation)) };
  const { sheets } = await recognize(file, options);
  if (sheets?.notice !== undefined) showNotice(sheets.notice, notices);
  return { file, options };
}
