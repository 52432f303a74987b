import * as z from 'zod';
import { settings, valueFlag } from './flags.ts';

/** Of every command that a monitor may watch. */
export const monitoringFlags = settings('Monitoring', {
  ping: valueFlag(z.string().min(1).optional(), {
    value: 'URL',
    help:
      'call this monitor: GET after success; an address of healthchecks (ending in a UUID, or written ' +
      'healthchecks:URL) also gets the start, the exit code and the summary',
  }),
  metricsFile: valueFlag(z.string().endsWith('.prom', 'expected a file name that ends in .prom').optional(), {
    value: 'FILE',
    help: "write the numbers of the run to this file, for Prometheus' textfile collector (x.prom)",
  }),
  summaryFile: valueFlag(z.string().endsWith('.json', 'expected a file name that ends in .json').optional(), {
    value: 'FILE',
    help: 'write the summary of the run to this file (x.json)',
  }),
});
