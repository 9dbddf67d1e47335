/**
 * Keccak-256 with its original padding, as Ethereum uses it; Node's sha3-256 pads otherwise. One block: texts of up to
 * 135 bytes. Lanes of 64 bits are two numbers of 32, low one first.
 */
export function keccak256(data: Uint8Array): Uint8Array {
  if (data.length >= RATE) throw new RangeError(`keccak256 takes at most ${RATE - 1} bytes`);
  const block = new Uint8Array(LANES * 8);
  block.set(data);
  block[data.length] = 0x01;
  block[RATE - 1] = (block[RATE - 1] ?? 0) | 0x80;
  const view = new DataView(block.buffer);
  const state = Uint32Array.from({ length: LANES * 2 }, (_, at) => view.getUint32(at * 4, true));
  for (const round of ROUNDS) permute(state, round);
  state.forEach((half, at) => view.setUint32(at * 4, half, true));
  return block.slice(0, 32);
}

const RATE = 136;
const LANES = 25;

/** Round constants, high half then low half. */
const ROUNDS: readonly (readonly [number, number])[] = roundConstants();

/** How far each lane turns, and to which place it goes, along the path of rho and pi. */
const PATH = path();

function permute(state: Uint32Array, [high, low]: readonly [number, number]): void {
  theta(state);
  rhoPi(state);
  chi(state);
  state[0] = at(state, 0) ^ low;
  state[1] = at(state, 1) ^ high;
}

function at(state: Uint32Array, index: number): number {
  return state[index] ?? 0;
}

/** Ten halves of a row or of the parities of the columns, written anew before each use. */
const scratch = new Uint32Array(10);

function theta(state: Uint32Array): void {
  scratch.fill(0);
  for (let index = 0; index < 50; index++) scratch[index % 10] = at(scratch, index % 10) ^ at(state, index);
  for (let x = 0; x < 5; x++) {
    const left = ((x + 4) % 5) * 2;
    const right = ((x + 1) % 5) * 2;
    const low = at(scratch, left) ^ ((at(scratch, right) << 1) | (at(scratch, right + 1) >>> 31));
    const high = at(scratch, left + 1) ^ ((at(scratch, right + 1) << 1) | (at(scratch, right) >>> 31));
    for (let index = 2 * x; index < 50; index += 10) {
      state[index] = at(state, index) ^ low;
      state[index + 1] = at(state, index + 1) ^ high;
    }
  }
}

function rhoPi(state: Uint32Array): void {
  let low = at(state, 2);
  let high = at(state, 3);
  for (const { place, turn } of PATH) {
    const nextLow = at(state, place);
    const nextHigh = at(state, place + 1);
    const from = turn < 32 ? low : high;
    const other = turn < 32 ? high : low;
    const bits = turn % 32;
    state[place] = bits === 0 ? from : (from << bits) | (other >>> (32 - bits));
    state[place + 1] = bits === 0 ? other : (other << bits) | (from >>> (32 - bits));
    low = nextLow;
    high = nextHigh;
  }
}

function chi(state: Uint32Array): void {
  for (let row = 0; row < 50; row += 10) {
    for (let index = 0; index < 10; index++) scratch[index] = at(state, row + index);
    for (let index = 0; index < 10; index++)
      state[row + index] = at(scratch, index) ^ (~at(scratch, (index + 2) % 10) & at(scratch, (index + 4) % 10));
  }
}

function path(): readonly { readonly place: number; readonly turn: number }[] {
  const steps = [];
  for (let step = 0, x = 1, y = 0; step < 24; step++) {
    [x, y] = [y, (2 * x + 3 * y) % 5];
    steps.push({ place: 2 * (x + 5 * y), turn: (((step + 1) * (step + 2)) / 2) % 64 });
  }
  return steps;
}

/** FIPS 202, 3.2.5: bits of a linear feedback shift register at the places 2^j - 1. */
function roundConstants(): (readonly [number, number])[] {
  let register = 1;
  return Array.from({ length: 24 }, () => {
    let [high, low] = [0, 0];
    for (let j = 0; j < 7; j++) {
      const place = (1 << j) - 1;
      if (register & 1) {
        if (place < 32) low |= 1 << place;
        else high |= 1 << (place - 32);
      }
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    return [high >>> 0, low >>> 0] as const;
  });
}
