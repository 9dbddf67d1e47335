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
