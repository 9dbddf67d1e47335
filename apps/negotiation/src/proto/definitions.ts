import { fileURLToPath } from 'node:url';

import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';

import { CROWDED, isCrowded } from './crowded.js';

const FILES = ['sw4rm/negotiation_room.proto', 'sw4rm/registry.proto'];

/** The services that are served, as their .proto files say. */
export interface Definitions {
  /** Everything, for reflection. */
  readonly all: PackageDefinition;
  readonly room: ServiceDefinition;
  readonly registry: ServiceDefinition;
}

/**
 * Field names stay as in the files; enums are their numbers, so that one that nobody defined can be told; what is absent
 * is empty, 0 or null.
 */
export function loadDefinitions(): Definitions {
  const folder = fileURLToPath(new URL('.', import.meta.url));
  const all = loadSync(FILES, { includeDirs: [folder], keepCase: true, longs: Number, defaults: true, oneofs: true });
  const service = (name: string): ServiceDefinition => all[name] as ServiceDefinition;
  return {
    all,
    room: service('sw4rm.negotiation_room.NegotiationRoomService'),
    registry: service('sw4rm.registry.RegistryService'),
  };
}

/** The same service, which decodes no crowded message: its methods get CROWDED instead. */
export function bounded(service: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => {
      const hasPart = firstFieldIsMessage(method);
      const requestDeserialize = (bytes: Buffer): object =>
        isCrowded(bytes, hasPart) ? { [CROWDED]: true } : (method.requestDeserialize(bytes) as object);
      return [name, { ...method, requestDeserialize }];
    }),
  );
}

function firstFieldIsMessage(method: object): boolean {
  const { requestType } = method as { readonly requestType: MessageTypeDefinition<object, object> };
  const { field } = requestType.type as {
    readonly field: readonly { readonly number: number; readonly type: string }[];
  };
  return field.some(({ number, type }) => number === 1 && type === 'TYPE_MESSAGE');
}
