import type { MathTask } from './tasks.js';

export type MathAnswer =
  | {
      readonly kind: 'answer';
      /** a sentence for a person */
      readonly text: string;
      /** the exact result in this grammar ("10/3", "x^3/3 + C"); null where only a rounded value is known */
      readonly exact: string | null;
      readonly task: MathTask['kind'];
      readonly steps: readonly string[];
      readonly verified: true;
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not_math' };

export function answered(
  task: MathTask['kind'],
  text: string,
  exact: string | null,
  steps: readonly string[],
): MathAnswer {
  return { kind: 'answer', text, exact, task, steps, verified: true };
}

export function refused(reason: string): MathAnswer {
  return { kind: 'refused', reason };
}
