import { Argument, type Command } from 'commander';

import { SHELLS } from './commands/completion/words.js';
import { type Act, examples } from './forms.js';

/** Words that a shell completes, made of the commands that there are. */
export function completion(mace: Command, act: Act): void {
  mace
    .command('completion')
    .description('print what lets a shell complete commands and options')
    .addArgument(new Argument('<shell>', 'which').choices(SHELLS))
    .addHelpText(
      'after',
      examples(
        'mace completion bash > /etc/bash_completion.d/mace',
        'mace completion zsh > ~/.zfunc/_mace',
        'mace completion fish > ~/.config/fish/completions/mace.fish',
      ),
    )
    .action((shell: string, _: object, command: Command) =>
      act(command, async (context) => (await import('./commands/completion.js')).complete(context, mace, shell)),
    );
}
