import type { HintText } from '../../base/hint.ts';

/**
 * A problem of the input that keeps a record or a file from being sent. `reason` says what is wrong, `remedy` how to
 * correct it. `value` is the cell of the file, shortened but not escaped for display.
 */
export interface Problem {
  readonly file: string;
  readonly line?: number | undefined;
  readonly column?: string;
  readonly value?: string;
  readonly code: ProblemCode;
  readonly reason: string;
  readonly remedy: HintText;
  /** Flags that would resolve it; the user has to choose one of several. */
  readonly choices?: readonly string[];
}

/** A problem found while reading one file. The file is added when the problem is reported. */
export type Fault = Omit<Problem, 'file'>;

/** A remark on the input that does not stop a push. */
export interface Notice {
  /** True if it is only information; otherwise it is a warning. */
  readonly isInfo?: boolean;
  readonly code: string;
  readonly message: string;
  readonly hint?: HintText;
}

/** Maximum number of problems kept for listing; all are counted. */
export const problemsKept = 10_000;

/** The codes of problems. Programs rely on them, so they are stable. */
export const problemCodes = [
  ...['ambiguous-amount', 'ambiguous-columns', 'amount-too-long', 'archive', 'blank-id'],
  ...['blank-lines', 'broken-gzip', 'broken-json', 'broken-xlsx', 'broken-zip', 'bzip2'],
  ...['control-character', 'database', 'date-shortened', 'duplicate-field', 'duplicate-header'],
  ...['duplicate-origin-id', 'empty-columns', 'encrypted-xlsx', 'error-word', 'escaped-text'],
  ...['excel-error', 'existing-item', 'forbidden-header', 'foreign-currency'],
  ...['guide-row', 'half-character', 'header-width', 'html-table', 'id-apostrophe'],
  ...['id-control-character', 'id-decimal', 'id-grouped', 'id-invisible-character', 'id-list'],
  ...['id-made-a-date', 'id-mangled', 'id-not-text', 'id-quoted', 'id-without-letters', 'image'],
  ...['iwork', 'lone-value', 'marked-row', 'masked-contact', 'masked-member', 'merged-cells'],
  ...['missing', 'missing-columns', 'mojibake', 'negative-amount', 'no-header', 'no-order'],
  ...['no-such-column', 'no-such-time', 'no-table', 'not-a-boolean', 'not-a-carrier', 'not-a-date'],
  ...['not-a-list', 'not-a-phone', 'not-a-status', 'not-a-tracking-number', 'not-an-address'],
  ...['not-an-amount', 'not-an-email', 'not-an-integer', 'not-an-object', 'not-as-named'],
  ...['not-calculated', 'not-categories', 'not-cp949', 'not-items', 'not-nullable', 'not-options'],
  ...['not-text', 'not-this-format', 'not-utf-16be', 'not-utf-16le', 'not-utf-8'],
  ...[
    'not-windows-1252',
    'nul-bytes',
    'null-word',
    'number-limit',
    'office-document',
    'old-xls',
    'open-document',
    'open-status',
  ],
  ...['order-disagrees', 'order-in-two-files', 'order-left-out', 'order-scattered'],
  ...['order-too-long', 'other-export', 'other-product-key', 'packed-twice', 'parent-cycle'],
  ...['parquet', 'pdf', 'question-marks', 'quoted-mail', 'ragged-row', 'record-too-long', 'result-differs'],
  ...['relative-image', 'repeated-header', 'replacement-character', 'rich-text', 'rounded-ids'],
  ...['row-too-long', 'rule-row', 'second-header', 'several-sheets', 'shown-otherwise'],
  ...['stray-quote', 'tar', 'text-after-quote', 'too-deep', 'too-many-columns', 'total-row'],
  ...['unclosed-quote', 'unknown-format', 'unreadable', 'wrong-password', 'xlsb', 'xml-table'],
  ...['xz', 'year-last', 'zip', 'zstd'],
] as const;

export type ProblemCode = (typeof problemCodes)[number];
