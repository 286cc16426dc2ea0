// Tests that every gateway refuses a revoked token within a second, even if the gateway has cached the token.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createToken, revokeToken } from '../../../shared/tokens/token-store.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

const REFUSED_MS_MAX = 1_000

describe('a revoked token', () => {
  const world = useWorld()

  it('is refused by every gateway within a second, for both reads and writes', async () => {
    const urls = [world.url, (await world.startGateway()).url]
    const { id, token } = await createToken(world.database, {
      name: 'short-lived',
      abilities: ['read', 'booking-write'],
      createdBy: 'test',
    })
    const clients = urls.map((url) => new Client(url, token))
    const samples: Array<{ write: boolean; sentMs: number; endMs: number; status: number }> = []
    let isOver = false
    // Sends one request after the other, so that a busy machine gets fewer requests.
    const ask = async (write: boolean, send: () => Promise<{ status: number }>) => {
      while (!isOver) {
        const sentMs = Date.now()
        const { status } = await send()
        samples.push({ write, sentMs, endMs: Date.now(), status })
        await wait(50)
      }
    }
    const asking = clients.flatMap((client) => [
      ask(false, () => client.get('groups')),
      ask(true, () => client.delete('bookings/999999')),
    ])
    const statusesOf = (which: (sample: (typeof samples)[number]) => boolean) =>
      [...new Set(samples.filter(which).map(({ status }) => status))].sort()
    let [revokingMs, revokedMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    const late = ({ sentMs }: { sentMs: number }) => sentMs >= revokedMs + REFUSED_MS_MAX
    try {
      // Waits until both gateways have cached both tokens.
      await eventually(() => expect(statusesOf(() => true)).to.deep.equal([200, 404]))
      await wait(500)
      revokingMs = Date.now()
      await revokeToken(world.database, id)
      revokedMs = Date.now()
      await eventually(() => expect(samples.filter(late)).to.have.length.at.least(5 * asking.length))
    } finally {
      isOver = true
      await Promise.all(asking)
    }

    expect(statusesOf(({ endMs }) => endMs < revokingMs)).to.deep.equal([200, 404])
    expect(statusesOf(late)).to.deep.equal([401])
    // Writes check the token in the database rather than in the cache.
    expect(statusesOf(({ write, sentMs }) => write && sentMs > revokedMs)).to.deep.equal([401])
  })
})
