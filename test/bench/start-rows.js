import { fileURLToPath } from 'node:url';
import { ifInstalled, reviews, withReviews } from './list-rows.js';

const requestsClient = fileURLToPath(new URL('requests-client.py', import.meta.url));
const starts = 31;

/** The cost of commands that do almost nothing, over a Node that does nothing. */
export const startRows = [
  startRow('start-version', ['--version'], 1.15),
  startRow('start-help', ['--help'], 1.15),
  startRow('start-push-help', ['orders', 'push', '--help'], 1.15),
  startRow('start-config-list', ['config', 'list'], 1.6),
  startRow('start-config-get', ['config', 'get', 'timeout'], 1.6),
  callRow('call-get', ['get', 'rv_0']),
  callRow('call-list', ['list', '--limit', '1']),
  {
    name: 'call-requests',
    title: 'reviews list --limit 1, the whole process, over Python with requests',
    goal: 1,
    run: (bench) =>
      ifInstalled(['python3', '-c', 'import requests'], () =>
        callOver(bench, ['list', '--limit', '1'], (address) =>
          bench.program('python3', [requestsClient, address]),
        ),
      ),
  },
];

/** By processor time, because a start is too short to average out other load on the machine. */
function startRow(name, argv, goal) {
  return {
    name,
    title: `${argv.join(' ')}, over node -e 0`,
    goal,
    by: 'cpuSeconds',
    run: (bench) =>
      bench.alternate(
        () => bench.reviewctl(argv),
        () => nothing(bench),
        starts,
      ),
  };
}

/** By elapsed time, because waiting counts. */
function callRow(name, argv) {
  return {
    name,
    title: `reviews ${argv.join(' ')}, the whole process, over node -e 0`,
    goal: 2,
    run: (bench) => callOver(bench, argv, () => nothing(bench)),
  };
}

/** One call, alternating with another program that may make the same call. */
function callOver(bench, argv, other) {
  return withReviews({ count: 1 }, ({ address }) =>
    bench.alternate(
      () => reviews(bench, address, argv),
      () => other(address),
      starts,
    ),
  );
}

function nothing(bench) {
  return bench.node(['-e', '0']);
}
