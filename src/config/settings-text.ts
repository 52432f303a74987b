import { messageOf } from '../base/failure.ts';

/**
 * The JSON value of a file of settings. Throws an Error that says where it is damaged without quoting its content:
 * that of JSON.parse quotes a piece of the text, and the text may hold a credential.
 */
export function parseSettingsText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const [place = ''] = /at position \d+/.exec(messageOf(error)) ?? [];
    throw new Error(`it is not JSON ${place}`.trimEnd());
  }
}
