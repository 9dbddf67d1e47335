import { randomUUID } from 'node:crypto';

import { type EventLog, type Fold, VersionConflictError } from '#lib/event-store';
import { canonicalize, MaceError, sha256Hex, systemSeed, traceId, type JsonObject, type Provenance } from '#lib/kernel';

import {
  differences,
  evolvePolicy,
  initialPolicy,
  lockout,
  mergePatch,
  type PolicyState,
  withDifferences,
} from './domain/policy.js';
import { policyChanged, policyStream, type PolicyChanged, type PolicyDifference } from './domain/policy.events.js';
import type { PolicyKind, Snapshot } from './domain/snapshot.js';
import { electorateFault, type IsRegistered } from './electorate.js';
import { type OtherPolicies, policyFault, policyTrial, TRIED_BESIDE } from './policy-trials.js';
import type { Snapshots } from './snapshots.js';

/** What a policy's body may look like; given by whoever holds the schemas. */
export interface PolicyForms {
  /** Every policy there is. */
  readonly names: readonly PolicyKind[];
  /** What its file says now; null where it has none. It is taken for the policy only where a hash proves it. */
  file?(name: PolicyKind): JsonObject | null;
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
  /** Which snapshot the listeners were told of last, and at which version of its policy's stream. */
  private readonly told = new Map<PolicyKind, { readonly id: string; readonly version: number }>();

  constructor(
    private readonly log: EventLog,
    private readonly snapshots: Snapshots,
    readonly forms: PolicyForms,
    private readonly isRegistered: IsRegistered,
  ) {}

  /**
   * The snapshot in force, as of every change acknowledged before the call.
   * @throws MaceError MISSING_SNAPSHOT where the policy was never set; INTEGRITY_FAILURE where its snapshot is damaged or
   * gone and nothing proves what it said
   */
  async current(name: PolicyKind): Promise<Snapshot> {
    const id = await this.idInForce(name);
    const snapshot = await this.proven(name, id);
    if (snapshot) return snapshot;
    throw new MaceError(
      'INTEGRITY_FAILURE',
      `snapshot ${id} of policy ${name} is damaged or gone, and nothing else says what it held: restore it from a backup`,
      { snapshot_id: id, policy: name },
    );
  }

  /**
   * The same, for whoever must have something to stand on while nothing is decided by it: of a policy that is damaged
   * and cannot be proven, what its file says, under the id of the damaged one. That one is halted, so that no job begins
   * on it.
   * @throws MaceError MISSING_SNAPSHOT; INTEGRITY_FAILURE where it has no file either
   */
  async standing(name: PolicyKind): Promise<Snapshot> {
    return this.standingAs(name, await this.idInForce(name));
  }

  private async standingAs(name: PolicyKind, snapshot_id: string): Promise<Snapshot> {
    const proven = await this.proven(name, snapshot_id);
    if (proven) return proven;
    const file = this.forms.file?.(name);
    return file ? { ...this.snapshots.make(name, file), snapshot_id } : this.current(name);
  }

  /** Every snapshot that was ever in force under this name, oldest first. */
  async history(name: PolicyKind): Promise<readonly Snapshot[]> {
    const { events } = await this.log.load(policyStream(name));
    return Promise.all(events.map(({ data }) => this.snapshots.load((data as unknown as PolicyChanged).snapshot_id)));
  }

  /** Told of each change that this process makes, and of those that `lookAgain` finds. */
  onChange(listener: (name: PolicyKind, snapshot: Snapshot) => void): void {
    this.listeners.push(listener);
  }

  /** Tells of every policy that is another one than was told last: another process may have put it in force. */
  async lookAgain(): Promise<void> {
    for (const name of this.forms.names) {
      const { state, head } = await this.state(name);
      if (state.snapshotId === null || state.snapshotId === this.told.get(name)?.id) continue;
      this.tell(name, await this.standingAs(name, state.snapshotId), head.version);
    }
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
    const hash = sha256Hex(canonicalize(body));
    if (hash === state.fileHash) return false;
    const current = await this.proven(name, state.snapshotId);
    // Nobody can say what would change of a policy that cannot be read; it is asked again at the next start.
    return current === null || canonicalize(current.body) === canonicalize(body)
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
    const fault = this.forms.fault(name, body) ?? policyFault(name, body);
    if (fault !== null) throw invalid(`change: ${fault}`);
    refuseLockout(policyTrial(name, body, await this.beside(name)));
    if (name === 'governance') refuseLockout(await electorateFault(body, before, this.isRegistered));
    return { body, changed };
  }

  /** What is in force of the policy that this one is tried with. */
  private async beside(name: PolicyKind): Promise<OtherPolicies> {
    const other = this.forms.names.find((one) => one === TRIED_BESIDE[name]);
    if (!other || (await this.state(other)).state.snapshotId === null) return {};
    return { [other]: (await this.current(other)).body };
  }

  private async replace(
    name: PolicyKind,
    provenance: Provenance,
    decide: (state: PolicyState, before: Snapshot | null) => Decided | null | Promise<Decided | null>,
  ): Promise<PolicyChanged | null> {
    for (let attempt = 1; ; attempt++) {
      const { state, head } = await this.state(name);
      const before = state.snapshotId === null ? null : await this.proven(name, state.snapshotId);
      const decided = await decide(state, before);
      if (!decided) return null;
      const snapshot = await this.snapshots.ensure(name, decided.body);
      const { snapshot_id } = snapshot;
      const change = { policy: name, from_snapshot_id: state.snapshotId, snapshot_id, ...decided.record };
      let version: number;
      try {
        version = (await this.log.append(head, [policyChanged(change)], provenance)).head.version;
      } catch (error) {
        if (!(error instanceof VersionConflictError) || attempt === MAX_TRIES) throw error;
        continue;
      }
      this.tell(name, snapshot, version);
      return change;
    }
  }

  /** Never of what was in force before what was told already: another may have put one in force while this was read. */
  private tell(name: PolicyKind, snapshot: Snapshot, version: number): void {
    if (version <= (this.told.get(name)?.version ?? 0)) return;
    this.told.set(name, { id: snapshot.snapshot_id, version });
    for (const listener of this.listeners) listener(name, snapshot);
  }

  private async idInForce(name: PolicyKind): Promise<string> {
    const { state } = await this.state(name);
    if (state.snapshotId === null) throw new MaceError('MISSING_SNAPSHOT', `policy ${name} was never set`);
    return state.snapshotId;
  }

  /** A snapshot of a policy, also where it is damaged, as long as its id proves what it said; null otherwise. */
  private proven(name: PolicyKind, id: string): Promise<Snapshot | null> {
    return this.snapshots.loadProven(name, id, () => this.bodiesFor(name, id));
  }

  /** What a snapshot may have said: what the file says, and the one before it with what was recorded as changed. */
  private async bodiesFor(name: PolicyKind, id: string): Promise<readonly JsonObject[]> {
    const file = this.forms.file?.(name) ?? null;
    const { events } = await this.log.load(policyStream(name));
    const changes = events.map(({ data }) => data as unknown as PolicyChanged);
    const change = changes.findLast(({ snapshot_id }) => snapshot_id === id);
    const from = change?.from_snapshot_id ?? null;
    const before = from === null || from === id ? null : await this.proven(name, from);
    const rebuilt = before && withDifferences(before.body, change!.changed);
    return [file, rebuilt].filter((body) => body !== null);
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
