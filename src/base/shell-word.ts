/** `text` as one word of a command line: in quotes where a shell would take it for more than it is. */
export function shellWord(text: string): string {
  return /^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
