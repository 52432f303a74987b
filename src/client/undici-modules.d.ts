// The one part of undici that every call needs: its root costs every command that calls the service 20 ms more.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const PoolClass: typeof Pool;
  export default PoolClass;
}
