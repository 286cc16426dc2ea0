// Checks that no poller delays the change feed: with ten times the usual data, each transaction writes few rows in few
// statements, and is open only briefly.
import { expect } from 'chai'
import { openQueue, UPKEEP_INTERVALS_MS } from '../../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../../shared/schemas/job.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { runUpkeep } from '../../../workers/pollers/upkeep.ts'
import { POLLERS } from '../../../workers/start-pollers.ts'
import { connectPatiently, KEYS } from '../../support/databases.ts'
import { createLocation, createUser } from '../../support/factories.ts'
import { useTools } from '../../support/faults/pipeline.ts'
import { PUSH_ENVIRONMENT } from '../../support/people/push-service.ts'
import { openRedis } from '../../support/redis.ts'
import { eventually, promised } from '../../support/time.ts'
import { observeTransactions, type Transaction } from '../../support/transactions.ts'
import { useWith } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'
import { createMailSettings } from './mail/mailed-person.ts'
import { useSmtp } from './mail/smtp-server.ts'

const log = createLog('test', 'silent')
const OPEN_MS_MAX = 1_000
// The largest transactions sum up the figures of a floor, here of 3,000 desks.
const ROWS_MAX = 20_000
const STATEMENTS_MAX = 60
const BOOKING_COUNT = 3_000

/**
 * SQL that tests whether a poller has work left. The mail poller queues mails about what the earlier pollers have
 * changed.
 */
const WORK_LEFT_SQL: Record<string, string> = {
  'no-shows': 'SELECT FROM bookings WHERE check_in_until < now() AND released_at IS NULL',
  holds: "SELECT FROM holds WHERE state = 'pending' AND expires_at < now()",
  offers: "SELECT FROM waits WHERE state = 'waiting'",
  pushes: `SELECT FROM changes, push_position AS position
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)`,
  mail: `SELECT FROM changes, mail_position AS position
    WHERE (changes.horizon, changes.sequence) > (position.horizon, position.sequence)`,
}

describe('a poller', function suite() {
  this.timeout(promised(60_000))
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: [],
    environment: { ...createMailSettings(smtp), ...PUSH_ENVIRONMENT, PEOPLE_PAGES: 'on' },
  }))
  const tools = useTools(world, 'upkeep')
  const redis = useWith(
    world,
    () => openRedis(world.config),
    (connection) => connection.disconnect(),
  )

  before(async () => {
    const { database } = world
    const location_id = await createLocation(database)
    const user_id = await createUser(database)
    await database.raw(
      `WITH desks AS (
         INSERT INTO bookables (name, type, location_id) SELECT 'Desk ' || number, 0, :location_id
         FROM generate_series(1, :bookings) AS number RETURNING id
       ), past AS (
         INSERT INTO bookings (bookable_id, user_id, during, exclusive)
         SELECT id, :user_id, tstzrange(now() - interval '400 days', now() - interval '399 days'), true FROM desks
       ), due AS (
         INSERT INTO bookings (bookable_id, user_id, during, exclusive, check_in_from, check_in_until)
         SELECT id, :user_id, tstzrange(now() - interval '2 hours', now() + interval '2 hours'), true,
           now() - interval '3 hours', now() - interval '1 hour' FROM desks
       ), overdue AS (
         INSERT INTO holds (kind, bookable_id, user_id, during, expires_at)
         SELECT 'request', id, :user_id, tstzrange(now() + interval '9 days', now() + interval '10 days'), now() - interval '1 hour'
         FROM desks
       ), waiting AS (
         INSERT INTO waits (user_id, location_id, type, during)
         SELECT :user_id, :location_id, 0, tstzrange(now() + day * interval '1 day', now() + day * interval '1 day' + interval '8 hours')
         FROM generate_series(1, 5) AS day
       )
       INSERT INTO receipts (attempt, created_at) SELECT gen_random_uuid(), now() - interval '1 day' FROM generate_series(1, 4 * :bookings)`,
      { location_id, user_id, bookings: BOOKING_COUNT },
    )
  })

  const watch = () => {
    const database = connectPatiently(world.databaseUrl)
    return { database, transactions: observeTransactions(database) }
  }

  function expectShort(transactions: Transaction[]) {
    expect(transactions).to.not.deep.equal([])
    // Only transactions that write delay the feed.
    for (const { rows, statements, openMs } of transactions.filter((each) => each.rows > 0)) {
      expect(rows, statements.join('\n')).to.be.at.most(ROWS_MAX)
      expect(statements.length, statements.join('\n')).to.be.at.most(STATEMENTS_MAX)
      expect(openMs, statements.join('\n')).to.be.below(promised(OPEN_MS_MAX))
    }
  }

  for (const [name, start] of Object.entries(POLLERS)) {
    it(`keeps its transactions short: ${name}`, async () => {
      const { database, transactions } = watch()
      const pollers = start({ database, config: world.config, log })
      const left = WORK_LEFT_SQL[name] ?? expect.fail(`Nothing shows when ${name} is done`)
      await eventually(async () =>
        expect((await world.database.raw(`${left} LIMIT 1`)).rows).to.deep.equal([]),
      )
      await Promise.all(pollers.map((each) => each.stop()))
      await database.destroy()
      expect(transactions.filter(({ rows }) => rows > 0)).to.not.deep.equal([])
      expectShort(transactions)
    })
  }

  for (const task of Object.keys(UPKEEP_INTERVALS_MS)) {
    it(`keeps its transactions short: upkeep.${task}`, async () => {
      const { database, transactions } = watch()
      const config = { ...world.config, bookingsAnonymousAfterMonths: 6, auditLogKeptMonths: 6 }
      const queues = new Map(QUEUES.map((each) => [each, openQueue(each, redis, KEYS)]))
      const queueOf = (each: QueueName) => queues.get(each) ?? expect.fail(`There is no queue ${each}`)
      await runUpkeep(`upkeep.${task}`, { database, log, identity: tools.identity }, queueOf, config)
      await Promise.all([...queues.values()].map((queue) => queue.close()))
      await database.destroy()
      expectShort(transactions)
    })
  }
})
