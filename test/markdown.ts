/** What tests read in the documentation: fenced blocks, links and headings. */
import { trackedFiles } from './tracked-files.ts';

export interface Page {
  readonly path: string;
  readonly text: string;
}

/** Every page that is written for readers: those of the root, of `docs/` and its folders, and the map of the source. */
export function documentationPages(): readonly Page[] {
  return trackedFiles(':(glob)*.md', ':(glob)docs/**/*.md', 'src/README.md');
}

/** The content of each block that is fenced as `language`. */
export function fencedBlocks(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}

/** The targets of the links of a page, those into the web left out. */
export function relativeLinks(markdown: string): readonly string[] {
  return [...withoutBlocks(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives the headings of a page. */
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

/** All code of a page, the fenced blocks and what is quoted in a sentence. */
export function codeSnippets(markdown: string): readonly string[] {
  return [
    ...[...markdown.matchAll(/^```[a-z]*\n([\s\S]*?)^```/gm)].map(([, block = '']) => block),
    ...[...withoutBlocks(markdown).matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  ];
}
