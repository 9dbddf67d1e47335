import { IsIn, IsOptional, Matches } from 'class-validator';

import { HISTORY_KINDS, type HistoryKind } from '#lib/history';

import { PageQuery } from '../edge/index.js';

const POSITION = /^(0|[1-9][0-9]{0,19})$/;

/** GET /history/diff. */
export class DiffQuery extends PageQuery {
  /** Position after which changes count; the beginning where absent. */
  @IsOptional()
  @Matches(POSITION)
  from?: string;

  /** Position up to which they count; the newest event where absent. */
  @IsOptional()
  @Matches(POSITION)
  to?: string;

  @IsOptional()
  @IsIn(HISTORY_KINDS)
  kind?: HistoryKind;
}
