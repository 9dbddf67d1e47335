const NODES = [
  0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
  0.741531185599394439863864773280788, 0.586087235467691130294144691693013, 0.405845151377397166906606412076961,
  0.207784955007898467600689403773245, 0,
];
const KRONROD = [
  0.02293532201052922496373200805897, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
  0.140653259715525918745189590510238, 0.16900472663926790282658342659855, 0.190350578064785409913256402421014,
  0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
];
const GAUSS = [
  0.129484966168869693270611432679082, 0.27970539148927666790146777142378, 0.381830050505118944950369775488975,
  0.417959183673469387755102040816327,
];
const MAX_PIECES = 1_000;

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly error: number;
}

function measure(f: (x: number) => number, from: number, to: number): Piece {
  const centre = (from + to) / 2;
  const half = (to - from) / 2;
  let kronrod = 0;
  let gauss = 0;
  for (let i = 0; i < NODES.length; i += 1) {
    const offset = half * (NODES[i] ?? 0);
    const both = offset === 0 ? f(centre) : f(centre - offset) + f(centre + offset);
    kronrod += (KRONROD[i] ?? 0) * both;
    if (i % 2 === 1) gauss += (GAUSS[(i - 1) / 2] ?? 0) * both;
  }
  return { from, to, value: kronrod * half, error: Math.abs(kronrod - gauss) * Math.abs(half) };
}

export interface Quadrature {
  readonly value: number;
  /** about the integral of the absolute value, which the error is held against */
  readonly size: number;
}

/**
 * The integral over a finite range by adaptive Gauss-Kronrod quadrature, starting from `pieces` equal parts;
 * null where it does not settle (a pole, a function that is not real everywhere, too many waves).
 */
export function quadrature(f: (x: number) => number, from: number, to: number, pieces = 7): Quadrature | null {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return null;
  if (from === to) return { value: 0, size: 0 };
  const open: Piece[] = [];
  const width = (to - from) / pieces;
  for (let i = 0; i < pieces; i += 1)
    open.push(measure(f, from + i * width, i === pieces - 1 ? to : from + (i + 1) * width));
  let settled = 0;
  let size = open.reduce((total, p) => total + Math.abs(p.value), 0);
  for (let count = pieces; open.length > 0;) {
    const piece = open.pop() as Piece;
    if (!Number.isFinite(piece.value)) return null;
    const share = Math.max(Math.abs((piece.to - piece.from) / (to - from)), 1e-4);
    if (piece.error <= Math.max(1e-13 * size * Math.sqrt(share), 4e-15 * Math.abs(piece.value))) {
      settled += piece.value;
      continue;
    }
    const middle = (piece.from + piece.to) / 2;
    count += 1;
    if (count > MAX_PIECES || middle === piece.from || middle === piece.to) return null;
    const halves = [measure(f, piece.from, middle), measure(f, middle, piece.to)];
    for (const half of halves) size += Math.abs(half.value);
    size -= Math.abs(piece.value);
    open.push(...halves);
  }
  return { value: settled, size };
}
