import 'reflect-metadata';

import type { AddressInfo } from 'node:net';

import { All, Controller, HttpCode, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

export interface BareReady {
  readonly kind: 'ready';
  readonly port: number;
}

/** `bare-server.js PATH ANSWER`: one route, of which Nest and Fastify do all there is to do. */
const [path = '', answer = '{}'] = process.argv.slice(2);
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

const app = await NestFactory.create<NestFastifyApplication>(BareModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = app.getHttpServer().address() as AddressInfo;
process.send!({ kind: 'ready', port } satisfies BareReady);
process.once('SIGTERM', () => void app.close().then(() => process.exit()));
