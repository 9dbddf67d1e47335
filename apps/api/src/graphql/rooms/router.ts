import { RouterController } from '../../router/router.controller.js';
import { mutation, query } from '../field.js';

/** Routing: a decision is recorded, so that asking for one changes something; a preview is not. */
export const routerFields = [
  mutation('routerRoute', RouterController, 'route', 'RouterRoute'),
  mutation('routerDecide', RouterController, 'decide', 'RouterDecision'),
  query('routerPreview', RouterController, 'preview', 'RouterPreview'),
];
