const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/**
 * What a stack of this program needs of a source map, which is a tenth of it: the lines of `src`. Columns are kept only where one line of the
 * program is made of several; packages are not mapped.
 */
export function linesOfSource(text) {
  const { version, sources, mappings } = JSON.parse(text);
  const own = sources.filter(isOwn);
  const lines = decoded(mappings).map((segments) =>
    segments
      .filter(({ source }) => isOwn(sources[source]))
      .filter((segment, index, all) => !isSamePlace(segment, all[index - 1]))
      .map((segment) => ({ ...segment, source: own.indexOf(sources[segment.source]) })),
  );
  return {
    version,
    sources: own.map((source) => source.replace('../../', '')),
    mappings: encoded(lines).replace(/;+$/, ''),
  };
}

function isOwn(source) {
  return source.startsWith('../../src/');
}

function isSamePlace({ source, line }, before) {
  return source === before?.source && line === before.line;
}

/** For each line of the program its segments: from which column on it is made of which line of which source. */
function decoded(mappings) {
  let source = 0;
  let line = 0;
  return mappings.split(';').map((text) => {
    let column = 0;
    return text.split(',').flatMap((segment) => {
      const [columns = 0, sources, lines] = numbersIn(segment);
      column += columns;
      if (sources === undefined) return [];
      source += sources;
      line += lines;
      return { column, source, line };
    });
  });
}

function encoded(lines) {
  let source = 0;
  let line = 0;
  const texts = lines.map((segments) => {
    let column = 0;
    const written = segments.map((segment) => {
      const steps = [segment.column - column, segment.source - source, segment.line - line, 0];
      ({ column, source, line } = segment);
      return steps.map(digitsOf).join('');
    });
    return written.join(',');
  });
  return texts.join(';');
}

/** The numbers of a segment, each in digits of five bits, the lowest first; the lowest bit of all is the sign. */
function numbersIn(segment) {
  const numbers = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = digits.indexOf(digit);
    value += (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}

function digitsOf(number) {
  let rest = number < 0 ? (-number << 1) | 1 : number << 1;
  let text = '';
  do {
    const bits = rest & 31;
    rest >>>= 5;
    text += digits[rest > 0 ? bits | 32 : bits];
  } while (rest > 0);
  return text;
}
