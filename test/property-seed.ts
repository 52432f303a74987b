import process from 'node:process';
import fc from 'fast-check';

/*
 * Properties use the same random values on every run, so that failures are reproducible. `PROPERTY_SEED=7 npm test`
 * uses others.
 */
fc.configureGlobal({ seed: Number(process.env['PROPERTY_SEED'] ?? 1) });
