import { IsIn, IsInt, IsOptional, Matches, Max, Min } from 'class-validator';

const POSITION = /^(0|[1-9][0-9]{0,18})$/;

/** POST /replay/sweeps. */
export class SweepDto {
  @IsOptional()
  @IsIn(['audit'])
  mode?: 'audit';

  /** Only jobs that begin behind this position; those of the whole log where absent. */
  @IsOptional()
  @Matches(POSITION)
  from?: string;

  /** Only jobs that begin up to this position; the newest event's where absent. */
  @IsOptional()
  @Matches(POSITION)
  to?: string;

  /** Threads that replay; 1 where absent. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(8)
  threads?: number;
}

/** POST /replay/sweeps/{sweep_id}/cancel. */
export class CancelSweepDto {}
