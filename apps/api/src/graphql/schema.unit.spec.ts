import 'reflect-metadata';

import { readFileSync, writeFileSync } from 'node:fs';

import { Controller, Get, Post } from '@nestjs/common';
import { isObjectType, lexicographicSortSchema, printSchema, validateSchema } from 'graphql';

import { Doc, Permission, Public } from '../edge/index.js';
import { drawSchema } from './engine.js';
import { query } from './field.js';
import { FIELDS, LINKS, SUBSCRIPTIONS } from './rooms/index.js';

const FILE = 'docs/schema.graphql';

describe('docs/schema.graphql', () => {
  const schema = drawSchema();

  it('is a schema without a fault', () => {
    expect(validateSchema(schema)).toEqual([]);
  });

  it('is the schema of the code (WRITE_SDL=1 writes it)', () => {
    const sdl = `${printSchema(lexicographicSortSchema(schema))}\n`;
    if (process.env['WRITE_SDL'] !== undefined) writeFileSync(FILE, sdl);
    expect(readFileSync(FILE, 'utf8')).toBe(sdl);
  });

  it('asks for something in the fields of its roots and in its links alone: whatever else there is came with an answer', () => {
    const types = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .filter(({ name }) => !name.startsWith('__'));
    const asking = types.flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, resolve, subscribe }) =>
        resolve || subscribe ? [`${type.name}.${name}`] : [],
      ),
    );
    const roots = [
      ...FIELDS.map(({ root, name }) => `${root}.${name}`),
      ...SUBSCRIPTIONS.map(({ name }) => `Subscription.${name}`),
    ];
    expect(asking.sort()).toEqual([...roots, ...LINKS.map(({ from, name }) => `${from}.${name}`)].sort());
  });

  it('names each operation once', () => {
    const operations = FIELDS.map(({ operation }) => `${operation.method} ${operation.route.url}`);
    expect(operations.filter((one, i) => operations.indexOf(one) !== i)).toEqual([]);
  });
});

@Controller('things')
class Things {
  @Get()
  @Doc({ summary: 'Things', answer: { thing: 1 } })
  undeclared(): object {
    return {};
  }

  @Get('open')
  @Public()
  @Doc({ summary: 'For everybody', answer: { thing: 1 } })
  open(): object {
    return {};
  }

  @Post()
  @Permission('sem.write')
  undescribed(): object {
    return {};
  }
}

describe('a field', () => {
  it.each(['undeclared', 'open', 'undescribed'] as const)(
    'whose operation is %s is not registered, and nothing starts',
    (handler) => {
      expect(() => query('things', Things, handler, 'Thing')).toThrow(`Things.${handler} declares no permission`);
    },
  );
});
