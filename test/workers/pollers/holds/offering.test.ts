// Checks that free places are offered in the order in which people have waited, whatever workers do in the meantime.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { createLog } from '../../../../shared/utilities/log.ts'
import { lapseHolds } from '../../../../workers/pollers/holds/lapsing.ts'
import { offerOnFloor, offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import { connectPatiently } from '../../../support/databases.ts'
import {
  createBookable,
  createBooking,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { type Child, killChildren, startWorkerProcess } from '../../../support/processes.ts'
import { eventually, promised } from '../../../support/time.ts'
import { observeTransactions } from '../../../support/transactions.ts'
import { useWorld } from '../../../support/world.ts'

const log = createLog('test', 'silent')
const WANTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }
const WAITING_PERSON_COUNT = 200
const FREED_DESK_COUNT = 50
const WORKER_COUNT = 4

describe('a desk that becomes free', function suite() {
  this.timeout(promised(120_000))
  const world = useWorld({ workers: [], each: true })
  const connections: Knex[] = []
  afterEach(async () => {
    await killChildren()
    await Promise.all(connections.splice(0).map((each) => each.destroy()))
  })

  const connect = () => {
    const connection = connectPatiently(world.databaseUrl)
    connections.push(connection)
    return connection
  }

  /** Creates a floor whose desks are all taken, with people who wait for any of them, in this order. */
  async function createLine(people: number, desks: number, row: Record<string, unknown> = {}) {
    const { database } = world
    const location_id = await createLocation(database, row)
    const taken = await createUser(database)
    const bookables: number[] = []
    for (let desk = 0; desk < desks; desk++) {
      const bookable_id = await createBookable(database, { location_id })
      bookables.push(bookable_id)
      await createBooking(database, { ...WANTED_SPAN, bookable_id, user_id: taken })
    }
    const users: number[] = []
    for (let person = 0; person < people; person++) users.push(await createUser(database))
    const during = database.raw('tstzrange(?, ?)', [WANTED_SPAN.from, WANTED_SPAN.to])
    for (const user_id of users) await database('waits').insert({ user_id, location_id, type: 0, during })
    return { location_id, bookables, users }
  }
  const free = (bookables: number[]) =>
    world.database('bookings').whereIn('bookable_id', bookables).whereNotNull('user_id').delete()
  const offers = (): Promise<Array<{ user_id: number; bookable_id: number; state: string }>> =>
    world.database('holds').where({ kind: 'offer' }).orderBy('id').select('user_id', 'bookable_id', 'state')
  const offeredUsers = async () => (await offers()).map(({ user_id }) => Number(user_id))
  const letOffersExpire = () =>
    world
      .database('holds')
      .where({ state: 'pending' })
      .update({ expires_at: new Date(Date.now() - 60_000) })

  it('is offered once, even if 50 desks become free, 200 people wait and 4 workers run', async () => {
    const { bookables, users } = await createLine(WAITING_PERSON_COUNT, FREED_DESK_COUNT)
    const workers = Array.from({ length: WORKER_COUNT }, connect)
    // Workers check constantly, and a separate write frees each desk.
    let isOver = false
    const looking = workers.map(async (database) => {
      while (!isOver) await offerPlaces(database, log)
    })
    await Promise.all(bookables.map((id) => free([id])))
    await eventually(async () => expect(await offers()).to.have.length(FREED_DESK_COUNT), promised(60_000))
    isOver = true
    await Promise.all(looking)
    expect(await offeredUsers()).to.deep.equal(users.slice(0, FREED_DESK_COUNT))
    expect(new Set((await offers()).map(({ bookable_id }) => bookable_id)).size).to.equal(FREED_DESK_COUNT)

    // Offers that nobody accepts are passed to the next people in order.
    await letOffersExpire()
    expect(await lapseHolds(world.database, log)).to.equal(FREED_DESK_COUNT)
    await Promise.all(workers.map((database) => offerPlaces(database, log)))
    await offerPlaces(world.database, log)
    expect(await offeredUsers()).to.deep.equal(users.slice(0, 2 * FREED_DESK_COUNT))
  })

  it('is offered to the same person by a second worker if the first worker dies', async () => {
    const { bookables, users, location_id } = await createLine(3, 1)
    await free(bookables)
    const dying = connect()
    await world.database.raw(`
      CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
      CREATE TRIGGER dies AFTER UPDATE ON waits FOR EACH ROW EXECUTE FUNCTION die();`)
    const failed = await offerOnFloor(dying, location_id).then(
      () => undefined,
      (error: Error) => error,
    )
    expect(failed).to.be.instanceOf(Error)
    await world.database.raw('DROP FUNCTION die CASCADE')
    expect(await offers()).to.deep.equal([])
    expect(await world.database('bookings').whereIn('bookable_id', bookables)).to.deep.equal([])
    expect(await offerPlaces(world.database, log)).to.equal(1)
    expect(await offeredUsers()).to.deep.equal(users.slice(0, 1))
  })

  it('is offered in order, and never stays held, even if workers are killed repeatedly', async () => {
    const { bookables, users } = await createLine(30, 20)
    const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, LOG_LEVEL: 'info' }
    const children: Child[] = []
    for (let number = 0; number < 2; number++)
      children.push(await startWorkerProcess(environment, ['upkeep']))
    await free(bookables)
    await eventually(async () => expect((await offers()).length).to.be.above(0), promised(20_000))
    for (const child of children) child.kill('SIGKILL')
    await Promise.all(children.map(({ ended }) => ended))
    const before = await offeredUsers()
    expect(before).to.deep.equal(users.slice(0, before.length))
    await letOffersExpire()
    await startWorkerProcess(environment, ['upkeep'])
    await eventually(async () => {
      const all = await offers()
      expect(all.filter(({ state }) => state === 'lapsed')).to.have.length(before.length)
      expect(all).to.have.length(Math.min(30, before.length + 20))
    }, promised(30_000))
    expect(await offeredUsers()).to.deep.equal(users.slice(0, Math.min(30, before.length + 20)))
  })

  it('is not offered to a person who has an open offer on another floor', async () => {
    const [here, there] = [await createLine(1, 1), await createLine(0, 1)]
    const during = world.database.raw('tstzrange(?, ?)', [WANTED_SPAN.from, WANTED_SPAN.to])
    const [user_id] = here.users
    await world.database('waits').insert({ user_id, location_id: there.location_id, type: 0, during })
    // Both workers find the person without an offer before either of them commits.
    await world.database.raw(`
      CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_sleep(0.5); RETURN NEW; END $$;
      CREATE TRIGGER pauses AFTER UPDATE ON waits FOR EACH ROW EXECUTE FUNCTION pause();`)
    await free([...here.bookables, ...there.bookables])
    const offered = await Promise.all(
      [here, there].map(({ location_id }) => offerOnFloor(connect(), location_id)),
    )
    expect(offered.map(({ offered }) => offered).sort()).to.deep.equal([0, 1])
    expect(await offeredUsers()).to.deep.equal([user_id])
    await letOffersExpire()
    await lapseHolds(world.database, log)
    expect(await offerPlaces(world.database, log)).to.equal(1)
    expect(await offeredUsers()).to.deep.equal([user_id, user_id])
  })

  it('is not offered to people whom the rules exclude, and stays free if nobody may book it', async () => {
    const { bookables, users, location_id } = await createLine(3, 2)
    const [first, second] = users
    const allowed = await world.database('groups').insert({ name: 'Deck' }).returning('id')
    await world.database('group_members').insert({ group_id: allowed[0].id, user_id: second })
    await world
      .database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify({ group_ids: [allowed[0].id] }) })
    await free(bookables)
    expect(await offerPlaces(world.database, log)).to.equal(1)
    expect(await offeredUsers()).to.deep.equal([second])
    // The rules change, so that the first person in the queue is eligible again.
    await world.database('locations').where({ id: location_id }).update({ rules: null })
    expect(await offerPlaces(world.database, log)).to.equal(1)
    expect(await offeredUsers()).to.deep.equal([second, first])
  })

  it('is checked once per excluded person, even if 300 desks are free', async () => {
    const { database } = world
    const { location_id, bookables, users } = await createLine(3, 1)
    await database.raw(
      `INSERT INTO bookables (name, type, location_id) SELECT 'Free ' || number, 0, ? FROM generate_series(1, 300) AS number`,
      [location_id],
    )
    const rules = { one_desk_a_day: true, group_ids: [await createGroup(database)] }
    await database('group_members').insert({ group_id: rules.group_ids[0], user_id: users[0] })
    await database('group_members').insert({ group_id: rules.group_ids[0], user_id: users[2] })
    await database('locations')
      .where({ id: location_id })
      .update({ rules: JSON.stringify(rules) })
    await createBooking(database, { ...WANTED_SPAN, user_id: users[0] })
    await free(bookables)
    const watched = connect()
    const transactions = observeTransactions(watched)
    expect(await offerPlaces(watched, log)).to.equal(1)
    expect(await offeredUsers()).to.deep.equal([users[2]])
    const states = await database('waits').orderBy('id').select('state', 'end_reason')
    expect(states).to.deep.equal([
      { state: 'over', end_reason: 'already_booked_that_day' },
      { state: 'waiting', end_reason: null },
      { state: 'offered', end_reason: null },
    ])
    expect(transactions.flatMap(({ statements }) => statements).length).to.be.below(40)
  })

  it('is not offered while it is blocked, and the wait ends when its time is over', async () => {
    const { bookables, users } = await createLine(1, 1)
    await world.database('bookables').whereIn('id', bookables).update({ status: 1 })
    await free(bookables)
    expect(await offerPlaces(world.database, log)).to.equal(0)
    await world
      .database('waits')
      .update({ during: world.database.raw('tstzrange(?, ?)', [hoursFromNow(-9), hoursFromNow(-1)]) })
    await world.database('bookables').whereIn('id', bookables).update({ status: 0 })
    expect(await offerPlaces(world.database, log)).to.equal(0)
    expect((await world.database('waits').where({ user_id: users[0] }).first()).state).to.equal('over')
  })

  it('is offered for the remaining time if the time has begun, and the offer expires within minutes', async () => {
    const { bookables } = await createLine(1, 1)
    await free(bookables)
    await world
      .database('waits')
      .update({ during: world.database.raw('tstzrange(?, ?)', [hoursFromNow(-2), hoursFromNow(2)]) })
    expect(await offerPlaces(world.database, log)).to.equal(1)
    const { rows } = await world.database.raw(
      `SELECT lower(during) > now() - interval '1 minute' AS rest,
         expires_at <= now() + interval '5 minutes' AS soon FROM holds`,
    )
    expect(rows).to.deep.equal([{ rest: true, soon: true }])
  })
})
