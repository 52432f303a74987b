/**
 * Traces of failed programs in cells, as `--allow` names them. A separate file, so that flags do not load their
 * detection.
 */
export const failureTraces = [
  'decimal-ids',
  'date-ids',
  'null-words',
  'error-words',
  'replacement-characters',
  'question-marks',
  'mojibake',
  'masked-contacts',
  'currencies',
  'control-characters',
  'escapes',
  'number-limits',
  'row-marks',
  'id-lists',
  'rounded-ids',
] as const;

export type FailureTrace = (typeof failureTraces)[number];
