import type { Row } from '../harness/row.js';

/** The rows by name, in the order of docs/performance.md; loaded where they run, so that no row pays for another. */
export const ROWS: ReadonlyMap<string, () => Promise<Row>> = new Map<string, () => Promise<Row>>([
  ['append', async () => (await import('./append.js')).append],
  ['append-personal', async () => (await import('./append.js')).appendPersonal],
  ['eventstoredb', async () => (await import('./eventstoredb.js')).eventStoreDb],
  ['command', async () => (await import('./command.js')).command],
  ['job', async () => (await import('./job.js')).job],
  ['http-job', async () => (await import('./http.js')).httpJob],
  ['replay', async () => (await import('./replay.js')).replay],
  ['verify', async () => (await import('./verify.js')).verify],
  ['proof', async () => (await import('./proof.js')).proof],
  ['integrity', async () => (await import('./integrity.js')).integrity],
  ['rerun', async () => (await import('./rerun.js')).rerun],
  ['rebuild', async () => (await import('./rebuild.js')).rebuild],
  ['http-sem', async () => (await import('./http.js')).httpSem],
  ['http-sem-signed', async () => (await import('./http.js')).httpSemSigned],
  ['http-redis', async () => (await import('./http-redis.js')).httpRedis],
  ['grpc-vote', async () => (await import('./grpc-vote.js')).grpcVote],
  ['sse', async () => (await import('./sse.js')).sse],
  ['sign', async () => (await import('./sign.js')).signing],
  ['authorise', async () => (await import('./authorise.js')).authorise],
  ['canonical-json', async () => (await import('./canonical-json.js')).canonicalJson],
  ['detect', async () => (await import('./detect.js')).detection],
  ['router-decide', async () => (await import('./router-decide.js')).routerDecide],
  ['council', async () => (await import('./council.js')).council],
  ['modules-10000', async () => (await import('./modules.js')).modules10000],
]);
