import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode, runProgram } from './run-program.js';
import { buildService, startService } from './start-service.js';

/** The tools of rows: programs, services, and alternating runs. */
export class BenchRun {
  reviewctlPath = fileURLToPath(new URL('../../bin/reviewctl.js', import.meta.url));
  #service;
  #options;

  /** `scale` shrinks the inputs of rows; `pairs` is the number of measurements. */
  constructor({ folder, scale, pairs, signal }) {
    Object.assign(this, { folder, scale, pairs });
    this.#options = { folder, signal };
    this.#service = buildService(folder);
  }

  /** A number of records at this scale, as full requests. */
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

  /** A push with NDJSON, against the journal in `state`, by default a new one. `place` overrides the environment. */
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

  /** Runs `work` with a service with these options, and always stops the service. */
  async withService(options, work) {
    const service = await startService(this.#service, options);
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  }

  /**
   * A run with the service's statistics and its share of one processor.
   * @throws Error unless exactly `entries` arrived.
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

  /** Alternates the two runs, so that other load on the machine affects both. */
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
