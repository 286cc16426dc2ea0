// Tests how Postgres executes the statements of people's own pages: each is planned once per connection, and
// none reads all bookings.
import { expect } from 'chai'
import pg from 'pg'
import { seedCompany } from '../../../../commands/seed/company.ts'
import type { Browser } from '../../../support/dashboard/dashboard.ts'
import { createFullPerson, type FullPerson } from '../../../support/people/every-page.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

type SentStatement = pg.QueryConfig<unknown[]>
type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

const BOOKING_COUNT = 60_000
// The bookings of a few days.
const ROWS_READ_MAX = BOOKING_COUNT / 20

describe('SQL statements of people’s own pages', function suite() {
  this.timeout(120_000)
  const world = useWorld()
  let person: FullPerson
  let browser: Browser

  before(async () => {
    const { database } = world
    const size = { buildings: 2, locations: 8, bookables: 800, users: 1_000, bookings: BOOKING_COUNT }
    await seedCompany(database, { ...size, seed: 1, weeksBefore: 40, weeksAhead: 3 }, () => undefined)
    person = await createFullPerson(database)
    // Creates a large group, like the groups of companies.
    await database.raw(
      `INSERT INTO group_members (group_id, user_id) SELECT (SELECT min(group_id) FROM group_members), ? ON CONFLICT DO NOTHING`,
      [person.id],
    )
    await database.raw('VACUUM ANALYZE')
    browser = await signInAs(world, person.id)
  })

  /** Returns the SQL statements that a page sends for the signed-in person, whose id is the last value. */
  async function listStatements(address: string): Promise<SentStatement[]> {
    const sent: SentStatement[] = []
    const { query } = pg.Pool.prototype
    pg.Pool.prototype.query = function record(this: pg.Pool, ...parameters: unknown[]) {
      const { application_name: name } = this.options as pg.PoolConfig
      if (name === 'berth-people') sent.push(parameters[0] as SentStatement)
      return Reflect.apply(query, this, parameters)
    } as typeof query
    try {
      await browser.open(address, { follow: false })
    } finally {
      pg.Pool.prototype.query = query
    }
    return sent
  }

  async function explain({ text, values = [] }: SentStatement): Promise<Plan[]> {
    const connection = new pg.Client({ connectionString: world.databaseUrl })
    await connection.connect()
    try {
      await connection.query('SET plan_cache_mode = force_generic_plan')
      await connection.query(`PREPARE page AS ${text}`)
      const literals = values.map((value) => pg.escapeLiteral(toText(value)))
      const given = values.map((value, index) => (value == null ? 'NULL' : literals[index])).join(', ')
      const { rows } = await connection.query<{ 'QUERY PLAN': Array<{ Plan: Plan }> }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE page(${given})`,
      )
      return rows.flatMap((row) => row['QUERY PLAN'].map((each) => each.Plan))
    } finally {
      await connection.end()
    }
  }

  const toText = (value: unknown) => (Array.isArray(value) ? `{${value.join(',')}}` : String(value))
  const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
  const onBookings = (plans: Plan[]) =>
    plans.flatMap(nodesOf).filter((node) => node['Relation Name'] === 'bookings')
  /** Returns the number of bookings that Postgres reads, including those that it filters out. */
  const countRead = (nodes: Plan[]) =>
    nodes
      .map(
        ({ 'Rows Removed by Filter': left = 0, 'Rows Removed by Index Recheck': others = 0, ...node }) =>
          (node['Actual Rows'] + left + others) * node['Actual Loops'],
      )
      .reduce((sum, rows) => sum + rows, 0)

  it('have names, so that Postgres plans each statement once', async () => {
    const names = new Set<string | undefined>()
    for (const address of person.addresses)
      for (const { name, text } of await listStatements(address)) {
        expect(name, `${address}: ${text}`).to.be.a('string')
        names.add(name)
      }
    expect(names.size).to.be.greaterThan(15)
  })

  it('include one for the content of a page, besides those that find its floor, days, colleagues and pictures', async () => {
    const colleague = person.addresses.find((address) => /^\/my\/people\/\d+$/.test(address)) ?? ''
    const before: Record<string, number> = { '/my': 2, '/my/book': 2, '/my/people': 2, [colleague]: 2 }
    for (const address of ['/my', '/my/book', '/my/people', colleague, '/my/waits', '/my/requests'])
      expect(await listStatements(address), address).to.have.length(1 + (before[address] ?? 0))
  })

  it('read only the bookings of the days that a page shows', async () => {
    for (const address of person.addresses)
      for (const sent of await listStatements(address)) {
        const nodes = onBookings(await explain(sent))
        expect(
          nodes.map((node) => node['Node Type']),
          `${address}: ${sent.text}`,
        ).not.to.include('Seq Scan')
        expect(countRead(nodes), `${address}: ${sent.text}`).to.be.lessThan(ROWS_READ_MAX)
      }
  })
})
