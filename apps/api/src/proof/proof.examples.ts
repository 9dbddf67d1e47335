/** Examples of the documentation. */

const ORIGIN = 'mace.local/0123456789abcdef';
const ROOT = '9b0c1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d9ea';
const LEAF = '3f2a9c0d5b7e41868e0f6ad1c2b394857a6f0e1d2c3b4a5968778695a4b3c2d1';

export const VKEYS = `${ORIGIN}+5a1f0c33+AaFjR1nZ9Oqv8nV5w3m0dBzCqkq2dJ3mJ9dF8mF3b0c1\n`;
export const NOTE = `${ORIGIN}\n1520\nmwwdLj9AUWJzhJWmt8jZ6vsMHS4/QFFic4SVprfI2eo=\n\n— ${ORIGIN} Wh8MMw…\n`;

const CHECKPOINT = { origin: ORIGIN, size: 1520, root: ROOT, note: NOTE, made_at: '2026-11-21T12:00:00.000Z' };

export const CURRENT = {
  checkpoint: CHECKPOINT,
  keys: [
    {
      kid: 'checkpoint-signature.1.3fa9c1',
      vkey: VKEYS.trimEnd(),
      not_before: '2026-01-01T00:00:00.000Z',
      not_after: null,
    },
  ],
  state: { origin: ORIGIN, leaves: 1523, problem: null, witness: null, ready_for_bundles: true },
};
export const WITNESSED = {
  ...CURRENT,
  state: {
    ...CURRENT.state,
    ready_for_bundles: false,
    witness: {
      url: 'https://witness.example',
      name: 'witness.example/w1',
      cosigned_size: 1400,
      problem: 'ECONNREFUSED',
    },
  },
};

const TEXT_OR_NULL = { type: ['string', 'null'] };
export const CURRENT_FORMS = {
  'keys.not_after': TEXT_OR_NULL,
  'state.problem': TEXT_OR_NULL,
  'state.witness': {
    type: ['object', 'null'],
    required: ['url', 'name', 'cosigned_size', 'problem'],
    properties: {
      url: { type: 'string' },
      name: { type: 'string' },
      cosigned_size: { type: ['integer', 'null'] },
      problem: TEXT_OR_NULL,
    },
    additionalProperties: false,
  },
};

export const PROOF = {
  event_id: LEAF,
  stream: 'sem-user/profile/user_tuff/favorite_color',
  revision: 0,
  leaf_index: 41,
  leaf_hash: LEAF,
  checkpoint: CHECKPOINT,
  inclusion: [ROOT, LEAF],
  entry: `{"data_hash":"${ROOT}","metadata":{"event_id":"${LEAF}","…":"…"},"stream":"sem-user/profile/user_tuff/favorite_color","stream_revision":0,"type":"SEM_PUT"}`,
};

export const CONSISTENCY = { from: { size: 1400, root: LEAF }, to: { size: 1520, root: ROOT }, proof: [LEAF, ROOT] };
