import { Controller, Get, Header, Param, Query } from '@nestjs/common';

import { EventLog } from '#lib/event-store';
import { MaceError } from '#lib/kernel';
import {
  type CheckpointRecord,
  COVERED_WITHIN_MS,
  type LogKey,
  MerkleLog,
  type ProofState,
  type StoredProof,
} from '#lib/proof';

import { Doc, Permission, Public } from '../edge/index.js';
import { ConsistencyQuery } from './proof.dto.js';
import { CONSISTENCY, CURRENT, CURRENT_FORMS, NOTE, PROOF, VKEYS, WITNESSED } from './proof.examples.js';
import { refuseUnsigned } from './refuse-unsigned.js';

interface Current {
  readonly checkpoint: CheckpointRecord;
  readonly keys: readonly LogKey[];
  readonly state: ProofState;
}

interface TreeHead {
  readonly size: number;
  readonly root: string;
}

interface Consistency {
  readonly from: TreeHead;
  readonly to: TreeHead;
  readonly proof: readonly string[];
}

/** What the log as a whole proves to somebody who does not trust this server. */
@Controller('audit')
export class ProofController {
  constructor(
    private readonly log: MerkleLog,
    private readonly events: EventLog,
  ) {}

  @Get('checkpoint')
  @Permission('audit.proof')
  @Doc({
    summary: 'A signed checkpoint over all that was appended before, the keys that verify it, and how the log stands',
    description:
      'A checkpoint (C2SP tlog-checkpoint) says how many events the log has and the root of the Merkle tree over them. `note` is the whole signed note; `ready_for_bundles` is false while the log is not signed, or its witness does not cosign.',
    answer: CURRENT,
    otherAnswers: { 'the witness is out of reach': WITNESSED },
    forms: CURRENT_FORMS,
    errors: ['WAIT_TIMEOUT'],
  })
  async checkpoint(): Promise<Current> {
    return {
      checkpoint: await this.log.current(COVERED_WITHIN_MS),
      keys: this.log.publicKeys(),
      state: this.log.state(),
    };
  }

  @Get('checkpoint/note')
  @Permission('audit.proof')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Doc({
    summary: 'Such a checkpoint as the signed note alone',
    media: 'text/plain',
    answer: NOTE,
    errors: ['WAIT_TIMEOUT'],
  })
  async note(): Promise<string> {
    return (await this.log.current(COVERED_WITHIN_MS)).note;
  }

  @Get('proof/:event_id')
  @Permission('audit.proof')
  @Doc({
    summary: 'That an event is in the log: its leaf, and the path to the root of the newest checkpoint',
    description:
      'Waits for a checkpoint over an event that was appended a moment ago. Hashes are those of RFC 9162; `entry` is what the leaf is the hash of, with the hash of the event’s data as it is stored. An event that no key of this server has signed at that place is not proven.',
    answer: PROOF,
    errors: ['NOT_FOUND', 'WAIT_TIMEOUT', 'INTEGRITY_FAILURE', 'DATA_UNAVAILABLE'],
  })
  async proof(@Param('event_id') eventId: string): Promise<StoredProof> {
    const proof = await this.log.proofAsStored(eventId).catch((error: unknown) => this.unproven(eventId, error));
    if (!proof) throw new MaceError('NOT_FOUND', 'path.event_id: no event of the log has this id');
    await refuseUnsigned(this.events, proof);
    return proof;
  }

  /** No checkpoint comes over what nobody signed: that is said rather than how long it was waited for. */
  private async unproven(event_id: string, error: unknown): Promise<never> {
    const place = error instanceof MaceError && error.code === 'WAIT_TIMEOUT' ? await this.log.find(event_id) : null;
    if (place) await refuseUnsigned(this.events, { event_id, ...place });
    throw error;
  }

  @Get('consistency')
  @Permission('audit.proof')
  @Doc({
    summary: 'That the log of one size begins the log of another: nothing between was changed or removed',
    description: 'Sizes are numbers of events, as checkpoints name them. The proof is that of RFC 9162, 2.1.4.',
    answer: CONSISTENCY,
    errors: ['WAIT_TIMEOUT'],
  })
  async consistency(@Query() { from, to: asked }: ConsistencyQuery): Promise<Consistency> {
    const { size } = await this.log.current(COVERED_WITHIN_MS);
    const to = asked ?? size;
    if (to > size) throw new MaceError('INVALID_INPUT', `query.to: at most ${size}, the size of the newest checkpoint`);
    if (from > to) throw new MaceError('INVALID_INPUT', `query.from: at most query.to, which is ${to}`);
    const head = (of: number): TreeHead => ({ size: of, root: this.log.rootAt(of) });
    return { from: head(from), to: head(to), proof: this.log.consistency(from, to) };
  }
}

/** What strangers need to check a checkpoint. */
@Controller('.well-known')
export class LogKeysController {
  constructor(private readonly log: MerkleLog) {}

  @Get('mace-log.vkey')
  @Public()
  @Header('cache-control', 'public, max-age=300')
  @Header('content-type', 'text/plain; charset=utf-8')
  @Doc({
    summary: 'The verifier keys of the log’s checkpoints, one a line, the one that signs now first',
    description:
      'Keys of C2SP signed-note: `<origin>+<key id>+<base64>`. Keep a copy elsewhere: that is what to trust.',
    media: 'text/plain',
    answer: VKEYS,
  })
  keys(): string {
    return this.log
      .publicKeys()
      .map(({ vkey }) => `${vkey}\n`)
      .join('');
  }
}
