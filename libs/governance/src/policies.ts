import { randomUUID } from 'node:crypto';

import { type EventLog, type Fold, VersionConflictError } from '#lib/event-store';
import { canonicalize, MaceError, sha256Hex, systemSeed, traceId, type JsonObject, type Provenance } from '#lib/kernel';

import { differences, evolvePolicy, initialPolicy, lockout, mergePatch, type PolicyState } from './domain/policy.js';
import { policyChanged, policyStream, type PolicyChanged, type PolicyDifference } from './domain/policy.events.js';
import type { PolicyKind, Snapshot } from './domain/snapshot.js';
import { electorateFault, type IsRegistered } from './electorate.js';
import { policyTrial } from './policy-trials.js';
import type { Snapshots } from './snapshots.js';

/** What a policy's body may look like; given by whoever holds the schemas. */
export interface PolicyForms {
  /** Every policy there is. */
  readonly names: readonly PolicyKind[];
  /** Which member is wrong and its allowed form; null where nothing is. */
  fault(name: PolicyKind, body: JsonObject): string | null;
}

/** A policy as it would be after a change, before anybody approved it. */
export interface PolicyPreview {
  readonly from: Snapshot;
  readonly body: JsonObject;
  readonly changed: readonly PolicyDifference[];
}

export interface PolicyChangeOrder {
  readonly policy: PolicyKind;
  readonly change: JsonObject;
  /** The snapshot that those who approved it saw. */
  readonly baseSnapshotId: string;
  readonly requestId: string;
  readonly provenance: Provenance;
  readonly now: number;
}

interface Decided {
  readonly body: JsonObject;
  readonly record: Omit<PolicyChanged, 'policy' | 'from_snapshot_id' | 'snapshot_id'>;
}

const POLICY_FOLD: Fold<PolicyState> = { name: 'policy', initial: initialPolicy, evolve: evolvePolicy };
const MAX_TRIES = 32;

/** Which snapshot of each policy is in force, and how it came to be (spec: configuration enters the log). */
export class Policies {
  private readonly listeners: ((name: PolicyKind, snapshot: Snapshot) => void)[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
    readonly forms: PolicyForms,
    private readonly isRegistered: IsRegistered,
  ) {}

  /** The snapshot in force, as of every change acknowledged before the call. @throws MaceError MISSING_SNAPSHOT */
  async current(name: PolicyKind): Promise<Snapshot> {
    const { state } = await this.state(name);
    if (state.snapshotId === null) throw new MaceError('MISSING_SNAPSHOT', `policy ${name} was never set`);
    return this.snapshots.load(state.snapshotId);
  }

  /** Every snapshot that was ever in force under this name, oldest first. */
  async history(name: PolicyKind): Promise<readonly Snapshot[]> {
    const { events } = await this.log.load(policyStream(name));
    return Promise.all(events.map(({ data }) => this.snapshots.load((data as unknown as PolicyChanged).snapshot_id)));
  }

  /** Told of each change that this process makes. */
  onChange(listener: (name: PolicyKind, snapshot: Snapshot) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Takes a file's body as the policy where the file is new or has changed since it was last seen; what a request
   * changed in between stays otherwise.
   * @returns the change, or null where there is none
   */
  adopt(name: PolicyKind, body: JsonObject, now: number): Promise<PolicyChanged | null> {
    const file_hash = sha256Hex(canonicalize(body));
    const jobSeed = systemSeed('config', randomUUID());
    const actor = { id: 'system', role: 'system' };
    const provenance = { jobSeed, sequenceIndex: 0, actor, traceId: traceId(jobSeed) };
    return this.replace(name, provenance, (state, before) => {
      if (state.fileHash === file_hash) return null;
      const changed = before ? differences(before.body, body) : [];
      return { body, record: { changed, cause: 'file', file_hash, changed_at: new Date(now).toISOString() } };
    });
  }

  /** Whether a file says otherwise than it did when it was last taken; null where it was never taken. */
  async hasFileChanged(name: PolicyKind, body: JsonObject): Promise<{ readonly after: string } | false | null> {
    const { state } = await this.state(name);
    if (state.snapshotId === null) return null;
    const { body: current } = await this.snapshots.load(state.snapshotId);
    const hash = sha256Hex(canonicalize(body));
    return hash === state.fileHash || canonicalize(current) === canonicalize(body)
      ? false
      : { after: sha256Hex(`${state.lastEventId}:${hash}`) };
  }

  /**
   * What a change would make of the policy in force.
   * @throws MaceError INVALID_INPUT for an unknown policy, for what its schema refuses, for a change of nothing, and
   * for one under which nobody could decide or be answered any more
   */
  async preview(name: string, change: JsonObject): Promise<PolicyPreview> {
    const known = this.forms.names.find((one) => one === name);
    if (!known) throw invalid(`policy: one of ${this.forms.names.join(', ')}`);
    const from = await this.current(known);
    return { from, ...(await this.changed(known, from.body, change)) };
  }

  /**
   * Puts an approved change in force; again is the same change.
   * @throws MaceError CONFLICT where the policy is not any more what was approved, and as preview
   */
  async apply({
    policy,
    change,
    baseSnapshotId,
    requestId,
    provenance,
    now,
  }: PolicyChangeOrder): Promise<PolicyChanged> {
    const made = await this.replace(policy, provenance, async (state, before) => {
      if (Object.hasOwn(state.byRequest, requestId)) return null;
      if (!before || before.snapshot_id !== baseSnapshotId) {
        throw new MaceError('CONFLICT', `policy ${policy} has changed since this change of it was proposed`);
      }
      const { body, changed } = await this.changed(policy, before.body, change);
      const { fileHash: file_hash } = state;
      const changed_at = new Date(now).toISOString();
      return { body, record: { changed, cause: 'request', file_hash, request_id: requestId, changed_at } };
    });
    return made ?? (await this.state(policy)).state.byRequest[requestId]!;
  }

  /** Tried in full, when it is proposed and again when it is carried out: what it depends on may have changed. */
  private async changed(
    name: PolicyKind,
    before: JsonObject,
    change: JsonObject,
  ): Promise<Omit<PolicyPreview, 'from'>> {
    const body = mergePatch(before, change);
    const changed = differences(before, body);
    if (changed.length === 0) throw invalid(`change: policy ${name} says this already`);
    refuseLockout(lockout(name, body));
    const fault = this.forms.fault(name, body);
    if (fault !== null) throw invalid(`change: ${fault}`);
    refuseLockout(policyTrial(name, body));
    if (name === 'governance') refuseLockout(await electorateFault(body, before, this.isRegistered));
    return { body, changed };
  }

  private async replace(
    name: PolicyKind,
    provenance: Provenance,
    decide: (state: PolicyState, before: Snapshot | null) => Decided | null | Promise<Decided | null>,
  ): Promise<PolicyChanged | null> {
    for (let attempt = 1; ; attempt++) {
      const { state, head } = await this.state(name);
      const before = state.snapshotId === null ? null : await this.snapshots.load(state.snapshotId);
      const decided = await decide(state, before);
      if (!decided) return null;
      const snapshot = await this.snapshots.ensure(name, decided.body);
      const { snapshot_id } = snapshot;
      const change = { policy: name, from_snapshot_id: state.snapshotId, snapshot_id, ...decided.record };
      try {
        await this.log.append(head, [policyChanged(change)], provenance);
      } catch (error) {
        if (!(error instanceof VersionConflictError) || attempt === MAX_TRIES) throw error;
        continue;
      }
      for (const tell of this.listeners) tell(name, snapshot);
      return change;
    }
  }

  private state(name: PolicyKind) {
    return this.log.fold(policyStream(name), POLICY_FOLD);
  }
}

function refuseLockout(reason: string | null): void {
  if (reason !== null) throw invalid(`change: refused, it would lock everybody out: ${reason}`);
}

function invalid(message: string): MaceError {
  return new MaceError('INVALID_INPUT', message);
}
