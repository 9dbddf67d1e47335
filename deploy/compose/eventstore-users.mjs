/**
 * The users that eventstore-config/server.json names, with the passwords of /run/secrets/eventstore_LOGIN_password. One
 * that is there stays as it is, its password too.
 */
import { readFileSync } from 'node:fs';

const {
  EVENTSTORE_HTTP: server,
  SECRETS = '/run/secrets',
  SETTINGS = '/app/eventstore-config/server.json',
} = process.env;
const secret = (name) => readFileSync(`${SECRETS}/${name}`, 'utf8').trim();
const { users } = JSON.parse(readFileSync(SETTINGS, 'utf8'));
const authorization = `Basic ${Buffer.from(`admin:${secret('eventstore_admin_password')}`).toString('base64')}`;

for (const { login, groups } of users) {
  const body = { loginName: login, fullName: login, groups, password: secret(`eventstore_${login}_password`) };
  const { status } = await fetch(`${server}/users/`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  if (status !== 201 && status !== 409) throw new Error(`the event store answers ${status} to a new user ${login}`);
  process.stdout.write(`${login}: ${status === 201 ? 'made' : 'there already'}\n`);
}
