// Tests lost replies: the receipt contains the same answer, and the caller gets it.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import {
  countBookings,
  countLockWaits,
  createSlot,
  type NewBooking,
  withProxiedWorld,
} from '../support/faults/pipeline.ts'
import type { Client } from '../support/http/http.ts'
import { itInParallel } from '../support/parallel-tests.ts'
import { eventually, measureTime, promised, within } from '../support/time.ts'
import type { World } from '../support/world.ts'

// The gateway checks the receipt after 0.25, 1 and 3 seconds. Without these checks the caller would wait for a minute.
const ANSWERED_MS_MAX = promised(4_000)
const LOST_MS = promised(5_000)
// So many lost replies that checking the receipts one by one, three seconds apart, would take too long.
const LOST_REPLY_COUNT = 16
const environment = { WRITE_WAIT_MS: '60000' }

describe('a reply that is lost', () => {
  itInParallel({
    'delays the answer only briefly if the reply is lost between Redis and the gateway': () =>
      withProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const lost = gateway.redis.catch('client', 'smessage', 'drop', 3)
        for (const status of [200, 409, 409]) await expectAnswer(world, client, slot, status)
        await within(LOST_MS, lost)
      }),

    'delays the answer only briefly even if the gateway also loses its listening connection': () =>
      withProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const lost = gateway.redis.catch('client', 'smessage', (link) => {
          link.drop()
          return 'drop'
        })
        await expectAnswer(world, client, slot, 200)
        await within(LOST_MS, lost)
        await expectAnswer(world, client, slot, 409)
      }),

    'delays the answer only briefly on an unstable connection': () =>
      withProxiedWorld(environment, async ({ world, gateway, client }) => {
        const slot = await createSlot(world)
        const bookable = await world.database.transaction()
        await bookable('bookables').where({ id: slot.bookable_id }).forUpdate()
        const asked = client.post('bookings', slot)
        await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
        for (let times = 0; times < LOST_REPLY_COUNT; times++) {
          await wait(100)
          for (const link of gateway.redis.links) link.drop()
        }
        gateway.redis.trap('client', 'smessage', () => 'drop')
        // The gateway also checks the receipt when it reconnects to Redis.
        await wait(500)
        await bookable.rollback()
        const { answer, tookMs } = await measureTime(() => asked)
        expect(answer.status, answer.text).to.equal(200)
        expect(tookMs).to.be.lessThan(ANSWERED_MS_MAX)
      }),

    'delays the answer only briefly if the worker loses Redis after its commit, and no write runs twice':
      () =>
        withProxiedWorld(environment, async ({ world, workers, client }) => {
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

    'makes no difference to answers, even if every reply is lost': () =>
      withProxiedWorld(environment, async ({ world, gateway, client }) => {
        gateway.redis.trap('client', 'smessage', () => 'drop')
        const slots = await Promise.all(Array.from({ length: 20 }, () => createSlot(world)))
        const answers = await Promise.all(
          slots.map((slot) => measureTime(() => client.post('bookings', slot))),
        )
        expect(answers.map(({ answer }) => answer.status)).to.deep.equal(Array(20).fill(200))
        expect(Math.max(...answers.map(({ tookMs }) => tookMs))).to.be.lessThan(ANSWERED_MS_MAX)
      }),
  })
})

async function expectAnswer(world: World, client: Client, slot: NewBooking, status: number) {
  const { answer, tookMs } = await measureTime(() => client.post('bookings', slot))
  expect(answer.status).to.equal(status)
  expect(tookMs).to.be.lessThan(ANSWERED_MS_MAX)
  expect(await countBookings(world, slot)).to.equal(1)
}
