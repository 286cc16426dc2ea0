// Checks that statements of writes are planned once per connection, and stay valid when a later release adds columns.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { connectDatabase, getOnlyRow } from '../../../shared/database/database.ts'
import { runPreparedStatement } from '../../../shared/database/prepared.ts'
import type { JobName } from '../../../shared/jobs/jobs.ts'
import { runDelivery } from '../../../workers/delivery/run.ts'
import { createBooking, createDesk, hoursFromNow } from '../../support/factories.ts'
import { createEnvelope, useTools } from '../../support/faults/pipeline.ts'
import { useWorld } from '../../support/world.ts'

describe('the SQL statements of a write', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)

  for (const [pipeline, prepared] of [
    [true, 1],
    [false, 0],
  ] as const) {
    it(`are ${prepared ? 'prepared in' : 'not prepared outside'} the write queue`, async () => {
      const database = connectDatabase(world.databaseUrl, { connectionsMax: 1, pipeline })
      for (const value of [1, 2]) {
        const { rows } = await runPreparedStatement<{ rows: object[] }>(database, 'SELECT ?::int AS value', [
          value,
        ])
        expect(rows).to.deep.equal([{ value }])
      }
      const { rows } = await database.raw<{ rows: Array<{ number: number }> }>(
        "SELECT count(*)::int AS number FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1::int%'",
      )
      expect(getOnlyRow(rows).number).to.equal(prepared)
      await database.destroy()
    })
  }

  it('stay valid after columns are added to their tables', async () => {
    const write = async () => {
      const { bookable_id, user_id } = await createDesk(world.database)
      const time = { from_time: hoursFromNow(10), to_time: hoursFromNow(11) }
      const id = await createBooking(world.database, {
        bookable_id,
        user_id,
        from: hoursFromNow(-1),
        to: hoursFromNow(1),
      })
      const attendees = [{ type: 'bookable', id: bookable_id }]
      const inputs: Array<[JobName, object]> = [
        ['events.create', { name: 'E', organizer_user_id: user_id, attendees, ...time }],
        ['bookings.check-in', { id }],
        ['bookings.update', { id, to_time: hoursFromNow(2) }],
        ['bookables.update', { id: bookable_id, tags: ['x'] }],
        ['bookings.delete', { id }],
      ]
      for (const [name, input] of inputs) {
        const envelope = createEnvelope(input, { requestId: randomUUID() })
        const done = await runDelivery({ id: envelope.attempt, name, data: envelope }, tools)
        expect(done, name).to.have.property('status').that.is.oneOf([200, 204])
      }
    }
    await write()
    for (const table of ['bookings', 'events', 'bookables', 'users', 'audit_log', 'changes'])
      await world.database.raw(`ALTER TABLE ${table} ADD COLUMN added text`)
    await write()
  })
})
