import 'reflect-metadata';

import type { AddressInfo } from 'node:net';

import { All, Controller, HttpCode, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

import { fixtureKeyRing } from '#lib/access';
import { ResponseSigner } from '#lib/signatures';

import { signAnswers } from '../../../apps/api/src/edge/answer-signing.js';

export interface BareReady {
  readonly kind: 'ready';
  readonly port: number;
}

/** `bare-server.js PATH ANSWER [signed]`: one route, of which Nest and Fastify do all there is to do, but for a signature. */
const [path = '', answer = '{}', signed] = process.argv.slice(2);
const body = JSON.parse(answer) as object;

@Controller(path)
class BareController {
  @All()
  @HttpCode(200)
  answer(): object {
    return body;
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const adapter = new FastifyAdapter();
if (signed)
  signAnswers(adapter.getInstance(), {
    signer: new ResponseSigner(fixtureKeyRing().active('response-signature')),
    now: Date.now,
  });
const app = await NestFactory.create<NestFastifyApplication>(BareModule, adapter, { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address() as AddressInfo;
process.send!({ kind: 'ready', port } satisfies BareReady);
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
