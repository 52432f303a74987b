import type { Json } from '../base/json.ts';
import { isSecretSetting, withoutNoun } from '../config/setting-sources.ts';

/** The value of a setting as it may be shown: no secret, no password in an address, no argument of a command, which may be one. */
export function shownValue(key: string, value: Json): Json {
  if (isSecretSetting(withoutNoun(key))) return '[redacted]';
  if (key.endsWith('-command') && typeof value === 'string')
    return value.trim().replace(/\s.*$/s, ' [redacted]');
  if (typeof value === 'string') return value.replace(/:\/\/[^/@\s]*@/, '://[redacted]@');
  return Array.isArray(value) ? value.map((part: Json) => shownValue(key, part)) : value;
}
