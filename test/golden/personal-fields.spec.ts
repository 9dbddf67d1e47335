import { canonicalize, EventRegistry, type EventDefinition, type Json } from '#lib/kernel';

import { DEFINITIONS, fixtureCodec, fixtureName, readFixture, storedText } from '../support/event-fixtures.js';

/** spec/privacy.md, "Personal fields": each event type declares which of its fields are personal and whose. */

/**
 * Names under which something a person said, was told or is may stand. A field of such a name that is declared plain must
 * be one of those below, with the reason why nothing personal can be in it.
 */
const SUSPECT =
  /text|value|note|comment|query|answer|reason|tags|meta|message|secret|content|body|topic|justification|evidence|changes|detail|error|items|asked|said|description|feedback|hash/;

/** `TYPE.field`, or `*.field` for every type that has it. */
const PLAIN_FOR_A_REASON: Readonly<Record<string, string>> = {
  '*.query_id': 'an id',
  '*.route_reason': 'a word of the router’s own table',
  '*.reason': 'a reason is not personal (spec); texts of people are screened before they are stored',
  '*.error_code': 'a code of the catalogue',
  '*.evidence_ref': 'names a body in the forensic store',
  '*.pii_hash': 'keyed, and for admin and auditor only',
  '*.redaction_reason': 'a constant',
  '*.reason_class': 'a word of the projections’ own table: decoding, projecting or storing',
  '*.intent_tags': 'words of the classifier’s own table, and names of the router policy',
  '*.unavailable_reasons': 'of critics, in the system’s words',
  '*.last_hash': 'of a stored form',
  'REQUESTS_REFUSED.payload_hash': 'keyed, and with whose it was',
  '*.config_hash': 'of a policy or a snapshot',
  '*.file_hash': 'of a file of facts of the world',
  '*.manifest_hash': 'of ids and hashes of stored forms',
  'AGENT_OUTPUT.output_hash':
    'keyed, and with the job’s seed: nobody confirms a guess by it without the key of this house',
  'JOB_ACCEPTED.asked_by': 'an id, roles, and whether a second factor was shown',
  'TOKEN_REVOKED.jti_hash': 'of a drawn id',
  'OTP_INVITED.code_hash': 'of a drawn code of 128 bits',
  'AGENT_EXCEPTION.error_class': 'the name of a class, and refused where it is none',
  'SNAPSHOT_CREATED.body': 'what the system knows of itself',
  'NEGOTIATION_PROPOSED.artifact_content_type': 'a media type',
  'NEGOTIATION_DECIDED.escalation_reason': 'a word of the negotiation’s own table',
  'HITL_RULED.reason_type': 'a word of the negotiation’s own table',
  'LOG_RESTORED.previous_note': 'a signed checkpoint: a name of a log, a number and hashes',
  'INCIDENT_ACK.note': 'an admin’s, of the system; refused where it holds personal data',
};

const plainFields = ({ plain }: EventDefinition): readonly string[] => plain.filter((field) => SUSPECT.test(field));
const reasonFor = (type: string, field: string): string | undefined =>
  PLAIN_FOR_A_REASON[`${type}.${field}`] ?? PLAIN_FOR_A_REASON[`*.${field}`];

describe.each(DEFINITIONS.map((definition) => [definition.type, definition] as const))('%s', (type, definition) => {
  it('stores no field that it declares neither personal nor plain', async () => {
    const codec = await fixtureCodec();
    const { plain } = readFixture(fixtureName(type, definition.version));
    const more: Record<string, Json> = { ...plain, undeclared_text: 'what somebody said' };
    await expect(storedText(codec, type, more)).rejects.toThrow('declares no field "undeclared_text"');
  });

  it('has no personal field in plain in what is stored', () => {
    const { stored, plain } = readFixture(fixtureName(type, definition.version));
    const text = canonicalize(stored.data);
    for (const field of definition.personal ?? []) {
      expect([field, text.includes(`${JSON.stringify(field)}:${canonicalize(plain[field])}`)]).toEqual([field, false]);
    }
  });

  it('keeps what may be a person’s words plain only for a reason that stands here', () => {
    const unreasoned = plainFields(definition).filter((field) => reasonFor(type, field) === undefined);
    expect([type, unreasoned]).toEqual([type, []]);
  });
});

it('no reason stands here for a field that no type has', () => {
  const registry = new EventRegistry(DEFINITIONS);
  const used = registry
    .all()
    .flatMap((definition) => plainFields(definition).flatMap((field) => [`${definition.type}.${field}`, `*.${field}`]));
  expect(Object.keys(PLAIN_FOR_A_REASON).filter((name) => !used.includes(name))).toEqual([]);
});
