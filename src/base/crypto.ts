import { lazy } from './lazy.ts';

/**
 * The module `node:crypto`, loaded on first use. Loading takes as long as a connection to the service, and a call that
 * only reads does not need it.
 */
export const crypto = lazy(() => process.getBuiltinModule('node:crypto'));
