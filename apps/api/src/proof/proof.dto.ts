import { IsInt, IsOptional, Max, Min } from 'class-validator';

/** GET /audit/consistency. */
export class ConsistencyQuery {
  /** Number of events of the older checkpoint. */
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  from!: number;

  /** Of the newer one; the newest checkpoint where absent. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  to?: number;
}
