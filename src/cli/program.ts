import { Command, CommanderError } from 'commander';
import { type ExitCode, exitCodes, Failure } from '../base/failure.ts';
import { version } from '../base/version.ts';
import { findFolders } from '../config/folders.ts';
import { readProfile } from '../config/profiles.ts';
import { environmentName, readProjectFile } from '../config/setting-sources.ts';
import { createNotices, type Notices } from '../output/notices.ts';
import { writeError } from '../output/streams.ts';
import type { CommandDefinition } from './command.ts';
import { commands, nouns } from './commands.ts';
import type { Context } from './context.ts';
import { declareFlags, readFlags, spellOut } from './flags.ts';
import { checkProjectNames } from './setting-names.ts';
import { noticeFlags } from './shared-flags.ts';

/** Exit codes any command may end with. */
const commonExitCodes: readonly ExitCode[] = [0, 1, 2, 130, 143];

/**
 * Runs the command that `argv` (without program names) asks for, and says on stderr what stopped it. Only the command that is
 * called is loaded. Never rejects.
 */
export async function runProgram(argv: readonly string[], context: Context): Promise<ExitCode> {
  let exitCode: ExitCode = 0;
  try {
    const called = calledCommand(asHelpFlag(argv));
    const definition = called === undefined ? undefined : await commands[called]?.load();
    const program = buildProgram(called, definition, context, async (command, found) => {
      exitCode = await runCommand(command, found, { argv, context });
    });
    await program.parseAsync(spellOut(asHelpFlag(argv), definition?.flags ?? {}), { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has written its message or the help itself.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return reportError(createNotices(context.streams, { format: 'text' }), error);
  }
}

function buildProgram(
  called: string | undefined,
  definition: CommandDefinition | undefined,
  context: Context,
  run: (command: Command, definition: CommandDefinition) => Promise<void>,
): Command {
  const program = configure(new Command('reviewctl'), context)
    .description('Push catalogs and orders, and read reviews and rewards, through the review admin API.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', overviewHelp());
  const groups = new Map<string, Command>();
  for (const [words, entry] of Object.entries(commands)) {
    const [noun = '', verb] = words.split(' ');
    const command = configure(new Command(verb ?? noun), context)
      .summary(entry.summary)
      .description(entry.summary);
    if (words === called && definition !== undefined) equip(command, definition, run);
    if (verb === undefined) {
      program.addCommand(command);
      continue;
    }
    let group = groups.get(noun);
    if (group === undefined) {
      group = configure(new Command(noun), context).description(nouns[noun] ?? noun);
      groups.set(noun, group);
      program.addCommand(group);
    }
    group.addCommand(command);
  }
  return program;
}

/** `help orders push` and `orders help push` as `orders push --help`. */
function asHelpFlag(argv: readonly string[]): readonly string[] {
  const at = argv.slice(0, 2).indexOf('help');
  const isOfGroup = at === 0 || (at === 1 && Object.hasOwn(nouns, argv[0] ?? ''));
  return isOfGroup ? [...argv.toSpliced(at, 1), '--help'] : argv;
}

/** The words of the command that is called. */
function calledCommand([noun = '', verb = '']: readonly string[]): string | undefined {
  return [`${noun} ${verb}`, noun].find((name) => Object.hasOwn(commands, name));
}

function configure(command: Command, { streams }: Context): Command {
  return command
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError('(add --help for what it takes)')
    .configureOutput({
      writeOut: (text) => streams.stdout.write(text),
      writeErr: (text) => writeError(streams, text),
      getOutHelpWidth: () => streams.columns,
      getErrHelpWidth: () => streams.errorColumns,
    });
}

function equip(
  command: Command,
  definition: CommandDefinition,
  run: (command: Command, definition: CommandDefinition) => Promise<void>,
): void {
  const flags = { ...definition.flags, ...noticeFlags };
  declareFlags(command, flags);
  for (const { term, help } of [definition.argument ?? []].flat()) command.argument(term, help);
  command.addHelpText('after', commandHelp(definition));
  command.action(() => run(command, definition));
}

async function runCommand(
  command: Command,
  definition: CommandDefinition,
  { argv, context }: { readonly argv: readonly string[]; readonly context: Context },
): Promise<ExitCode> {
  const typed = command.opts<Readonly<Record<string, unknown>>>();
  const secrets = new Set<string>();
  const isDebug = typed['debug'] === true;
  const notices = createNotices(context.streams, { format: noticeFormat(typed), secrets, isDebug });
  try {
    const project = readProjectFile(context.cwd);
    const wantedProfile = typed['profile'] ?? context.env[environmentName('profile')];
    const profile = await readProfile(
      findFolders(context.env),
      typeof wantedProfile === 'string' && wantedProfile !== '' ? wantedProfile : undefined,
    );
    const sources = { flags: typed, env: context.env, project, profile };
    const known = { ...definition.flags, ...noticeFlags };
    await checkProjectNames(project, known);
    const flags = readFlags(known, sources);
    return await definition.run({ context, argv, args: command.args, flags, notices, secrets, sources });
  } catch (error) {
    return reportError(notices, error);
  }
}

/** Whoever asked for JSON by name reads errors with a program too. */
function noticeFormat(typed: Readonly<Record<string, unknown>>): 'text' | 'json' {
  if (typed['logFormat'] === 'text' || typed['logFormat'] === 'json') return typed['logFormat'];
  return typed['output'] === 'json' || typed['output'] === 'ndjson' ? 'json' : 'text';
}

function reportError(notices: Notices, error: unknown): ExitCode {
  const failure = error instanceof Failure ? error : bugOf(error);
  notices.error(failure);
  return failure.exitCode;
}

/** Anything but a Failure is a mistake of this program. */
function bugOf(error: unknown): Failure {
  const failure = new Failure(
    'bug',
    `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    `this is a mistake in reviewctl ${version} (Node ${process.version}); please report the lines above`,
    { cause: error },
  );
  return failure;
}

function commandHelp({ examples, exitCodes: own }: CommandDefinition): string {
  const codes = [...new Set<ExitCode>([...commonExitCodes, ...own])].sort((a, b) => a - b);
  const lines = codes.map((code) => `  ${String(code).padEnd(4)} ${exitCodes[code]}`);
  return [
    '',
    'Examples:',
    ...examples.map((example) => `  $ ${example}`),
    '',
    'Every flag can also be set in the environment: --batch-size as REVIEWCTL_BATCH_SIZE.',
    '',
    'Exit codes:',
    ...lines,
  ].join('\n');
}

function overviewHelp(): string {
  return ['', 'New here? reviewctl demo shows the whole tool at work, on a service of its own.'].join('\n');
}
