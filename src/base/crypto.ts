import { lazy } from './lazy.ts';

/**
 * The module `node:crypto`, loaded when it is first used: that takes as long as a connection to the service, and a call
 * that only reads needs none of it.
 */
export const crypto = lazy(() => process.getBuiltinModule('node:crypto'));
