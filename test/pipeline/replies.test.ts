// A reply may be lost on its way: the receipt says the same, and the caller hears it.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  countBookings,
  countLockWaits,
  createSlot,
  inProxiedWorld,
  type NewBooking,
} from '../support/faults/pipeline.ts'
import type { Client } from '../support/http/http.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { eventually, promised, timed, within } from '../support/time.ts'
import type { World } from '../support/world.ts'

// The receipt is looked at after a quarter of a second, a whole one, and three; a caller whose receipt nobody looked
// at would wait for a minute.
const ANSWERED_MS = promised(4_000)
const LOST_MS = promised(5_000)
// So often that a look for each, three seconds apart, would come too late.
const TIMES_GONE = 16
const environment = { WRITE_WAIT_MS: '60000' }

describe('a reply that is lost', () => {
  itInParallel({
    'between Redis and the gateway costs the caller a moment, but not the true answer': () =>
      inProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const lost = gateway.redis.catch('client', 'smessage', 'drop', 3)
        for (const status of [200, 409, 409]) await expectAnswer(world, client, slot, status)
        await within(LOST_MS, lost)
      }),

    'with the gateway’s listening connection costs no more': () =>
      inProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const lost = gateway.redis.catch('client', 'smessage', (link) => {
          link.drop()
          return 'drop'
        })
        await expectAnswer(world, client, slot, 200)
        await within(LOST_MS, lost)
        await expectAnswer(world, client, slot, 409)
      }),

    'on an unstable channel costs no more': () =>
      inProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const bookable = await world.database.transaction()
        await bookable('bookables').where({ id: slot.bookable_id }).forUpdate()
        const asked = client.post('bookings', slot)
        await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
        for (let times = 0; times < TIMES_GONE; times++) {
          await wait(100)
          for (const link of gateway.redis.links) link.drop()
        }
        gateway.redis.trap('client', 'smessage', () => 'drop')
        // Its return also checks the receipt.
        await wait(500)
        await bookable.rollback()
        const { answer, tookMs } = await timed(() => asked)
        expect(answer.status, answer.text).to.equal(200)
        expect(tookMs).to.be.lessThan(ANSWERED_MS)
      }),

    'because the worker lost Redis after its commit costs no more, and nothing is done twice': () =>
      inProxiedWorld(environment, async ({ world, workers, client }) => {
        const slot = await createSlot(world)
        const lost = workers.redis.catch('server', 'spublish', () => {
          workers.redis.cut()
          return 'drop'
        })
        await expectAnswer(world, client, slot, 200)
        await within(LOST_MS, lost)
        await workers.redis.restore()
        await expectAnswer(world, client, slot, 409)
      }),

    'is not needed: the answers are the same without it': () =>
      inProxiedWorld(environment, async ({ world, gateway, client }) => {
        gateway.redis.trap('client', 'smessage', () => 'drop')
        const slots = await Promise.all(Array.from({ length: 20 }, () => createSlot(world)))
        const answers = await Promise.all(slots.map((slot) => timed(() => client.post('bookings', slot))))
        expect(answers.map(({ answer }) => answer.status)).to.deep.equal(Array(20).fill(200))
        expect(Math.max(...answers.map(({ tookMs }) => tookMs))).to.be.lessThan(ANSWERED_MS)
      }),
  })
})

async function expectAnswer(world: World, client: Client, slot: NewBooking, status: number) {
  const { answer, tookMs } = await timed(() => client.post('bookings', slot))
  expect(answer.status).to.equal(status)
  expect(tookMs).to.be.lessThan(ANSWERED_MS)
  expect(await countBookings(world, slot)).to.equal(1)
}
