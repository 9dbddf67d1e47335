import { givenEvents } from '../../../projections/src/testing/given-events.js';
import { dsrProjection } from './dsr.projection.js';

const ID = `dr-${'a'.repeat(32)}`;
const AT = '2026-11-21T12:00:00.000Z';
const of = (type: string, more: Record<string, string>) => ({
  type,
  stream: `dsr-${ID}`,
  data: { dsr_id: ID, user_id: 'user_tuff', ...more },
});
const asked = (kind: string) =>
  of('DSR_REQUEST', { kind, requested_by: 'user_ada', requested_at: AT, identity_method: 'document' });
const ROW = {
  dsr_id: ID,
  kind: 'delete',
  user_id: 'user_tuff',
  status: 'waiting_for_approval',
  requested_by: 'user_ada',
  requested_at: AT,
  due_at: '2026-12-21T12:00:00.000Z',
  decided_by: null,
  decided_at: null,
  position: 1,
};
const APPROVED = of('DSR_APPROVED', { approved_by: 'user_ben', approved_at: AT });

describe('the queue of data-subject requests', () => {
  it.each([
    ['waits, with its term', [], {}],
    ['is approved', [APPROVED], { status: 'approved', decided_by: 'user_ben', decided_at: AT }],
    [
      'is refused',
      [of('DSR_REFUSED', { refused_by: 'user_ben', refused_at: AT })],
      { status: 'refused', decided_by: 'user_ben', decided_at: AT },
    ],
    [
      'is carried out',
      [APPROVED, of('ERASURE_REQUESTED', {}), of('SUBJECT_ERASED', {})],
      { status: 'erased', decided_by: 'user_ben', decided_at: AT },
    ],
  ])('shows that a deletion %s', async (_, events, changed) => {
    const found = await givenEvents(dsrProjection, asked('delete'), ...events).documents('dsr_requests');
    expect(found).toEqual([{ id: ID, body: { ...ROW, ...changed } }]);
  });

  it('shows an export as ready, without a term', async () => {
    const [found] = await givenEvents(dsrProjection, asked('export')).documents('dsr_requests');
    expect(found!.body).toMatchObject({ kind: 'export', status: 'ready', due_at: null });
  });
});
