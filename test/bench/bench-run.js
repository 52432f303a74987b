import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode, runProgram } from './run-program.js';
import { buildService, startService } from './start-service.js';

/** What rows measure with: programs, services, and both in turns. */
export class BenchRun {
  reviewctlPath = fileURLToPath(new URL('../../bin/reviewctl.js', import.meta.url));
  #service;
  #options;

  /** `scale` shrinks the inputs of rows; `pairs` is how often each is measured. */
  constructor({ folder, scale, pairs, signal }) {
    Object.assign(this, { folder, scale, pairs });
    this.#options = { folder, signal };
    this.#service = buildService(folder);
  }

  /** A number of records at this scale, in whole requests. */
  scaled(count) {
    return Math.max(100, Math.round((count * this.scale) / 100) * 100);
  }

  node(args) {
    return runNode(args.map(String), this.#options);
  }

  program(command, args) {
    return runProgram(command, args, this.#options);
  }

  reviewctl(argv, env = {}) {
    return runNode([this.reviewctlPath, ...argv.map(String)], { ...this.#options, env });
  }

  /** A push with NDJSON, against the journal in `state`; without it against an empty one. `place` names another one. */
  async push({ address }, argv, state, place = {}) {
    const folder = state ?? mkdtempSync(join(this.folder, 'state-'));
    const env = {
      REVIEWCTL_BASE_URL: address,
      REVIEWCTL_TOKEN: 'bench',
      REVIEWCTL_STATE_DIR: folder,
      REVIEWCTL_CONFIG_DIR: join(this.folder, 'config'),
      ...place,
    };
    const run = await this.reviewctl([...argv, '-o', 'ndjson', '-c', 'progress=none'], env);
    if (state === undefined) rmSync(folder, { recursive: true });
    return run;
  }

  /** What `work` makes of a service with these options, which is stopped whatever happens. */
  async withService(options, work) {
    const service = await startService(this.#service, options);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  }

  /**
   * A run with what the service saw of it and its share of one processor.
   * @throws Error unless `entries` arrived.
   */
  async measured(service, run, entries) {
    await service.stats();
    const result = await run();
    const stats = await service.stats();
    if (stats.entries !== entries) throw new Error(`${stats.entries} of ${entries} entries arrived`);
    return { ...result, stats, serviceShare: stats.cpuSeconds / result.seconds };
  }

  inTurns(service, ours, limit, entries) {
    return this.alternate(
      () => this.measured(service, ours, entries),
      () => this.measured(service, limit, entries),
    );
  }

  /** One after the other, again and again, so that what else the machine does meets both. */
  async alternate(ours, limit, pairs = this.pairs) {
    const runs = [];
    for (let pair = 0; pair < pairs; pair += 1) runs.push({ ours: await ours(), limit: await limit() });
    return { runs };
  }

  async repeat(run) {
    const results = [];
    for (let time = 0; time < this.pairs; time += 1) results.push(await run());
    return results;
  }
}
