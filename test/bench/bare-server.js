import { createServer } from 'node:http';

/**
 * The least a service can be: takes bulk requests and answers one job an entry, with plain node:http and nothing of this
 * project. Prints its port, and ends when its standard input does.
 */
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const entries = JSON.parse(Buffer.concat(chunks).toString());
    const jobs = entries.map(({ originId }) => ({
      jobId: `job-${originId}`,
      status: 'PENDING',
      entryOriginId: originId,
      successObjectId: null,
      failureReason: null,
      createdAt: '2026-01-01T00:00:00Z',
      startedAt: null,
      endedAt: null,
    }));
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(jobs));
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
