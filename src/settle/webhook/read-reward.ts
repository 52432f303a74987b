import * as z from 'zod';
import { isDeeperThan, isJsonObject, type Json, levelsMaximum } from '../../base/json.ts';
import { isPathSegment } from '../../contract/path-segment.ts';
import { reward } from '../../contract/resources.ts';
import type { WebhookReward } from './verify-webhook.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Ids of the service are far shorter. */
const idLengthMaximum = 256;

/**
 * The body of a webhook call. Undefined for one that is no Reward, and for an id that cannot be addressed or might
 * change where it is stored.
 */
export function readReward(body: ArrayBuffer | Uint8Array): WebhookReward | undefined {
  let sent: Json;
  try {
    sent = JSON.parse(utf8.decode(body)) as Json;
  } catch {
    return undefined;
  }
  if (!isJsonObject(sent) || isDeeperThan(sent, levelsMaximum)) return undefined;
  const read = z.safeDecode(reward(), sent as never);
  if (!read.success || !isPlainId(read.data.id)) return undefined;
  return { value: read.data, sent };
}

function isPlainId(id: string): boolean {
  return id.length <= idLengthMaximum && isPathSegment(id);
}
