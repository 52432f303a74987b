/*
 * Draws the terminal session of the README: runs the built program against a sandbox of its own, on a terminal, and writes what
 * it showed as an SVG to stdout. After a change of what the program prints:
 *
 *     npm run --silent build && node docs/terminal-session.js > docs/terminal-session.svg
 */
import { spawn as spawnProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { spawn as spawnTerminal } from '@lydell/node-pty';

const program = fileURLToPath(new URL('../bin/reviewctl.js', import.meta.url));
const columns = 100;
const cell = { width: 8, height: 19 };
const margin = 20;

const files = {
  'products.csv':
    'originId,name,imageUrl\nMUG-1,머그컵 블루,https://img.example/mug.jpg\nPOT-1,찻주전자,pot.jpg\n',
  pay: '#!/bin/sh\ncat > /dev/null\n',
};

/** What a person did before: the payer is a setting, and the ledger is there. */
const preparation = 'reviewctl ledger init -o none';

const session = [
  'cat products.csv',
  'reviewctl products push products.csv',
  'reviewctl products push products.csv -c image-base-url=https://img.example/',
  'reviewctl products push products.csv -c image-base-url=https://img.example/ -o count',
  'reviewctl reviews list --limit 3 --fields id,rating,text,product.name',
  'reviewctl rewards settle',
  'reviewctl rewards settle -o none',
];

/** What differs from run to run, and what is drawn in its place. */
const varying = [[/\bin [\d.]+ s\b/g, 'in 0.2 s']];

/** What a terminal shows of each command of the session, run one after the other in a folder of their own. */
async function runSession() {
  const folder = mkdtempSync(join(tmpdir(), 'reviewctl-session-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  chmodSync(join(folder, 'pay'), 0o755);
  symlinkSync(program, join(folder, 'reviewctl'));
  const sandbox = await startSandbox();
  const env = {
    PATH: [folder, process.env.PATH].join(delimiter),
    HOME: folder,
    TERM: 'xterm-256color',
    REVIEWCTL_STATE_DIR: join(folder, 'state'),
    REVIEWCTL_CONFIG_DIR: join(folder, 'config'),
    REVIEWCTL_BASE_URL: sandbox.baseUrl,
    REVIEWCTL_TOKEN: sandbox.token,
    REVIEWCTL_PROGRESS: 'none',
    // Of a folder that is gone at the end, wherever temporary files are.
    REVIEWCTL_LEDGER_ANYWHERE: 'true',
    REVIEWCTL_PAYER_COMMAND: join(folder, 'pay'),
  };
  try {
    const shown = [];
    for (const command of [preparation, ...session]) {
      shown.push({ command, output: await runOnTerminal(command, { cwd: folder, env, cols: columns }) });
    }
    return shown.slice(1);
  } finally {
    await sandbox.stop();
    rmSync(folder, { recursive: true });
  }
}

async function startSandbox() {
  const size = ['--products', '20', '--orders', '40', '--reviews', '12', '--seed', '7'];
  const args = [program, 'sandbox', 'serve', '--port', '0', '-o', 'json', ...size];
  const child = spawnProcess(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const stop = async () => {
    child.kill();
    await once(child, 'close');
  };
  return { ...JSON.parse(line), stop };
}

function runOnTerminal(command, options) {
  return new Promise((resolve) => {
    const terminal = spawnTerminal('sh', ['-c', command], options);
    let shown = '';
    terminal.onData((text) => {
      shown += text;
    });
    terminal.onExit(() => resolve(shown.replaceAll('\r\n', '\n').trimEnd()));
  });
}

/** The lines of the picture, each as pieces of one style: `{ text, style }`. */
function linesOf({ command, output }) {
  const fixed = varying.reduce((text, [pattern, fixture]) => text.replaceAll(pattern, fixture), output);
  const prompt = [
    { text: '$ ', style: 'faint' },
    { text: command, style: 'bold' },
  ];
  return [prompt, ...(fixed === '' ? [] : fixed.split('\n').map(styledPieces)), []];
}

const styles = { 1: 'bold', 2: 'faint', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };

/** A line of output, cut where its style changes. */
function styledPieces(line) {
  let style = 'plain';
  return line.split(/\u001b\[(\d+)m/).flatMap((part, index) => {
    if (index % 2 === 0) return part === '' ? [] : [{ text: part, style }];
    style = styles[part] ?? 'plain';
    return [];
  });
}

/** Characters that take two cells, in the scripts of the session. */
const wide = '\\u1100-\\u115f\\u2e80-\\ua4cf\\uac00-\\ud7a3\\uf900-\\ufaff\\uff01-\\uff60';
const isWide = new RegExp(`[${wide}]`);
const widthOf = (text) => [...text].reduce((width, character) => width + (isWide.test(character) ? 2 : 1), 0);

/** What is placed by itself: characters of one width, in which no more than one space follows another character. */
const run = new RegExp(`[${wide}]+|[^${wide} ]+(?: [^${wide} ]+)*| +`, 'g');

/** The texts of a line, each with a place and a length of its own, so that no font can move what follows it. */
function drawLine(pieces, top) {
  const width = widthOf(pieces.map(({ text }) => text).join(''));
  if (width > columns) throw new Error(`a line of ${width} cells does not fit: ${JSON.stringify(pieces)}`);
  let column = 0;
  return pieces.flatMap(({ text, style }) =>
    text.match(run).flatMap((part) => {
      const [x, length] = [margin + column * cell.width, widthOf(part) * cell.width];
      column += widthOf(part);
      if (part.trim() === '') return [];
      return `<text class="${style}" x="${x}" y="${top}" textLength="${length}">${escaped(part)}</text>`;
    }),
  );
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

function draw(lines) {
  const width = columns * cell.width + 2 * margin;
  const height = lines.length * cell.height + 2 * margin;
  const texts = lines.flatMap((pieces, index) => drawLine(pieces, margin + (index + 1) * cell.height - 5));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">A terminal session with reviewctl</title>
<desc id="description">A product file with a cell that cannot be sent is refused with line, reason and remedy. With the flag that the hint names it is pushed, and a second push changes nothing. Then reviews are listed and rewards are paid, and a second run pays nothing.</desc>
<style>
rect { fill: #f6f8fa; stroke: #d0d7de; }
text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; fill: #1f2328; }
.bold { font-weight: 600; } .faint { fill: #656d76; } .red { fill: #cf222e; } .green { fill: #1a7f37; } .yellow { fill: #9a6700; } .cyan { fill: #1b7c83; }
@media (prefers-color-scheme: dark) {
rect { fill: #161b22; stroke: #30363d; } text { fill: #e6edf3; }
.faint { fill: #8b949e; } .red { fill: #ff7b72; } .green { fill: #56d364; } .yellow { fill: #e3b341; } .cyan { fill: #56d4dd; }
}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${texts.join('\n')}
</svg>
`;
}

const shown = await runSession();
process.stdout.write(draw(shown.flatMap(linesOf).slice(0, -1)));
