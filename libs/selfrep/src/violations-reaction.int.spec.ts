import { eventId } from '#lib/kernel';

import { decideRestore, decideViolation } from './domain/decide.js';
import { violationsReaction } from './reactions.js';
import { selfrepProcess, type SelfrepProcess } from './testing/selfrep-process.js';

const MATH = 'agent:math_v1';
const BY = { actor: { id: 'olga', role: 'operator' }, sequenceIndex: 0, traceId: 't'.repeat(32) };
const violation = { type: 'POLICY_VIOLATION', data: { node_id: MATH, job_id: 'job:1', action: 'sem.read' } };

describe('a policy violation that a job recorded', () => {
  let process: SelfrepProcess;
  beforeEach(async () => {
    process = selfrepProcess();
    await process.register(MATH);
  });

  /** The reaction to every violation in a stream. */
  const reactTo = async (stream: string): Promise<void> => {
    const { events } = await process.log.load(stream);
    for (const event of events.filter(({ type }) => type === 'POLICY_VIOLATION')) {
      await violationsReaction(process.streams).react({ ...event, stream });
    }
  };
  const types = async () => (await process.events(MATH)).map(({ type }) => type);

  it('takes the module offline, with the violation as its cause', async () => {
    const [cause] = await process.job('j', violation);
    await reactTo('job-j');
    const offline = (await process.events(MATH)).at(-1)!;
    expect(offline).toMatchObject({
      type: 'NODE_OFFLINE',
      data: { node_id: MATH, reason: 'policy violation', job_id: 'job:1', health: { status: 'offline' } },
      metadata: { $causationId: cause, event_id: eventId(`after:policy-violations:${cause!}`, 0, 'NODE_OFFLINE') },
    });
  });

  it('is answered once, also where an admin restored the module before it is answered again', async () => {
    await process.job('j', violation);
    await reactTo('job-j');
    await reactTo('job-j');
    expect(await types()).toEqual(['MODULE_REGISTERED', 'NODE_OFFLINE']);
    await process.streams.execute(MATH, { ...BY, jobSeed: 'r' }, (module) =>
      decideRestore(module!, 'looked at', process.constants),
    );
    await reactTo('job-j');
    expect(await types()).toEqual(['MODULE_REGISTERED', 'NODE_OFFLINE', 'MODULE_RESTORED']);
  });

  it('adds nothing to a module that is offline, nor to one that nobody registered', async () => {
    await process.job('j', violation);
    await process.job('k', violation, { ...violation, data: { ...violation.data, node_id: 'agent:nobody' } });
    await reactTo('job-j');
    await reactTo('job-k');
    expect(await types()).toEqual(['MODULE_REGISTERED', 'NODE_OFFLINE']);
  });

  it('is not what a report in the module’s own stream is, which took it offline itself', async () => {
    await process.streams.execute(MATH, { ...BY, jobSeed: 'v' }, (module) => decideViolation(module!, {}));
    await process.streams.execute(MATH, { ...BY, jobSeed: 'r' }, (module) =>
      decideRestore(module!, 'looked at', process.constants),
    );
    await reactTo(`module-${MATH}`);
    expect((await types()).slice(1)).toEqual(['POLICY_VIOLATION', 'NODE_OFFLINE', 'MODULE_RESTORED']);
  });

  it('changes neither the directory nor the revision of the module by itself', async () => {
    await process.job('j', violation);
    await process.directory.start();
    expect(process.directory.get(MATH)).toMatchObject({ revision: 0, health: { status: 'degraded' } });
    await process.directory.stop();
  });
});
