import { messageOf } from '../base/failure.ts';

/**
 * The JSON value of a settings file.
 * @throws an Error with the position of the defect. It does not quote the content as JSON.parse does, because the text
 * may hold a credential.
 */
export function parseSettingsText(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const [place = ''] = /at position \d+/.exec(messageOf(error)) ?? [];
    throw new Error(`it is not JSON ${place}`.trimEnd());
  }
}
