// Tests that upkeep deletes expired rows and no others, in small chunks and never by cascade.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { deleteExpiredRows } from '../../../workers/pollers/upkeep.ts'
import { createLinkedRoom } from '../../support/calendars/entries.ts'
import { createBooking, createEvent, hoursFromNow } from '../../support/factories.ts'
import { useWorld } from '../../support/world.ts'

const log = createLog('test', 'silent')

describe('upkeep', () => {
  const world = useWorld({ workers: [] })

  /** Records how many rows of the table each statement deletes, including by cascade. */
  async function watchDeletions(table: string): Promise<() => Promise<number[]>> {
    await world.database.raw(`
      CREATE TABLE deletions_${table} (number integer);
      CREATE FUNCTION note_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO deletions_${table} SELECT count(*) FROM deleted HAVING count(*) > 0; RETURN NULL; END $$;
      CREATE TRIGGER note AFTER DELETE ON ${table} REFERENCING OLD TABLE AS deleted
        FOR EACH STATEMENT EXECUTE FUNCTION note_${table}()`)
    return () => world.database(`deletions_${table}`).orderBy('number').pluck('number')
  }

  it('deletes import plans and files in chunks, even if the plans have many rows', async () => {
    const deletedRows = await watchDeletions('import_plan_rows')
    const deletedChunks = await watchDeletions('file_chunks')
    const [id, kept] = [randomUUID(), randomUUID()]
    for (const [plan, hours] of [
      [id, -1],
      [kept, 1],
    ] as const) {
      await world.database.raw(
        `INSERT INTO import_plans (id, digest, header, counts, expires_at)
         VALUES (:plan, '', '{}', '{}', now() + :hours * interval '1 hour')`,
        { plan, hours },
      )
      await world.database.raw(
        `INSERT INTO import_plan_rows (plan_id, section, ordinal)
         SELECT :plan, 'skip', number FROM generate_series(1, 12000) AS number`,
        { plan },
      )
      await world.database.raw(
        `INSERT INTO files (id, name, expires_at) VALUES (:plan, '', now() + :hours * interval '1 hour')`,
        { plan, hours },
      )
      await world.database.raw(
        `INSERT INTO file_chunks (file_id, number, data) SELECT :plan, number, '' FROM generate_series(1, 450) AS number`,
        { plan },
      )
    }
    await deleteExpiredRows(world.database, log, world.config)
    expect(await deletedRows()).to.deep.equal([2_000, 5_000, 5_000])
    expect(await deletedChunks()).to.deep.equal([50, 200, 200])
    expect(await world.database('import_plans').pluck('id')).to.deep.equal([kept])
    expect(await world.database('files').pluck('id')).to.deep.equal([kept])
    expect(await world.database('import_plan_rows')).to.have.length(12_000)
  })

  it('deletes mails after 30 days, except those about meetings that are still waiting', async () => {
    const event_id = await createEvent(world.database, { from: hoursFromNow(48), to: hoursFromNow(49) })
    const [{ id: invitation_id }] = await world
      .database('invitations')
      .insert({ event_id, email: 'guest@visitor.example' })
      .returning('id')
    const mail = (days: number, next: string | null) =>
      world.database.raw(
        `INSERT INTO mails (kind, invitation_id, created_at, attempts, next_at)
         VALUES ('meeting', :invitation_id, now() - :days * interval '1 day', 1, now() + CAST(:next AS interval))`,
        { invitation_id, days, next },
      )
    for (const next of [null, '-2 days', '-1 minute', '20 hours']) await mail(31, next)
    for (const next of [null, '-2 days']) await mail(29, next)
    await deleteExpiredRows(world.database, log, world.config)
    const { rows } = await world.database.raw(
      'SELECT round(extract(epoch FROM next_at - now()) / 3600)::int AS hours FROM mails ORDER BY id',
    )
    expect(rows.map(({ hours }: { hours: number }) => hours)).to.deep.equal([0, 20, null, -48])
  })

  it('keeps the ended entry of a booking without an end, so that it is extended after an outage', async () => {
    const { database } = world
    const room = await createLinkedRoom(database)
    const addEntry = async (from: string, to: string | null) => {
      const booking_id = await createBooking(database, { bookable_id: room, from, to })
      const during = database.raw('tstzrange(?, ?)', [from, to ?? hoursFromNow(-25)])
      const key = `key-${booking_id}`
      await database('calendar_entries').insert({ bookable_id: room, entry_id: key, key, booking_id, during })
      return key
    }
    await addEntry(hoursFromNow(-200), hoursFromNow(-100))
    const kept = await addEntry(hoursFromNow(-90), null)
    await database('calendar_entries').insert({
      bookable_id: room,
      entry_id: 'outside',
      during: database.raw('tstzrange(?, ?)', [hoursFromNow(-200), hoursFromNow(-25)]),
    })
    await deleteExpiredRows(database, log, world.config)
    const left = () => database('calendar_entries').where({ bookable_id: room }).pluck('entry_id')
    expect(await left()).to.deep.equal([kept])
    await database('bookings').where({ bookable_id: room }).update({ released_at: database.fn.now() })
    await deleteExpiredRows(database, log, world.config)
    expect(await left()).to.deep.equal([])
  })

  it('keeps the audit log forever, or for the number of months in AUDIT_LOG_KEPT_MONTHS', async () => {
    await world.database.raw(`
      INSERT INTO audit_log (at, actor_type, actor_name, action, resource, request_id)
      SELECT now() - number * interval '1 month' + interval '2 days', 'system', '', 'test', 'users', number::text
      FROM generate_series(1, 30) AS number`)
    const left = () => world.database('audit_log').count('* AS number').first()
    await deleteExpiredRows(world.database, log, world.config)
    expect(await left()).to.deep.equal({ number: 30 })
    await deleteExpiredRows(world.database, log, { ...world.config, auditLogKeptMonths: 24 })
    expect(await left()).to.deep.equal({ number: 24 })
  })
})
