import { RouterController } from '../../router/router.controller.js';
import { mutation } from '../field.js';

/** Routing: each decision is recorded, so that asking for one changes something. */
export const routerFields = [
  mutation('routerRoute', RouterController, 'route', 'RouterRoute'),
  mutation('routerDecide', RouterController, 'decide', 'RouterDecision'),
];
