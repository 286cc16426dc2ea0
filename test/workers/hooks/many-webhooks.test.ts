// Tests many webhooks: their limits, and that creating and deleting them does not delay other requests.
import { expect } from 'chai'
import { SERVED_HORIZON_SQL } from '../../../shared/changes/read.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { makeDeliveries } from '../../../workers/hooks/make-deliveries.ts'
import { deleteExpiredRows } from '../../../workers/pollers/upkeep.ts'
import { connectPatiently } from '../../support/databases.ts'
import { eventually } from '../../support/time.ts'
import { useWith } from '../../support/use.ts'
import { useClient, useWorld } from '../../support/world.ts'

const CHANGE_COUNT = 1_000
const WEBHOOK_COUNT = 100
const WEBHOOKS_PER_TOKEN_MAX = 20
const WEBHOOKS_MAX = 200
const MAKER_APPLICATION = 'berth-maker'
const FEED_WAIT_MS_MAX = 60_000

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
    () => connectPatiently(world.databaseUrl, { applicationName: MAKER_APPLICATION, connectionsMax: 1 }),
    (connection) => connection.destroy(),
  )
  // Changes are served only when no older transaction of the server is open, including those of other tests.
  const change = async (number: number) => {
    await world.database.raw(
      `INSERT INTO changes (type, action, resource_id, data, actor_type, actor_name, request_id)
       SELECT 'user', 'updated', number, '{}', 'system', 'test', 'test' FROM generate_series(1, ?) AS number`,
      [number],
    )
    await eventually(async () => {
      const { rows } = await world.database.raw(
        `SELECT FROM changes WHERE horizon >= ${SERVED_HORIZON_SQL} LIMIT 1`,
      )
      expect(rows).to.deep.equal([])
    }, FEED_WAIT_MS_MAX)
  }
  const findMaker = async (): Promise<{ id: string | null; waits: boolean } | undefined> => {
    const { rows } = await world.database.raw(
      `SELECT backend_xid::text AS id, wait_event_type = 'Lock' AS waits FROM pg_stat_activity WHERE application_name = ?`,
      [MAKER_APPLICATION],
    )
    return rows[0]
  }
  const count = async () => Number((await world.database('webhook_deliveries').count())[0]?.['count'])
  afterEach(() =>
    world.database.raw('TRUNCATE webhooks, webhook_deliveries, webhook_position, changes CASCADE'),
  )

  it('are refused beyond the limits per token and per installation', async () => {
    for (let number = 0; number < WEBHOOKS_PER_TOKEN_MAX; number++)
      expect((await client.post('webhooks', body)).status).to.equal(200)
    const own = await client.post('webhooks', body)
    expect([own.status, own.json.code]).to.deep.equal([409, 'too_many_webhooks'])
    const other = await world.client('webhook-write', 'read')
    expect((await other.post('webhooks', body)).status).to.equal(200)
    await insert(WEBHOOKS_MAX - WEBHOOKS_PER_TOKEN_MAX - 1)
    const all = await other.post('webhooks', body)
    expect([all.status, all.json.detail]).to.deep.equal([
      409,
      `There are ${WEBHOOKS_MAX} webhooks already, which is the limit. Delete one that is no longer needed.`,
    ])
  })

  it('deliver a thousand changes in small steps, and each change exactly once', async () => {
    await insert(WEBHOOK_COUNT)
    await makeDeliveries(world.database)
    await change(CHANGE_COUNT)
    let steps = 0
    for (let before = 0; await makeDeliveries(world.database); steps++) {
      const made = await count()
      expect(made - before).to.be.at.most(CHANGE_COUNT)
      before = made
    }
    expect(await count()).to.equal(CHANGE_COUNT * WEBHOOK_COUNT)
    expect(steps).to.be.at.least(WEBHOOK_COUNT)
    const { rows } = await world.database.raw(
      'SELECT count(DISTINCT (webhook_id, change_sequence))::int AS pairs FROM webhook_deliveries',
    )
    expect(rows).to.deep.equal([{ pairs: CHANGE_COUNT * WEBHOOK_COUNT }])
  })

  // While a transaction has an id, nobody receives changes that later transactions make.
  it('do not delay the change feed, because each transaction creates only a few deliveries', async () => {
    await insert(WEBHOOKS_MAX)
    await makeDeliveries(maker)
    await change(CHANGE_COUNT)
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
    expect(await count()).to.equal(CHANGE_COUNT * WEBHOOKS_MAX)
    const { rows } = await world.database.raw<{ rows: Array<{ made: number }> }>(
      'SELECT count(*)::int AS made FROM webhook_deliveries GROUP BY xmin ORDER BY made DESC',
    )
    expect(rows.length).to.be.at.least(WEBHOOKS_MAX)
    expect(rows[0]?.made).to.be.at.most(CHANGE_COUNT)
  })

  it('are deleted immediately, but their deliveries only at the next upkeep', async () => {
    const { id } = (await client.post('webhooks', body)).json.data
    const kept = (await client.post('webhooks', body)).json.data.id
    await world.database.raw(
      `INSERT INTO webhook_deliveries (webhook_id, type, change_horizon, change_sequence, change_at)
       SELECT id, 'user.updated', 1, number, now() FROM unnest(ARRAY[?::bigint, ?]) AS id, generate_series(1, 6000) AS number`,
      [id, kept],
    )
    expect((await client.delete(`webhooks/${id}`)).status).to.equal(204)
    expect((await client.get(`webhooks/${id}/deliveries`)).status).to.equal(404)
    // Deleting the webhook leaves its deliveries to upkeep.
    expect(await count()).to.equal(12_000)
    await deleteExpiredRows(world.database, createLog('test', 'silent'), { auditLogKeptMonths: 0 })
    expect(await count()).to.equal(6_000)
    expect((await client.get(`webhooks/${kept}/deliveries`)).status).to.equal(200)
  })
})
