import type { ReactNode } from 'react';

interface TextProps {
  readonly label: string;
  readonly name: string;
  /** What an allowed value looks like. */
  readonly hint?: string;
  readonly long?: boolean;
  readonly optional?: boolean;
  readonly most?: number;
  readonly pattern?: string;
  readonly value?: string;
}

/** A text that an action asks for, under its label. */
export function TextField({ label, name, hint, long, optional, most = 512, pattern, value }: TextProps): ReactNode {
  const shared = {
    name,
    required: optional !== true,
    maxLength: most,
    placeholder: hint,
    defaultValue: value,
  } as const;
  return (
    <label>
      {optional ? `${label} (may be left out)` : label}
      {long ? (
        <textarea dir="auto" {...shared} />
      ) : (
        <input dir="auto" autoComplete="off" pattern={pattern} {...shared} />
      )}
    </label>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly name: string;
  readonly of: readonly string[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

/** One of a few values that an action asks for, under its label. */
export function ChoiceField({ label, name, of, value, onChange }: ChoiceProps): ReactNode {
  return (
    <label>
      {label}
      <select name={name} defaultValue={value} onChange={(event) => onChange?.(event.target.value)}>
        {of.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    </label>
  );
}

/** What a field holds, without the spaces around it. */
export function textOf(fields: FormData, name: string): string {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/** The same as a member of a body; absent where nothing was typed. */
export function memberOf<N extends string>(fields: FormData, name: N): { readonly [K in N]?: string } {
  const value = textOf(fields, name);
  return value === '' ? {} : ({ [name]: value } as { readonly [K in N]?: string });
}

interface JsonProps {
  readonly label: string;
  readonly name: string;
  /** What an allowed object looks like. */
  readonly hint: string;
}

/** An object as JSON; what is none is told before it is sent. */
export function JsonField({ label, name, hint }: JsonProps): ReactNode {
  return (
    <label>
      {label}
      <textarea
        name={name}
        required
        placeholder={hint}
        spellCheck={false}
        className="mono"
        onInput={({ currentTarget: field }) =>
          field.setCustomValidity(isObject(field.value) ? '' : `This is no JSON object, such as ${hint}`)
        }
      />
    </label>
  );
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The object in a field of JSON. */
export const objectOf = (fields: FormData, name: string): Record<string, unknown> =>
  JSON.parse(textOf(fields, name)) as Record<string, unknown>;

/** The lines of a field, without those that are empty. */
export const linesOf = (fields: FormData, name: string): string[] =>
  textOf(fields, name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
