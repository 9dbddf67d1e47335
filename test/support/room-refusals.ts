/** What makes a proposal INVALID_ARGUMENT (spec/negotiation-room.md "Status codes"): name, members, what is told. */
export const BAD_PROPOSALS: readonly (readonly [string, object, RegExp])[] = [
  ['without an artifact id', { artifact_id: '' }, /artifact_id: 1 to 128/],
  ['with an artifact id of other characters', { artifact_id: 'a b' }, /artifact_id: 1 to 128/],
  ['with an artifact id of 129 characters', { artifact_id: 'a'.repeat(129) }, /artifact_id: 1 to 128/],
  ['without a producer', { producer_id: '' }, /producer_id: 1 to 128/],
  ['with a room id of other characters', { negotiation_room_id: 'room/1' }, /negotiation_room_id: 1 to 128/],
  ['without critics', { requested_critics: [] }, /requested_critics: at least one/],
  ['with a critic named twice', { requested_critics: ['ann', 'ann'] }, /requested_critics: each critic once/],
  ['with an empty critic', { requested_critics: ['ann', ''] }, /requested_critics: 1 to 128/],
  ['that asks its producer', { requested_critics: ['ann', 'maker'] }, /requested_critics: not the producer/],
  ['of an undefined type', { artifact_type: -1 }, /artifact_type: one of the numbers 0 to 4/],
  ['under an undefined action', { quorum_policy: { on_failure: 3 } }, /on_failure: one of the numbers 0 to 2/],
  ['that needs no vote', { quorum_policy: { minimum_votes: 0 } }, /needs at least one vote/],
  ['that needs nobody', { quorum_policy: { require_all: false } }, /needs at least one vote/],
  ['that needs more than there are', { quorum_policy: { minimum_votes: 2 } }, /minimum_votes: a whole number from 1/],
  ['with a fraction of nothing', { quorum_policy: { minimum_fraction: 0 } }, /minimum_fraction: over 0, at most 1/],
  ['with a fraction over one', { quorum_policy: { minimum_fraction: 1.001 } }, /minimum_fraction: over 0, at most 1/],
  ['with a fraction that is none', { quorum_policy: { minimum_fraction: NaN } }, /minimum_fraction: over 0/],
  ['with an endless fraction', { quorum_policy: { minimum_fraction: Infinity } }, /minimum_fraction: over 0/],
  ['with a fraction whose ceiling is 0', { quorum_policy: { minimum_fraction: 1e-12 } }, /needs at least one vote/],
  ['of a time that is none', { created_at: { seconds: 1, nanos: 1_000_000_000 } }, /created_at: a Timestamp/],
  ['of text that is none', { artifact: Buffer.from([0xff]) }, /artifact: UTF-8/],
  ['of text in UTF-16', { artifact: Buffer.from('# Plan', 'utf16le') }, /artifact: UTF-8/],
  ['with personal data in an id', { artifact_id: 'ssn-123-45-6789' }, /artifact_id: an opaque id/],
];

/** The same of a vote. */
export const BAD_VOTES: readonly (readonly [string, object, RegExp])[] = [
  ['without a critic', { critic_id: '' }, /critic_id/],
  ['of a room id of other characters', { negotiation_room_id: '?' }, /negotiation_room_id/],
  ...[-0.001, 10.001, NaN, Infinity, -Infinity].map((score): [string, object, RegExp] => [
    `with a score of ${score}`,
    { score },
    /score: a number from 0 to 10/,
  ]),
  ...[-0.001, 1.001, NaN, Infinity].map((confidence): [string, object, RegExp] => [
    `with a confidence of ${confidence}`,
    { confidence },
    /confidence: a number from 0 to 1/,
  ]),
];
