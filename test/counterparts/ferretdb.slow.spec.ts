import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { MongoClient } from 'mongodb';

import { openMongoArtifacts } from '../../libs/event-store/src/mongodb/mongodb-artifacts.js';
import { openMongoSubjectKeys } from '../../libs/event-store/src/mongodb/mongodb-subject-keys.js';
import { describeArtifactStoreContract } from '../../libs/event-store/src/testing/artifacts.contract.js';
import { describeSubjectKeyStoreContract } from '../../libs/event-store/src/testing/subject-keys.contract.js';
import { describeReadStoreContract } from '../../libs/read-store/src/contract/read-store.contract.js';
import { openMongoReadStore } from '../../libs/read-store/src/mongodb/mongodb-read-store.js';
import { newDataFolder } from '../support/data-folder.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { describeWithProgram } from '../support/programs.js';
import { EACH_ITS_OWN, ServedProcess, tokenFor } from '../support/served-process.js';

/** What MACE keeps in MongoDB, in a server of its protocol that nobody here wrote; it has no transactions. */
describeWithProgram('ferretdb', 'FerretDB with its SQLite backend', (ferretdb) => {
  let folder: string;
  let server: ChildProcess;
  let address: string;
  let databases = 0;

  beforeAll(async () => {
    folder = await newDataFolder('ferretdb');
    address = `127.0.0.1:${await freePort()}`;
    const options = { handler: 'sqlite', 'sqlite-url': `file:${folder}/`, 'listen-addr': address, 'debug-addr': '-' };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    server = spawn(ferretdb, [...words, '--telemetry=disable', `--state-dir=${folder}`], { stdio: 'ignore' });
    const client = new MongoClient(`mongodb://${address}/`, { serverSelectionTimeoutMS: 1000 });
    await eventually(() =>
      client
        .db()
        .command({ ping: 1 })
        .then(
          () => true,
          () => null,
        ),
    );
    await client.close();
  });
  afterAll(async () => {
    server.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const freshUrl = (): string => `mongodb://${address}/mace_${++databases}`;

  describeReadStoreContract('mongodb, on FerretDB', async () => {
    const url = freshUrl();
    let store = await openMongoReadStore({ url });
    const reopen = async () => {
      await store.close();
      return (store = await openMongoReadStore({ url }));
    };
    return { store, reopen, dispose: () => store.close() };
  });
  describeArtifactStoreContract('the artifact store on FerretDB', {
    open: async () => {
      const store = await openMongoArtifacts({ url: freshUrl() });
      return { store, dispose: () => store.close() };
    },
  });
  describeSubjectKeyStoreContract('the subject key store on FerretDB', {
    open: async () => {
      const store = await openMongoSubjectKeys({ url: freshUrl() });
      return { store, dispose: () => store.close() };
    },
  });

  it('carries a server, which after a kill has its read models and data keys there', async () => {
    const data = join(folder, 'data');
    const env = { MACE_READ_STORE: 'mongodb', MONGODB_URL: freshUrl() };
    const first = await ServedProcess.start(data, env);
    const headers = {
      ...EACH_ITS_OWN,
      authorization: `Bearer ${tokenFor(data, 'tuff', 'user')}`,
      'content-type': 'application/json',
    };
    const put = { method: 'PUT', headers, body: '{"value": "blue"}' };
    const path = '/sem/user/profile/user_tuff/favorite_color';
    expect((await fetch(`${first.url}${path}`, put)).status).toBe(200);
    const body = JSON.stringify({ query_text: 'What is my favorite color?', job_seed: 'on-ferretdb' });
    const asked = await fetch(`${first.url}/jobs`, { method: 'POST', headers, body });
    const { job_id, final_answer } = (await asked.json()) as { job_id: string; final_answer: string };
    expect(final_answer).toContain('blue');
    await first.kill();
    for (const file of ['read.db', 'subject-keys.db']) expect(existsSync(join(data, file))).toBe(false);

    const second = await ServedProcess.start(data, env);
    try {
      const listed = await eventually(async () => {
        const jobs = (await (await fetch(`${second.url}/jobs`, { headers })).json()) as { items: { job_id: string }[] };
        return jobs.items.length > 0 ? jobs.items : null;
      });
      expect(listed.map((job) => job.job_id)).toEqual([job_id]);
      const read = (await (await fetch(second.url + path, { headers })).json()) as { value: string };
      expect(read.value).toBe('blue');
    } finally {
      await second.stop();
    }
  });
});
