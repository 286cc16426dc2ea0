// Tests deploy/nginx/berth.conf in front of two gateways, one of which hangs.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { findFreePort } from '../../local/tools/ports.ts'
import { askNginx, useNginx } from '../deploy/nginx.ts'
import { createSlot } from '../support/faults/pipeline.ts'
import { type Child, startGatewayProcess } from '../support/processes.ts'
import { measureTime } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

// proxy_read_timeout, plus the time that the other gateway needs.
const SLOW_MS_MAX = 45_000
const PAUSE_MS = 500
const ROUNDS_MAX = 20

describe('nginx before two gateways, one of which hangs', function () {
  this.timeout(300_000)
  const world = useWorld()
  const gateways = use(
    async () => {
      const ports = [await findFreePort(), await findFreePort()] as [number, number]
      const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, TRUST_PROXY: 'true' }
      const start = (port: number) => startGatewayProcess({ ...environment, PORT: String(port) })
      return { ports, all: (await Promise.all(ports.map(start))) as Child[] }
    },
    { close: ({ all }) => all.map((each) => each.kill('SIGKILL')) },
  )
  const nginx = useNginx(() => gateways.ports)

  it('sends reads to the responsive gateway, and delays no write for a minute', async () => {
    const { token } = await world.client()
    const [hung] = gateways.all
    hung?.kill('SIGSTOP')
    try {
      const reads = await Promise.all(
        Array.from({ length: 10 }, () =>
          measureTime(() => askNginx(nginx, 'GET', '/api/v1/groups', { token })),
        ),
      )
      for (const { answer, tookMs } of reads) {
        expect(answer.status, answer.text).to.equal(200)
        expect(tookMs).to.be.below(SLOW_MS_MAX)
      }
      let unanswered = 0
      for (let round = 0; round < ROUNDS_MAX && unanswered === 0; round++) {
        await wait(PAUSE_MS)
        const slots = await Promise.all(Array.from({ length: 6 }, () => createSlot(world)))
        const writes = await Promise.all(
          slots.map((slot) =>
            measureTime(() =>
              askNginx(nginx, 'POST', '/api/v1/bookings', { token, body: JSON.stringify(slot) }),
            ),
          ),
        )
        for (const { answer, tookMs } of writes) {
          expect(answer.status, answer.text).to.be.oneOf([200, 504])
          expect(tookMs).to.be.below(SLOW_MS_MAX)
          if (answer.status === 504) unanswered++
        }
      }
      expect(unanswered, 'sent to the gateway that hangs').to.be.above(0)
    } finally {
      hung?.kill('SIGCONT')
    }
  })
})
