import { FailuresController } from '../../selfrep/failures.controller.js';
import { ModuleController, ModulesController } from '../../selfrep/modules.controller.js';
import { TrustController } from '../../selfrep/trust.controller.js';
import { mutation, query } from '../field.js';

/** Modules, what they are trusted with, and what is reported of them. */
export const trustFields = [
  query('modules', ModulesController, 'list', 'ModuleRow'),
  query('module', ModulesController, 'read', 'Module'),
  query('apt', TrustController, 'read', 'Apt'),
  query('aptRecompute', TrustController, 'recompute', 'AptRecomputed'),
  mutation('aptEvent', TrustController, 'post', 'AptEvent'),
  mutation('moduleRegister', ModuleController, 'register', 'ModuleRegistered'),
  mutation('moduleQuarantine', ModuleController, 'quarantine', 'ModuleQuarantine'),
  mutation('moduleRestore', ModulesController, 'restore', 'ModuleRestored'),
  mutation('failureReport', FailuresController, 'report', 'FailureReported'),
];
