import type { Command } from 'commander';

import { type Act, examples } from './forms.js';

/** What keeps MACE from starting, or from serving as it should. */
export function doctor(mace: Command, act: Act): void {
  mace
    .command('doctor')
    .description('look at settings, stores, keys, clocks, disk and ports, and say what to do; nothing is written')
    .addHelpText(
      'after',
      `\nWith a running server or without one. Exit code 0 where there are warnings at most; else that of the first fault: 64 a setting, 69 something out of reach, 1 anything else.${examples('mace doctor', 'mace doctor --json', 'MACE_MODE=production MACE_KEYS_FILE=/etc/mace/ring.json mace doctor')}`,
    )
    .action((_, command: Command) =>
      act(command, async (context) => (await import('./commands/doctor.js')).doctor(context)),
    );
}
