// Tests how Postgres finds a page of the change feed: with an index, from the end of the previous page, and
// never by sorting all later changes. Prepared statements get generic plans after a while, so both kinds of
// plans are tested.
import { expect } from 'chai'
import { findChanges } from '../../../../../gateway/api/rest/changes/changes-routes.ts'
import type { PreparedQuery } from '../../../../../gateway/reads/connections/point-reads.ts'
import { useConnection, useDatabase } from '../../../../support/databases.ts'

type Plan = {
  'Node Type': string
  'Subplan Name'?: string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

const CHANGE_COUNT = 200_000
const PAGE_SIZE = 1_000
const SCANNED_ROWS_MAX = 10_000
// Postgres reads one row of each neighbouring partition in advance.
const ROWS_READ_AHEAD = 10

describe('SQL plans of the change feed', function suite() {
  this.timeout(120_000)
  const database = useConnection(useDatabase(), { connectionsMax: 1 })
  before(async () => {
    await database.raw(`
      DO $$ BEGIN
        FOR day IN -1..0 LOOP
          EXECUTE format('CREATE TABLE changes_of_%s PARTITION OF changes FOR VALUES FROM (%L) TO (%L)',
            day + 1, date_trunc('day', now()) + day * interval '1 day',
            date_trunc('day', now()) + (day + 1) * interval '1 day');
        END LOOP;
      END $$`)
    // Gives all changes the ids of transactions that have already ended.
    await database.raw(
      `INSERT INTO changes (sequence, horizon, at, type, action, resource_id, data, building_ids, actor_type, actor_id, actor_name, request_id)
       SELECT number, 1 + number / 1000, now() - interval '23 hours' + (number::float / ${CHANGE_COUNT}) * interval '22 hours',
         (ARRAY['booking', 'user', 'desk'])[1 + number % 3], 'created', number, json_build_object('id', number)::text,
         ARRAY[1 + number % 50], 'token', 1, 'test', 'test'
       FROM generate_series(1, ${CHANGE_COUNT}) AS number`,
    )
    await database.raw('VACUUM ANALYZE changes')
  })

  async function statementOf(types: ['booking'] | undefined, buildingIds: number[] | null) {
    const asked: PreparedQuery[] = []
    const row = { items: '', count: 0, scanned: 0, last: null, end: null, boundary: 2 ** 50, now_ms: 0 }
    const recorder = {
      async query<Row extends object>(query: PreparedQuery) {
        asked.push(query)
        return { rows: [row as Row] }
      },
    }
    const { rows } = await database.raw(
      "SELECT floor(extract(epoch FROM now() - interval '20 hours') * 1000)::float8 AS ms",
    )
    // Reads from a cursor in the middle of the feed.
    const after = { horizon: 60, sequence: 60_000, atMs: rows[0].ms }
    await findChanges(recorder, { after, types, limit: PAGE_SIZE, baseUrl: '', buildingIds })
    return asked[0] ?? expect.fail('nothing was asked')
  }

  async function explain({ text, values }: PreparedQuery): Promise<Plan> {
    await database.raw('DEALLOCATE ALL')
    await database.raw(`PREPARE page AS ${text}`.replaceAll('?', '\\?'))
    const literalOf = (value: unknown) =>
      value === null ? 'NULL' : `'${Array.isArray(value) ? `{${value.join(',')}}` : value}'`
    const { rows } = await database.raw(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page(${values.map(literalOf).join(', ')})`,
    )
    return rows[0]['QUERY PLAN'][0].Plan
  }

  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
  /** Returns the part of the plan that reads the outbox. */
  const scanOf = (plan: Plan) =>
    nodesOf(nodesOf(plan).find((node) => node['Subplan Name'] === 'CTE scanned') ?? expect.fail('no scan'))
  const rowsRead = (nodes: Plan[]) =>
    nodes
      .filter((node) => node['Relation Name']?.startsWith('changes'))
      .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0)

  const pages = [
    { title: 'of everything', types: undefined, buildingIds: null, max: PAGE_SIZE },
    { title: 'of some types', types: ['booking'] as ['booking'], buildingIds: null, max: SCANNED_ROWS_MAX },
    {
      title: 'of a token that is limited to buildings',
      types: undefined,
      buildingIds: [1, 2],
      max: SCANNED_ROWS_MAX,
    },
  ]
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    for (const { title, types, buildingIds, max } of pages) {
      it(`read a page ${title} in index order, with ${mode}`, async () => {
        await database.raw(`SET plan_cache_mode = ${mode}`)
        const scan = scanOf(await explain(await statementOf(types, buildingIds)))
        const kinds = scan.map((node) => node['Node Type'])
        expect(kinds.filter((kind) => /Sort|Seq Scan|Bitmap/.test(kind))).to.deep.equal([])
        expect(kinds).to.include('Index Scan')
        expect(rowsRead(scan)).to.be.within(max, max + ROWS_READ_AHEAD)
      })
    }
  }

  it('contain a sort if a statement needs one, so the test can detect sorts', async () => {
    const statement = await statementOf(undefined, null)
    await database.raw('SET plan_cache_mode = force_custom_plan')
    const text = statement.text.replace('ORDER BY horizon, sequence', 'ORDER BY sequence, horizon')
    expect(text).to.not.equal(statement.text)
    const kinds = scanOf(await explain({ ...statement, text })).map((node) => node['Node Type'])
    expect(kinds.some((kind) => /Sort/.test(kind))).to.equal(true)
  })
})
