import fc from 'fast-check';

import { hostileText, oddText } from './hostile-values.js';

/** Messages of protocol buffers as bytes, drawn from their descriptors: sound ones, and such as no library writes. */

/** The part of a message's descriptor that is looked at. */
export interface MessageType {
  readonly field: readonly {
    readonly name: string;
    readonly number: number;
    readonly label: string;
    readonly type: string;
    readonly typeName: string;
  }[];
  readonly nestedType: readonly (MessageType & { readonly name: string })[];
}

export interface WireDrawing {
  /** @returns undefined for a type that is not known, of which nothing is drawn */
  readonly typeOf: (name: string) => MessageType | undefined;
  /** Texts that mean something, by the name of a field. */
  readonly known: Readonly<Record<string, readonly string[]>>;
}

type Bytes = fc.Arbitrary<Buffer>;

const [VARINT, FIXED64, DELIMITED, FIXED32] = [0, 1, 2, 5];

const whole = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 0, max: 4 }).map(BigInt) },
  fc.constantFrom(60n, 2n ** 31n - 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 63n, 2n ** 64n - 1n),
);
const real = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, 0.5, 1, 9, 10) },
  fc.constantFrom(NaN, Infinity, -Infinity, -0, -1, 1e308, 5e-324, 10.000001),
  fc.double(),
);
const noUtf8 = fc.constantFrom([0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]).map((bytes) => Buffer.from(bytes));

/** A message of a type, encoded; sometimes cut off, or with fields that nobody defined behind it. */
export function wireMessagesOf(type: MessageType, drawing: WireDrawing): Bytes {
  const sound = membersOf(type, drawing, 0);
  const garbage = fc.array(strayField(), { minLength: 1, maxLength: 4 }).map((fields) => Buffer.concat(fields));
  return fc.oneof(
    { weight: 10, arbitrary: sound },
    { weight: 2, arbitrary: fc.tuple(sound, garbage).map((parts) => Buffer.concat(parts)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(sound, fc.nat(200))
        .map(([bytes, at]) => bytes.subarray(0, bytes.length - (at % (bytes.length + 1)))),
    },
    { weight: 1, arbitrary: garbage },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  );
}

function membersOf(type: MessageType, drawing: WireDrawing, depth: number): Bytes {
  const each = type.field.map((field) => {
    const one = fieldOf(field, type, drawing, depth);
    const [min, max] = field.label === 'LABEL_REPEATED' ? [0, 3] : [1, 1];
    const given = fc.array(one, { minLength: min, maxLength: max }).map((all) => Buffer.concat(all));
    const many = fc
      .tuple(one, fc.constantFrom(2, 70, 1_100))
      .map(([bytes, times]) => Buffer.concat(Array<Buffer>(times).fill(bytes)));
    return fc.oneof(
      { weight: 60, arbitrary: given },
      { weight: 3, arbitrary: fc.constant(Buffer.alloc(0)) },
      { weight: 1, arbitrary: many },
      { weight: 1, arbitrary: strayField(field.number) },
    );
  });
  return fc.tuple(...each).map((fields) => Buffer.concat(fields));
}

function fieldOf(
  { name, number, type, typeName }: MessageType['field'][number],
  owner: MessageType,
  drawing: WireDrawing,
  depth: number,
): Bytes {
  switch (type) {
    case 'TYPE_STRING':
      return texts(drawing.known[name]).map((bytes) => delimited(number, bytes));
    case 'TYPE_BYTES':
      return fc.uint8Array({ maxLength: 40 }).map((bytes) => delimited(number, Buffer.from(bytes)));
    case 'TYPE_DOUBLE':
      return real.map((value) => {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleLE(value);
        return Buffer.concat([tag(number, FIXED64), bytes]);
      });
    case 'TYPE_FLOAT':
      return real.map((value) => {
        const bytes = Buffer.alloc(4);
        bytes.writeFloatLE(value);
        return Buffer.concat([tag(number, FIXED32), bytes]);
      });
    case 'TYPE_MESSAGE': {
      const nested = owner.nestedType.find((one) => one.name === typeName) ?? drawing.typeOf(typeName);
      const inside = nested && depth < 4 ? membersOf(nested, drawing, depth + 1) : fc.constant(Buffer.alloc(0));
      return inside.map((bytes) => delimited(number, bytes));
    }
    default:
      return whole.map((value) => Buffer.concat([tag(number, VARINT), varint(value)]));
  }
}

function texts(known: readonly string[] = ['x']): Bytes {
  const text = fc.oneof(
    { weight: 40, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: oddText },
    { weight: 1, arbitrary: hostileText },
  );
  return fc.oneof({ weight: 60, arbitrary: text.map((one) => Buffer.from(one)) }, { weight: 1, arbitrary: noUtf8 });
}

/** A field of any number and any of the eight kinds, six of which there are. */
function strayField(number?: number): Bytes {
  const numbers = number === undefined ? fc.constantFrom(0, 1, 2, 3, 19_000, 536_870_911) : fc.constant(number);
  return fc
    .tuple(numbers, fc.nat(7), fc.uint8Array({ maxLength: 12 }))
    .map(([one, kind, bytes]) =>
      kind === DELIMITED ? delimited(one, Buffer.from(bytes)) : Buffer.concat([tag(one, kind), Buffer.from(bytes)]),
    );
}

function delimited(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([tag(number, DELIMITED), varint(BigInt(bytes.length)), bytes]);
}

function tag(number: number, kind: number): Buffer {
  return varint((BigInt(number) << 3n) | BigInt(kind));
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}
