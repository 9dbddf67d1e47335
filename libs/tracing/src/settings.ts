/** A setting of OpenTelemetry that cannot be meant, and its allowed form. */
export interface TracingProblem {
  readonly name: string;
  readonly form: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const PROTOCOLS = ['http/protobuf', 'http/json', 'grpc'];
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((one) => [one, `parentbased_${one}`]);
/** Closed lists; what OpenTelemetry passes over in silence, or with a line that nobody reads, is refused at the start. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  OTEL_SDK_DISABLED: ['true', 'false'],
  OTEL_TRACES_EXPORTER: ['otlp', 'console', 'none'],
  OTEL_EXPORTER_OTLP_PROTOCOL: PROTOCOLS,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: PROTOCOLS,
  OTEL_TRACES_SAMPLER: SAMPLERS,
};
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];

/**
 * Whether spans are to be exported: an exporter or an endpoint is named, and nothing turns them off. Without either none
 * are, although OpenTelemetry's own default is a collector on this machine.
 */
export function wantsTracing(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return ['OTEL_TRACES_EXPORTER', ...ENDPOINTS].some((name) => isGiven(env[name]));
}

/** The first setting that cannot be meant; null where there is none. */
export function tracingProblem(env: Environment): TracingProblem | null {
  for (const [name, allowed] of Object.entries(ALLOWED)) {
    if (isGiven(env[name]) && !allowed.includes(env[name]!)) return { name, form: `one of ${allowed.join(', ')}` };
  }
  const endpoint = ENDPOINTS.find((name) => isGiven(env[name]) && !isHttp(env[name]!));
  if (endpoint !== undefined) {
    return { name: endpoint, form: 'an http or https URL without credentials, such as http://127.0.0.1:4318' };
  }
  const ratio = env['OTEL_TRACES_SAMPLER_ARG'];
  const isRatio = !isGiven(ratio) || /^(0|1|0?\.[0-9]{1,9}|1\.0+)$/.test(ratio!);
  return isRatio ? null : { name: 'OTEL_TRACES_SAMPLER_ARG', form: 'a number from 0 to 1' };
}

function isGiven(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function isHttp(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return (url?.protocol === 'http:' || url?.protocol === 'https:') && url.username === '' && url.password === '';
}
