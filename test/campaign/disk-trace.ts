import { readFileSync } from 'node:fs';

/** The calls of processes on files and connections, in the order in which `strace` saw them end. */
export type DiskCall =
  /** `offset` is null if it continues at the end of the last one. */
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: Buffer;
      readonly offset: number | null;
    }
  | { readonly kind: 'cut'; readonly path: string; readonly size: number }
  | { readonly kind: 'sync'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly from: string }
  | { readonly kind: 'remove'; readonly path: string };

/** The arguments with which `strace` writes such a trace to the file at `path`. */
export function traceArguments(path: string): string[] {
  const calls = 'pwrite64,write,writev,sendto,fdatasync,fsync,ftruncate,link,linkat,unlink';
  return ['-f', '-y', '-xx', '-s', '16777216', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', path];
}

export function readTrace(path: string): DiskCall[] {
  const unfinished = new Map<string, string>();
  return readFileSync(path, 'latin1')
    .split('\n')
    .flatMap((line) => {
      const [, pid = '', call = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
      if (call.endsWith(' <unfinished ...>')) {
        unfinished.set(pid, call.slice(0, -' <unfinished ...>'.length));
        return [];
      }
      // A call that overlaps another is placed at its end.
      const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(call)?.[1];
      const whole = rest === undefined ? call : `${unfinished.get(pid) ?? ''}${rest}`;
      return readCall(whole) ?? [];
    });
}

function readCall(text: string): DiskCall | undefined {
  const [, name = '', given = '', result = ''] = /^(\w+)\((.*)\)\s+= (-?\d+)/.exec(text) ?? [];
  if (name === '' || result.startsWith('-')) return undefined;
  const path = bytesOf(/^\d+<([^>]*)>/.exec(given)?.[1] ?? /^"([^"]*)"/.exec(given)?.[1] ?? '').toString();
  switch (name) {
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', path };
    case 'link':
    case 'linkat': {
      const [from = '', to = ''] = [...given.matchAll(/"([^"]*)"/g)].map(([, hex = '']) =>
        bytesOf(hex).toString(),
      );
      return { kind: 'link', path: to, from };
    }
    case 'unlink':
      return { kind: 'remove', path };
    case 'ftruncate':
      return { kind: 'cut', path, size: Number(/, (\d+)$/.exec(given)?.[1]) };
    default: {
      const content = Buffer.concat([...given.matchAll(/"([^"]*)"/g)].map(([, hex = '']) => bytesOf(hex)));
      const offset = name === 'pwrite64' ? Number(/, (\d+)$/.exec(given)?.[1]) : null;
      return { kind: 'write', path, content: content.subarray(0, Number(result)), offset };
    }
  }
}

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll('\\x', ''), 'hex');
}
