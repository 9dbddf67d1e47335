import 'reflect-metadata';

import { ROLES } from '#lib/access';
import { AUDIT_KINDS } from '#lib/audit';
import { DSR_STATUSES } from '#lib/dsr';
import { HISTORY_KINDS } from '#lib/history';
import { COUNT_STEPS, JOB_STATUSES, MISSING_KINDS } from '#lib/jobs';
import { SCOPES } from '#lib/memory';
import { CATEGORY_OF } from '#lib/privacy';
import { APT_EVENT_TYPES, FAILURE_TYPES, MODULE_STATUSES, MODULE_TYPES } from '#lib/selfrep';

import { POLICY_FILES } from '../../api/src/governance/adopt-configuration.js';
import { InsertDto } from '../../api/src/brainstate/brainstate.dto.js';
import { schemaOf } from '../../api/src/edge/dto-schema.js';
import { everyCommand } from '../../../test/support/command-line.js';
import * as lists from './closed-lists.js';
import { offered } from './forms.js';

it.each<[string, readonly string[], readonly string[]]>([
  ['roles', lists.ROLES, ROLES],
  ['scopes', lists.SCOPES, SCOPES],
  ['types of modules', lists.MODULE_TYPES, MODULE_TYPES],
  ['how a module is', lists.MODULE_STATUSES, MODULE_STATUSES],
  ['events of trust', lists.APT_EVENTS, APT_EVENT_TYPES],
  ['failures', lists.FAILURES, FAILURE_TYPES],
  ['types of personal data', lists.PII_TYPES, Object.keys(CATEGORY_OF)],
  ['policies', lists.POLICIES, POLICY_FILES],
  ['how a job stands', lists.JOB_STATUSES, JOB_STATUSES],
  ['what jobs are counted by', lists.COUNT_STEPS, COUNT_STEPS.map(String)],
  ['what is missing', lists.MISSING, MISSING_KINDS],
  ['how a data-subject request stands', lists.DSR_STATES, DSR_STATUSES],
  ['kinds of streams', lists.HISTORIES, HISTORY_KINDS],
  ['what is remembered', lists.MEMORIES, memories()],
  ['kinds of audited events', lists.AUDIT_KINDS, AUDIT_KINDS],
])('the command line knows %s', (_, known, all) => {
  expect([...known].sort()).toEqual([...all].sort());
});

function memories(): readonly string[] {
  const { properties } = schemaOf(InsertDto) as { properties: { type: { enum: readonly string[] } } };
  return properties.type.enum;
}

it('help names what may stand where only some words may', () => {
  const silent: string[] = [];
  for (const { name, command } of everyCommand()) {
    const help = command.helpInformation().replace(/\s+/g, ' ');
    for (const one of [...command.options, ...command.registeredArguments])
      for (const word of one.argChoices ?? []) if (!help.includes(word)) silent.push(`${name}: ${word}`);
  }
  expect(silent).toEqual([]);
});

/** A word of the kind `A, B or C` in a description is a list that nobody completes and nobody checks. */
it('no option and no argument tells a list in words alone', () => {
  const told = everyCommand().flatMap(({ name, command }) =>
    [...command.options, ...command.registeredArguments]
      .filter(
        (one) =>
          offered(one).length === 0 && /\b([A-Z]+_[A-Z_]+|[a-z]+), ([A-Z]+_[A-Z_]+|[a-z]+), \S+/.test(one.description),
      )
      .map((one) => `${name}: ${one.description}`),
  );
  expect(told).toEqual([]);
});
