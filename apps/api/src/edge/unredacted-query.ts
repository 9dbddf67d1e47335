import { IsBoolean, IsOptional } from 'class-validator';

import { PageQuery } from './page-query.js';

/** GET of a record that is redacted unless somebody who may asks otherwise. */
export class UnredactedQuery {
  /** true: with what was said, for auditor and admin; that they asked is recorded first. */
  @IsOptional()
  @IsBoolean()
  unredacted?: boolean;
}

/** GET of a list of such records. */
export class UnredactedPageQuery extends PageQuery {
  /** true: with what was said, for auditor and admin; that they asked is recorded first. */
  @IsOptional()
  @IsBoolean()
  unredacted?: boolean;
}
