import { type EventRegistry, MaceError } from '#lib/kernel';

/**
 * A type that no event can have leads to an empty list, and to silence for who follows.
 * @param types each with its place in the request
 * @throws MaceError INVALID_INPUT
 */
export function refuseUnknownTypes(registry: EventRegistry, types: ReadonlyMap<string, string>): void {
  for (const [place, type] of types) {
    if (registry.get(type)) continue;
    const near = registry.all().find((known) => known.type.toLowerCase() === type.toLowerCase());
    throw new MaceError('INVALID_INPUT', `${place}: a type of event, such as ${near?.type ?? 'SEM_PUT'}`);
  }
}
