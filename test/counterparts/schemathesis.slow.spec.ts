import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';

import { fixtureKeyRing, type Role, signToken } from '#lib/access';

import { newDataFolder } from '../support/data-folder.js';
import { describeWithProgram } from '../support/programs.js';
import { ServedProcess } from '../support/served-process.js';

/** The REST interface for a program that knows nothing of it but its description: links between operations too. */

const ROLES: readonly Role[] = ['user', 'auditor', 'admin'];
/** Faults of the server, and answers that are not as they are described. */
const CHECKS = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance'];
const FORMS = ['response_headers_conformance', 'response_schema_conformance'];
/** It holds each event of a stream to the schema of the whole, which OpenAPI 3.1 has no other word for; MCP and A2A answer by JSON-RPC. */
const UNDESCRIBED = '/(tail|progress)$|^/(mcp|a2a)$';

const SECONDS = '20';
/** Its time is for all phases, of which the one that follows links comes last. */
const APART = 'examples,coverage,fuzzing';
const SEED = process.env['MACE_TEST_SEED'] ?? '1';

describeWithProgram('schemathesis', 'REST as schemathesis reads its description', (schemathesis) => {
  let folder: string;
  let server: ServedProcess;
  beforeAll(async () => {
    folder = await newDataFolder('schemathesis');
    server = await ServedProcess.start(folder);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(ROLES)('has no fault and no answer outside its schema for a token of role %s', async (role) => {
    const out = await run(role, APART);
    expect(out).toMatch(/Test cases:\s+[1-9]\d\d+ generated/);
  });

  it('has none either where ids of answers are followed by its links', async () => {
    const out = await run('admin', 'stateful');
    expect(out).toMatch(/Scenarios:\s+[1-9]/);
    expect(out).toMatch(/API Links:\s+\d+ covered \/ [1-9]\d\d selected/);
  });

  /** What it says of a run that finds nothing. */
  async function run(role: Role, phases: string): Promise<string> {
    const words = ['run', `${server.url}/openapi.json`, '--no-color', '--seed', SEED, '--max-time', SECONDS];
    // With a second factor, without which most of what an admin does ends at the door.
    const who = { userId: `user_reader_${role}`, roles: [role], amr: ['otp'], issuer: 'mace', audience: 'mace' };
    const signed = await signToken(fixtureKeyRing(), { ...who, ttlSeconds: 3600, now: Date.now() });
    const more = ['-c', [...CHECKS, ...FORMS].join(','), '--exclude-path-regex', UNDESCRIBED, '--warnings', 'off'];
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) =>
      execFile(
        schemathesis,
        [...words, '--phases', phases, '-H', `authorization: Bearer ${signed}`, ...more],
        { cwd: folder, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      ),
    );
    expect(/Failures:.*/s.exec(out)?.[0] ?? out.slice(0, code === 0 ? 0 : 4000)).toBe('');
    expect(code).toBe(0);
    return out;
  }
});
