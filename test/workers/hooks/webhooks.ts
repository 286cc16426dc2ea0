// What the tests of webhooks work with: the process that sends, two receivers, and how one subscribes and looks.
import { expect } from 'chai'
import nock from 'nock'
import { createLog, type Log } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import type { Lookup } from '../../../workers/hooks/send.ts'
import { createDesk, hoursFromNow } from '../../support/factories.ts'
import type { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import type { World } from '../../support/world.ts'
import { status, useReceiver } from './receiver.ts'

// Longer than a busy machine takes to answer. The tests of hanging receivers set a shorter time.
const PATIENT_MS = 30_000

// Names pass the first check; the test's own resolver answers for them.
const OURS = /^(127\.0\.0\.1|localhost|ours\.example)/

const silent = createLog('test', 'silent')

type Options = { metricsPort?: number; log?: Log; timeoutMs?: number }

export function useWebhooks(
  world: World,
  client: Client,
  { metricsPort, log = silent, timeoutMs = PATIENT_MS }: Options = {},
) {
  const [receiver, other] = [useReceiver(world), useReceiver(world)]
  /** The addresses that the process gets when it resolves a name. */
  const names: Record<string, string[]> = {}
  const lookup: Lookup = async (name) => (names[name] ?? []).map((address) => ({ address, family: 4 }))
  useWith(
    world,
    () => startHooks({ ...world.config, metricsPort }, log, { timeoutMs, lookup }),
    (hooks) => hooks.stop(),
  )
  before(() => nock.enableNetConnect(OURS))
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
      // Changes before the first webhook are not sent.
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
