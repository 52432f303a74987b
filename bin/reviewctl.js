#!/usr/bin/env node
const { main } = require('../dist/program/main.cjs');

/** Resolves when all that was written to the stream has left, or never will. */
const written = (stream) => new Promise((resolve) => stream.write('', resolve));

main(process).then(async (exitCode) => {
  process.exitCode = exitCode;
  // SQLite closes a file for good, with all of its log in it, only as Node.js ends by itself.
  if (Object.keys(require.cache).some((path) => path.endsWith('.node'))) return;
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // By itself, Node.js would wait for what V8 still optimises, and free all memory page by page.
  process.exit();
});
