/* The SQLite that the program uses with this Node.js, for its stand-ins. */

module.exports =
  Number.parseInt(process.versions.node, 10) >= 24
    ? require('node:sqlite')
    : require('@photostructure/sqlite');
