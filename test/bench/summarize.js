/** Above this share of one processor, the service is the bottleneck. */
const serverBoundShare = 0.7;

/**
 * A row for output: its median, spread and goal. For pairs, the ratio of each pair counts; a row with `values` has no
 * ratio.
 */
export function summarize({ name, title, goal, unit = 's', by = 'seconds' }, result) {
  if (result.skipped !== undefined) return { name, title, goal, skipped: result.skipped };
  const { values, runs = [], note } = result;
  const own = values ?? runs.map(({ ours }) => ours[by]);
  const others = runs.map(({ limit }) => limit[by]);
  const ratios = runs.map(({ ours, limit }) => ours[by] / limit[by]);
  const counted = values ?? ratios;
  const share = highestShare(runs);
  return {
    name,
    title,
    goal,
    unit,
    ours: median(own),
    ...(values === undefined
      ? { limit: median(others), ratio: median(ratios), cpuRatio: cpuRatio(runs) }
      : {}),
    spread: [Math.min(...counted), Math.max(...counted)],
    ...(share === undefined ? {} : { serviceShare: share, isServerBound: share > serverBoundShare }),
    isWithin: median(counted) <= goal,
    ...(note === undefined ? {} : { note }),
  };
}

/** The ratio of processor times, which other load affects less; undefined if one side has none. */
function cpuRatio(runs) {
  const ratios = runs.map(({ ours, limit }) => ours.cpuSeconds / limit.cpuSeconds);
  return ratios.every(Number.isFinite) ? median(ratios) : undefined;
}

function highestShare(runs) {
  const sides = ['ours', 'limit'].map((side) => runs.flatMap((run) => run[side].serviceShare ?? []));
  return sides[0].length === 0 ? undefined : Math.max(...sides.map(median));
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

export function lineOf(row) {
  if (row.skipped !== undefined) return `${row.name}: not measured, ${row.skipped} (${row.title})`;
  const {
    name,
    title,
    goal,
    unit,
    ours,
    limit,
    ratio,
    cpuRatio: cpu,
    spread,
    serviceShare,
    isServerBound,
    note,
  } = row;
  const facts = [
    ratio === undefined
      ? `ours ${shown(ours)} ${unit}`
      : `ours ${shown(ours)} ${unit}, limit ${shown(limit)} ${unit}, ratio ${shown(ratio)}`,
    `${shown(spread[0])} to ${shown(spread[1])}`,
    `goal ${shown(goal)}${row.isWithin ? '' : ': ABOVE'}`,
    ...(cpu === undefined ? [] : [`processor time ${shown(cpu)}`]),
    ...(serviceShare === undefined ? [] : [`service ${shown(serviceShare)} of a processor`]),
    ...(isServerBound ? ['server-bound'] : []),
    ...(note === undefined ? [] : [note]),
  ];
  return `${name}: ${facts.join('; ')} (${title})`;
}

/** All results as one table. The goal applies to the ratio of pairs, or else to the value. */
export function tableOf(rows) {
  const cells = rows.map((row) => [
    row.name,
    ...(row.skipped === undefined
      ? [`${shown(row.ours)} ${row.unit}`, ...[row.limit, row.ratio, row.cpuRatio].map(shownIfKnown)]
      : ['not measured', '', '', '']),
    shown(row.goal),
    row.skipped !== undefined || row.isWithin ? '' : 'ABOVE',
  ]);
  const lines = [['row', 'ours', 'limit', 'ratio', 'processor', 'goal', ''], ...cells];
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function shownIfKnown(number) {
  return number === undefined ? '' : shown(number);
}

function shown(number) {
  return Math.abs(number) >= 100 ? number.toFixed(0) : number.toPrecision(3);
}
