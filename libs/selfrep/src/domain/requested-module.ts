import { MaceError, shownName, type Json, type JsonObject } from '#lib/kernel';

import type { ModulePolicy } from './module.events.js';
import { checkProfile, completeSpec, type ModuleRequest, type ModuleSpec } from './registration.js';

type Check = readonly [form: string, fits: (value: Json) => boolean];

const text: Check = ['a text', (value) => typeof value === 'string'];
const texts: Check = ['a list of texts', isTexts];
const dependencies: Check = [
  'a list of {to, required}',
  (value) => Array.isArray(value) && value.every((one) => isDependency(one as Json)),
];
const policy: Check = ['{allowed_actions, forbidden_actions}, both lists of texts', isPolicy];

const REQUIRED: Readonly<Record<string, Check>> = { node_id: text, type: text, display_name: text, version: text };
const endpoint: Check = ['{kind, url, secret_ref, public_key}', isRecord];
const prompt: Check = ['{system, model, max_tokens}', isRecord];
const OPTIONAL: Readonly<Record<string, Check>> = {
  agent_id: text,
  capabilities: texts,
  dependencies,
  policy,
  endpoint,
  prompt,
};

/**
 * A module as somebody asks for it in a payload, of which nothing is known but that it is JSON.
 * @throws MaceError INVALID_INPUT that names the member and its allowed form
 */
export function requestedModule(module: JsonObject): ModuleSpec {
  const forms = { ...REQUIRED, ...OPTIONAL };
  for (const name of Object.keys(module)) {
    if (Object.hasOwn(forms, name)) continue;
    throw invalid(`module.${shownName(name)}: unknown; there are ${Object.keys(forms).join(', ')}`);
  }
  for (const [name, [form, fits]] of Object.entries(forms)) {
    const value = module[name];
    if (value === undefined ? Object.hasOwn(REQUIRED, name) : !fits(value)) throw invalid(`module.${name}: ${form}`);
  }
  return completeSpec(module as unknown as ModuleRequest);
}

/** The same of a policy alone. @throws MaceError INVALID_INPUT */
export function requestedPolicy(value: JsonObject): ModulePolicy {
  if (!isPolicy(value)) throw invalid(`policy: ${policy[0]}`);
  const requested = value as unknown as ModulePolicy;
  checkProfile({ policy: requested });
  return requested;
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isPolicy(value: Json): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  const { allowed_actions = null, forbidden_actions = null } = value;
  return isTexts(allowed_actions) && isTexts(forbidden_actions);
}

function isDependency(value: Json): boolean {
  if (!isRecord(value) || Object.keys(value).length !== 2) return false;
  return typeof value['to'] === 'string' && typeof value['required'] === 'boolean';
}

function isRecord(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(told: string): MaceError {
  return new MaceError('INVALID_INPUT', `payload.${told}`);
}
