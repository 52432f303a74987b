import { writeFileSync } from 'node:fs';

/** Loaded before a measured program: writes its peak memory, in MiB, where BENCH_MEMORY_FILE says. */
process.on('exit', () => {
  writeFileSync(process.env.BENCH_MEMORY_FILE, String(process.resourceUsage().maxRSS / 1024));
});
