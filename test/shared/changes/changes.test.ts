// Tests the outbox: every change writes its row in its own transaction with the values of the API, and is
// served only when no earlier change can still appear.
import { expect } from 'chai'
import { readFormerState } from '../../../shared/changes/former-state.ts'
import { OUTBOX_ORDER, SERVED_CHANGES_SQL } from '../../../shared/changes/read.ts'
import { recordChanges } from '../../../shared/changes/record.ts'
import { ensureAnonymousUser } from '../../../shared/erasures/erase-user.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { anonymizeOldBookings } from '../../../workers/pollers/erasures/old-bookings.ts'
import { useAdmin } from '../../support/dashboard/admin.ts'
import { usePool } from '../../support/databases.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../support/factories.ts'
import { eventually } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

const AUTHOR = {
  actor: { type: 'system' as const, id: null, name: 'test' },
  requestId: 'changes-test',
  attempt: null,
}

// Transactions of the whole Postgres server hold the feed back, so also those of other test files.
const OPEN_TRANSACTIONS_SQL = `
  SELECT datname, application_name, backend_type, state, clock_timestamp() - xact_start AS age, left(query, 200) AS query
  FROM pg_stat_activity WHERE backend_xid IS NOT NULL OR backend_xmin IS NOT NULL`

describe('the outbox', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const client = useClient(world)
  const admin = useAdmin(world)
  const pool = usePool(world)

  const last = async () =>
    Number((await world.database('changes').max('sequence AS last').first())?.['last'] ?? 0)

  /** Returns the changes that a write adds to the outbox, in order. */
  async function changesOf(write: () => Promise<unknown>) {
    const from = await last()
    await write()
    const rows = await world.database('changes').where('sequence', '>', from).orderBy('sequence')
    return rows.map((row) => ({
      ...row,
      id: row.resource_id,
      data: row.data === null ? null : JSON.parse(row.data),
    }))
  }

  const kinds = (rows: Array<{ type: string; action: string }>) =>
    rows.map(({ type, action }) => `${type}.${action}`)
  /** Converts URLs to paths, which is how the outbox stores them. */
  const asStored = (text: string) => JSON.parse(text.replaceAll(`"livemap":"${world.url}`, '"livemap":"'))
  const times = (from: number, to: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
  const ok = <ApiAnswer extends { status: number }>(answer: ApiAnswer) => {
    expect(answer.status).to.be.oneOf([200, 204])
    return answer
  }

  it('contains new, changed and deleted bookings in the format of GET /bookings', async () => {
    const desk = await createDesk(world.database, { type: 1 })
    const vehicle = await createVehicle(world.database, { user_id: desk.user_id })
    const listed = async () => {
      const { text } = await client.get(`bookings?from=${hoursFromNow(20)}&to=${hoursFromNow(40)}`)
      return asStored(text).data
    }
    let id = 0
    const [created, ...others] = await changesOf(async () => {
      const body = { ...desk, ...times(24, 30), user_vehicle_id: vehicle, guest_name: 'Ada "the" Guest' }
      id = ok(await client.post('bookings', body, { 'X-Request-Id': 'changes-1' })).json.data[0].id
    })
    expect(others).to.deep.equal([])
    const token = await world.database('tokens').first()
    expect(created).to.include({ type: 'booking', action: 'created', id, request_id: 'changes-1' })
    expect(created).to.include({ actor_type: 'token', actor_id: token.id, actor_name: token.name })
    expect([created?.data]).to.deep.equal(await listed())
    const [updated] = await changesOf(async () => ok(await client.patch(`bookings/${id}`, times(25, 31))))
    expect(updated).to.include({ type: 'booking', action: 'updated', id })
    expect([updated?.data]).to.deep.equal(await listed())
    const [deleted] = await changesOf(async () => ok(await client.delete(`bookings/${id}`)))
    expect(deleted).to.deep.include({ type: 'booking', action: 'deleted', id, data: null })
  })

  it('contains one row for each successful booking of a batch', async () => {
    const [free, taken] = [await createDesk(world.database), await createDesk(world.database)]
    await createBooking(world.database, {
      from: hoursFromNow(1),
      to: hoursFromNow(9),
      bookable_id: taken.bookable_id,
    })
    const rows = await changesOf(() =>
      Promise.all([
        client.post('bookings', { ...free, ...times(2, 3) }),
        client.post('bookings', { ...free, ...times(3, 4) }),
        client.post('bookings', { ...taken, ...times(2, 3) }),
      ]),
    )
    expect(kinds(rows)).to.deep.equal(['booking.created', 'booking.created'])
  })

  it('contains events and their cancellations, but no separate rows for their rooms', async () => {
    const room = await createBookable(world.database, { type: 2 })
    const organizer_user_id = await createUser(world.database)
    const body = {
      name: 'Plan',
      organizer_user_id,
      ...times(5, 6),
      attendees: [{ type: 'bookable', id: String(room) }],
    }
    let id = 0
    const rows = await changesOf(async () => {
      id = ok(await client.post('events', body)).json.data.id
      ok(await client.put(`events/${id}`, { ...body, name: 'Plan B' }))
      ok(await client.delete(`events/${id}`))
    })
    expect(kinds(rows)).to.deep.equal(['event.created', 'event.updated', 'event.updated'])
    const names = rows.map(({ data }) => [data.name, data.status, data.bookables.length])
    expect(names).to.deep.equal([
      ['Plan', 1, 1],
      ['Plan B', 1, 1],
      ['Plan B', 2, 0],
    ])
  })

  it('contains places and bookables in the format of their own endpoints', async () => {
    const create = async (name: Parameters<typeof admin.ask>[0], body: object) =>
      ok(await admin.ask(name, body)).json.data
    const building = (await create('buildings.create', { name: 'North' })).id
    const rows = await changesOf(async () => {
      const location = (await create('locations.create', { building_id: building, name: 'First', code: '1' }))
        .id
      const [desk] = (
        await create('bookables.create', { location_id: location, names: ['D1'], type: 0, tags: ['x'] })
      ).ids
      ok(await client.patch(`bookables/${desk}`, { status: 1, description: 'By the window' }))
    })
    expect(kinds(rows)).to.deep.equal(['location.created', 'bookable.created', 'bookable.updated'])
    expect((await client.get(`bookables/${rows[2]?.id}`)).json.data).to.deep.include(rows[2]?.data)
    const [gone, ...none] = await changesOf(() => admin.ask('bookables.delete', { ids: [rows[2]?.id] }))
    expect([gone?.action, gone?.data, none]).to.deep.equal(['deleted', null, []])
    const [renamed] = await changesOf(() => admin.ask('buildings.update', { id: building, name: 'South' }))
    expect(renamed).to.deep.include({ type: 'building', action: 'updated' })
    expect((await client.get(`buildings/${building}`)).json.data).to.deep.include(renamed?.data)
  })

  it('contains deactivated users, new groups, and the events of a renamed person', async () => {
    const person = { name: 'Ada', email: 'ada@changes.example', groups: ['Changes'] }
    let id = 0
    const created = await changesOf(async () => {
      id = ok(await admin.ask('users.create', person)).json.data.id
    })
    expect(kinds(created)).to.have.members(['group.created', 'user.created'])
    expect(created.find(({ type }) => type === 'user')?.data).to.deep.equal(
      (await client.get(`users/${id}`)).json.data,
    )
    const event = await createEvent(world.database, {
      from: hoursFromNow(1),
      to: hoursFromNow(2),
      organizer_user_id: id,
    })
    const rows = await changesOf(async () => {
      await admin.ask('users.edit', { id, name: 'Ada L.' })
      await admin.ask('users.deactivate', { ids: [id] })
      await admin.ask('users.restore', { ids: [id] })
    })
    expect(kinds(rows)).to.deep.equal(['user.updated', 'event.updated', 'user.deactivated', 'user.restored'])
    expect(rows[1]).to.deep.include({ id: event })
    expect(rows[1]?.data.organizer).to.deep.equal({ name: 'Ada L.' })
  })

  it('contains the changes of an import, but nothing from a dry run', async () => {
    await client.import('email,name,groups\na@import.example,A,Import\nb@import.example,B,\n')
    const find = async (email: string) => (await client.get(`users/by-email/${email}`)).json.data
    const a = await find('a@import.example')
    const event = await createEvent(world.database, {
      from: hoursFromNow(1),
      to: hoursFromNow(2),
      organizer_user_id: a.id,
    })
    const file = 'email,name,groups\na@import.example,Anna,New\nc@import.example,C,\n'
    const options = { update: 'true', deactivate: 'true' }
    expect(await changesOf(() => client.import(file, { ...options, dry_run: 'true' }))).to.deep.equal([])
    const rows = await changesOf(async () => ok(await client.import(file, options)))
    const of = (kind: string) => rows.filter(({ type, action }) => `${type}.${action}` === kind)
    expect(of('user.created').map(({ data }) => data)).to.deep.equal([await find('c@import.example')])
    expect(of('user.updated').map(({ data }) => data)).to.deep.equal([{ ...a, name: 'Anna' }])
    expect(of('user.deactivated').map(({ data }) => data.email)).to.include('b@import.example')
    expect(of('group.created').map(({ data }) => data.name)).to.deep.equal(['New'])
    expect(of('event.updated').map(({ id }) => id)).to.deep.equal([event])
    const again = 'email\nb@import.example\n'
    expect(kinds(await changesOf(() => client.import(again, { restore: 'true' })))).to.deep.equal([
      'user.restored',
    ])
  })

  it('contains bookings that the upkeep makes anonymous', async () => {
    const old = { from: hoursFromNow(-3_000), to: hoursFromNow(-2_990) }
    const id = await createBooking(world.database, old)
    const event = await createEvent(world.database, old)
    const rows = await changesOf(() => anonymizeOldBookings(world.database, 1, createLog('test', 'silent')))
    const anonymous = await ensureAnonymousUser(world.database)
    expect(rows.map(({ type, action, id: of }) => [type, action, of])).to.deep.equal([
      ['booking', 'updated', id],
      ['event', 'updated', event],
    ])
    expect(rows[0]?.data.user.id).to.equal(anonymous)
  })

  describe('the outbox when it serves changes', () => {
    const START = [0, 0, 0]
    // Open transactions of other tests hold changes back, on a busy machine for more than a minute.
    const untilServed = <Seen>(ask: () => Promise<Seen> | Seen) =>
      eventually(ask, 150_000).catch(async (error) => {
        const { rows } = await world.database.raw(OPEN_TRANSACTIONS_SQL)
        throw new Error(`${error}. Open transactions: ${JSON.stringify(rows)}`, { cause: error })
      })
    const read = async (after: unknown[] = START) => {
      const { rows } = await pool.query(
        `SELECT resource_id AS id, data::json ->> 'name' AS name, horizon, sequence, extract(epoch FROM at) * 1000 AS "atMs"
         ${SERVED_CHANGES_SQL} AND type = 'building' ORDER BY ${OUTBOX_ORDER}`,
        after,
      )
      return rows
    }
    const behind = (rows: Awaited<ReturnType<typeof read>>, start: unknown[]) => {
      const [last] = rows.slice(-1)
      return last ? [last.horizon, last.sequence, last.atMs] : start
    }
    /** Returns the position after all existing changes. Waits until other transactions, such as ANALYZE, have ended. */
    const start = async () => {
      const { length } = await world.database('changes').where({ type: 'building' })
      return untilServed(async () => {
        const rows = await read()
        expect(rows).to.have.length(length)
        return behind(rows, START)
      })
    }
    const record = async (database: Parameters<typeof recordChanges>[0], id: number) =>
      recordChanges(
        database,
        AUTHOR,
        { resource: 'buildings', action: 'updated' },
        await readFormerState(database, 'buildings', [id]),
      )
    const begin = async () => {
      const trx = await world.database.transaction()
      await trx.raw('SELECT pg_current_xact_id()')
      return trx
    }

    it('serves a change only after all earlier transactions have ended', async () => {
      const building = await createBuilding(world.database)
      const position = await start()
      const first = await begin()
      await record(first, building)
      // The second transaction starts later, and commits first.
      const second = await begin()
      await record(second, building + 1)
      await second.commit()
      expect(await read(position)).to.deep.equal([])
      await first.commit()
      const ids = async () => (await read(position)).map(({ id }) => id)
      await untilServed(async () => expect(await ids()).to.deep.equal([building, building + 1]))
    })

    it('serves changes without a gap if an older transaction writes its row later', async () => {
      const building = await createBuilding(world.database)
      const position = await start()
      const [older, newer] = [await begin(), await begin()]
      await record(newer, building)
      await record(older, building + 1)
      await older.commit()
      // The row of the newer transaction has the lower sequence, and is not visible yet.
      const seen = await untilServed(async () => {
        const rows = await read(position)
        expect(rows.map(({ id }) => id)).to.deep.equal([building + 1])
        return rows
      })
      await newer.commit()
      const rest = async () => (await read(behind(seen, position))).map(({ id }) => id)
      await untilServed(async () => expect(await rest()).to.deep.equal([building]))
    })

    it('serves the changes of a resource in order, whichever transaction began first', async () => {
      const building = await createBuilding(world.database)
      const position = await start()
      const [older, newer] = [await begin(), await begin()]
      const rename = async (trx: typeof older, name: string) => {
        await trx.raw('UPDATE buildings SET name = ? WHERE id = ?', [name, building])
        await record(trx, building)
      }
      await rename(newer, 'first')
      const waiting = rename(older, 'second')
      await newer.commit()
      await waiting
      await older.commit()
      const names = async () => (await read(position)).map(({ name }) => name)
      await untilServed(async () => expect(await names()).to.deep.equal(['first', 'second']))
    })
  })
})
