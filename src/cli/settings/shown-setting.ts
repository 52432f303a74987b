import type { Json } from '../../base/json.ts';
import { isSecretSetting, withoutNoun } from '../../config/setting-sources.ts';

/**
 * The value of a setting with its secrets redacted: the credential, parts of an address that may be secret (password,
 * query, path of a monitor), and arguments of a command.
 */
export function shownValue<T extends string | boolean>(key: string, value: T): string | T;
export function shownValue(key: string, value: Json): Json;
export function shownValue(key: string, value: Json): Json {
  const name = withoutNoun(key);
  if (isSecretSetting(name)) return '[redacted]';
  if (name.endsWith('-command') && typeof value === 'string')
    return value.trim().replace(/\s.*$/s, ' [redacted]');
  if (typeof value === 'string') return shownAddress(name, value);
  return Array.isArray(value) ? value.map((part: Json) => shownValue(key, part)) : value;
}

/** Redacts an address; any other text is unchanged. */
function shownAddress(name: string, text: string): string {
  // Anyone who knows the address of a monitor can silence its alarm.
  if (name === 'ping')
    return text.replace(/^((?:\w+:)?\w+:\/\/)?(?:[^/@\s]*@)?([^/?#]*).*$/s, '$1$2/[redacted]');
  return text
    .replace(/:\/\/[^/@\s]*@/, '://[redacted]@')
    .replace(/(:\/\/(?:(?!:\/\/)[^?\s])*\?).*$/s, '$1[redacted]');
}
