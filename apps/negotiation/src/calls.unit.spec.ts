import { Metadata, type ServerUnaryCall, status } from '@grpc/grpc-js';

import { MaceError } from '#lib/kernel';

import { withoutPersonal } from '../../api/src/edge/answer-failure.js';
import { failureOf } from '../../api/src/edge/failure.js';
import { type CallParts, served } from './calls.js';

const ADA = { id: 'user_ada', rawId: 'ada', roles: ['agent'] as const, elevated: false };
const parts: CallParts = {
  callerOf: () => ADA,
  denials: { count: () => undefined } as unknown as CallParts['denials'],
  isPersonal: () => false,
  failureOf,
  wordsOf: ({ developerMessage }) => withoutPersonal(developerMessage),
  onFault: () => undefined,
  refusals: { count: () => undefined },
  onCall: () => undefined,
};

it('an error that names a place as its caller did leaves without what is personal in it', async () => {
  const metadata = new Metadata();
  const wire = { request: {}, metadata, getPeer: () => '127.0.0.1:4711' } as unknown as ServerUnaryCall<object, object>;
  const told = await new Promise((resolve) =>
    served(parts, {
      service: 'sw4rm.negotiation_room.NegotiationRoomService',
      name: 'GetDecision',
      permission: 'negotiations.read',
      place: () => '',
      handle: () => Promise.reject(new MaceError('NOT_FOUND', 'no artifact 536-22-8145 was proposed')),
    })(wire, (error) => resolve(error)),
  );
  expect(told).toMatchObject({ code: status.NOT_FOUND, details: 'no artifact [redacted:us_ssn] was proposed' });
});
