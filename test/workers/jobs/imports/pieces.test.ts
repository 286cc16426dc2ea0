// An import writes its rows in pieces, which nobody else sees before the end: together they equal one write, and others write
// between them.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import { startProxies } from '../../../support/faults/pipeline.ts'
import { closeProxies } from '../../../support/faults/proxy.ts'
import { useWorld } from '../../../support/world.ts'

// Enough rows for several pieces of each kind of change, and one that is not full.
const OF_EACH = 4_500
const HEADER = 'email,name,groups,license_plates'

type Known = { email: string; name: string; isActive: boolean }

const known = (kind: string, isActive = true): Known[] =>
  Array.from({ length: OF_EACH }, (_, row) => ({
    email: `${kind}${row}@lists.example`,
    name: 'Old',
    isActive,
  }))

const lineOf = (email: string, row: number) => `${email},New ${row},Group ${row % 7};All,P ${row};Q ${row}\n`

// The rows that create users are between the others.
const LIST = `${HEADER}\n${Array.from({ length: OF_EACH }, (_, row) =>
  ['created', 'changed', 'restored'].map((kind) => lineOf(`${kind}${row}@lists.example`, row)).join(''),
).join('')}`

describe('the pieces of an import', () => {
  const world = useWorld({ workers: ['writes'] })
  after(closeProxies)

  it('have the effect of a single write: create in the order of the file, change, restore, deactivate', async () => {
    const { database } = world
    await insertUsers(database, [...known('changed'), ...known('restored', false), ...known('left-out')])
    const workers = await world.startWorkers(['imports'])
    const client = await world.client('user-write')
    const fields = { update: 'true', restore: 'true', deactivate: 'true' }
    const { status, json } = await client.import(LIST, fields)
    await workers.stop()
    expect([status, json.created.length, json.updated.length, json.deleted, json.errors]).to.deep.equal([
      200,
      OF_EACH,
      2 * OF_EACH,
      OF_EACH,
      [],
    ])
    expect(await countUsers(database)).to.deep.equal([
      { kind: 'changed', active: true, users: OF_EACH, as_listed: OF_EACH },
      { kind: 'created', active: true, users: OF_EACH, as_listed: OF_EACH },
      { kind: 'left-out', active: false, users: OF_EACH, as_listed: 0 },
      { kind: 'restored', active: true, users: OF_EACH, as_listed: OF_EACH },
    ])
    const created: string[] = await database('users')
      .whereLike('email', 'created%')
      .orderBy('id')
      .pluck('email')
    expect(created).to.deep.equal(Array.from({ length: OF_EACH }, (_, row) => `created${row}@lists.example`))
    await database('users').delete()
  })

  it('let others write between them, and are visible only after the last', async () => {
    const { database } = world
    const desk = await createDesk(database)
    const { postgres, environment } = await startProxies(world)
    const workers = await world.startWorkers(['imports'], environment)
    const client = await world.client('user-write', 'booking-write')
    let pieces = 0
    const isSecond = () => ++pieces === 2
    const held = postgres.catch('server', 'INSERT INTO users', () => (isSecond() ? 'hold' : 'forward'), 2)
    const asked = client.import(LIST)
    await held
    const from_time = hoursFromNow(24)
    const booked = await client.post('bookings', { ...desk, from_time, to_time: hoursFromNow(25) })
    expect(booked.status).to.equal(200)
    expect(await database('users')).to.have.length(1)
    await postgres.restore()
    const { status, json } = await asked
    expect([status, json.created.length]).to.deep.equal([200, 3 * OF_EACH])
    expect(await database('users')).to.have.length(1 + 3 * OF_EACH)
    await workers.stop()
  })
})

async function insertUsers(database: Knex, users: Known[]): Promise<void> {
  await database.raw(
    `INSERT INTO users (email, name, deactivated_at)
     SELECT email, name, CASE WHEN active THEN NULL ELSE now() END
     FROM unnest(?::text[], ?::text[], ?::boolean[]) AS known (email, name, active)`,
    [users.map(({ email }) => email), users.map(({ name }) => name), users.map(({ isActive }) => isActive)],
  )
}

/** Counts the users of each kind, and how many of them match their row. */
async function countUsers(database: Knex) {
  const { rows } = await database.raw(
    `SELECT kind, deactivated_at IS NULL AS active, count(*)::int AS users,
       (count(*) FILTER (WHERE name = 'New ' || row AND groups = ARRAY['All', 'Group ' || row % 7]
         AND plates = ARRAY['P ' || row, 'Q ' || row]))::int AS as_listed
     FROM users,
       LATERAL (SELECT substring(email from '^[a-z-]+') AS kind, substring(email from '[0-9]+')::int AS row) AS address,
       LATERAL (SELECT ARRAY(SELECT groups.name FROM group_members JOIN groups ON groups.id = group_id
         WHERE user_id = users.id ORDER BY 1) AS groups) AS of_groups,
       LATERAL (SELECT ARRAY(SELECT license_plate FROM vehicles WHERE user_id = users.id ORDER BY 1) AS plates) AS own
     GROUP BY 1, 2 ORDER BY 1`,
  )
  return rows
}
