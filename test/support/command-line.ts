import type { Command } from 'commander';

import { program } from '../../apps/cli/src/program.js';

/** The commands that `mace` has, from the tree itself, with the examples of their help. */

export interface ListedCommand {
  /** Words behind `mace`. */
  readonly name: string;
  readonly command: Command;
  /** Arguments of each example that calls this command, without what a shell does with them. */
  readonly examples: readonly (readonly string[])[];
}

/** What `$TOKEN` and the like stand for in an example. */
const ANY_TOKEN = 'a.b.c';

/** Every command that does something when it is given alone. */
export function everyCommand(): readonly ListedCommand[] {
  const mace = program(() => Promise.resolve());
  const all = walk(mace, []);
  const lines = [mace, ...all.map(({ command }) => command)].flatMap(examplesOf);
  return all
    .filter(({ command }) => doesSomething(command))
    .map(({ name, command }) => ({ name, command, examples: lines.filter((args) => nameOf(args, mace) === name) }));
}

export function hasOption({ command }: ListedCommand, long: string): boolean {
  return command.options.some((option) => option.long === long);
}

/** Name of the command that these arguments give. */
export function nameOf(args: readonly string[], mace: Command): string {
  const words: string[] = [];
  let at = mace;
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i]!;
    const global = mace.options.find(({ long }) => long === word);
    if (global) {
      i += global.required ? 1 : 0;
      continue;
    }
    const next = at.commands.find((one) => one.name() === word);
    if (!next) break;
    words.push(word);
    at = next;
  }
  return words.join(' ');
}

function walk(command: Command, path: readonly string[]): { readonly name: string; readonly command: Command }[] {
  return command.commands.flatMap((one) => {
    const words = [...path, one.name()];
    return [{ name: words.join(' '), command: one }, ...walk(one, words)];
  });
}

/** A command that only groups others has no action. */
function doesSomething(command: Command): boolean {
  return typeof Reflect.get(command, '_actionHandler') === 'function';
}

function examplesOf(command: Command): readonly (readonly string[])[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  return [...help.matchAll(/^ {2}\$ (.+)$/gm)]
    .map(([, line]) => shellWords(line!))
    .filter(([program]) => program === 'mace')
    .map(([, ...args]) => args);
}

const WORD = /'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)|(\s+)/g;

/** What a shell hands over: without settings before the command, up to a pipe or a redirection. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  let open: string | null = null;
  for (const [, single, double, bare, space] of line.matchAll(WORD)) {
    if (space !== undefined) {
      if (open !== null) words.push(open);
      open = null;
    } else if (bare === '>' || bare === '|' || bare === '#')
      return withoutSettings(open === null ? words : [...words, open]);
    else open = (open ?? '') + (single ?? expanded(double) ?? bare ?? '');
  }
  return withoutSettings(open === null ? words : [...words, open]);
}

function expanded(text: string | undefined): string | undefined {
  return text?.replace(/\$\([^)]*\)|\$[A-Z]+/g, ANY_TOKEN).replace(/\\(.)/g, '$1');
}

function withoutSettings(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  return words.slice(first);
}
