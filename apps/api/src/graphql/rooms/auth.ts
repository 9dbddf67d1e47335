import { AuthController } from '../../auth/auth.controller.js';
import { mutation, query } from '../field.js';

/** One's own tokens and second factors. */
export const authFields = [
  query('authSession', AuthController, 'session', 'AuthSession'),
  mutation('authStepUp', AuthController, 'elevate', 'SteppedUp'),
  mutation('authOtpEnrol', AuthController, 'enrol', 'OtpEnrolment'),
  mutation('authOtpInvite', AuthController, 'invite', 'OtpInvitation'),
  mutation('authRevoke', AuthController, 'revoke', 'TokenRevoked'),
];
