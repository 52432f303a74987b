import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

/**
 * How long the thread waits for other processes to read or write, in milliseconds; this process does not
 * write meanwhile.
 */
const patienceMs = 100;

/**
 * The thread's program as text: neither TypeScript nor a part of the bundle would load there. The first copy
 * omits concurrent writes. The last one runs without any, and the write after it restarts the log; both wait
 * for the disk.
 */
const threadProgram = `
  const { parentPort, workerData: { sqlite, file } } = require('node:worker_threads');
  const { DatabaseSync } = require(sqlite);
  const database = new DatabaseSync(file, { timeout: ${patienceMs} });
  database.exec('PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 0; PRAGMA wal_autocheckpoint = 0');
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  parentPort.once('message', () => {
    database.exec('PRAGMA wal_checkpoint(RESTART)');
    database.exec('BEGIN IMMEDIATE');
    const { user_version } = database.prepare('PRAGMA user_version').get();
    database.exec('PRAGMA user_version = ' + user_version + '; COMMIT');
    database.close();
  });
  parentPort.postMessage('copied');
`;

/**
 * Copies the log of the SQLite file at `path`; `holdWrites` resolves once this process has stopped writing to
 * it, until the copy ends.
 */
export type CopyLog = (path: string, holdWrites: () => Promise<void>) => Promise<void>;

/**
 * Copies a write-ahead log into its file in a separate thread, so that writers do not wait for the disk. The
 * file is valid at every instant. A copy that fails (a full disk) leaves the rest to the next one.
 */
export const copyLogApart: CopyLog = async (path, holdWrites) => {
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite');
  const file = `${pathToFileURL(path).href}?mode=rw`;
  const thread = new Worker(threadProgram, { eval: true, execArgv: [], workerData: { sqlite, file } });
  thread.once('message', () => void holdWrites().then(() => thread.postMessage('last')));
  // Its exit follows.
  thread.once('error', () => undefined);
  await new Promise((resolve) => thread.once('exit', resolve));
};
