import { MaceError, type JsonObject } from '#lib/kernel';

/** The payload with its action, which the kind names too. @throws MaceError INVALID_INPUT where they differ */
export function namedPayload(kind: string, payload: JsonObject): JsonObject {
  const { action = kind } = payload;
  if (action !== kind) throw new MaceError('INVALID_INPUT', 'kind: the same as payload.action');
  return { ...payload, action };
}
