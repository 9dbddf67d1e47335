import { evolveReleases, noReleases, recordRelease, type ReleaseRecorded, unreadable } from './releases.js';

const release = (name: string, event_versions: Record<string, number>): ReleaseRecorded => ({
  release: name,
  event_versions,
});
const after = (...records: ReleaseRecorded[]) =>
  records.reduce((state, record) => evolveReleases(state, { data: record as never }), noReleases);

const FIRST = release('0.1.0', { SEM_PUT: 1, JOB_SEALED: 1 });

describe('the releases that wrote a log', () => {
  it('are recorded once each, and again where one comes back', () => {
    expect(recordRelease(noReleases, FIRST)).toEqual([{ type: 'RELEASE_RECORDED', data: FIRST }]);
    expect(recordRelease(after(FIRST), FIRST)).toEqual([]);
    const second = release('0.2.0', { SEM_PUT: 2, JOB_SEALED: 1 });
    expect(recordRelease(after(FIRST), second)).toHaveLength(1);
    expect(recordRelease(after(FIRST, second), FIRST)).toHaveLength(1);
  });

  it('leave nothing unreadable to themselves and to later ones', () => {
    expect(unreadable(noReleases, FIRST)).toEqual([]);
    expect(unreadable(after(FIRST), FIRST)).toEqual([]);
    expect(unreadable(after(FIRST), release('0.2.0', { SEM_PUT: 2, JOB_SEALED: 1, ADDED: 1 }))).toEqual([]);
  });

  it('are unreadable to an earlier one by what they raised and what they added, with the release that did', () => {
    const log = after(
      FIRST,
      release('0.2.0', { SEM_PUT: 2, JOB_SEALED: 1 }),
      release('0.3.0', { SEM_PUT: 2, ADDED: 1 }),
    );
    expect(unreadable(log, FIRST)).toEqual([
      { type: 'ADDED', version: 1, release: '0.3.0', known: null },
      { type: 'SEM_PUT', version: 2, release: '0.2.0', known: 1 },
    ]);
  });

  it('stay so after an earlier release wrote in between: what a newer one wrote is still there', () => {
    const log = after(FIRST, release('0.2.0', { SEM_PUT: 2, JOB_SEALED: 1 }), FIRST);
    expect(unreadable(log, FIRST)).toEqual([{ type: 'SEM_PUT', version: 2, release: '0.2.0', known: 1 }]);
  });
});
