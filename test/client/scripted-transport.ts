import { type Transport, TransportError, type WireReply, type WireRequest } from '../../src/contract/wire.ts';

/** A service in process that gives these replies in order, and then repeats the last one. */
export function scriptedTransport(...answers: readonly (WireReply | Error)[]) {
  const sent: WireRequest[] = [];
  const transport: Transport = (request) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    sent.push(request);
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as WireReply);
  };
  return { transport, sent };
}

/** A reply in the form that the paced transport returns. */
export function replyOf(status: number, body: unknown = {}, headers: WireReply['headers'] = {}): WireReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers, body: text, ...(status === 429 ? { isOverloaded: true } : {}) };
}

export function requestOf(method: WireRequest['method'], path = '/admin/v2/products'): WireRequest {
  return {
    operation: 'test',
    isRepeatable: method !== 'POST',
    method,
    path,
    headers: {},
    body: method === 'GET' ? undefined : '{}',
  };
}

export const lost = new TransportError('the server closed the connection', true);
export const refused = new TransportError('the server does not answer', false);
