import { Module } from '@nestjs/common';

import { DocsController } from './docs.controller.js';
import { OpenApi } from './openapi.js';
import { startHost, type Host } from './testing/edge-host.js';

@Module({ controllers: [DocsController], providers: [OpenApi] })
class DocsModule {}

describe('the page at /docs', () => {
  let host: Host;

  beforeAll(async () => {
    host = await startHost(DocsModule);
  });
  afterAll(() => host.close());

  it('names no other host, and loads only what this process answers', async () => {
    const page = await (await fetch(`${host.url}/docs`)).text();
    const start = await (await fetch(`${host.url}/docs/start.js`)).text();
    expect(page + start).not.toMatch(/(https?:)?\/\/[a-z0-9]/i);
    expect(start).toContain("url: '/openapi.json'");
    // Absent, Swagger UI would show the description to validator.swagger.io.
    expect(start).toContain('validatorUrl: null');
    const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
    expect(loaded).toEqual(
      expect.arrayContaining(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js']),
    );
    for (const url of loaded) {
      expect(url).toMatch(/^\/docs\//);
      const answer = await fetch(host.url + url);
      expect([url, answer.status, (await answer.text()).length > 0]).toEqual([url, 200, true]);
    }
    const style = await (await fetch(`${host.url}/docs/swagger-ui.css`)).text();
    expect(style).not.toMatch(/@import|url\(\s*["']?(https?:)?\/\//i);
  });

  it('may not load from another host either: its policy allows this one only', async () => {
    const answer = await fetch(`${host.url}/docs`);
    const policy = answer.headers.get('content-security-policy')!;
    await answer.text();
    const directives = policy.split(';').map((directive) => directive.trim().split(' '));
    expect(directives).toContainEqual(['default-src', "'none'"]);
    for (const [, ...sources] of directives) {
      for (const source of sources) expect(["'none'", "'self'", "'unsafe-inline'", 'data:']).toContain(source);
    }
  });
});

describe('the description at /openapi.json', () => {
  let host: Host;

  beforeAll(async () => {
    host = await startHost(DocsModule);
    host.nest.get(OpenApi).of(host.nest);
  });
  afterAll(() => host.close());

  const ask = (tags?: string): Promise<Response> =>
    fetch(`${host.url}/openapi.json`, tags === undefined ? {} : { headers: { 'if-none-match': tags } });

  it('is written once, and is not sent to who has it', async () => {
    const first = await ask();
    const tag = first.headers.get('etag')!;
    expect(tag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await first.json()).toMatchObject({ openapi: '3.1.0' });
    const written = jest.spyOn(JSON, 'stringify');
    try {
      for (const tags of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
        const again = await ask(tags);
        expect([tags, again.status, await again.text()]).toEqual([tags, 304, '']);
        expect(again.headers.get('etag')).toBe(tag);
        expect(again.headers.get('signature')).toMatch(/^mace=/);
      }
      for (const tags of ['"other"', tag.slice(1, -1), '']) expect((await ask(tags)).status).toBe(200);
      expect(written).not.toHaveBeenCalled();
    } finally {
      written.mockRestore();
    }
  });
});
