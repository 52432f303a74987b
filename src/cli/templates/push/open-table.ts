import { recognize } from '../../../input/mapping/recognize.ts';
import type { InputFile } from '../../../input/open/input-file.ts';
import { openInput } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import type { Invocation } from '../../runtime/command.ts';
import { standardInput } from '../../runtime/standard-input.ts';
import { showNotice, type TableFlagValues, tableOptions } from './input-options.ts';
import { findPassword, type PasswordFlags } from './workbook-password.ts';

/**
 * The table that a person wrote to the file at `path`, or passes on standard input (`-`), and how it is read; announces
 * the sheet of a workbook. `what` is for a terminal: `the results`. It is closed when the command has ended.
 */
export async function openTable(
  path: string,
  what: string,
  invocation: Invocation & { readonly flags: TableFlagValues & PasswordFlags },
): Promise<{ readonly file: InputFile; readonly options: Partial<InputOptions> }> {
  const { context, flags, notices } = invocation;
  const { stopping } = context;
  const stdin = path === '-' ? standardInput(invocation, what) : context.stdin;
  const input = await openInput([path], { stdin, stopping, isReadAgain: true });
  invocation.defer(() => input.close());
  const [file] = input.files;
  if (file === undefined) throw new Error('one file was opened');
  const options = { ...tableOptions(flags), ...(await findPassword(input, invocation)) };
  const { sheets } = await recognize(file, options);
  if (sheets?.notice !== undefined) showNotice(sheets.notice, notices);
  return { file, options };
}
