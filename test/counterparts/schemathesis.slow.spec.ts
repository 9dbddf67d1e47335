import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';

import { newDataFolder } from '../support/data-folder.js';
import { describeWithProgram } from '../support/programs.js';
import { ServedProcess, tokenFor } from '../support/served-process.js';

/** The REST interface for a program that knows nothing of it but its description: links between operations too. */

const ROLES = ['user', 'auditor', 'admin'];
/** Faults of the server, and answers that are not as they are described. */
const CHECKS = ['not_a_server_error', 'status_code_conformance', 'content_type_conformance'];
const FORMS = ['response_headers_conformance', 'response_schema_conformance'];
/** It holds each event of a stream to the schema of the whole, which OpenAPI 3.1 has no other word for. */
const STREAMS = '/(tail|progress)$';
const SECONDS = '10';
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
    const words = ['run', `${server.url}/openapi.json`, '--no-color', '--seed', SEED, '--max-time', SECONDS];
    const token = ['-H', `authorization: Bearer ${tokenFor(folder, `reader-${role}`, role)}`];
    const more = ['-c', [...CHECKS, ...FORMS].join(','), '--exclude-path-regex', STREAMS, '--warnings', 'off'];
    const { code, out } = await new Promise<{ code: number; out: string }>((resolve) =>
      execFile(
        schemathesis,
        [...words, ...token, ...more],
        { cwd: folder, maxBuffer: 2 ** 26 },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
      ),
    );
    expect(/Failures:.*/s.exec(out)?.[0] ?? out.slice(0, code === 0 ? 0 : 4000)).toBe('');
    expect(out).toMatch(/Test cases:\s+[1-9]\d\d+ generated/);
    expect(code).toBe(0);
  });
});
