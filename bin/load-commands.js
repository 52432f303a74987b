/*
 * Loads the commands as V8 compiled them in an earlier run, which saves one call a quarter of its time. Node.js keeps what it compiled only from
 * version 22 on, so it is kept here: each file by itself, in a folder of the user alone, where nobody else can put code of his own.
 */
/** A module of Node.js; by `require` it would come with all that its exports load on their own. */
const builtin = (name) => process.getBuiltinModule(name);
const { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  builtin('node:fs');
const path = builtin('node:path');
const { cachedDataVersionTag, setFlagsFromString } = builtin('node:v8');
const { Script } = builtin('node:vm');
const { crc32 } = builtin('node:zlib');

// Leaves WebAssembly as the baseline compiler makes it. The parser of undici is all there is of it here: optimised, it costs 35 MB and 50 ms of
// a processor in the background, and parses no reply any faster than the network brings it.
setFlagsFromString('--liftoff-only');
const startTag = cachedDataVersionTag();

const program = path.join(__dirname, '../dist/program');
const folder = findFolder();
const modules = new Map();
const unkept = [];
/** Which pack contains a file. The first pack, `start.cjs`, exports this table. */
let packOf;

({ packOf } = load('start.cjs'));
module.exports = load('run-process.cjs');
process.once('exit', keep);

function findFolder() {
  const { HOME, USERPROFILE, XDG_CACHE_HOME } = process.env;
  const home = HOME || USERPROFILE;
  const caches = XDG_CACHE_HOME || (home && path.join(home, '.cache'));
  // Code is of use under the flags and on the processor alone that it was compiled for, and to the installation whose files it is of.
  const use = `${process.version}-${process.arch}-${startTag}-${crc32(program)}`;
  const own = caches && path.join(caches, 'reviewctl', use);
  // A relative path would be in the folder of the caller.
  return own && path.isAbsolute(own) && isOfThisUser(own) ? own : undefined;
}

/** Whoever acts for another user, as with sudo, is not to run what that one put there. What does not exist is nobody else's. */
function isOfThisUser(own) {
  try {
    return statSync(own).uid === process.getuid();
  } catch {
    return true;
  }
}

/** The exports of a file, which may be in a pack. */
function load(name) {
  const loaded = modules.get(name);
  if (loaded !== undefined) return loaded.exports;
  const module = { exports: {} };
  modules.set(name, module);
  const pack = packOf?.[name];
  if (pack === undefined) run(name, module);
  else load(pack)[name](module, module.exports, requireFrom);
  return module.exports;
}

function run(name, module) {
  const file = path.join(program, name);
  compile(name, file).runInThisContext()(module, module.exports, requireFrom, file, program);
}

function requireFrom(name) {
  return name.startsWith('./') ? load(name.slice(2)) : (builtin(name) ?? require(name));
}

function compile(name, filename) {
  const bytes = readFileSync(filename);
  const sourceSum = crc32(bytes);
  // The build writes nothing but ASCII.
  const script = new Script(bytes.toString('latin1'), { filename, cachedData: readKept(name, sourceSum) });
  if (script.cachedDataRejected !== false) unkept.push({ name, sourceSum, script });
  return script;
}

/** V8 compares neither what it is given with the source, nor a sum of it; damaged, it may do anything. */
function readKept(name, sourceSum) {
  if (folder === undefined) return undefined;
  try {
    const kept = readFileSync(path.join(folder, name));
    const data = kept.subarray(4);
    return kept.readUInt32LE() === crc32(data, sourceSum) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** As `mkdirSync` with `recursive`, which in /proc never ends: it makes the parent again and again. */
function makeFolder(folder) {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}

/**
 * Keeps what this run had to compile, in place of what an earlier version did, unless the run went on under flags by which no other starts.
 * That nothing can be kept is no fault.
 */
function keep() {
  if (folder === undefined || unkept.length === 0 || cachedDataVersionTag() !== startTag) return;
  try {
    makeFolder(folder);
    for (const name of readdirSync(folder)) {
      if (!existsSync(path.join(program, name))) rmSync(path.join(folder, name), { force: true });
    }
    for (const { name, sourceSum, script } of unkept) {
      const data = script.createCachedData();
      const sum = Buffer.alloc(4);
      sum.writeUInt32LE(crc32(data, sourceSum));
      const file = path.join(folder, name);
      writeFileSync(`${file}.${process.pid}`, Buffer.concat([sum, data]), { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
    }
  } catch {}
}
