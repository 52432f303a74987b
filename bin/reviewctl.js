#!/usr/bin/env node
const { main } = require('../dist/program/main.cjs');

/** Resolves when everything written to the stream has left, or the stream has failed. */
const written = (stream) => new Promise((resolve) => stream.write('', resolve));

main(process).then(async (exitCode) => {
  process.exitCode = exitCode;
  // The SQLite package writes its log back into the file, which may then be moved alone, only when Node.js ends by itself.
  if (Object.keys(require.cache).some((path) => path.endsWith('.node'))) return;
  await Promise.all([written(process.stdout), written(process.stderr)]);
  // Otherwise Node.js would wait for code that V8 still optimises, and free its memory page by page.
  process.exit();
});
