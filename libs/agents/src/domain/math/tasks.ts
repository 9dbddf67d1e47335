import type { Expr } from './ast.js';

/** What a query asks for, as formulas. `refused` is mathematics that must not be computed; the reason says why. */
export type MathTask =
  | { readonly kind: 'arithmetic'; readonly expr: Expr }
  | { readonly kind: 'prime'; readonly expr: Expr }
  | {
      readonly kind: 'derivative';
      readonly expr: Expr;
      readonly variable: string;
      readonly order: number;
      readonly at: Expr | null;
    }
  | { readonly kind: 'integral'; readonly expr: Expr; readonly variable: string }
  | {
      readonly kind: 'definite';
      readonly expr: Expr;
      readonly variable: string;
      readonly from: Expr;
      readonly to: Expr;
    }
  | { readonly kind: 'solve'; readonly left: Expr; readonly right: Expr; readonly variable: string }
  | { readonly kind: 'rewrite'; readonly how: 'simplify' | 'factor' | 'expand'; readonly expr: Expr }
  | {
      readonly kind: 'limit';
      readonly expr: Expr;
      readonly variable: string;
      readonly to: Expr;
      readonly side: 'both' | 'left' | 'right';
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** A task that needs the symbolic engine. */
export type SymbolicTask = Exclude<MathTask, { kind: 'arithmetic' | 'prime' | 'refused' }>;
