// Tests the alerts and the dashboard of docs/operations with a real Prometheus: promtool checks them, and an alert
// fires when the workers of a running Berth stop. Needs prometheus and promtool (Debian: apt-get install prometheus).
import { execFile, spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import {
  listExpressions,
  MONITORING_FOLDER,
  readDashboard,
} from '../gateway/server/operations/monitoring-files.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'

const run = promisify(execFile)
const FIRES_WITHIN_MS = 240_000

type Alert = { labels: Record<string, string>; state: string; annotations: Record<string, string> }

async function promtool(...parameters: string[]): Promise<string> {
  try {
    const { stdout } = await run('promtool', parameters, { cwd: MONITORING_FOLDER })
    return stdout
  } catch (error) {
    const { code, stdout, stderr } = error as { code: unknown; stdout: string; stderr: string }
    throw new Error(
      code === 'ENOENT'
        ? 'promtool is not installed. On Debian: apt-get install prometheus'
        : `${stdout}${stderr}`,
    )
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('monitoring by Prometheus', () => {
  const directory = use(async () => ({ path: await mkdtemp(join(tmpdir(), 'berth-prometheus-')) }), {
    close: ({ path }) => rm(path, { recursive: true, force: true }),
  })

  it('has valid alerts, which fire exactly when they should', async () => {
    expect(await promtool('check', 'rules', 'alerts.yml')).to.include('SUCCESS')
    expect(await promtool('test', 'rules', 'alerts.test.yml')).to.include('SUCCESS')
  })

  it('has a dashboard with only valid expressions', async () => {
    const expressions = listExpressions(readDashboard()).map((expr) =>
      expr.replaceAll('$__rate_interval', '5m'),
    )
    expect(expressions.length).to.be.above(20)
    const rules = expressions.map((expr, number) => ({ record: `panel:${number}`, expr }))
    // Writes JSON, because every JSON file is valid YAML.
    const file = join(directory.path, 'panels.yml')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    expect(await promtool('check', 'rules', file)).to.include(`${expressions.length} rules found`)
  })

  describe('monitoring of a running Berth', () => {
    const lines: string[] = []
    const world = useWorld({
      workers: [],
      environment: { METRICS_PORT: '0' },
      onLog: (line) => void lines.push(line),
    })
    const client = useClient(world)

    it('fires an alert a few minutes after all workers stop, and resolves the alert when they return', async () => {
      const workers = await world.startWorkers(['writes'])
      const metricsPort = await eventually(
        () => /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('The worker shows no metrics'),
      )
      const prometheus = await startPrometheus({
        'berth-gateway': new URL(world.url).host,
        'berth-worker': `127.0.0.1:${metricsPort}`,
      })
      try {
        await eventually(async () => {
          const found = await prometheus.query('sum by (job) (up)')
          expect(found).to.deep.equal({ 'berth-gateway': 1, 'berth-worker': 1 })
        })
        expect((await client.post('bookings', await createSlot(world))).status).to.equal(200)
        const done = 'sum by (job) (berth_job_outcomes_total{job_name="bookings.create",outcome="done"})'
        await eventually(async () =>
          expect(await prometheus.query(done)).to.deep.equal({ 'berth-worker': 1 }),
        )
        expect((await prometheus.alerts()).filter(({ state }) => state === 'firing')).to.deep.equal([])

        await workers.stop()
        const alerts = await eventually(async () => {
          const firing = (await prometheus.alerts()).filter(({ state }) => state === 'firing')
          const names = firing.map(({ labels }) => `${labels.alertname} ${labels.queue ?? labels.job}`)
          expect(names).to.include('BerthNoWorkers writes')
          // One outage must cause only one alert.
          expect(firing.filter(({ labels }) => labels.alertname !== 'BerthNoWorkers')).to.deep.equal([])
          return firing
        }, FIRES_WITHIN_MS)
        expect(alerts.map(({ annotations }) => annotations.runbook)).to.include(
          'docs/operations/alerts/no-workers.md',
        )

        await world.startWorkers(['writes'])
        await eventually(async () => {
          const writes = (await prometheus.alerts()).filter(
            ({ labels }) => labels.alertname === 'BerthNoWorkers' && labels.queue === 'writes',
          )
          expect(writes).to.deep.equal([])
        })
      } finally {
        await prometheus.stop()
      }
    })
  })

  /** Starts Prometheus, which scrapes the given targets every second, grouped by job. */
  async function startPrometheus(targets: Record<string, string>) {
    const { path } = directory
    const port = await findFreePort()
    await copyFile(join(MONITORING_FOLDER, 'alerts.yml'), join(path, 'alerts.yml'))
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: ['alerts.yml'],
      scrape_configs: Object.entries(targets).map(([job_name, target]) => ({
        job_name,
        static_configs: [{ targets: [target] }],
      })),
    }
    await writeFile(join(path, 'prometheus.yml'), JSON.stringify(config))
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(path, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(path, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    )
    const ended = new Promise<void>((resolve, reject) => {
      child.once('error', () =>
        reject(new Error('prometheus is not installed. On Debian: apt-get install prometheus')),
      )
      child.once('exit', () => resolve())
    })
    const ask = async (query: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${query}`)
      return ((await answer.json()) as { data: unknown }).data
    }
    await Promise.race([eventually(() => ask('status/runtimeinfo'), 60_000), ended])
    return {
      /** Returns the values of an expression, summed by job. */
      async query(expression: string): Promise<Record<string, number>> {
        const { result } = (await ask(`query?query=${encodeURIComponent(expression)}`)) as {
          result: Array<{ metric: { job: string }; value: [number, string] }>
        }
        return Object.fromEntries(result.map(({ metric, value }) => [metric.job, Number(value[1])]))
      },
      alerts: async () => ((await ask('alerts')) as { alerts: Alert[] }).alerts,
      async stop() {
        child.kill('SIGTERM')
        await ended
      },
    }
  }
})
