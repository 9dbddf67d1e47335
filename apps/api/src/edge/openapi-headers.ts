/** Headers of requests and answers, as the description shows them. Authorization is its security scheme. */

export const BEARER = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description:
    '`Authorization: Bearer TOKEN`. `mace token --user tuff --role user` prints one; with `--otp CODE` an elevated one.',
};

interface HeaderParameter {
  readonly name: string;
  readonly in: 'header';
  readonly required: false;
  readonly description: string;
  readonly schema: object;
}

export const IDEMPOTENCY_KEY: HeaderParameter = parameter(
  'Idempotency-Key',
  'An opaque name of this request, without personal data; drawn if absent. The same key with the same body gives the first answer again, with another body 422 IDEMPOTENCY_KEY_REUSED.',
  { type: 'string', pattern: '^[A-Za-z0-9._:-]{1,128}$' },
);

export const TRACE_ID = parameter(
  'X-Trace-Id',
  'A trace that this request belongs to; the answer has it again. Anything of another form is passed over and a new one is drawn.',
  { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
);

export const OTHER_PARAMETERS = {
  'If-Match': parameter(
    'If-Match',
    'The ETag that was read, several with commas between them, or * for any revision: where the resource is at none of them, 412 PRECONDITION_FAILED and nothing is changed. A weak tag, or one that this server never gives, matches nothing.',
    { type: 'string', pattern: '^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$', examples: ['"3"', '"3", "4"'] },
  ),
  'If-None-Match': parameter(
    'If-None-Match',
    'The ETag of what the caller has, several with commas between them, or *: where it is still that, 304 without content.',
    { type: 'string', examples: ['"5f1d7a84db00d2fce00b31a7fc73224f"'] },
  ),
  Prefer: parameter(
    'Prefer',
    '`respond-async` (RFC 7240): 202 at once, and the job goes on; GET /jobs/{job_id} has its result.',
    { type: 'string', examples: ['respond-async'] },
  ),
  'A2A-Version': parameter('A2A-Version', 'The version of A2A that is spoken: 1.0.', {
    type: 'string',
    examples: ['1.0'],
  }),
  'Last-Event-ID': parameter(
    'Last-Event-ID',
    'The id of the last event that was read: what comes after it is sent. Goes before `last_event_id` of the query.',
    { type: 'string', pattern: '^(0|[1-9][0-9]{0,19})(-[a-p]{12})?$', examples: ['41-abkdncpofagh', '0'] },
  ),
};

const TRACE_HEADER = {
  'X-Trace-Id': { description: 'The trace of this request.', required: true, schema: { type: 'string' } },
};

/** On every answer but 204: RFC 9530 and RFC 9421; the keys are at /.well-known/jwks.json. */
const SIGNATURE_HEADERS = {
  'Content-Digest': {
    description: 'SHA-256 of the content as sent.',
    required: true,
    schema: { type: 'string', pattern: '^sha-256=:[A-Za-z0-9+/]{43}=:$' },
  },
  'Signature-Input': {
    description:
      'What the signature `mace` covers, when it was made and by which key; with the nonce that `Accept-Signature` of the request asked for, 1 to 128 of `A-Za-z0-9._~+/=-` (RFC 9421, section 5).',
    required: true,
    schema: { type: 'string' },
  },
  Signature: {
    description: 'An Ed25519 signature of this answer to this method, path and query.',
    required: true,
    schema: { type: 'string' },
  },
};

const ETAG_HEADER = {
  ETag: {
    description: 'The strong tag of the resource’s revision, for If-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"(0|[1-9][0-9]*)"$' },
  },
};

/** Of what is no resource with revisions. */
export const CONTENT_TAG = {
  ETag: {
    description: 'The strong tag of this content, for If-None-Match.',
    required: true,
    schema: { type: 'string', pattern: '^"[0-9a-f]{32}"$' },
  },
};

const CHALLENGE_HEADER = {
  'WWW-Authenticate': {
    description: 'How to authenticate; where elevation is missing, `insufficient_user_authentication`.',
    required: false,
    schema: { type: 'string' },
  },
};

const RETRY_HEADER = {
  'Retry-After': {
    description: 'Whole seconds after which to come again.',
    required: true,
    schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
  },
};

function parameter(name: string, description: string, schema: object): HeaderParameter {
  return { name, in: 'header', required: false, description, schema };
}

/** The headers of answers, under their names; operations refer to them. */
export const ANSWER_HEADERS = {
  ...TRACE_HEADER,
  ...SIGNATURE_HEADERS,
  ...ETAG_HEADER,
  ...CHALLENGE_HEADER,
  ...RETRY_HEADER,
};

/** At 409, where what is asked for is in hand elsewhere. */
export const IN_HAND = {
  'Retry-After': {
    ...RETRY_HEADER['Retry-After'],
    description: 'Whole seconds after which to send it again, under the same key; absent where that changes nothing.',
    required: false,
  },
};

export type AnswerHeader = keyof typeof ANSWER_HEADERS;

/** On every answer but 204. */
export const ON_EVERY_ANSWER: readonly AnswerHeader[] = [
  'X-Trace-Id',
  'Content-Digest',
  'Signature-Input',
  'Signature',
];

export function headerRefs(names: readonly AnswerHeader[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
