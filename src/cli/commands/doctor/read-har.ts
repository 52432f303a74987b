import { statSync } from 'node:fs';
import * as z from 'zod';
import { Failure, messageOf } from '../../../base/failure.ts';
import { readFileOrGiven } from '../../../base/regular-file.ts';
import type { RecordedRequest } from '../../../client/recorded-exchange.ts';

/** One request of a recording, and when it was made. */
export interface HarRequest extends RecordedRequest {
  readonly startedAtMs: number;
}

/** What is read of HAR 1.2, by whatever program it was written. */
const entrySchema = z.object({
  startedDateTime: z.string().default(''),
  request: z.object({
    method: z.string(),
    url: z.url(),
    postData: z.object({ text: z.string().optional() }).optional(),
  }),
  response: z.object({
    status: z.number(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
    content: z.object({ text: z.string().optional(), encoding: z.string().optional() }).default({}),
  }),
});
const harSchema = z.object({ log: z.object({ entries: z.array(entrySchema) }) });

/** A larger file is read in no bounded memory; in bytes. */
const harBytesMaximum = 256 * 1024 * 1024;

/**
 * The answered requests of a recording, in its order.
 * @throws Failure('unreadable-path') where it cannot be read; Failure('input') where it is no HAR.
 */
export async function readHar(path: string, stopping: AbortSignal): Promise<readonly HarRequest[]> {
  const text = await readText(path, stopping);
  const read = harSchema.safeParse(parsed(text));
  if (!read.success) {
    throw new Failure(
      'input',
      `--from: ${path} is not a recording of requests (HAR)`,
      'record one with any command: --record run.har',
      { file: path },
    );
  }
  return read.data.log.entries.filter(({ response }) => response.status > 0).map(requestOf);
}

async function readText(path: string, stopping: AbortSignal): Promise<string> {
  try {
    const { size } = statSync(path);
    if (size <= harBytesMaximum) return await readFileOrGiven(path, stopping);
  } catch (error) {
    stopping.throwIfAborted();
    throw new Failure(
      'unreadable-path',
      `--from: ${path} cannot be read: ${messageOf(error)}`,
      'name a recording; any command writes one with --record run.har',
      { cause: error },
    );
  }
  throw new Failure(
    'unreadable-path',
    `--from: ${path} is larger than ${harBytesMaximum / 1024 / 1024} MiB`,
    'record a shorter run: use --limit, or a file with fewer records',
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requestOf({ startedDateTime, request, response }: z.output<typeof entrySchema>): HarRequest {
  const { text = '', encoding } = response.content;
  const headers = response.headers.map(({ name, value }) => [name.toLowerCase(), value]);
  return {
    startedAtMs: Date.parse(startedDateTime) || 0,
    method: request.method,
    url: new URL(request.url),
    body: request.postData?.text,
    reply: {
      status: response.status,
      headers: Object.fromEntries(headers),
      body: encoding === 'base64' ? Buffer.from(text, 'base64').toString() : text,
    },
  };
}
