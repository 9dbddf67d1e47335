import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';

import { newDataFolder } from '../support/data-folder.js';
import { describeWithProgram } from '../support/programs.js';
import { RoomProcess } from '../support/room-process.js';

/** The Negotiation Room for a client that knows nothing of it but what reflection tells. */

const ROOM = 'sw4rm.negotiation_room.NegotiationRoomService';
const PROPOSAL = {
  artifact_type: 'PLAN',
  artifact_id: 'plan-by-grpcurl',
  producer_id: 'maker',
  requested_critics: ['ann'],
};

describeWithProgram('grpcurl', 'the Negotiation Room by grpcurl, through reflection alone', (grpcurl) => {
  let folder: string;
  let room: RoomProcess;
  beforeAll(async () => {
    folder = await newDataFolder('grpcurl');
    room = await RoomProcess.start(folder);
  });
  afterAll(async () => {
    await room.server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(who: string | null, ...words: readonly string[]): Promise<{ code: number; out: string }> {
    const token = who === null ? [] : ['-H', `authorization: Bearer ${await room.token(who)}`];
    const options = ['-plaintext', '-max-time', '30', ...token];
    const at = words.findIndex((word) => !word.startsWith('-') && !word.startsWith('{'));
    const all = [...options, ...words.slice(0, at), `127.0.0.1:${room.grpcPort}`, ...words.slice(at)];
    return new Promise((resolve) =>
      execFile(grpcurl, all, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      ),
    );
  }

  it('tells its services and what each takes', async () => {
    expect((await ask(null, 'list')).out.split('\n')).toEqual(
      expect.arrayContaining([ROOM, 'sw4rm.registry.RegistryService']),
    );
    const described = await ask(null, 'describe', `${ROOM}.SubmitProposal`);
    expect(described).toMatchObject({ code: 0, out: expect.stringContaining('SubmitProposalRequest') as string });
    const message = await ask(null, 'describe', 'sw4rm.negotiation_room.NegotiationProposal');
    expect(message).toMatchObject({
      code: 0,
      out: expect.stringContaining('.google.protobuf.Timestamp created_at') as string,
    });
  });

  it('takes a proposal and a vote, and gives the decision', async () => {
    const proposed = await ask('maker', '-d', JSON.stringify({ proposal: PROPOSAL }), `${ROOM}/SubmitProposal`);
    expect(proposed).toMatchObject({ code: 0 });
    const vote = { artifact_id: PROPOSAL.artifact_id, critic_id: 'ann', score: 9, confidence: 0.9, passed: true };
    expect(await ask('ann', '-d', JSON.stringify({ vote }), `${ROOM}/SubmitVote`)).toMatchObject({ code: 0 });
    const asked = JSON.stringify({ artifact_id: PROPOSAL.artifact_id, timeout_seconds: 30 });
    const { code, out } = await ask('maker', '-d', asked, `${ROOM}/WaitForDecision`);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { decision: { artifact_id: PROPOSAL.artifact_id, outcome: 'APPROVED' } },
    ]);
  });

  it('is refused without a token with the reason', async () => {
    const refused = await ask(null, '-d', '{"artifact_id": "x"}', `${ROOM}/GetVotes`);
    expect(refused.code).not.toBe(0);
    expect(refused.out).toContain('Unauthenticated');
  });
});
