import { type CommandContext, hasRole, LOCAL_PRINCIPAL, personOf, provenanceOf, requireElevated } from '#lib/access';
import { recordAccess, unredactingRole } from '#lib/audit';
import { type EventLog, isErased, type SubjectKeyStore } from '#lib/event-store';
import { type JsonObject, MaceError, refuseOtherBody, sha256Hex, whereMatched } from '#lib/kernel';
import { principalNormalForm } from '#lib/memory';

import {
  decideApproval,
  decideRefusal,
  decideRequest,
  type Dsr,
  type DsrStatus,
  dueAt,
  statusOf,
} from './domain/dsr.js';
import { type DsrKind, type DsrRequested, dsrStream } from './domain/dsr.events.js';
import type { DeletionManifest } from './domain/manifest.js';
import { decideOn, findDsr, noDsr } from './dsr-streams.js';
import type { IdentityProof } from './ports.js';

/** What is asked for, as it came. */
export interface DsrForm {
  readonly kind: DsrKind;
  /** In any spelling. */
  readonly user_id: string;
  readonly identity_proof: JsonObject;
}

/** A request as the person, an admin and the council see it. */
export interface DsrView {
  readonly dsr_id: string;
  readonly kind: DsrKind;
  readonly user_id: string;
  readonly status: DsrStatus;
  readonly requested_by: string;
  readonly requested_at: string;
  /** Until when a deletion is to be decided on; null for an export. */
  readonly due_at: string | null;
  readonly identity_method: DsrRequested['identity_method'];
  readonly document_ref: string | null;
  readonly reason: string | null;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  readonly refused_by: string | null;
  readonly refused_at: string | null;
  readonly refusal_reason: string | null;
  readonly erasure_requested_at: string | null;
  readonly keys_destroyed_at: string | null;
  readonly erased_at: string | null;
  readonly deletion_manifest: DeletionManifest | null;
  /** sha256 of the canonical manifest. */
  readonly manifest_hash: string | null;
}

/** A view with the revision of its newest event: its ETag. */
export interface VersionedDsr {
  readonly view: DsrView;
  readonly revision: number;
}

type Proof =
  | { readonly method: 'otp'; readonly otp: string }
  | { readonly method: 'document'; readonly document_ref: string; readonly reason: string };

const DOCUMENT_REF = /^[A-Za-z0-9._:-]{1,128}$/;
const MAX_REASON = 1000;
const PROOF_FORM =
  'identity_proof: {"otp": "six digits"} of the person, or {"document_ref": "1-128 of A-Za-z0-9._:-", "reason": "1-1000 characters"} of an admin';

/** Requests of people about what is recorded of them: filed, looked at, approved (spec/privacy.md). */
export class DsrRequests {
  constructor(
    private readonly log: EventLog,
    private readonly keys: SubjectKeyStore,
    private readonly identity: IdentityProof,
    private readonly isPersonal: (text: string) => boolean,
    /** Whether something is recorded of a person beside the log, in what a restore replaced. */
    private readonly isKnownAside: (userId: string) => Promise<boolean>,
  ) {}

  /**
   * Files a request after the check of identity. The same request again is answered by what is recorded: a one-time code
   * is not taken twice.
   * @throws MaceError PERMISSION_DENIED for another's data, UNAUTHENTICATED for a wrong proof or a missing elevation,
   * RATE_LIMITED, INVALID_INPUT, PRIVACY_BLOCKED, NOT_FOUND for nobody, IDEMPOTENCY_KEY_REUSED
   */
  async file(ctx: CommandContext, form: DsrForm): Promise<{ readonly dsr_id: string }> {
    const proof = proofOf(form.identity_proof);
    const user_id = this.personMeant(ctx, form.user_id, proof);
    const dsr_id = `dr-${sha256Hex(`${ctx.seed}:dsr`).slice(0, 32)}`;
    if (await this.isFiled(ctx, dsr_id)) return { dsr_id };
    await this.prove(ctx, user_id, proof).catch(async (error: unknown) => {
      // The same request at the same time may have used the code.
      if (!(await this.isFiled(ctx, dsr_id))) throw error;
    });
    const document = proof.method === 'document' ? { document_ref: proof.document_ref, reason: proof.reason } : {};
    const request: DsrRequested = {
      dsr_id,
      kind: form.kind,
      user_id,
      requested_by: ctx.principal.id,
      requested_at: new Date(ctx.now).toISOString(),
      identity_method: proof.method,
      ...document,
    };
    await decideOn(this.log, dsr_id, provenanceOf(ctx), (state) => decideRequest(state, request));
    return { dsr_id };
  }

  /**
   * An admin's look at what another admin wrote of a person is recorded first.
   * @throws MaceError NOT_FOUND, also for what one may not see; what the store throws where it cannot be recorded
   */
  async view(ctx: CommandContext, dsrId: string): Promise<VersionedDsr> {
    const found = await findDsr(this.log, dsrId);
    if (!found || !maySee(ctx, found.dsr)) throw noDsr(dsrId);
    const { request, refusal } = found.dsr;
    if ((request.identity_method === 'document' || refusal) && isAdminsLook(ctx, found.dsr)) {
      const unredactedAs = unredactingRole(ctx.principal);
      await recordAccess(this.log, ctx, { resource: `dsr/${dsrId}`, action: 'read', unredactedAs });
    }
    return { view: await this.viewOf(found.dsr), revision: found.head.version - 1 };
  }

  /** @throws MaceError NOT_FOUND, CONFLICT, PERMISSION_DENIED for one's own, IDEMPOTENCY_KEY_REUSED, PRECONDITION_FAILED */
  async approve(ctx: CommandContext, dsrId: string): Promise<VersionedDsr> {
    if (!(await findDsr(this.log, dsrId))) throw noDsr(dsrId);
    const approval = { dsr_id: dsrId, approved_by: ctx.principal.id, approved_at: new Date(ctx.now).toISOString() };
    const isFolder = ctx.principal.id === LOCAL_PRINCIPAL.id;
    const { dsr, head } = await decideOn(this.log, dsrId, provenanceOf(ctx), (state, { version }) =>
      whereMatched(ctx, version - 1, decideApproval(state, approval, ctx.seed, isFolder)),
    );
    return { view: await this.viewOf(dsr), revision: head.version - 1 };
  }

  /**
   * The reason is told to the person, and goes with them where they are erased after all.
   * @throws MaceError NOT_FOUND, CONFLICT, PRIVACY_BLOCKED, IDEMPOTENCY_KEY_REUSED, PRECONDITION_FAILED
   */
  async refuse(ctx: CommandContext, dsrId: string, reason: string): Promise<VersionedDsr> {
    if (!(await findDsr(this.log, dsrId))) throw noDsr(dsrId);
    if (this.isPersonal(reason)) throw new MaceError('PRIVACY_BLOCKED', 'reason: without personal data');
    const refusal = {
      dsr_id: dsrId,
      refused_by: ctx.principal.id,
      refused_at: new Date(ctx.now).toISOString(),
      reason,
    };
    const { dsr, head } = await decideOn(this.log, dsrId, provenanceOf(ctx), (state, { version }) =>
      whereMatched(ctx, version - 1, decideRefusal(state, refusal, ctx.seed)),
    );
    return { view: await this.viewOf(dsr), revision: head.version - 1 };
  }

  private async isFiled(ctx: CommandContext, dsrId: string): Promise<boolean> {
    const found = await findDsr(this.log, dsrId);
    if (found) refuseOtherBody(found.dsr.digest, ctx);
    return found !== null;
  }

  /** Whose data it is about, once it is certain that this caller may ask for it in this way. */
  private personMeant({ principal }: CommandContext, rawId: string, proof: Proof): string {
    if (this.isPersonal(rawId)) throw new MaceError('PRIVACY_BLOCKED', 'user_id: an opaque id, without personal data');
    const userId = principalNormalForm(rawId);
    const isOwn = userId === personOf(principal);
    if (proof.method === 'otp') {
      if (isOwn) return userId;
      throw new MaceError('PERMISSION_DENIED', 'with a one-time code one asks for one’s own data only');
    }
    if (!hasRole(principal, 'admin')) {
      throw new MaceError('PERMISSION_DENIED', 'an admin files a request by a document; you prove yourself by an otp');
    }
    requireElevated(principal);
    if (this.isPersonal(proof.reason) || this.isPersonal(proof.document_ref)) {
      throw new MaceError('PRIVACY_BLOCKED', 'identity_proof: document_ref and reason without personal data');
    }
    return userId;
  }

  private async prove(ctx: CommandContext, userId: string, proof: Proof): Promise<void> {
    if (proof.method === 'otp') return this.identity.verifyOneTimeCode(userId, proof.otp, ctx.now);
    const isKnown =
      (await this.log.store.streamVersion(`principal-${userId}`)) > 0 ||
      (await this.keys.listFor(userId)).length > 0 ||
      (await this.isKnownAside(userId));
    if (!isKnown) throw new MaceError('NOT_FOUND', `nothing is recorded of ${userId}`);
  }

  private async viewOf(dsr: Dsr): Promise<DsrView> {
    const { request, approval, refusal, erasure, destruction, certificate } = dsr;
    return {
      dsr_id: request.dsr_id,
      kind: request.kind,
      user_id: request.user_id,
      status: statusOf(dsr),
      requested_by: request.requested_by,
      requested_at: request.requested_at,
      due_at: dueAt(request.kind, request.requested_at),
      identity_method: request.identity_method,
      document_ref: request.document_ref ?? null,
      reason: request.identity_method === 'document' ? await this.reasonOf('DSR_REQUEST', request.dsr_id) : null,
      approved_by: approval?.approved_by ?? null,
      approved_at: approval?.approved_at ?? null,
      refused_by: refusal?.refused_by ?? null,
      refused_at: refusal?.refused_at ?? null,
      refusal_reason: refusal ? await this.reasonOf('DSR_REFUSED', request.dsr_id) : null,
      erasure_requested_at: erasure?.requested_at ?? null,
      keys_destroyed_at: destruction?.destroyed_at ?? null,
      erased_at: certificate?.erased_at ?? null,
      deletion_manifest: certificate?.deletion_manifest ?? null,
      manifest_hash: certificate?.manifest_hash ?? null,
    };
  }

  private async reasonOf(said: 'DSR_REQUEST' | 'DSR_REFUSED', dsrId: string): Promise<string> {
    const { events } = await this.log.load(dsrStream(dsrId), { personal: 'plain' });
    const reason = events.find(({ type }) => type === said)?.data['reason'];
    // Absent where a restored log has the request from the one that it replaced: its key was destroyed there.
    return reason === undefined || isErased(reason) ? '[erased]' : (reason as string);
  }
}

function maySee(ctx: CommandContext, dsr: Dsr): boolean {
  return isParty(ctx, dsr) || hasRole(ctx.principal, 'admin') || hasRole(ctx.principal, 'council');
}

/** Of one who neither is a party to it nor sits in the council, which decides on it. */
function isAdminsLook(ctx: CommandContext, dsr: Dsr): boolean {
  return !isParty(ctx, dsr) && !hasRole(ctx.principal, 'council');
}

function isParty({ principal }: CommandContext, { request }: Dsr): boolean {
  return [request.user_id, request.requested_by].includes(personOf(principal)) || request.requested_by === principal.id;
}

/** @throws MaceError INVALID_INPUT */
function proofOf(proof: JsonObject): Proof {
  const { otp, document_ref, reason, ...more } = proof;
  if (Object.keys(more).length === 0) {
    if (typeof otp === 'string' && document_ref === undefined && reason === undefined && /^[0-9]{6}$/.test(otp)) {
      return { method: 'otp', otp };
    }
    const isDocument = typeof document_ref === 'string' && DOCUMENT_REF.test(document_ref);
    const isReason = typeof reason === 'string' && reason.trim() !== '' && reason.length <= MAX_REASON;
    if (otp === undefined && isDocument && isReason) return { method: 'document', document_ref, reason };
  }
  throw new MaceError('INVALID_INPUT', PROOF_FORM);
}
