import { join } from 'node:path';

import { ProjectionHost, ReadModel } from '#lib/projections';
import { START, type Position, type RecordedEvent } from '#lib/event-store';
import { semProjection } from '#lib/memory';

import { drive } from '../harness/callers.js';
import { atLeast, type Row } from '../harness/row.js';
import { interleave, median, pairedRatio } from '../harness/statistics.js';
import { type AppSide, openAppSide, userOf } from './app-side.js';
import { bareAppends, type BareRow } from './bare-appends.js';

const CALLERS = 64;
const COMMANDS = 15_000;

/** A value is stored by command, projected, and found in the read model by whoever stored it. */
export const command: Row = {
  name: 'command',
  async run({ folder, rounds, scale, say }) {
    const commands = Math.ceil(COMMANDS * scale);
    const side = await openAppSide(join(folder, 'data'));
    try {
      const host = side.app.nest.get(ProjectionHost);
      const model = new ReadModel(side.platform.readStore, semProjection);
      const readBack = async (caller: number, nth: number): Promise<void> => {
        const key = `user/profile/${userOf(caller)}/bench_value`;
        const { position, revision } = await side.put(caller, key, `value ${nth}`);
        await host.waitFor(position, [semProjection.name]);
        const found = await model.get('sem', key);
        if (found?.body['revision'] !== revision) throw new Error(`read back ${JSON.stringify(found)}`);
      };
      const measured = async (): Promise<number> =>
        (await drive({ callers: CALLERS, calls: commands }, readBack)).perSecond;
      const before = await side.platform.eventStore.head();
      say('warming up');
      await measured();
      const rows = await rowsSince(side, before);
      let place = 0;
      const figures = await interleave(
        { baseline: () => bareAppends(join(folder, `bare-${place++}`), rows), measured },
        { rounds, onTask: (task, round) => say(`round ${round}, ${task}`) },
      );
      const figure = median(figures.measured);
      return [
        {
          name: 'command, append, projection, read back',
          unit: 'commands/s',
          figure,
          baseline: median(figures.baseline),
          baselineName: 'bare driver, the events of these commands as ready rows, group commit of 64, FULL',
          ratio: pairedRatio(figures.measured, figures.baseline),
          aims: [atLeast('rate', figure, 5000, 'rate')],
          details: { 'commands a round': commands, callers: CALLERS },
        },
      ];
    } finally {
      await side.close();
    }
  },
};

/** What the commands stored, as rows of the baseline, each stream under a name that is new to it. */
async function rowsSince({ platform }: AppSide, before: Position): Promise<readonly BareRow[]> {
  const rows: BareRow[] = [];
  for (let after = before; ;) {
    const page = await platform.eventStore.readAll({ after, limit: 4096, types: ['SEM_PUT'] });
    rows.push(...page.events.map(rowOf));
    if (page.atHead) return rows;
    after = page.scannedTo === START ? after : page.scannedTo;
  }
}

function rowOf({ stream, id, type, text }: RecordedEvent): BareRow {
  return { stream, event: { id, type, text } };
}
