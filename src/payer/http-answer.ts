import { type OutcomeJson, readOutcomeJson, shortened } from './outcome-json.ts';
import type { PayerAnswer } from './payer.ts';

/** A complete response. */
export interface HttpAnswer {
  readonly status: number;
  /** The Retry-After header, as it was sent. */
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Our credentials or the endpoint are wrong, so all other payments would fail as well. */
const misconfiguredStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/**
 * The answer that an HTTP response stands for; `paidStatuses` are those besides 2xx that mean paid for this
 * payer. An outcome in the body decides where the status leaves it open, and must agree with the status
 * elsewhere.
 */
export function httpAnswer(answer: HttpAnswer, paidStatuses: ReadonlySet<number>): PayerAnswer {
  const { status, body } = answer;
  const said = readOutcomeJson(body);
  const told = `the payer answered ${status}${wordsOf(body, said)}`;
  if (misconfiguredStatuses.has(status) && !paidStatuses.has(status)) {
    return said?.kind === 'paid'
      ? contradiction(status, 'not paid', said)
      : { kind: 'misconfigured', message: told };
  }
  if (status === 422) {
    if (said !== undefined && said.kind !== 'nothing' && said.kind !== 'refused') {
      return contradiction(status, 'refused', said);
    }
    return { kind: 'refused', message: said?.kind === 'refused' ? (said.message ?? told) : told };
  }
  if (status === 429) {
    if (said !== undefined && said.kind !== 'nothing' && said.kind !== 'retry') {
      return contradiction(status, 'not yet paid', said);
    }
    const wait =
      answer.retryAfter === undefined ? '' : `, to be asked again after ${shortened(answer.retryAfter)}`;
    return { kind: 'retry', message: `${told}${wait}` };
  }
  if ((status >= 200 && status < 300) || paidStatuses.has(status)) return acceptance(answer, said, told);
  if (status >= 400 && status < 500 && (said?.kind === 'refused' || said?.kind === 'retry')) {
    return { kind: said.kind, message: said.message ?? told };
  }
  return { kind: 'ambiguous', message: status < 400 && status >= 300 ? redirected(status) : told };
}

/** The answer for a status that means paid, unless the body contradicts it or is not in our format. */
function acceptance({ status, body }: HttpAnswer, said: OutcomeJson | undefined, told: string): PayerAnswer {
  switch (said?.kind) {
    case undefined:
      return body.trim() === ''
        ? { kind: 'paid' }
        : {
            kind: 'ambiguous',
            message: `${told}, which is not a JSON object: leave the body empty or write {"outcome":"paid"}`,
          };
    case 'paid':
      return said;
    case 'nothing':
      return { kind: 'paid' };
    case 'refused':
    case 'retry':
      return { kind: said.kind, message: said.message ?? told };
    case 'unrecognized':
      return { kind: 'ambiguous', message: `the payer answered ${status}, and ${said.message}` };
    case 'not-found':
      return contradiction(status, 'paid', said);
  }
}

function contradiction(status: number, meaning: string, said: OutcomeJson): PayerAnswer {
  const outcome = said.kind === 'unrecognized' ? said.message : `its body says '${said.kind}'`;
  return {
    kind: 'ambiguous',
    message: `the payer contradicts itself: status ${status} is '${meaning}', ${outcome}`,
  };
}

function redirected(status: number): string {
  return `the payer answered ${status}, and redirects are not followed: name the address they lead to`;
}

/** The body as text for a person; empty for a web page. */
function wordsOf(body: string, said: OutcomeJson | undefined): string {
  const words = said !== undefined && 'message' in said ? said.message : body;
  return words === undefined || words.trim() === '' || words.trimStart().startsWith('<')
    ? ''
    : `: ${shortened(words)}`;
}
