import { ActionRequestsController } from '../../governance/action-requests.controller.js';
import { GovernanceController } from '../../governance/governance.controller.js';
import { mutation, query } from '../field.js';

/** What waits for people, and what they decided. */
export const governanceFields = [
  query('actionRequests', ActionRequestsController, 'list', 'ActionRequestRow'),
  query('actionRequest', ActionRequestsController, 'read', 'ActionRequest'),
  query('governanceEvents', GovernanceController, 'events', 'GovernanceEvent'),
  mutation('actionRequestCreate', ActionRequestsController, 'create', 'ActionRequestCreated'),
  mutation('actionRequestVote', ActionRequestsController, 'vote', 'ActionRequestVoted'),
  mutation('actionRequestApprove', ActionRequestsController, 'approve', 'ActionRequestApproved'),
  mutation('policyPropose', GovernanceController, 'propose', 'PolicyProposed'),
  mutation('superadminOverride', GovernanceController, 'override', 'SuperadminOverride'),
];
