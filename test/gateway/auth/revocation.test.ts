// A revoked token is refused by every gateway within a second, whatever it remembers.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createToken, revokeToken } from '../../../shared/tokens.ts'
import { Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

const REFUSED_MS = 1_000

describe('a token that is revoked', () => {
  const world = useWorld()

  it('is refused by every gateway within a second, for reads and writes', async () => {
    const urls = [world.url, (await world.startGateway()).url]
    const { id, token } = await createToken(world.database, {
      name: 'short-lived',
      abilities: ['read', 'booking-write'],
      createdBy: 'test',
    })
    const clients = urls.map((url) => new Client(url, token))
    const samples: Array<{ write: boolean; sentMs: number; endMs: number; status: number }> = []
    const pending: Promise<unknown>[] = []
    const ask = () => {
      for (const client of clients) {
        const sentMs = Date.now()
        const note = (write: boolean) => (answer: { status: number }) =>
          samples.push({ write, sentMs, endMs: Date.now(), status: answer.status })
        pending.push(client.get('groups').then(note(false)))
        pending.push(client.delete('bookings/999999').then(note(true)))
      }
    }
    const timer = setInterval(ask, 50)
    const statusesOf = (which: (sample: (typeof samples)[number]) => boolean) =>
      [...new Set(samples.filter(which).map(({ status }) => status))].sort()
    // Until both gateways know it well, for both.
    await eventually(() => expect(statusesOf(() => true)).to.deep.equal([200, 404]))
    await wait(500)
    const revokingMs = Date.now()
    await revokeToken(world.database, id)
    const revokedMs = Date.now()
    await wait(REFUSED_MS + 500)
    clearInterval(timer)
    await Promise.all(pending)

    expect(statusesOf(({ endMs }) => endMs < revokingMs)).to.deep.equal([200, 404])
    expect(statusesOf(({ sentMs }) => sentMs >= revokedMs + REFUSED_MS)).to.deep.equal([401])
    // A write asks afresh.
    expect(statusesOf(({ write, sentMs }) => write && sentMs >= revokedMs)).to.deep.equal([401])
  })
})
