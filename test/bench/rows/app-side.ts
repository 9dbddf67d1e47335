import { randomUUID } from 'node:crypto';

import { CommandBus } from '@nestjs/cqrs';

import type { CommandContext, Principal } from '#lib/access';
import { Ask, type JobResult } from '#lib/jobs';
import { commandSeed, hmacSha256Hex, traceId } from '#lib/kernel';
import { PutValue, type SemAnswer } from '#lib/memory';

import { type OpenApp, openApp } from '../../../apps/api/src/main.open.js';
import { readConfig } from '../../../apps/api/src/platform.config.js';

export const PROFILE_QUERY = 'What is my favourite colour?';
export const SUM_QUERY = 'What is 12.5% of 80?';
const PROFILE_ANSWER = /\bblue\b/;
const SUM_ANSWER = /\b10\b/;
const PATIENCE_MS = 60_000;
const DIGEST_KEY = Buffer.alloc(32, 7);

/** The whole application in this process, with commands as controllers give them. */
export interface AppSide extends OpenApp {
  /** Stores the fact that profile lookups of a caller find. */
  remember(caller: number): Promise<SemAnswer>;
  put(caller: number, key: string, value: string): Promise<SemAnswer>;
  /** A job, every other one a profile lookup and a sum. @throws Error for any answer but the right one */
  ask(caller: number, nth: number): Promise<JobResult>;
  /** A job of any question. @throws what the job fails with */
  answered(caller: number, query_text: string): Promise<JobResult>;
  close(): Promise<void>;
}

export async function openAppSide(folder: string, settings: Readonly<Record<string, string>> = {}): Promise<AppSide> {
  const opened = await openApp(readConfig({ MACE_DATA_DIR: folder, MACE_LOG_LEVEL: 'silent', ...settings }));
  const commands = opened.app.nest.get(CommandBus);
  const put = async (caller: number, key: string, value: string): Promise<SemAnswer> => {
    const answer = await commands.execute(new PutValue(contextOf(caller, 'PUT', `/sem/${key}`, value), { key, value }));
    if (!answer.success) throw new Error(`${key} waits for the council`);
    return answer;
  };
  const answered = (caller: number, query_text: string): Promise<JobResult> =>
    commands.execute(new Ask(contextOf(caller, 'POST', '/jobs', query_text), { query_text }, PATIENCE_MS));
  return {
    ...opened,
    put,
    remember: (caller) => put(caller, `user/profile/${userOf(caller)}/favorite_color`, 'blue'),
    answered,
    async ask(caller, nth) {
      const isLookup = nth % 2 === 0;
      const query_text = isLookup ? PROFILE_QUERY : SUM_QUERY;
      const result = await answered(caller, query_text);
      if (!(isLookup ? PROFILE_ANSWER : SUM_ANSWER).test(result.final_answer ?? ''))
        throw new Error(`"${query_text}" was answered ${JSON.stringify(result)}`);
      return result;
    },
    async close() {
      await opened.app.nest.close();
      await opened.platform.close();
    },
  };
}

export function userOf(caller: number): string {
  return `user_bench${caller}`;
}

function contextOf(caller: number, method: string, path: string, body: string): CommandContext {
  const principal: Principal = { id: userOf(caller), roles: ['user'], elevated: false };
  const seed = commandSeed(principal.id, method, path, randomUUID());
  return {
    principal,
    actor: { id: principal.id, role: 'user' },
    seed,
    keyed: false,
    requestDigest: hmacSha256Hex(DIGEST_KEY, body),
    traceId: traceId(seed),
    now: Date.now(),
  };
}
