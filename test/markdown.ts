/** Parses the documentation for tests: fenced blocks, links and headings. */
import { trackedFiles } from './tracked-files.ts';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Every page for readers: those in the root, in `docs/` and its folders, and the map of the source. */
export function documentationPages(): readonly Page[] {
  return trackedFiles(':(glob)*.md', ':(glob)docs/**/*.md', 'src/README.md');
}

/** The content of each block fenced as `language`. */
export function fencedBlocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}

/** Targets of a page's links, except links to the web. */
export function relativeLinks(markdown: string): readonly string[] {
  return [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub generates for the headings of a page. */
export function anchors(markdown: string): readonly string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(/^```[\s\S]*?^```/gm, '');
}

/** All code of a page: fenced blocks and inline code. */
export function codeSnippets(markdown: string): readonly string[] {
  return [
    ...[...markdown.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block),
    ...[...withoutBlocks(markdown).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  ];
}
