import { Command, type Option } from 'commander';
import { nearestName } from '../../base/nearest-name.ts';

/** What is wrong with a command line, as data. */
export interface UsageFault {
  readonly message: string;
  /** The option that the command does not have, as typed. */
  readonly unknownOption?: string;
  /** The name that was probably meant. */
  readonly nearest?: string | undefined;
}

/** Thrown in place of the sentences of commander. */
export class UsageFaultError extends Error {
  readonly fault: UsageFault;
  /** The flags read before the fault. */
  readonly typed: Readonly<Record<string, unknown>>;

  constructor(fault: UsageFault, typed: Readonly<Record<string, unknown>>) {
    super(fault.message);
    this.fault = fault;
    this.typed = typed;
  }
}

/** A command that commander reads. Commander calls each of these methods where a command line makes no sense. */
export class CheckedCommand extends Command {
  unknownOption(flag: string): never {
    const message = `unknown option '${flag}'`;
    const nearest = flag.startsWith('--')
      ? nearestName(flag.split('=')[0] ?? '', this.#longOptions(), withoutDashes)
      : undefined;
    return this.#refuse({ message, unknownOption: flag, nearest });
  }

  unknownCommand(): never {
    const [name = ''] = this.args;
    const names = this.commands.map((command) => command.name());
    return this.#refuse({ message: `unknown command '${name}'`, nearest: nearestName(name, names) });
  }

  missingArgument(name: string): never {
    return this.#refuse({ message: `missing required argument '${name}'` });
  }

  optionMissingArgument({ flags }: Option): never {
    return this.#refuse({ message: `option '${flags}' argument missing` });
  }

  _excessArguments({ length }: readonly string[]): void {
    const expected = this.registeredArguments.length;
    if (length <= expected) return;
    const expectedText = `Expected ${expected} argument${expected === 1 ? '' : 's'}`;
    this.#refuse({
      message: `too many arguments for '${this.name()}'. ${expectedText} but got ${length}.`,
    });
  }

  #longOptions(): readonly string[] {
    return this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long ?? []);
  }

  #refuse(fault: UsageFault): never {
    throw new UsageFaultError(fault, this.opts());
  }
}

function withoutDashes(flag: string): string {
  return flag.replace(/^--/, '').toLowerCase();
}
