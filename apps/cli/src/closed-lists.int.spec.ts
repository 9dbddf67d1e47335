import { ACTIONS, PROJECTIONS } from './closed-lists.js';
import { answerOf, mace } from './testing/mace.js';
import { ServedFolder } from './testing/served-folder.js';

/** What only a running server knows all of. */

let served: ServedFolder;
beforeAll(async () => void (served = await ServedFolder.open('closed-lists')));
afterAll(() => served.close());

it('the command line offers the projections that there are', async () => {
  const { items } = await answerOf<{ items: readonly { readonly name: string }[] }>(
    ...['--data', served.path, 'projections', 'list'],
  );
  expect(items.map(({ name }) => name).sort()).toEqual([...PROJECTIONS].sort());
});

it('the command line knows the actions that the council may be asked for', async () => {
  const token = await served.token('ada', ['admin'], true);
  const body = { kind: 'nothing', payload: { action: 'nothing' }, justification: 'none' };
  const { payload } = await served.fastify.inject({
    method: 'POST',
    url: '/actionrequest/create',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  const { developer_message } = JSON.parse(payload) as { developer_message: string };
  expect(developer_message).toBe(`payload.action: one of ${[...ACTIONS].sort().join(', ')}`);
});

it('a word that may not stand is a usage error that names those that may', async () => {
  const said = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    for (const [words, named] of [
      [['token', '--user', 'a', '--role', 'user,root'], 'user, agent, operator'],
      [['trust', 'post', 'agent:math_v1', 'NOTHING'], 'GROUND_TRUTH_LABEL'],
      [['events', 'failure', 'NOTHING'], 'AGENT_TIMEOUT'],
      [['consent', 'grant', '--type', 'nothing', '--text', 'x'], 'us_ssn'],
      [['governance', 'list', '--kind', 'nothing'], 'sem_put'],
      [['keys', 'rotate', 'nothing'], 'event-hmac'],
      [['diff', '--from', '0', '--kind', 'nothing'], 'memory'],
    ] as const) {
      said.mockClear();
      const { code, out } = await mace('--data', served.path, ...words);
      const told = said.mock.calls.join('');
      expect([words, code, out, told.includes(named), /nothing|root/i.test(told.split('\n')[0]!)]).toEqual([
        words,
        64,
        '',
        true,
        false,
      ]);
    }
  } finally {
    said.mockRestore();
  }
});
