// Tests how Postgres finds the entries of organizers: by indexes, however many entries all rooms have.
import { expect } from 'chai'
import { noteWithdrawal } from '../../../workers/calendars/organizers.ts'
import { followOrganizers, type Reading } from '../../../workers/calendars/reading/organizer-copies.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { openGoogle } from './provider-worlds.ts'
import { openWriting } from './writing/writing-worlds.ts'

describe('SQL plans of the calendars of organizers', function suite() {
  this.timeout(60_000)
  const database = useConnection(useDatabase(), { connectionsMax: 1 })
  let world: Awaited<ReturnType<typeof openWriting>>
  beforeEach(async () => {
    world = await openWriting(database, openGoogle)
  })
  afterEach(() => world.close())

  async function listAsked(work: () => Promise<unknown>) {
    const asked: string[] = []
    const note = ({ sql }: { sql: string }) => asked.push(sql)
    database.on('query', note)
    await work()
    database.removeListener('query', note)
    return asked
  }

  // Without sequential scans, Postgres takes one only where no index helps.
  async function explain(asked: string[]): Promise<string> {
    const plans: string[] = []
    await database.raw("SET enable_seqscan = off; SET plan_cache_mode = 'force_generic_plan'")
    for (const sql of asked) {
      const count = new Set(sql.match(/\$\d+/g)).size
      await database.raw(`PREPARE asked AS ${sql}`)
      const { rows } = await database.raw(`EXPLAIN EXECUTE asked (${Array(count).fill('NULL').join(', ')})`)
      await database.raw('DEALLOCATE asked')
      plans.push(...rows.map((row: Record<string, string>) => row['QUERY PLAN']))
    }
    return plans.join('\n')
  }

  const reading = (): Reading => ({ tools: world.tools, link: world.link, provider: world.provider })
  const page = { changed: [], unreadable: [], position: '', hasMore: false }

  it('finds the entries of a page by their indexes, and asks nothing about an empty page', async () => {
    const asked = await listAsked(() => followOrganizers(reading(), { ...page, removed: ['an id'] }))
    expect(asked).to.have.length(1)
    const plan = await explain(asked)
    expect(plan).to.include('Index Cond: (uid = ANY')
    expect(plan).to.include('Index Cond: (key = ')
    expect(plan).to.not.include('Seq Scan on')
    expect(await listAsked(() => followOrganizers(reading(), { ...page, removed: [] }))).to.deep.equal([])
  })

  it('withdraws an entry by its indexes', async () => {
    const plan = await explain(await listAsked(() => noteWithdrawal(database, 'a key')))
    expect(plan).to.match(/Index Cond: \(\(bookable_id = ANY .* AND \(key = /)
    expect(plan).to.not.include('Seq Scan on')
  })
})
