/** The text that SQLite keeps as `bytes`: UTF-8, in which halves of surrogate pairs may occur alone. */
export function exactText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return text.includes('\ufffd') ? withHalves(bytes) : text;
}

function withHalves(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    const mask = length === 1 ? 0x7f : 0xff >> (length + 1);
    const code = bytes
      .subarray(at + 1, at + length)
      .reduce((sum, byte) => sum * 64 + (byte & 0x3f), first & mask);
    text += String.fromCodePoint(code);
    at += length;
  }
  return text;
}
