import { tracingProblem, wantsTracing } from './settings.js';

describe('the settings of traces', () => {
  it.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'mace' }, false],
    [{ OTEL_TRACES_EXPORTER: '' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'false' }, true],
  ])('of %j export spans: %s', (env, wanted) => {
    expect(wantsTracing(env)).toBe(wanted);
    expect(tracingProblem(env)).toBeNull();
  });

  it.each([
    ['OTEL_TRACES_EXPORTER', 'zipkin'],
    ['OTEL_SDK_DISABLED', 'yes'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'http'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'udp'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
    ['OTEL_TRACES_SAMPLER_ARG', '10%'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '127.0.0.1:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:hunter2@collector:4318'],
  ])('that cannot be meant name themselves: %s=%s', (name, value) => {
    const problem = tracingProblem({ [name]: value });
    expect(problem?.name).toBe(name);
    expect(problem?.form).not.toContain('hunter2');
  });

  it.each(['0', '1', '0.25', '.5', '1.0'])('take %s as a part of the traces', (ratio) => {
    expect(tracingProblem({ OTEL_TRACES_SAMPLER_ARG: ratio })).toBeNull();
  });
});
