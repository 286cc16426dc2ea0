// Helpers for tests of webhooks: the process that sends them, two receivers, and functions to subscribe and to read
// deliveries.
import { expect } from 'chai'
import nock from 'nock'
import type { HostLookup } from '../../../shared/networks/reachable-networks.ts'
import { createLog, type Log } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import { createDesk, hoursFromNow } from '../../support/factories.ts'
import type { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import type { World } from '../../support/world.ts'
import { status, useReceiver } from './receiver.ts'

// Longer than a busy machine takes to answer. Tests of hanging receivers set a shorter timeout.
const LONG_TIMEOUT_MS = 30_000

// Names that pass the first check, and that the test's own resolver resolves.
const ALLOWED_HOSTS_PATTERN = /^(127\.0\.0\.1|localhost|ours\.example)/

const silent = createLog('test', 'silent')

type Options = { metricsPort?: number; log?: Log; timeoutMs?: number }

export function useWebhooks(
  world: World,
  client: Client,
  { metricsPort, log = silent, timeoutMs = LONG_TIMEOUT_MS }: Options = {},
) {
  const [receiver, other] = [useReceiver(world), useReceiver(world)]
  /** The IP addresses that the process gets when it resolves a name. */
  const names: Record<string, string[]> = {}
  const lookup: HostLookup = async (name) => (names[name] ?? []).map((address) => ({ address, family: 4 }))
  useWith(
    world,
    () => startHooks({ ...world.config, metricsPort }, log, { timeoutMs, lookup }),
    (hooks) => hooks.stop(),
  )
  before(() => nock.enableNetConnect(ALLOWED_HOSTS_PATTERN))
  after(() => nock.enableNetConnect(/^(127\.\d+\.\d+\.\d+|localhost)/))
  afterEach(async () => {
    for (const { id } of (await client.get('webhooks')).json.data) await client.delete(`webhooks/${id}`)
    for (const each of [receiver, other]) Object.assign(each, { received: [], answer: status(200) })
  })

  const deliveries = async (id: number) => (await client.get(`webhooks/${id}/deliveries`)).json.data
  return {
    receiver,
    other,
    names,
    deliveries,
    async subscribe(url: string, types = ['booking.*']) {
      const answer = await client.post('webhooks', { url, types })
      expect(answer.status, answer.text).to.equal(200)
      // The process does not send changes from before the first webhook.
      await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
      return answer.json.data as { id: number; secret: string }
    },
    async book() {
      const desk = await createDesk(world.database)
      const body = { ...desk, from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
      return (await client.post('bookings', body)).json.data[0].id as number
    },
    find: async (id: number) => (await client.get(`webhooks/${id}`)).json.data,
    only: (id: number) =>
      eventually(async () => {
        const [delivery, ...others] = await deliveries(id)
        expect(others).to.deep.equal([])
        expect(delivery.took_ms).to.be.a('number')
        return delivery
      }),
  }
}
