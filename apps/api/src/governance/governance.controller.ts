import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';

import type { CommandContext } from '#lib/access';
import type { EventStore } from '#lib/event-store';
import {
  CreateActionRequest,
  type Emergency,
  type GovernanceEvent,
  type GovernanceHistory,
  ListGovernanceEvents,
  type RequestView,
  SignOverride,
} from '#lib/governance';
import { MaceError } from '#lib/kernel';

import { Ctx, Doc, type Listed, Permission, upToHead } from '../edge/index.js';
import { EVENT_STORE } from '../platform.tokens.js';
import { GOVERNANCE_EVENT, PENDING, REQUEST_ERRORS, REQUEST_FORMS } from './governance.examples.js';
import { GovernanceEventsQuery, OverrideDto, ProposePolicyDto } from './governance.dto.js';
import { namedPayload } from './named-payload.js';

/** As many as a page may hold: this list came whole before it had pages. */
const DEFAULT_PAGE = 200;

/** Policies, their history, and what cannot wait for the council. */
@Controller()
export class GovernanceController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  @Post('governance/policy/propose')
  @HttpCode(200)
  @Permission('governance.propose')
  @Doc({
    summary: 'Proposes a change of a policy to the council',
    description: 'A change under which nobody could decide or be answered any more is refused with the reason.',
    request: { policy: 'governance', change: { max_repair_loops: 2 }, justification: 'a third repair never helped' },
    answer: { ...PENDING, kind: 'policy_change' },
    forms: REQUEST_FORMS,
    errors: ['MISSING_SNAPSHOT', ...REQUEST_ERRORS],
  })
  propose(
    @Ctx() ctx: CommandContext,
    @Body() { policy, change, justification, evidence }: ProposePolicyDto,
  ): Promise<RequestView> {
    const payload = { action: 'policy_change', policy, change };
    const requested = { payload, justification, ...(evidence ? { evidence } : {}) };
    return this.commands.execute(new CreateActionRequest(ctx, requested));
  }

  @Get('governance/events/:id')
  @Permission('governance.events')
  @Doc({
    summary: 'Every event of a request, by its request_id, or of a policy, by its name',
    description:
      'Oldest first. Of a policy with what is in force, as of now or after the event at `as_of`, on every page.',
    answer: { items: [GOVERNANCE_EVENT], in_force: null, next_cursor: null, position: '1575' },
    forms: { 'items.data': { type: 'object' }, in_force: { type: ['object', 'null'] } },
  })
  async events(
    @Ctx() ctx: CommandContext,
    @Param('id') id: string,
    @Query() { as_of, unredacted, limit = DEFAULT_PAGE, cursor }: GovernanceEventsQuery,
  ): Promise<Listed<GovernanceEvent> & Pick<GovernanceHistory, 'in_force'>> {
    const asked = new ListGovernanceEvents(ctx, id, { limit, cursor }, as_of, unredacted);
    const page = await upToHead(this.store, () => this.queries.execute(asked));
    return as_of === undefined ? page : { ...page, position: as_of };
  }

  @Post('superadmin/override')
  @HttpCode(200)
  @Permission('superadmin.override')
  @Doc({
    summary: 'One of the two signatures of an emergency: a superadmin’s and another admin’s',
    description: 'With the second the action is carried out; the council reviews it afterwards.',
    request: { request_id: PENDING.request_id, proposal_digest: PENDING.proposal_digest, reason: 'it cannot wait' },
    answer: { ...PENDING, emergency: { signatures: [{ signer: 'user_root', role: 'superadmin' }], review: null } },
    forms: REQUEST_FORMS,
    headers: ['If-Match'],
    errors: ['NOT_FOUND', ...REQUEST_ERRORS],
  })
  override(@Ctx() ctx: CommandContext, @Body() body: OverrideDto): Promise<RequestView> {
    const emergency = emergencyOf(body);
    if (ctx.ifMatch !== undefined && !('requestId' in emergency)) {
      throw new MaceError('INVALID_INPUT', 'If-Match: of a request that is there already; leave it out for a new one');
    }
    return this.commands.execute(new SignOverride(ctx, emergency));
  }
}

/** @throws MaceError INVALID_INPUT unless the body is one of the two forms */
function emergencyOf(body: OverrideDto): Emergency {
  const { request_id: requestId, proposal_digest, kind, payload, justification, reason } = body;
  const said = reason === undefined ? {} : { reason };
  if (requestId !== undefined && proposal_digest !== undefined && !kind && !payload && !justification) {
    return { requestId, say: { proposal_digest, ...said } };
  }
  if (kind !== undefined && payload && justification !== undefined && !requestId && !proposal_digest) {
    return { requested: { payload: namedPayload(kind, payload), justification }, ...said };
  }
  throw new MaceError(
    'INVALID_INPUT',
    'body: request_id and proposal_digest of a request, or kind, payload and justification of a new one',
  );
}
