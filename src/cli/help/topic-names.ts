/** The topics of help: what all commands share. */
export const topics = {
  settings:
    'all settings: for a call with -c NAME=VALUE, for a shell in REVIEWCTL_NAME, for a profile by config set',
  'exit-codes': 'what each exit code means',
  environment: 'the variables that every command reads',
  output: 'the formats of output, and the flags that choose them',
} as const;

export type Topic = keyof typeof topics;

export function isTopic(word: string | undefined): word is Topic {
  return word !== undefined && Object.hasOwn(topics, word);
}
