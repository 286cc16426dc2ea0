// Tests that bookings without a check-in are released at their deadline, once, even after an outage.
import { expect } from 'chai'
import type { RunningProcess } from '../../../../shared/runtime/process.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../../workers/pollers/check-ins/no-shows.ts'
import { createBooking, createDesk, createEvent } from '../../../support/factories.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
// Workers check every four seconds, and wait two more seconds for a running check-in.
const RELEASED_MS_MAX = promised(12_000)
const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1_000)

describe('a booking without a check-in', function suite() {
  this.timeout(2 * RELEASED_MS_MAX)
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'booking-write')

  const create = async (closes: Date, row: object = {}) => {
    const { bookable_id, user_id } = await createDesk(world.database)
    return createBooking(world.database, {
      bookable_id,
      user_id,
      from: secondsFromNow(-3_600).toISOString(),
      to: secondsFromNow(3_600).toISOString(),
      check_in_from: secondsFromNow(-4_000),
      check_in_until: closes,
      ...row,
    })
  }
  const endOf = async (id: number): Promise<Date | null> => {
    const { rows } = await world.database.raw('SELECT upper(during) AS "to" FROM bookings WHERE id = ?', [id])
    return rows[0].to && new Date(rows[0].to)
  }
  const entriesOf = (id: number) =>
    world.database('audit_log').where({ action: 'bookings.release', resource_id: id })

  it('ends at its check-in deadline, so that others may book the remaining time', async () => {
    const workers = await world.startWorkers(['writes', 'upkeep'])
    const closes = secondsFromNow(3)
    const id = await create(closes)
    await eventually(async () => expect(await endOf(id)).to.deep.equal(closes), RELEASED_MS_MAX)
    const [entry] = await entriesOf(id)
    expect(entry).to.include({ actor_type: 'system', actor_name: 'check-in', resource: 'bookings' })
    expect(Date.parse(entry.after.released_at)).to.be.within(
      closes.getTime(),
      closes.getTime() + RELEASED_MS_MAX,
    )
    const { bookable_id } = await world.database('bookings').where({ id }).first()
    const { location_id } = await world.database('bookables').where({ id: bookable_id }).first()
    const { user_id } = await createDesk(world.database)
    const body = { bookable_id, location_id, user_id, to_time: secondsFromNow(1_800).toISOString() }
    expect((await client.post('bookings', body)).status).to.equal(200)
    expect(
      (await client.put(`bookings/${id}`, { to_time: secondsFromNow(5_000).toISOString() })).json.code,
    ).to.equal('booking_ended')
    await workers.stop()
  })

  it('ends once, even if no worker ran at its deadline and several workers start later', async () => {
    const closes = secondsFromNow(-600)
    const ids = await Promise.all(Array.from({ length: 20 }, () => create(closes)))
    const workers: RunningProcess[] = await Promise.all([1, 2, 3].map(() => world.startWorkers(['upkeep'])))
    await eventually(async () => {
      for (const id of ids) expect(await endOf(id)).to.deep.equal(closes)
    }, RELEASED_MS_MAX)
    await Promise.all([1, 2, 3].map(() => releaseNoShows(world.database, log)))
    for (const id of ids) expect(await entriesOf(id)).to.have.length(1)
    await Promise.all(workers.map((each) => each.stop()))
  })

  it('stays if somebody has checked in, if it is over, or if no rule requires a check-in', async () => {
    const over = secondsFromNow(-1_200)
    const ids = [
      await create(secondsFromNow(-600), { checked_in_at: secondsFromNow(-700) }),
      await create(secondsFromNow(-600), { to: over.toISOString() }),
      await create(secondsFromNow(600)),
      await createBooking(world.database, {
        from: secondsFromNow(-600).toISOString(),
        to: secondsFromNow(600).toISOString(),
      }),
    ]
    const before = await Promise.all(ids.map(endOf))
    expect(await releaseNoShows(world.database, log)).to.equal(0)
    expect(await Promise.all(ids.map(endOf))).to.deep.equal(before)
    for (const id of ids) expect(await entriesOf(id)).to.have.length(0)
  })

  it('ends even if it is open-ended or a room of an event', async () => {
    const closes = secondsFromNow(-600)
    const open = await create(closes, { to: null })
    const span = { from: secondsFromNow(-3_600).toISOString(), to: secondsFromNow(3_600).toISOString() }
    const event_id = await createEvent(world.database, span)
    const room = await createBooking(world.database, { ...span, event_id, check_in_until: closes })
    expect(await releaseNoShows(world.database, log)).to.equal(2)
    expect([await endOf(open), await endOf(room)]).to.deep.equal([closes, closes])
    const [entry] = await world.database('audit_log').where({ action: 'events.release' })
    expect(entry.resource_id).to.equal(event_id)
  })

  it('waits for a change that is in progress, without delaying other bookings', async () => {
    const closes = secondsFromNow(-600)
    const [held, free] = [await create(closes), await create(closes)]
    await world.database.transaction(async (trx) => {
      await trx('bookings').where({ id: held }).forUpdate()
      expect(await releaseNoShows(world.database, log)).to.equal(1)
    })
    expect(await endOf(free)).to.deep.equal(closes)
    expect(await releaseNoShows(world.database, log)).to.equal(1)
    expect(await endOf(held)).to.deep.equal(closes)
  })
})
