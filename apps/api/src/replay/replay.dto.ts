import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';

import {
  ENGINE_AGENTS,
  JOB_ID_FORM,
  type Mock,
  REPLAY_MODES,
  type ReplayMode,
  type Verdict,
  VERDICTS,
} from '#lib/replay';

import { PageQuery } from '../edge/index.js';

const MAX_MOCKS = 8;
const MAX_REPLY = 16_000;

/** What a language engine is to have said to an agent. */
export class MockDto implements Mock {
  @IsIn(ENGINE_AGENTS)
  agent_id!: string;

  @IsString()
  @MaxLength(MAX_REPLY)
  reply!: string;
}

/** POST /replay/request. */
export class ReplayDto {
  @Matches(JOB_ID_FORM)
  job_id!: string;

  @IsOptional()
  @IsIn(REPLAY_MODES)
  mode?: ReplayMode;

  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_MOCKS)
  @ValidateNested({ each: true })
  @Type(() => MockDto)
  mocks?: MockDto[];

  /** Of an approved production_replay request. */
  @IsOptional()
  @Matches(/^ar-[0-9a-f]{32}$/)
  approval_id?: string;
}

/** GET /replay. */
export class ListReplaysQuery extends PageQuery {
  @IsOptional()
  @Matches(JOB_ID_FORM)
  job_id?: string;

  @IsOptional()
  @IsIn(VERDICTS)
  verdict?: Verdict;
}

/** POST /replay/{replay_id}/force_continue. */
export class ForceContinueDto {}
