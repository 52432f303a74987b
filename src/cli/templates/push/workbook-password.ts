import { Failure, messageOf } from '../../../base/failure.ts';
import { readFileOrGiven } from '../../../base/regular-file.ts';
import { isProtected } from '../../../input/formats/sniff.ts';
import type { InputFiles } from '../../../input/open/open.ts';
import type { InputOptions } from '../../../input/records/options.ts';
import { askHidden, canAsk } from '../../runtime/ask.ts';
import type { Context, Invocation } from '../../runtime/command.ts';

export interface PasswordFlags {
  readonly workbookPasswordFile?: string | undefined;
  readonly noInput?: boolean;
}

/**
 * The password of the workbooks in the input: from the setting workbook-password-file, else typed at the terminal if a
 * workbook is protected. Without one, reading fails with an explanation.
 * @throws Failure('unreadable-path') for the file; as `askHidden`.
 */
export async function findPassword(
  { files }: InputFiles,
  { context, flags, secrets }: Invocation & { readonly flags: PasswordFlags },
): Promise<Pick<InputOptions, 'password'>> {
  const { workbookPasswordFile, noInput = false } = flags;
  let password = '';
  if (workbookPasswordFile !== undefined) password = await passwordIn(workbookPasswordFile, context.stopping);
  else if (!noInput && canAsk(context)) password = await askedPassword(files, context);
  if (password === '') return {};
  secrets.add(password);
  return { password };
}

/** The password typed for the first protected workbook; empty without one. */
async function askedPassword(files: InputFiles['files'], context: Context): Promise<string> {
  for (const file of files)
    if (await isProtected(file)) return askHidden(`password of ${file.shownAs} (not shown)`, context);
  return '';
}

/** The first line of the file, because editors append a line end. */
async function passwordIn(path: string, stopping: AbortSignal): Promise<string> {
  try {
    return /^[^\r\n]*/.exec(await readFileOrGiven(path, stopping))?.[0] ?? '';
  } catch (error) {
    stopping.throwIfAborted();
    const message = `the password file ${path} cannot be read: ${messageOf(error)}`;
    throw new Failure('unreadable-path', message, 'check the setting workbook-password-file');
  }
}
