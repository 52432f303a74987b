import { messageOf, systemCodeOf } from '../../base/failure.ts';
import { redactSecrets } from '../../base/redact.ts';
import { harEntry } from '../../client/har-entry.ts';
import type { RecordedExchange } from '../../client/record.ts';
import { createPersonRedactor } from '../../client/redact-persons.ts';
import type { Notices } from '../../output/terminal/notices.ts';
import { createHarFile } from '../../store/profile/har-file.ts';

/** What --record writes. */
export interface Recording {
  readonly onExchange: (exchange: RecordedExchange) => void;
  close(): void;
}

/**
 * Records every exchange with the service at `address` in a new file, without any of the secrets, which may grow
 * meanwhile. A full disk ends the recording, which stays valid; the command continues.
 * @throws as `createHarFile`.
 */
export function recordExchanges(
  path: string,
  address: URL,
  { notices, secrets }: { readonly notices: Notices; readonly secrets: Iterable<string> },
): Recording {
  const file = createHarFile(path);
  const redact = createPersonRedactor();
  const place = address.origin + address.pathname.replace(/(?<!\/)\/+$/, '');
  let isWriting = true;
  return {
    onExchange: (exchange) => {
      if (!isWriting) return;
      try {
        file.append(withoutSecrets(harEntry(exchange, place, redact), secrets));
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
        isWriting = false;
        notices.warning(
          `--record: ${path} ends here: ${messageOf(error)}`,
          'the command continues without it',
        );
      }
    },
    close: () => {
      // Requests that are broken off by the end still come here.
      isWriting = false;
      file.close();
    },
  };
}

/** An entry whose texts, each for itself, are without secrets: a service may repeat a credential anywhere. */
function withoutSecrets(entry: object, secrets: Iterable<string>): object {
  return JSON.parse(JSON.stringify(entry), (_, value: unknown) =>
    typeof value === 'string' ? redactSecrets(value, secrets) : value,
  );
}
