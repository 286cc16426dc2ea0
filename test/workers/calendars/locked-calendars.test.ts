// Tests that calendars that a transaction keeps locked do not block other writes.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createDesk } from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { CalendarEngine } from './engine-world.ts'
import { openMicrosoft } from './provider-worlds.ts'

const ROOMS = 3
const MEETINGS = 8
const CALENDAR_JOBS_MIN = 12
const at = (day: number, hour: number) =>
  `${new Date(Date.now() + day * 24 * 3_600_000).toISOString().slice(0, 10)}T${hour}:00:00.000000Z`
const toGraphTime = (time: string) => ({ dateTime: `${time.slice(0, 19)}.0000000`, timeZone: 'UTC' })

describe('calendars that other transactions have locked', function suite() {
  this.timeout(180_000)
  const world = useWorld({ workers: [] })
  const client = useClient(world)
  let outside: Awaited<ReturnType<typeof openMicrosoft>>
  let engine: CalendarEngine
  let holder: Knex.Transaction
  before(async () => {
    outside = await openMicrosoft()
    engine = new CalendarEngine(world, outside)
    holder = await world.database.transaction()
  })
  after(async () => {
    await holder.rollback()
    await engine.stop()
    await outside.close()
  })

  it('do not block the booking of a desk, and Berth applies their meetings once they are unlocked', async () => {
    const rooms: number[] = []
    for (let index = 0; index < ROOMS; index++) {
      const calendar = `room${index}@rooms.test`
      outside.server.addRoom(calendar, `Room ${index}`, 4)
      for (let day = 0; day < MEETINGS; day++)
        outside.server.addEvent(calendar, {
          subject: `Meeting ${day}`,
          start: toGraphTime(at(day + 2, 10)),
          end: toGraphTime(at(day + 2, 11)),
        })
      rooms.push(await engine.link({ calendar }))
    }
    const entries = () => world.database('calendar_entries')
    engine.start()
    await eventually(async () =>
      expect((await entries().whereNotNull('queued_at')).length).to.be.at.least(CALENDAR_JOBS_MIN),
    )
    await holder('room_calendars').whereIn('bookable_id', rooms).forUpdate()
    await world.startWorkers(['writes'])
    // The desk is booked only while jobs of the locked calendars already wait in the worker.
    await eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
           AND query LIKE '%FROM room_calendars%'`,
      )
      expect(rows).not.to.have.length(0)
    })
    const { status, text } = await client.post('bookings', {
      ...(await createDesk(world.database)),
      from_time: at(2, 10),
      to_time: at(2, 11),
    })
    expect(status, text).to.equal(200)
    await holder.rollback()
    await eventually(async () => {
      await entries()
        .whereNotNull('pending_since')
        .update({ queued_at: new Date(0) })
      expect(await entries().whereNotNull('event_id')).to.have.length(ROOMS * MEETINGS)
    }, 90_000)
  })
})
