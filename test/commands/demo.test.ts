// What `npm start` shows, and what the README's first booking relies on.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { seedDemo } from '../../commands/seed/demo.ts'
import { connectDatabase } from '../../shared/database.ts'
import { createDatabase } from '../support/databases.ts'
import { createUser } from '../support/factories.ts'

describe('the demo', () => {
  let database: Knex
  let drop: () => Promise<void>

  beforeEach(async () => {
    const created = await createDatabase()
    drop = created.drop
    database = connectDatabase(created.url)
  })

  afterEach(async () => {
    await database.destroy()
    await drop()
  })

  it('has a first desk that user 1 can book from now on', async () => {
    await seedDemo(database)
    const desk = await database('bookables').where({ id: 1 }).first('location_id', 'type', 'status')
    expect(desk).to.deep.equal({ location_id: 1, type: 0, status: 0 })
    expect(
      await database('bookings').where({ bookable_id: 1 }).whereRaw('upper(during) > now()'),
    ).to.deep.equal([])
    expect(await database('users').where({ id: 1 }).whereNull('deactivated_at')).to.have.length(1)
  })

  it('has bookings around today, in two time zones', async () => {
    await seedDemo(database)
    expect(await database('buildings').orderBy('id').pluck('timezone')).to.deep.equal([
      'Europe/Berlin',
      'America/New_York',
    ])
    const around = "during && tstzrange(now() - interval '7 days', now() + interval '7 days')"
    expect(await database('bookings').whereRaw(around)).to.have.length.above(300)
    expect(await database('events').whereRaw(around)).to.have.length.above(5)
  })

  it('is left out where somebody has users already', async () => {
    await createUser(database)
    await seedDemo(database)
    expect(await database('bookings')).to.deep.equal([])
    expect(await database('users')).to.have.length(1)
  })
})
