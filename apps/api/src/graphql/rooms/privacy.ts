import { DsrController } from '../../dsr/dsr.controller.js';
import { ConsentsController } from '../../privacy/consents.controller.js';
import { PiiController } from '../../privacy/pii.controller.js';
import { mutation, query } from '../field.js';

/** Personal data: what it is, who consented to what, and what people asked for of their own. */
export const privacyFields = [
  query('consents', ConsentsController, 'list', 'Consent'),
  query('dsr', DsrController, 'show', 'Dsr'),
  query('dsrExport', DsrController, 'take', 'DsrExport', { isDocument: true }),
  mutation('piiDetectAndHandle', PiiController, 'handle', 'PiiHandled'),
  mutation('consentGrant', ConsentsController, 'grant', 'ConsentGranted'),
  mutation('consentRevoke', ConsentsController, 'revoke', 'ConsentRevoked'),
  mutation('dsrRequest', DsrController, 'file', 'DsrFiled'),
  mutation('dsrHold', DsrController, 'hold', 'DsrHold'),
  mutation('dsrApprove', DsrController, 'approve', 'DsrApproved'),
];
