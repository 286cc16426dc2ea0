// Tests the webhook process during an outage of Postgres: what it logs, and which metrics it still shows.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { startProxy } from '../../support/faults/proxy.ts'
import { fetchMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

type LogLine = { severity: string; msg: string; metricsPort?: number }

const FAULT_MESSAGE = 'webhooks could not be looked after'
const DUE_DELIVERIES_METRIC = 'berth_webhook_deliveries_due'

describe('webhooks while Postgres is down', () => {
  const world = useWorld({ workers: [] })

  it('log a single warning, and omit only the metrics that need Postgres', async () => {
    const lines: LogLine[] = []
    const log = createLog('hooks', 'debug', { write: (line) => void lines.push(JSON.parse(line)) })
    const proxy = await startProxy(world.databaseUrl)
    const hooks = await startHooks({ ...world.config, databaseUrl: proxy.url, metricsPort: 0 }, log)
    const said = (severity: string) =>
      lines.filter((line) => line.msg === FAULT_MESSAGE && line.severity === severity)
    const shown = async () => {
      const port = lines.find(({ metricsPort }) => metricsPort)?.metricsPort
      return (await fetchMetrics(`http://127.0.0.1:${port}`)).map(({ name }) => name)
    }
    try {
      await eventually(async () =>
        expect(await shown()).to.include.members([DUE_DELIVERIES_METRIC, 'berth_webhooks']),
      )
      await proxy.cut()
      await eventually(() => expect(said('debug').length).to.be.above(4))
      // One line for the broken connection, and one for the failure to connect.
      expect(said('warn').length).to.be.within(1, 2)
      expect(await shown())
        .to.include('berth_webhook_attempts_total')
        .and.not.include(DUE_DELIVERIES_METRIC)
        .and.not.include('berth_webhooks')
      await proxy.restore()
      const over = 'webhooks are looked after again'
      await eventually(() => expect(lines.filter(({ msg }) => msg === over)).to.have.length(1))
      await eventually(async () => expect(await shown()).to.include(DUE_DELIVERIES_METRIC))
    } finally {
      await hooks.stop()
    }
  })

  it('resume deliveries soon after another Postgres replaces one that died silently', async () => {
    const proxy = await startProxy(world.databaseUrl)
    const hooks = await startHooks(
      { ...world.config, databaseUrl: proxy.url },
      createLog('hooks', 'silent'),
      {
        silentMsMax: 1_000,
      },
    )
    const change = { type: 'user', action: 'updated', resource_id: 1 }
    const author = { actor_type: 'system', actor_name: '', request_id: '' }
    const writeChange = async () =>
      (await world.database('changes').insert({ ...change, ...author }, ['sequence']))[0]?.sequence
    const readsUntil = (sequence: number) =>
      eventually(async () =>
        expect(await world.database('webhook_position').pluck('sequence')).to.deep.equal([sequence]),
      )
    try {
      await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
      await readsUntil(await writeChange())
      proxy.freeze()
      await wait(600)
      await proxy.restore({ lost: true })
      await readsUntil(await writeChange())
    } finally {
      await hooks.stop()
    }
  })
})
