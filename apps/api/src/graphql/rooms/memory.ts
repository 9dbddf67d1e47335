import { SemKeysController } from '../../memory/keys.controller.js';
import { SemController } from '../../memory/sem.controller.js';
import { mutation, query } from '../field.js';

/** Memory: values under their keys. */
export const memoryFields = [
  query('sem', SemController, 'get', 'SemValue'),
  query('semHistory', SemController, 'history', 'SemWrite'),
  query('semKeys', SemKeysController, 'list', 'SemKey'),
  query('semResolve', SemKeysController, 'resolve', 'SemResolved'),
  mutation('semPut', SemController, 'put', 'SemPut', { pending: 'SemPending' }),
  mutation('semDelete', SemController, 'remove', 'SemDeleted'),
  mutation('semKeyRegister', SemKeysController, 'register', 'SemRegistered'),
];
