import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

const ruler = '-'.repeat(80);
/** Files in which packages keep their terms, and the folder of those of code that they contain themselves. */
const termsFile = /^(?:licen[cs]es?|copying|notice)\b/i;

/**
 * Name, version, licence and its text of every package that is part of a bundle.
 * @throws Error for a package without a text, since it could not be passed on.
 */
export async function thirdPartyNotices(outputs) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([path, { bytesInOutput }]) => {
    const [folder] = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [];
    return folder === undefined || bytesInOutput === 0 ? [] : folder;
  });
  const notices = await Promise.all([...new Set(folders)].sort().map(noticeOf));
  return ['The program contains these packages.', ...notices].join(`\n\n${ruler}\n`);
}

async function noticeOf(folder) {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const texts = await termsIn(folder);
  if (texts.length === 0 || typeof license !== 'string') {
    throw new Error(`${folder} has no licence that can be passed on`);
  }
  return [`${name} ${version}: ${license}`, ...texts].join('\n\n');
}

/** The files of terms; of a package without one, the section of its README. */
async function termsIn(folder) {
  const paths = (await readdir(folder)).filter((name) => termsFile.test(name)).sort();
  if (paths.length > 0) return (await Promise.all(paths.map((name) => textsAt(join(folder, name))))).flat();
  const readme = await readFile(join(folder, 'README.md'), 'utf8');
  const [, section] = /^#+ licen[cs]e\n+([^#]+)/im.exec(readme) ?? [];
  return section === undefined ? [] : [section.trim()];
}

async function textsAt(path) {
  if (!(await stat(path)).isDirectory()) {
    return [(await readFile(path, 'utf8')).replaceAll('\r\n', '\n').trim()];
  }
  const names = (await readdir(path)).sort();
  return (await Promise.all(names.map((name) => textsAt(join(path, name))))).flat();
}
