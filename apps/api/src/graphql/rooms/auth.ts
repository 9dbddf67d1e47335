import { AuthController } from '../../auth/auth.controller.js';
import { mutation } from '../field.js';

/** One's own tokens and second factors. */
export const authFields = [
  mutation('authStepUp', AuthController, 'elevate', 'SteppedUp'),
  mutation('authOtpEnrol', AuthController, 'enrol', 'OtpEnrolment'),
  mutation('authOtpInvite', AuthController, 'invite', 'OtpInvitation'),
  mutation('authRevoke', AuthController, 'revoke', 'TokenRevoked'),
];
