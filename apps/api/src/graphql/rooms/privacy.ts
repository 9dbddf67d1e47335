import { DsrController } from '../../dsr/dsr.controller.js';
import { MeController } from '../../me/me.controller.js';
import { ConsentsController } from '../../privacy/consents.controller.js';
import { PiiController } from '../../privacy/pii.controller.js';
import { mutation, query } from '../field.js';

/** Personal data: what it is, who consented to what, and what people asked for of their own. */
export const privacyFields = [
  query('me', MeController, 'show', 'Me'),
  query('meKeys', MeController, 'keys', 'OwnKey'),
  query('meJobs', MeController, 'jobs', 'JobRow'),
  query('meRequests', MeController, 'requests', 'DsrRow'),
  query('meActionRequests', MeController, 'actionRequests', 'ActionRequestRow'),
  query('consents', ConsentsController, 'list', 'Consent'),
  query('dsr', DsrController, 'show', 'Dsr'),
  query('dsrRequests', DsrController, 'list', 'DsrRow'),
  query('dsrHolds', DsrController, 'holds', 'LegalHold'),
  query('dsrExport', DsrController, 'take', 'DsrExport', { isDocument: true }),
  mutation('piiDetectAndHandle', PiiController, 'handle', 'PiiHandled'),
  mutation('consentGrant', ConsentsController, 'grant', 'ConsentGranted'),
  mutation('consentRecord', ConsentsController, 'record', 'ConsentRecorded'),
  mutation('consentRevoke', ConsentsController, 'revoke', 'ConsentRevoked'),
  mutation('dsrRequest', DsrController, 'file', 'DsrFiled'),
  mutation('dsrHold', DsrController, 'hold', 'DsrHold'),
  mutation('dsrHoldLift', DsrController, 'lift', 'DsrHoldLifted'),
  mutation('dsrApprove', DsrController, 'approve', 'DsrApproved'),
  mutation('dsrRefuse', DsrController, 'refuse', 'DsrRefused'),
];
