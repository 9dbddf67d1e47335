import { readFileSync } from 'node:fs';

/** A block of code of a page that is there to be run. */
export interface RunnableBlock {
  /** The heading above it. */
  readonly section: string;
  /** What stands behind the language: `sh stopped` has `stopped`. */
  readonly words: string;
  readonly script: string;
}

/** The blocks of a page in one language, in their order, without their indentation. */
export function blocksOf(file: string, language: string): readonly RunnableBlock[] {
  const found: RunnableBlock[] = [];
  let section = '';
  for (const [, heading, indent = '', words, script] of readFileSync(file, 'utf8').matchAll(
    new RegExp(`^#{2,3} (.+)$|^( *)\`\`\`${language}\\b(.*)\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm'),
  )) {
    if (heading !== undefined) section = heading;
    else found.push({ section, words: words!.trim(), script: script!.replaceAll(new RegExp(`^${indent}`, 'gm'), '') });
  }
  return found;
}
