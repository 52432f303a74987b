import type { Assumptions } from './assumptions.ts';

type ArrayStyle = Assumptions['arrayQuery'];

/** Parameters as text: one value, several, or none. */
export type QueryTexts = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Formats parameters in their order as `?a=1&b=2`; empty if there are none. The style of lists is the assumption
 * `arrayQuery`. An empty list is omitted in every style.
 */
export function formatQuery(parameters: QueryTexts, style: ArrayStyle): string {
  const pairs: string[] = [];
  const add = (name: string, value: string) => pairs.push(`${name}=${encodeURIComponent(value)}`);
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    if (typeof value === 'string') add(name, value);
    else if (style !== 'comma') {
      for (const element of value) add(style === 'brackets' ? `${name}[]` : name, element);
    } else if (value.length > 0) pairs.push(`${name}=${value.map(encodeURIComponent).join(',')}`);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/**
 * Reverses `formatQuery`. `arrayNames` are the parameters with lists. Each style is read as by a service that knows no
 * other: outside its style, a list with commas is one value, and the last of several values without brackets applies.
 */
export function parseQuery(
  search: string,
  arrayNames: ReadonlySet<string>,
  style: ArrayStyle,
): Record<string, string | string[]> {
  const parameters: Record<string, string | string[]> = {};
  for (const pair of search.replace(/^\?/, '').split('&')) {
    if (pair === '') continue;
    const separator = pair.indexOf('=');
    const rawName = decodeComponent(separator === -1 ? pair : pair.slice(0, separator));
    const rawValue = separator === -1 ? '' : pair.slice(separator + 1);
    const isBracketed = style === 'brackets' && rawName.endsWith('[]');
    const name = isBracketed ? rawName.slice(0, -2) : rawName;
    if (!arrayNames.has(name)) {
      parameters[name] = decodeComponent(rawValue);
      continue;
    }
    const elements = (style === 'comma' ? rawValue.split(',') : [rawValue]).map(decodeComponent);
    const isOneOfSeveral = style === 'repeat' || isBracketed;
    const known = parameters[name];
    parameters[name] = isOneOfSeveral && Array.isArray(known) ? [...known, ...elements] : elements;
  }
  return parameters;
}

function decodeComponent(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}
