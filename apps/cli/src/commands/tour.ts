import type { Context } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { approvedAndExecuted } from './tour/approved.js';
import { deadlockBeforePeople } from './tour/deadlock.js';
import { DemonstrationHouse } from './tour/demonstration.js';
import { failingAgent } from './tour/failing.js';
import { firstSteps } from './tour/first-steps.js';
import { Guide, NotSo } from './tour/guide.js';
import { House } from './tour/house.js';
import { negotiated } from './tour/negotiated.js';
import { ownAgent } from './tour/own-agent.js';
import { proof } from './tour/proof.js';
import { rejectedAndRepaired } from './tour/repaired.js';
import { Walk } from './tour/walk.js';

/**
 * `mace tour`: a walk through two houses, each the whole application on a data folder of its own that is gone afterwards.
 * Whatever is claimed is checked on answers and events; exit code 2 where a claim does not hold.
 */
export async function tour({ io, json }: Context): Promise<ExitCode> {
  const guide = new Guide(io, json);
  let holds = true;
  try {
    await installed(guide);
    await demonstrated(guide);
    guide.say('');
    guide.say('That was the way through the house. Next: npm start, and docs/events-streams-replay.md.');
  } catch (error) {
    if (!(error instanceof NotSo)) throw error;
    holds = false;
    io.say(`mace: the tour ends here, this is not so: ${error.message}`);
  }
  guide.end(holds);
  return holds ? EXIT.ok : EXIT.divergence;
}

async function installed(guide: Guide): Promise<void> {
  guide.say('A tour of MACE. First as it is installed, on a data folder of its own that is gone at the end.');
  const house = await House.open();
  try {
    const walk = new Walk(house, guide);
    await firstSteps(walk);
    await proof(walk, ['jobs']);
  } finally {
    await house.close();
  }
}

async function demonstrated(guide: Guide): Promise<void> {
  guide.say('');
  guide.say('Now a second house, where the agents for sums and for anything else and two of the critics are stand-ins');
  guide.say('that fail when told to; everything else is the application as it is.');
  const demonstration = await DemonstrationHouse.open();
  try {
    const walk = new Walk(demonstration.house, guide);
    await rejectedAndRepaired(demonstration, walk);
    await deadlockBeforePeople(demonstration, walk);
    await approvedAndExecuted(walk);
    await failingAgent(demonstration, walk);
    await ownAgent(walk);
    await negotiated(demonstration, walk);
    await proof(walk, ['jobs', 'sem', 'selfrep', 'actionrequests', 'negotiations']);
  } finally {
    await demonstration.house.close();
  }
}
