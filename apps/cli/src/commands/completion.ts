import type { Command } from 'commander';

import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { bash } from './completion/bash.js';
import { fish } from './completion/fish.js';
import { placesOf, type Place, type Shell } from './completion/words.js';
import { zsh } from './completion/zsh.js';

const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

/** `mace completion`: the script, whatever else was asked for; with --json the script as text. */
export function complete({ io, json }: Context, mace: Command, shell: string): Promise<ExitCode> {
  const script = SCRIPTS[shell as Shell](placesOf(mace));
  io.out(json ? JSON.stringify({ shell, script }, null, 2) : script.trimEnd());
  return Promise.resolve(EXIT.ok);
}
