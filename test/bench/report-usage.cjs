const { writeFileSync } = require('node:fs');

/*
 * Loaded before a measured program; at its end, writes its processor time and peak memory. CommonJS, because `node -e
 * 0` loads no modules.
 */
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const usage = { cpuSeconds: (user + system) / 1e6, peakMiB: process.resourceUsage().maxRSS / 1024 };
  writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(usage));
});
