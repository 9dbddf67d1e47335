import type { DomainEvent } from '#lib/kernel';

import {
  decideApproval,
  decideCertificate,
  decideDestruction,
  decideErasure,
  decideRefusal,
  decideRequest,
  type DsrState,
  dueAt,
  evolveDsr,
  statusOf,
} from './dsr.js';
import { dsrEvent, type DsrKind, type DsrRequested } from './dsr.events.js';
import { type DeletionManifest, manifestHash } from './manifest.js';

const ID = `dr-${'a'.repeat(32)}`;
const USER = 'user_tuff';
const AT = '2026-11-21T12:00:00.000Z';
const requested = (kind: DsrKind): DsrRequested => ({
  dsr_id: ID,
  kind,
  user_id: USER,
  requested_by: USER,
  requested_at: AT,
  identity_method: 'otp',
});
const REQUEST = dsrEvent('DSR_REQUEST', requested('delete'));
const QUEUED = dsrEvent('DSR_DELETE_REQUEST', { dsr_id: ID, user_id: USER });
const APPROVAL = { dsr_id: ID, approved_by: 'user_ada', approved_at: AT };
const APPROVED = dsrEvent('DSR_APPROVED', APPROVAL);
const REFUSAL = { dsr_id: ID, refused_by: 'user_ada', refused_at: AT, reason: 'kept for a court' };
const REFUSED = dsrEvent('DSR_REFUSED', { ...REFUSAL, user_id: USER });
const BEGUN = dsrEvent('ERASURE_REQUESTED', { dsr_id: ID, user_id: USER, kids: ['k1'], requested_at: AT });
const DESTROYED = dsrEvent('SUBJECT_KEYS_DESTROYED', { dsr_id: ID, user_id: USER, kids: ['k1'], destroyed_at: AT });
const MANIFEST = { dsr_id: ID, user_id: USER, data_keys: ['k1'] } as unknown as DeletionManifest;
const ERASED = dsrEvent('SUBJECT_ERASED', {
  dsr_id: ID,
  user_id: USER,
  erased_at: AT,
  deletion_manifest: MANIFEST,
  manifest_hash: manifestHash(MANIFEST),
});

const given = (...events: readonly DomainEvent[]): DsrState =>
  events.reduce<DsrState>(
    (state, event) => evolveDsr(state, { ...event, metadata: { event_id: `id of ${event.type}`, job_seed: 'cmd:1' } }),
    null,
  );

describe('a data-subject request', () => {
  it('to delete is queued for somebody’s decision as it is filed; one to export is not', () => {
    expect(decideRequest(null, requested('delete'))).toEqual([REQUEST, QUEUED]);
    expect(decideRequest(null, requested('export'))).toEqual([dsrEvent('DSR_REQUEST', requested('export'))]);
  });

  it('is filed once', () => {
    expect(decideRequest(given(REQUEST, QUEUED), requested('delete'))).toEqual([]);
  });

  it('is approved by neither who filed it nor whom it is about, but by who holds the data folder', () => {
    const byAda = dsrEvent('DSR_REQUEST', { ...requested('delete'), requested_by: 'user_ada' });
    const refusal = /nobody approves what they asked for/;
    expect(() => decideApproval(given(byAda, QUEUED), APPROVAL, 'cmd:1')).toThrow(refusal);
    expect(() => decideApproval(given(byAda, QUEUED), { ...APPROVAL, approved_by: USER }, 'cmd:1')).toThrow(refusal);
    expect(decideApproval(given(byAda, QUEUED), APPROVAL, 'cmd:1', true)).toEqual([APPROVED]);
  });

  it('is approved once: the same command again changes nothing, another one is a conflict', () => {
    expect(decideApproval(given(REQUEST, QUEUED), APPROVAL, 'cmd:1')).toEqual([APPROVED]);
    expect(decideApproval(given(REQUEST, QUEUED, APPROVED), APPROVAL, 'cmd:1')).toEqual([]);
    expect(() => decideApproval(given(REQUEST, QUEUED, APPROVED), APPROVAL, 'cmd:2')).toThrow('approved by user_ada');
  });

  it('is refused once, with its reason, and then neither approved nor carried out', () => {
    expect(decideRefusal(given(REQUEST, QUEUED), REFUSAL, 'cmd:1')).toEqual([REFUSED]);
    const refused = given(REQUEST, QUEUED, REFUSED);
    expect(statusOf(refused!)).toBe('refused');
    expect(decideRefusal(refused, REFUSAL, 'cmd:1')).toEqual([]);
    expect(() => decideRefusal(refused, REFUSAL, 'cmd:2')).toThrow('refused by user_ada');
    expect(() => decideApproval(refused, APPROVAL, 'cmd:2')).toThrow('refused by user_ada');
    expect(decideErasure(refused, ['k1'], AT)).toEqual([]);
    expect(JSON.stringify(refused)).not.toContain(REFUSAL.reason);
  });

  it('that is approved, an export, or none at all, cannot be refused', () => {
    expect(() => decideRefusal(given(REQUEST, QUEUED, APPROVED), REFUSAL, 'cmd:2')).toThrow('approved by user_ada');
    expect(() => decideRefusal(given(dsrEvent('DSR_REQUEST', requested('export'))), REFUSAL, 's')).toThrow('CONFLICT');
    expect(() => decideRefusal(null, REFUSAL, 's')).toThrow('NOT_FOUND');
  });

  it('to delete is to be decided on within thirty days; an export waits for nobody', () => {
    expect(dueAt('delete', AT)).toBe('2026-12-21T12:00:00.000Z');
    expect(dueAt('export', AT)).toBeNull();
  });

  it('that is an export, or none at all, cannot be approved', () => {
    expect(() => decideApproval(given(dsrEvent('DSR_REQUEST', requested('export'))), APPROVAL, 's')).toThrow(
      'CONFLICT',
    );
    expect(() => decideApproval(null, APPROVAL, 's')).toThrow('NOT_FOUND');
  });

  it('erases nobody before its approval, and goes through its steps once and in order', () => {
    const steps: readonly (readonly [DsrState, readonly DomainEvent[]])[] = [
      [given(REQUEST, QUEUED), []],
      [given(REQUEST, QUEUED, APPROVED), [BEGUN]],
      [given(REQUEST, QUEUED, APPROVED, BEGUN), [DESTROYED]],
      [given(REQUEST, QUEUED, APPROVED, BEGUN, DESTROYED), [ERASED]],
      [given(REQUEST, QUEUED, APPROVED, BEGUN, DESTROYED, ERASED), []],
    ];
    for (const [state, expected] of steps) {
      const decided = [
        decideErasure(state, ['k1'], AT),
        decideDestruction(state, ['k1'], AT),
        decideCertificate(state, MANIFEST, AT),
      ];
      expect(decided.flat()).toEqual(expected);
    }
  });

  it('says how far it is', () => {
    const all = [REQUEST, QUEUED, APPROVED, BEGUN, DESTROYED, ERASED];
    expect(all.map((_, i) => statusOf(given(...all.slice(0, i + 1))!))).toEqual([
      'waiting_for_approval',
      'waiting_for_approval',
      'approved',
      'erasing',
      'erasing',
      'erased',
    ]);
    expect(statusOf(given(dsrEvent('DSR_REQUEST', requested('export')))!)).toBe('ready');
  });

  it('keeps no reason in its state, whoever may look at it', () => {
    const filed = dsrEvent('DSR_REQUEST', { ...requested('delete'), reason: 'about a person' });
    expect(JSON.stringify(given(filed))).not.toContain('about a person');
  });
});
