/* The SQLite that the program takes with this Node.js, for what stands in for it. */

module.exports =
  Number.parseInt(process.versions.node, 10) >= 24
    ? require('node:sqlite')
    : require('@photostructure/sqlite');
