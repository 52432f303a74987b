import type { RouteRow } from '../rules/handlers.ts';
import type { RequestOutcome } from '../state/outcome.ts';
import { type RefusedRequest, refused } from '../state/outcome.ts';
import type { RequestContext } from '../state/request-context.ts';

/** A handler of any row. The call is `never` because only the row determines its type. */
type AnyHandler = (context: RequestContext, call: never) => RequestOutcome;

export interface Route {
  readonly name: string;
  readonly row: RouteRow;
  readonly handler: AnyHandler;
  /** Segments of the path; `{name}` matches any segment that is not empty. */
  readonly pieces: readonly string[];
}

export interface Match {
  readonly kind: 'match';
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The rows of a table, each with the handler of the same name. */
export function routesOf<Name extends string>(
  table: Readonly<Record<Name, RouteRow>>,
  handlers: Readonly<Record<Name, AnyHandler>>,
): Route[] {
  return Object.entries<RouteRow>(table).map(([name, row]) => ({
    name,
    row,
    handler: handlers[name as Name],
    pieces: row.path.split('/'),
  }));
}

/** The route of a request, or the refusal of an unknown path or method. */
export function findRoute(routes: readonly Route[], method: string, path: string): Match | RefusedRequest {
  const [pathname = ''] = path.split('?', 1);
  const pieces = pathname.split('/');
  const methods: string[] = [];
  for (const route of routes) {
    const parameters = matchPieces(route.pieces, pieces);
    if (!parameters) continue;
    if (route.row.method === method) return { kind: 'match', route, parameters };
    methods.push(route.row.method);
  }
  if (methods.length === 0) {
    return refused('not-found', [
      { loc: ['path'], msg: `nothing is served at ${pathname}`, type: 'not_found' },
    ]);
  }
  const msg = `${pathname} accepts ${methods.join(', ')}, not ${method}`;
  return refused('method-not-allowed', [{ loc: ['method'], msg, type: 'method_not_allowed' }]);
}

function matchPieces(
  template: readonly string[],
  pieces: readonly string[],
): Record<string, string> | undefined {
  if (template.length !== pieces.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, expected] of template.entries()) {
    const piece = pieces[index] ?? '';
    if (!expected.startsWith('{')) {
      if (piece !== expected) return undefined;
    } else {
      if (piece === '') return undefined;
      parameters[expected.slice(1, -1)] = decodePiece(piece);
    }
  }
  return parameters;
}

function decodePiece(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
