// Many webhooks: their limits, and creating and deleting them without delaying other requests.
import { expect } from 'chai'
import { SERVED_UNTIL } from '../../../shared/changes/read.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { makeDeliveries } from '../../../workers/hooks/make-deliveries.ts'
import { sweep } from '../../../workers/pollers/upkeep.ts'
import { connectPatiently } from '../../support/databases.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useClient, useWorld } from '../../support/world.ts'

const CHANGES = 1_000
const WEBHOOKS = 100
const TOKEN_MAX = 20
const ALL_MAX = 200
const MAKER = 'berth-maker'
const SERVED_MS_MAX = 60_000

describe('many webhooks', function suite() {
  this.timeout(120_000)
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  const body = { url: 'https://receiver.example/', types: ['*'] }
  const insert = (number: number) =>
    world.database.raw(
      `INSERT INTO webhooks (url, types, secret, base_url)
       SELECT 'https://receiver.example/', '{*}', 'whsec_', '' FROM generate_series(1, ?)`,
      [number],
    )
  const maker = useWith(
    world,
    () => connectPatiently(world.databaseUrl, { applicationName: MAKER, connectionsMax: 1 }),
    (connection) => connection.destroy(),
  )
  // Changes are served when no older transaction of the whole server is open, and other tests have theirs.
  const change = async (number: number) => {
    await world.database.raw(
      `INSERT INTO changes (type, action, resource_id, data, actor_type, actor_name, request_id)
       SELECT 'user', 'updated', number, '{}', 'system', 'test', 'test' FROM generate_series(1, ?) AS number`,
      [number],
    )
    await eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM changes WHERE horizon >= ${SERVED_UNTIL} LIMIT 1`,
      )
      expect(rows).to.deep.equal([])
    }, SERVED_MS_MAX)
  }
  const findMaker = async (): Promise<{ id: string | null; waits: boolean } | undefined> => {
    const { rows } = await world.database.raw(
      `SELECT backend_xid::text AS id, wait_event_type = 'Lock' AS waits FROM pg_stat_activity WHERE application_name = ?`,
      [MAKER],
    )
    return rows[0]
  }
  const count = async () => Number((await world.database('webhook_deliveries').count())[0]?.['count'])
  afterEach(() =>
    world.database.raw('TRUNCATE webhooks, webhook_deliveries, webhook_position, changes CASCADE'),
  )

  it('are refused beyond the limit of a token, and beyond the limit of the database', async () => {
    for (let number = 0; number < TOKEN_MAX; number++)
      expect((await client.post('webhooks', body)).status).to.equal(200)
    const own = await client.post('webhooks', body)
    expect([own.status, own.json.code]).to.deep.equal([409, 'too_many_webhooks'])
    const other = await world.client('webhook-write', 'read')
    expect((await other.post('webhooks', body)).status).to.equal(200)
    await insert(ALL_MAX - TOKEN_MAX - 1)
    const all = await other.post('webhooks', body)
    expect([all.status, all.json.detail]).to.deep.equal([
      409,
      `There are ${ALL_MAX} webhooks already, which is the limit. Delete one that is no longer needed.`,
    ])
  })

  it('receive a thousand changes in small steps, each change once', async () => {
    await insert(WEBHOOKS)
    await makeDeliveries(world.database)
    await change(CHANGES)
    let steps = 0
    for (let before = 0; await makeDeliveries(world.database); steps++) {
      const made = await count()
      expect(made - before).to.be.at.most(CHANGES)
      before = made
    }
    expect(await count()).to.equal(CHANGES * WEBHOOKS)
    expect(steps).to.be.at.least(WEBHOOKS)
    const { rows } = await world.database.raw(
      'SELECT count(DISTINCT (webhook_id, change_sequence))::int AS pairs FROM webhook_deliveries',
    )
    expect(rows).to.deep.equal([{ pairs: CHANGES * WEBHOOKS }])
  })

  // While a transaction has an id, nobody receives the changes that others make after it.
  it('do not delay the feed: a transaction has no id while it reads changes, and makes few deliveries', async () => {
    await insert(ALL_MAX)
    await makeDeliveries(maker)
    await change(CHANGES)
    const lock = await world.database.transaction()
    await lock.raw('LOCK TABLE changes')
    const making = (async () => {
      while (await makeDeliveries(maker));
    })()
    const looking = await eventually(async () => {
      const found = await findMaker()
      expect(found).to.deep.include({ waits: true })
      return found
    })
    await lock.rollback()
    expect(looking).to.deep.include({ id: null })

    await making
    expect(await count()).to.equal(CHANGES * ALL_MAX)
    const { rows } = await world.database.raw<{ rows: Array<{ made: number }> }>(
      'SELECT count(*)::int AS made FROM webhook_deliveries GROUP BY xmin ORDER BY made DESC',
    )
    expect(rows.length).to.be.at.least(ALL_MAX)
    expect(rows[0]?.made).to.be.at.most(CHANGES)
  })

  it('disappear at once when they are deleted, and their deliveries with the next upkeep', async () => {
    const { id } = (await client.post('webhooks', body)).json.data
    const kept = (await client.post('webhooks', body)).json.data.id
    await world.database.raw(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
       SELECT id, 'user.updated', 1, number, now() FROM unnest(ARRAY[?::bigint, ?]) AS id, generate_series(1, 6000) AS number`,
      [id, kept],
    )
    expect((await client.delete(`webhooks/${id}`)).status).to.equal(204)
    expect((await client.get(`webhooks/${id}/deliveries`)).status).to.equal(404)
    // The write that deletes it touches none of them.
    expect(await count()).to.equal(12_000)
    await sweep(world.database, createLog('test', 'silent'), { auditLogKeptMonths: 0 })
    expect(await count()).to.equal(6_000)
    expect((await client.get(`webhooks/${kept}/deliveries`)).status).to.equal(200)
  })
})
