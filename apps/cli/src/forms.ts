import { type Argument, InvalidArgumentError, Option, type Command } from 'commander';

import type { Json, JsonObject } from '#lib/kernel';

import type { Context } from './context.js';
import type { ExitCode } from './exit-codes.js';

export type Action = (context: Context) => Promise<ExitCode>;
/** Runs what a command does, once there is something to run it on. */
export type Act = (command: Command, action: Action) => Promise<void>;

export function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`;
}

/** The key of the request itself, which is another's name on some commands. */
class RequestKeyOption extends Option {
  override attributeName(): string {
    return 'requestKey';
  }
}

/** What every command has that changes something. */
export function dryRun(): Option {
  return new Option('--dry-run', 'say what would be sent or changed, and change nothing');
}

/** What every command has that sends one request that changes something. */
export function requestKey(): Option {
  return new RequestKeyOption(
    '--idempotency-key <key>',
    'give it again to be sure that it is done once; where absent the server draws one',
  );
}

/** What every command has that follows something. */
export function after(): Option {
  return new Option('--after <id>', 'go on after this id; 0: from the first').argParser(sendable);
}

/** What the server says more of where it is no id. @throws InvalidArgumentError */
function sendable(text: string): string {
  if (!/^[\x20-\x7e]*$/.test(text)) throw new InvalidArgumentError('The id of an event is needed.');
  return text;
}

/** @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) throw new InvalidArgumentError('A whole number is needed.');
  return Number(text);
}

/** @throws InvalidArgumentError */
export function decimal(text: string): number {
  if (!/^[0-9]{1,3}(\.[0-9]{1,9})?$/.test(text)) throw new InvalidArgumentError('A number such as 8.5 is needed.');
  return Number(text);
}

export function listed(text: string): string[] {
  return text.split(',').map((part) => part.trim());
}

/** An option that may be given more than once. */
export function several(text: string, before: readonly string[]): readonly string[] {
  return [...before, text];
}

/** @throws InvalidArgumentError */
export function json(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new InvalidArgumentError('JSON is needed.');
  }
}

/** @throws InvalidArgumentError */
export function jsonObject(text: string): JsonObject {
  const value = json(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new InvalidArgumentError('A JSON object is needed.');
}

const OFFERED = new WeakMap<Option | Argument, readonly string[]>();

/** Words that a shell offers, where others may stand too. */
export function offering<T extends Option | Argument>(one: T, words: readonly string[]): T {
  OFFERED.set(one, words);
  return one;
}

/** What a shell offers there: all that may stand, or some of it. */
export function offered(one: Option | Argument): readonly string[] {
  return one.argChoices ?? OFFERED.get(one) ?? [];
}

/** Words of these, as many as are wanted with commas between them. */
export function someOf(option: Option, words: readonly string[]): Option {
  return option.choices(words).argParser((text: string) => {
    const given = listed(text);
    if (given.every((word) => words.includes(word))) return given;
    throw new InvalidArgumentError(`Allowed choices are ${words.join(', ')}, with commas between them.`);
  });
}

/** `name=text`, as often as it is given. @throws InvalidArgumentError */
export function tag(text: string, before: JsonObject = {}): JsonObject {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('name=text is needed.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}
