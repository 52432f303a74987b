/** `text` as one word of a command line, quoted if a shell would interpret it. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-][\w./:@%+,=-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A flag with its value: `--map 'a b'`; a setting, named `-c null-word`, as `-c 'null-word=a b'`. */
export function flagWord(flag: string, value: string): string {
  return flag.startsWith('-c ')
    ? `-c ${shellWord(`${flag.slice('-c '.length)}=${value}`)}`
    : `${flag} ${shellWord(value)}`;
}
