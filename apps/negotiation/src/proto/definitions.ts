import { fileURLToPath } from 'node:url';

import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { service as health } from 'grpc-health-check';

import { CROWDED, isCrowded } from './crowded.js';

const FILES = ['sw4rm/negotiation_room.proto', 'sw4rm/registry.proto'];

/** The services that are served, as their .proto files say. */
export interface Definitions {
  /** Everything that is served, `grpc.health.v1` with it, for reflection. */
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
    // A service has no description of its own: the file that its messages are of has it.
    all: {
      ...withDependencies(all),
      'grpc.health.v1.HealthCheckRequest': health['Check']!.requestType as MessageTypeDefinition<object, object>,
    },
    room: service('sw4rm.negotiation_room.NegotiationRoomService'),
    registry: service('sw4rm.registry.RegistryService'),
  };
}

/** What messages of these files take from others. */
const WELL_KNOWN = 'google_protobuf.proto';
/** The field `dependency` of FileDescriptorProto, a string. */
const DEPENDENCY = 0x1a;

/**
 * The loader leaves out which file a file imports, and clients of reflection that follow imports, as grpcurl does, then miss
 * the types of another (grpc-node issue 2595).
 */
function withDependencies(all: PackageDefinition): PackageDefinition {
  const imported = Buffer.concat([Buffer.from([DEPENDENCY, WELL_KNOWN.length]), Buffer.from(WELL_KNOWN)]);
  return Object.fromEntries(
    Object.entries(all).map(([name, definition]): [string, PackageDefinition[string]] => {
      if (!isFiled(definition)) return [name, definition];
      const files = definition.fileDescriptorProtos.map((file) =>
        fileName(file) === WELL_KNOWN ? file : Buffer.concat([file, imported]),
      );
      return [name, { ...definition, fileDescriptorProtos: files }];
    }),
  );
}

/** A message or an enum; a service has none. */
function isFiled(definition: object): definition is { readonly fileDescriptorProtos: readonly Buffer[] } {
  return Array.isArray((definition as { readonly fileDescriptorProtos?: unknown }).fileDescriptorProtos);
}

/** The first field of a FileDescriptorProto, of less than 128 bytes. */
function fileName(file: Buffer): string {
  return file.subarray(2, 2 + file[1]!).toString();
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
