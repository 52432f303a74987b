/** What programs leave in cells where they failed, as `--allow` names it; apart from how it is found, which only reading a file needs. */
export const failureTraces = [
  'decimal-ids',
  'date-ids',
  'null-words',
  'error-words',
  'replacement-characters',
  'question-marks',
  'mojibake',
  'masked-contacts',
] as const;

export type FailureTrace = (typeof failureTraces)[number];
