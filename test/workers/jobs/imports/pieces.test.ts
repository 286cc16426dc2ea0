// Tests that an import writes its rows in chunks that are invisible until the end: together they have the effect of a
// single write, and other writes run in between.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createDesk, hoursFromNow } from '../../../support/factories.ts'
import { startProxies } from '../../../support/faults/pipeline.ts'
import { closeProxies } from '../../../support/faults/proxy.ts'
import { useWorld } from '../../../support/world.ts'

// Enough rows for several chunks of each kind of change; the last chunk is not full.
const ROWS_OF_EACH_KIND = 4_500
const HEADER = 'email,name,groups,license_plates'

type KnownUser = { email: string; name: string; isActive: boolean }

const createKnownUsers = (kind: string, isActive = true): KnownUser[] =>
  Array.from({ length: ROWS_OF_EACH_KIND }, (_, row) => ({
    email: `${kind}${row}@lists.example`,
    name: 'Old',
    isActive,
  }))

const formatLine = (email: string, row: number) =>
  `${email},New ${row},Group ${row % 7};All,P ${row};Q ${row}\n`

// Rows that create users alternate with the other rows.
const USER_LIST_CSV = `${HEADER}\n${Array.from({ length: ROWS_OF_EACH_KIND }, (_, row) =>
  ['created', 'changed', 'restored'].map((kind) => formatLine(`${kind}${row}@lists.example`, row)).join(''),
).join('')}`

describe('the chunks of an import', () => {
  const world = useWorld({ workers: ['writes'] })
  after(closeProxies)

  it('have the same effect as a single write', async () => {
    const { database } = world
    await insertUsers(database, [
      ...createKnownUsers('changed'),
      ...createKnownUsers('restored', false),
      ...createKnownUsers('left-out'),
    ])
    const workers = await world.startWorkers(['imports'])
    const client = await world.client('user-write')
    const fields = { update: 'true', restore: 'true', deactivate: 'true' }
    const { status, json } = await client.import(USER_LIST_CSV, fields)
    await workers.stop()
    expect([status, json.created.length, json.updated.length, json.deleted, json.errors]).to.deep.equal([
      200,
      ROWS_OF_EACH_KIND,
      2 * ROWS_OF_EACH_KIND,
      ROWS_OF_EACH_KIND,
      [],
    ])
    expect(await countUsers(database)).to.deep.equal([
      { kind: 'changed', active: true, users: ROWS_OF_EACH_KIND, as_listed: ROWS_OF_EACH_KIND },
      { kind: 'created', active: true, users: ROWS_OF_EACH_KIND, as_listed: ROWS_OF_EACH_KIND },
      { kind: 'left-out', active: false, users: ROWS_OF_EACH_KIND, as_listed: 0 },
      { kind: 'restored', active: true, users: ROWS_OF_EACH_KIND, as_listed: ROWS_OF_EACH_KIND },
    ])
    const created: string[] = await database('users')
      .whereLike('email', 'created%')
      .orderBy('id')
      .pluck('email')
    expect(created).to.deep.equal(
      Array.from({ length: ROWS_OF_EACH_KIND }, (_, row) => `created${row}@lists.example`),
    )
    await database('users').delete()
  })

  it('let other writes run in between, but show their changes only after the last chunk', async () => {
    const { database } = world
    const desk = await createDesk(database)
    const { postgres, environment } = await startProxies(world)
    const workers = await world.startWorkers(['imports'], environment)
    const client = await world.client('user-write', 'booking-write')
    let pieces = 0
    const isSecond = () => ++pieces === 2
    const held = postgres.catch('server', 'INSERT INTO users', () => (isSecond() ? 'hold' : 'forward'), 2)
    const asked = client.import(USER_LIST_CSV)
    await held
    const from_time = hoursFromNow(24)
    const booked = await client.post('bookings', { ...desk, from_time, to_time: hoursFromNow(25) })
    expect(booked.status).to.equal(200)
    expect(await database('users')).to.have.length(1)
    await postgres.restore()
    const { status, json } = await asked
    expect([status, json.created.length]).to.deep.equal([200, 3 * ROWS_OF_EACH_KIND])
    expect(await database('users')).to.have.length(1 + 3 * ROWS_OF_EACH_KIND)
    await workers.stop()
  })
})

async function insertUsers(database: Knex, users: KnownUser[]): Promise<void> {
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
