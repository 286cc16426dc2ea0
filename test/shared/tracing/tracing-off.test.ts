// Without a setting for traces, nothing of OpenTelemetry is loaded; if its packages are missing, a process works
// without them.
import { expect } from 'chai'
import { startGatewayProcess, startWorkerProcess } from '../../support/processes.ts'
import { useWorld } from '../../support/world.ts'

/** Makes a process fail that loads what is called so, as a module of either kind. */
function forbid(names: RegExp): string {
  const refuse = `if (${names}.test(name)) throw new Error('OpenTelemetry was asked for')`
  const resolve = `export function resolve(name, context, next) { ${refuse}; return next(name, context) }`
  const source = `
    import module, { register } from 'node:module'
    register(${JSON.stringify(dataUrl(resolve))})
    const load = module._load
    module._load = function (name, ...others) { ${refuse}; return load.call(this, name, ...others) }`
  return `--import=${dataUrl(source)}`
}

const dataUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`

const ALL = forbid(/^@opentelemetry\//)
// Its API comes with prom-client, and does nothing by itself.
const ALL_BUT_API = forbid(/^@opentelemetry\/(?!api$)/)

describe('a process', () => {
  const world = useWorld({ workers: [] })
  const environment = (more: Record<string, string>) => ({
    DATABASE_URL: world.databaseUrl,
    REDIS_URL: world.redisUrl,
    ...more,
  })

  it('loads nothing of OpenTelemetry without OTEL_EXPORTER_OTLP_ENDPOINT', async () => {
    const started = [
      await startWorkerProcess(environment({ NODE_OPTIONS: ALL })),
      await startGatewayProcess(environment({ NODE_OPTIONS: ALL_BUT_API })),
    ]
    for (const { lines, kill, ended } of started) {
      expect(JSON.stringify(lines)).to.not.include('OpenTelemetry')
      kill('SIGTERM')
      expect(await ended).to.equal(0)
    }
  })

  it('works without traces if the packages are missing, and says so', async () => {
    const worker = await startWorkerProcess(
      environment({ NODE_OPTIONS: ALL, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }),
    )
    const { err } = await worker.line(
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed',
    )
    expect(JSON.stringify(err)).to.include('OpenTelemetry was asked for')
    worker.kill('SIGTERM')
    expect(await worker.ended).to.equal(0)
  })
})
