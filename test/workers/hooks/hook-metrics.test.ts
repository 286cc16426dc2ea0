// Tests the metrics of the webhook process at METRICS_PORT.
import { expect } from 'chai'
import { LOCKS, waitForLockSql } from '../../../shared/database/locks.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { fetchMetrics, sumMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { status } from './receiver.ts'
import { useWebhooks } from './webhooks.ts'

describe('the metrics of webhooks', function suite() {
  this.timeout(120_000)
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
  const client = useClient(world)
  const lines: string[] = []
  const log = createLog('hooks', 'info', { write: (line: string) => void lines.push(line) })
  const { receiver, other, subscribe, book, deliveries, find, only } = useWebhooks(world, client, {
    metricsPort: 0,
    log,
    timeoutMs: 60_000,
  })

  const figures = async () => {
    const port = /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('It shows none')
    return fetchMetrics(`http://127.0.0.1:${port}`)
  }
  const attempts = async () => {
    const found = await figures()
    return Object.fromEntries(
      ['delivered', 'refused', 'gone', 'unanswered'].map((outcome) => [
        outcome,
        sumMetrics(found, 'berth_webhook_attempts_total', { outcome }),
      ]),
    )
  }
  const states = async () => {
    const found = await figures()
    return ['on', 'failing', 'off', 'disabled'].map((state) => sumMetrics(found, 'berth_webhooks', { state }))
  }

  it('show the outcomes of delivery attempts from the first attempt on', async () => {
    await eventually(async () =>
      expect(await attempts()).to.deep.equal({ delivered: 0, refused: 0, gone: 0, unanswered: 0 }),
    )
    const cases = [status(200), status(500), (response: { destroy(): unknown }) => void response.destroy()]
    for (const answer of cases) {
      receiver.answer = answer
      const { id } = await subscribe(receiver.url)
      await book()
      await only(id)
      // Deletes the webhook, because retries of failed deliveries would also be counted.
      await client.delete(`webhooks/${id}`)
    }
    expect(await attempts()).to.deep.equal({ delivered: 1, refused: 1, gone: 0, unanswered: 1 })
    expect(sumMetrics(await figures(), 'berth_webhook_attempt_duration_seconds_count')).to.equal(3)
  })

  it('count webhooks by state, and name webhooks that Berth switched off until an administrator sees it', async () => {
    receiver.answer = status(410)
    const gone = await subscribe(receiver.url)
    other.answer = status(500)
    const failing = await subscribe(other.url)
    await book()
    await eventually(async () => expect(await states()).to.deep.equal([0, 1, 0, 1]))
    await client.patch(`webhooks/${gone.id}`, { enabled: false })
    expect(await states()).to.deep.equal([0, 1, 1, 0])
    expect(await find(gone.id)).to.include({ enabled: false, disabled_reason: null })
    // The delivery may already have been retried.
    other.answer = status(200)
    await client.patch(`webhooks/${failing.id}`, { enabled: true })
    expect(await states()).to.deep.equal([1, 0, 1, 0])
  })

  it('show how long a transaction delays the outbox', async () => {
    const age = async () => sumMetrics(await figures(), 'berth_outbox_age_seconds')
    await eventually(async () => expect(await age()).to.equal(0))
    const holder = await world.database.transaction()
    await holder.raw('SELECT pg_current_xact_id()')
    await book()
    await eventually(async () => expect(await age()).to.be.within(1, 60))
    await holder.rollback()
    await eventually(async () => expect(await age()).to.equal(0))
  })

  it('show how long a transaction of Berth delays the change feed, except for imports', async () => {
    const held = async () => sumMetrics(await figures(), 'berth_horizon_held_seconds')
    const holder = await world.database.transaction()
    await holder.raw('SELECT pg_current_xact_id()')
    await eventually(async () => expect(await held()).to.be.within(0.2, 60))
    await holder.raw(`SELECT ${waitForLockSql(LOCKS.imports)}`)
    await eventually(async () => expect(await held()).to.be.below(0.2))
    await holder.rollback()
  })

  it('show late deliveries only of webhooks that are switched on', async () => {
    const held: Array<{ destroy(): unknown }> = []
    receiver.answer = (response) => void held.push(response)
    const { id } = await subscribe(receiver.url)
    await Promise.all(Array.from({ length: 8 }, book))
    // Five deliveries are running, and all others wait.
    await eventually(async () => expect(await deliveries(id)).to.have.length(8))
    await eventually(() => expect(receiver.received).to.have.length(5))
    await world
      .database('webhook_deliveries')
      .where({ attempts: 0 })
      .update({ next_at: world.database.raw("now() - interval '1 hour'") })
    await eventually(async () => {
      const found = await figures()
      expect(sumMetrics(found, 'berth_webhook_deliveries_due')).to.equal(3)
      expect(sumMetrics(found, 'berth_webhook_oldest_due_seconds')).to.be.within(3_600, 3_700)
    })
    await client.patch(`webhooks/${id}`, { enabled: false })
    const found = await figures()
    expect(sumMetrics(found, 'berth_webhook_deliveries_due')).to.equal(0)
    expect(sumMetrics(found, 'berth_webhook_oldest_due_seconds')).to.equal(0)
    for (const response of held) response.destroy()
  })
})
