import { fileURLToPath } from 'node:url';

import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';

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
