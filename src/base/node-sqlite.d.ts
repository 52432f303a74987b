/** Missing in the types of Node.js 20; from Node.js 24 on, it has the interface of the package. */
declare module 'node:sqlite' {
  export * from '@photostructure/sqlite';
}
