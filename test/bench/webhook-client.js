import { Pool } from 'undici';

/*
 * webhook-client.js RECEIVER SECRET SERVICE COUNT CONNECTIONS: calls the webhook for the service's queued rewards, one
 * call at a time on each connection. Prints the duration and the p99 latency of the calls after the first quarter.
 */

const [receiver, secret, service, count, connections] = process.argv.slice(2);
const pool = new Pool(receiver, { connections: Number(connections) });
const headers = { 'content-type': 'application/json' };

const bodies = [];
for (let after = ''; bodies.length < Number(count); after = `&after=${bodies.length}`) {
  const page = await (await fetch(`${service}/admin/v2/rewards?status=QUEUED&first=100${after}`)).json();
  bodies.push(...page.data.map((reward) => JSON.stringify(reward)));
}

function announce(body) {
  return new Promise((resolve, reject) => {
    pool.dispatch(
      { path: `/rewards/${secret}`, method: 'POST', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => {
          if (status !== 200) reject(new Error(`a call was answered ${status}`));
        },
        onResponseData: () => undefined,
        onResponseEnd: resolve,
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

const isWarm = bodies.length / 4;
const latenciesMs = [];
let next = 0;
let answered = 0;
let startedMs;
await Promise.all(
  Array.from({ length: Number(connections) }, async () => {
    while (next < bodies.length) {
      const beganMs = performance.now();
      next += 1;
      await announce(bodies[next - 1]);
      answered += 1;
      if (answered < isWarm) continue;
      startedMs ??= performance.now();
      latenciesMs.push(performance.now() - beganMs);
    }
  }),
);
const seconds = (performance.now() - startedMs) / 1000;
latenciesMs.sort((a, b) => a - b);
console.log(JSON.stringify({ seconds, p99Ms: latenciesMs[Math.floor(latenciesMs.length * 0.99)] }));
await pool.close();
