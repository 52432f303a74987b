import { childTraceparent, type TraceContext } from './trace-context.ts';
import { version } from './version.ts';

/** The headers of every request of this program. */
export function ownHeaders(trace: TraceContext | undefined): Readonly<Record<string, string>> {
  return {
    'user-agent': `reviewctl/${version}`,
    ...(trace === undefined ? {} : { traceparent: childTraceparent(trace) }),
  };
}
