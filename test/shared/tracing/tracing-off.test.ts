// Tests processes without tracing: they load no OpenTelemetry module, and work without the OpenTelemetry packages.
import { expect } from 'chai'
import { startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'
import { useWorld } from '../../support/world.ts'

/** Makes a process fail if it loads a module whose name matches, in either module format. */
function forbidModules(names: RegExp): string {
  const refuse = `if (${names}.test(name)) throw new Error('OpenTelemetry was asked for')`
  const resolve = `export function resolve(name, context, next) { ${refuse}; return next(name, context) }`
  const source = `
    import module, { register } from 'node:module'
    register(${JSON.stringify(createDataUrl(resolve))})
    const load = module._load
    module._load = function (name, ...others) { ${refuse}; return load.call(this, name, ...others) }`
  return `--import=${createDataUrl(source)}`
}

const createDataUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

const FORBID_OPENTELEMETRY = forbidModules(/^@opentelemetry\//)
// prom-client depends on the OpenTelemetry API package, which does nothing by itself.
const FORBID_OPENTELEMETRY_EXCEPT_API = forbidModules(/^@opentelemetry\/(?!api$)/)

describe('a process without tracing', () => {
  const world = useWorld({ workers: [] })
  const environment = (more: Record<string, string>) => ({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: world.redisUrl,
    ...more,
  })

  it('loads no module of OpenTelemetry without OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
    const started = [
      await startWorkerProcess(environment({ NODE_OPTIONS: FORBID_OPENTELEMETRY })),
      await startGatewayProcess(environment({ NODE_OPTIONS: FORBID_OPENTELEMETRY_EXCEPT_API })),
    ]
    for (const { lines, kill, ended } of started) {
      expect(JSON.stringify(lines)).to.not.include('OpenTelemetry')
      kill('SIGTERM')
      expect(await ended).to.equal(0)
    }
  })

  it('logs that OpenTelemetry packages are missing, and works without traces', async () => {
    const worker = await startWorkerProcess(
      environment({ NODE_OPTIONS: FORBID_OPENTELEMETRY, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
    )
    const { err } = await worker.line(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for tracing are not installed',
    )
    expect(JSON.stringify(err)).to.include('OpenTelemetry was asked for')
    worker.kill('SIGTERM')
    expect(await worker.ended).to.equal(0)
  })
})
