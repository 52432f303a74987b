import { Failure, type FailureKind } from '../../base/failure.ts';
import { type HintText, hint, reviewctl } from '../../base/hint.ts';
import { shellWord } from '../../base/shell-word.ts';
import { isPostgresUrl, placeFlag } from '../sql/postgres-address.ts';

const ledgerKinds: ReadonlySet<FailureKind> = new Set(['ledger', 'unwritable-path', 'unreachable-state']);

/** True for a failure of a ledger, its disk or its server. Nothing is written until it is reopened. */
export function isLedgerFailure(error: unknown): error is Failure {
  return error instanceof Failure && ledgerKinds.has(error.kind);
}

/** The part of a hint that explains how to restore a lost or damaged ledger. */
export function restoreHint(path: string): HintText {
  if (isPostgresUrl(path)) {
    return hint`restore its schema from the newest backup of the server, then see ${reviewctl`ledger verify`}`;
  }
  const file = shellWord(path);
  return hint`put the newest backup in its place (rm -f ${shellWord(`${path}-wal`)} ${shellWord(`${path}-shm`)}
    && cp -p BACKUP ${file}), then see \`${reviewctl`ledger verify`}\``;
}

/** The failure for a ledger whose format this version cannot read. */
export function otherFormat(path: string, found: number, format: number): Failure {
  const away = isPostgresUrl(path) ? 'rename its schema' : 'move the file away';
  return new Failure(
    'ledger',
    `the ledger ${path} has format ${found}; this version reads only format ${format}`,
    found > format
      ? 'use the version of reviewctl that wrote it, or a later one'
      : hint`use the version of reviewctl that wrote it; or ${away}, and begin a new one with the rewards already paid:
          ${reviewctl`ledger init --replace-lost --already-paid FILE`}`,
  );
}

/** The command that adds another address of its service to an up-to-date ledger. */
export function completeCommand(path: string, origin: string): HintText {
  return reviewctl`ledger accept --complete ${placeFlag(path)} -c base-url=${origin}`;
}

/** The failure for a write to a ledger that is moving or has moved. */
export function movedLedger(to: string): Failure {
  return new Failure(
    'ledger',
    `this ledger is moving to ${to}, or has moved there; nothing more is recorded here`,
    hint`if it is not there yet, finish or undo the move: ${reviewctl`state move -c state=${to}`}`,
  );
}
