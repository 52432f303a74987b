/** `text` as one word of a command line, in quotes so that a shell takes it as it is. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
