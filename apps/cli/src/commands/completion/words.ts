import type { Command, Option } from 'commander';

import { offered } from '../../forms.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** A word that can stand somewhere, and what it does. */
export interface Word {
  readonly text: string;
  readonly about: string;
}

export interface Flag extends Word {
  /** A value follows it. */
  readonly takesValue: boolean;
  /** Values that may follow; none where any may. */
  readonly values: readonly string[];
  /** Several of them may, with commas between them. */
  readonly isList: boolean;
}

/** What can stand behind the words of one command. */
export interface Place {
  /** Words behind `mace`, separated by one space; empty for `mace` itself. */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Words that one of its arguments may be. */
  readonly values: readonly string[];
  /** Its own, and those that every command has. */
  readonly flags: readonly Flag[];
}

/** Every command of the tree, in its order. */
export function placesOf(mace: Command): readonly Place[] {
  const everywhere = [
    ...shown(mace).flatMap(flagsOf),
    { text: '--help', about: 'help', takesValue: false, values: [], isList: false },
  ];
  const walk = (command: Command, path: readonly string[]): readonly Place[] => [
    {
      path: path.join(' '),
      commands: command.commands.map((one) => ({ text: one.name(), about: aboutOf(one.description()) })),
      values: command.registeredArguments.flatMap(offered),
      flags: command === mace ? everywhere : [...shown(command).flatMap(flagsOf), ...everywhere],
    },
    ...command.commands.flatMap((one) => walk(one, [...path, one.name()])),
  ];
  return walk(mace, []);
}

function shown({ options }: Command): readonly Option[] {
  return options.filter(({ hidden }) => !hidden);
}

function flagsOf(option: Option): readonly Flag[] {
  const { long, short, description, flags } = option;
  const of = {
    about: aboutOf(description),
    takesValue: option.required || option.optional,
    values: offered(option),
    isList: flags.includes('[,'),
  };
  return [long, short].flatMap((text) => (text ? [{ text, ...of }] : []));
}

/** One clause, without what a shell would take for something else. */
function aboutOf(description: string): string {
  return description
    .split(/[;:(]/)[0]!
    .replaceAll(/['"`$\\[\]]/g, '')
    .trim();
}
