import { IsIn, IsOptional } from 'class-validator';

import { PageQuery } from '../edge/index.js';

/** GET /negotiations. */
export class ListNegotiationsQuery extends PageQuery {
  /** me: only what one is asked about as a critic. */
  @IsOptional()
  @IsIn(['me'])
  critic?: 'me';

  @IsOptional()
  @IsIn(['open', 'decided'])
  status?: 'open' | 'decided';
}
