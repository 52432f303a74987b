const { writeFileSync } = require('node:fs');

/* Loaded before a program under test: at its end, writes how much processor time it took. CommonJS, for `node -e 0` loads no modules. */
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.BENCH_CPU_FILE, String(user + system));
});
