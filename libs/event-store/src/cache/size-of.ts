const OBJECT_BYTES = 56;
const MEMBER_BYTES = 24;
const NUMBER_BYTES = 24;
const STRING_BYTES = 24;
/** A string takes one byte a character or two, which nobody can ask; never too few. */
const CHARACTER_BYTES = 2;

/**
 * About how many bytes a value holds in memory, rather too many than too few. For trees: what two members share is counted
 * twice, and what is in a cycle for ever.
 */
export function sizeOf(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'string') bytes += STRING_BYTES + one.length * CHARACTER_BYTES;
    else if (typeof one !== 'object' || one === null) bytes += NUMBER_BYTES;
    else if (ArrayBuffer.isView(one)) bytes += OBJECT_BYTES + one.byteLength;
    else bytes += OBJECT_BYTES + openMembers(one, open) * MEMBER_BYTES;
  }
  return bytes;
}

/** Puts the members of an object with those that are to be counted, and answers how many there are. */
function openMembers(value: object, open: unknown[]): number {
  const before = open.length;
  if (value instanceof Map) for (const [key, member] of value) open.push(key, member);
  else if (value instanceof Set || Array.isArray(value)) for (const member of value) open.push(member);
  else for (const [name, member] of Object.entries(value)) open.push(name, member);
  return open.length - before;
}
