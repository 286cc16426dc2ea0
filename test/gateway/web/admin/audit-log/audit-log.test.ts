// Tests the audit log in the dashboard: searches by person, action and time, pages, and entries with their
// changes. A page reads only a small part of a long log.

import { expect } from 'chai'
import type pg from 'pg'
import { listActions, searchAuditLog } from '../../../../../gateway/web/admin/audit-log/queries.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { useDatabase, usePool } from '../../../../support/databases.ts'
import { createBuilding, createDesk, hoursFromNow } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

type Entry = Record<string, unknown>
const entry = {
  actor_type: 'token',
  actor_name: 'Kiosk',
  action: 'users.edit',
  resource: 'users',
  request_id: 'r-1',
}

describe('the audit log in the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  beforeEach(() => world.database('audit_log').delete())

  const note = async (row: Entry = {}) => {
    const [made] = await world
      .database('audit_log')
      .insert({ ...entry, ...row })
      .returning('id')
    return made.id as number
  }
  const list = (query: Record<string, string> = {}) =>
    browser.open(`/dashboard/audit-log?${new URLSearchParams(query)}`)
  /** Returns the ids of the resources whose entries are shown, in order. */
  const shown = () =>
    [...browser.page.text.matchAll(/<span title="[\w.-]+ (\d+)"/g)].map(([, id]) => Number(id))

  it('records the writes of the dashboard, and links from the entry to the resource', async () => {
    const { bookable_id, user_id } = await createDesk(world.database)
    await browser.open(`/dashboard/bookings/new?user=${user_id}&bookable=${bookable_id}`)
    await browser.submit('Create booking', { from_time: '', guest_name: 'Grace' })
    // Not a full hour, because the form proposes 17:00, which could equal the end of the booking.
    await browser.submit('Save changes', { to_time: `${hoursFromNow(30).slice(0, 14)}30` })
    await browser.follow('View in audit log')
    expect(browser.words)
      .to.include('Changed a booking')
      .and.include('Created a booking')
      .and.include('admin@example.com')
    const entries = await world.database('audit_log').orderBy('id', 'desc')
    await browser.open(`/dashboard/audit-log/${entries[0].id}`)
    expect(browser.words).to.include(entries[0].request_id)
    expect(browser.words)
      .to.match(/during changed \[.*\) \[.*\)/)
      .and.include('guest_name Grace Grace')
    expect(browser.words).to.match(/3 of \d+ fields changed/)
    expect(browser.page.text)
      .to.match(/<del>.*<\/del>/)
      .and.match(/<ins>.*<\/ins>/)
    await browser.follow('Open')
    expect(browser.page.path).to.match(/\/bookings\/\d+$/)
    await browser.open(`/dashboard/audit-log/${entries[1].id}`)
    await browser.follow('Everything they changed')
    expect(browser.words).to.include('Created a booking').and.include('Changed a booking')
  })

  it('distinguishes screens, commands, sign-in providers, answers to invitations and Berth itself as actors', async () => {
    for (const [actor_name, actor_id, shown] of [
      ['waits', null, 'Berth automatic'],
      ['upkeep', null, 'Berth automatic'],
      ['Screen Door of Baltic', 7, 'Door of Baltic screen'],
      ['npm run user', null, 'npm run user command'],
      ['Example ID', null, 'Example ID sign-in provider'],
      ['invitation', null, 'Link in an invitation automatic'],
      ['mail answer', null, 'Answer by mail automatic'],
    ] as const) {
      const id = await note({ actor_type: 'system', actor_name, actor_id })
      await list()
      expect(browser.words).to.include(`${shown} `)
      await browser.open(`/dashboard/audit-log/${id}`)
      expect(browser.words).to.include(`Who ${shown} Everything they changed`)
    }
  })

  it('can be searched by actor, resource, id and day', async () => {
    await note({ resource_id: 1 })
    await note({ resource_id: 2, actor_type: 'admin', actor_name: 'ada@example.com' })
    await note({ resource_id: 3, action: 'users.import', actor_type: 'system', actor_name: 'npm run seed' })
    await note({ resource_id: 4, action: 'bookings.create', resource: 'bookings', actor_name: 'Kiosk 2' })
    await note({
      resource_id: 5,
      action: 'bookings.delete',
      resource: 'bookings',
      at: '2026-01-31T23:59:59Z',
    })
    const cases: Array<[Record<string, string>, number[]]> = [
      [{}, [4, 3, 2, 1, 5]],
      [{ by: 'token' }, [4, 1, 5]],
      [{ by: 'system' }, [3]],
      [{ name: 'kiosk' }, [4, 1, 5]],
      [{ name: 'EXAMPLE ada' }, [2]],
      [{ name: 'ada', by: 'token' }, []],
      [{ name: '%' }, []],
      [{ what: 'users' }, [3, 2, 1]],
      [{ what: 'users.edit' }, [2, 1]],
      [{ what: 'bookings.create', name: 'kiosk' }, [4]],
      [{ what: 'bookings', by: 'token', name: '2' }, [4]],
      [{ what: 'nothing.done' }, []],
      [{ id: '2' }, [2]],
      [{ id: '5', what: 'bookings' }, [5]],
      [{ id: '5', what: 'bookings.create' }, []],
      [{ id: '2', name: 'kiosk' }, []],
      [{ to: '2026-01-31' }, [5]],
      [{ to: '2026-01-30' }, []],
      [{ from: '2026-01-31', to: '2026-01-31', what: 'bookings', by: 'token' }, [5]],
      [{ from: '2026-02-01', what: 'bookings' }, [4]],
    ]
    for (const [query, ids] of cases) {
      const { status } = await list(query)
      expect(status, JSON.stringify(query)).to.equal(200)
      expect(shown(), JSON.stringify(query)).to.deep.equal(ids)
    }
    await list({ what: 'nothing.done' })
    expect(browser.words).to.include('No matching entries')
    const wrong: Array<Record<string, string>> = [
      { by: 'nobody' },
      { id: 'x' },
      { from: 'then' },
      { before: '-1' },
    ]
    await list({ id: 'Desk 5', by: 'token' })
    expect(browser.words).to.include('ID must be a whole number')
    expect([shown(), browser.page.text.includes('value="Desk 5"')]).to.deep.equal([[4, 1, 5], true])
    // Creates more entries than other tests do.
    const tokyo = []
    for (let number = 1; number <= 2; number++)
      tokyo.push(await createBuilding(world.database, { timezone: 'Asia/Tokyo' }))
    await list({ from: '2026-02-01', what: 'bookings' })
    expect([shown(), browser.words.includes('in the time zone Asia/Tokyo')]).to.deep.equal([[4, 5], true])
    await world.database('buildings').whereIn('id', tokyo).delete()
    for (const query of wrong) {
      expect((await list(query)).status, JSON.stringify(query)).to.equal(422)
    }
  })

  it('groups actions in the filter, and shows the code in each entry', async () => {
    const id = await note({ action: 'bookings.delete', resource: 'bookings', resource_id: 5 })
    await note({ action: 'ghosts.call', resource: 'ghosts', resource_id: 6 })
    await list()
    expect(browser.page.text)
      .to.include('<span title="bookings.delete 5">')
      .and.include('<span title="ghosts.call 6">')
      .and.match(
        /<optgroup label="Bookings"><option value="bookings">Bookings: anything<\/option><option value="bookings.delete">Cancelled a booking<\/option><\/optgroup>/,
      )
    await list({ what: 'bookings.delete' })
    expect(browser.page.text).to.include('<option value="bookings.delete" selected>')
    await browser.open(`/dashboard/audit-log/${id}`)
    expect(browser.words).to.include('Cancelled a booking 5').and.include('bookings.delete')
  })

  it('offers shortcuts for the most common date ranges', async () => {
    await list({ what: 'users' })
    await browser.follow('Yesterday')
    const { path } = browser.page
    const [, yesterday = expect.fail(path)] = /from=(\d{4}-\d\d-\d\d)/.exec(path) ?? []
    expect(path).to.include(`to=${yesterday}`).and.include('what=users')
    const noonOf = (days: number) =>
      new Date(Date.parse(`${yesterday}T12:00:00Z`) + days * 86_400_000).toISOString()
    for (const days of [-1, 0, 1]) await note({ resource_id: days + 2, at: noonOf(days) })
    await browser.open(path)
    expect(shown()).to.deep.equal([2])
    expect(browser.page.text).to.match(/aria-current="true">Yesterday</)
  })

  it('is split into pages, even if many entries have the same time', async () => {
    const rows = [...Array(120).keys()].map((resource_id) => ({
      ...entry,
      resource_id,
      at: '2026-11-01T00:00:00Z',
    }))
    await world.database('audit_log').insert(rows)
    for (const query of [{}, { name: 'kiosk' }, { what: 'users.edit' }]) {
      await list(query as Record<string, string>)
      const seen = shown()
      for (let page = 2; page <= 3; page++) {
        await browser.follow('Older')
        seen.push(...shown())
      }
      expect(seen).to.deep.equal([...Array(120).keys()].reverse())
      expect(browser.words).to.not.include('Older')
      await browser.follow('Newest')
      expect(shown()[0]).to.equal(119)
    }
    await list({})
    await browser.follow('Older')
    await browser.submit('Search', { name: 'kiosk' })
    expect(shown()[0], 'a new search begins at the newest').to.equal(119)
  })

  it('shows values of every type, and what was created or deleted', async () => {
    const made = await note({
      after: JSON.stringify({ name: '', tags: ['a'], n: 1, is: null }),
      resource_id: 7,
    })
    await browser.open(`/dashboard/audit-log/${made}`)
    expect(browser.words)
      .to.include('name changed – empty')
      .and.include('n changed – 1')
      .and.include('is changed – null')
    const odd = await note({
      action: 'users.delete',
      before: JSON.stringify([1, 2]),
      after: null,
      resource_id: 7,
    })
    await browser.open(`/dashboard/audit-log/${odd}`)
    expect(browser.words).to.include('value changed [ 1, 2 ] –').and.not.include('Open')
    await browser.open(`/dashboard/audit-log/${await note()}`)
    expect(browser.words).to.include('No previous or new values')
    expect((await browser.open('/dashboard/audit-log/999999')).status).to.equal(404)
  })

  it('escapes hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      const row = { actor_name: text, action: text, resource: text, request_id: text }
      const change = { before: JSON.stringify({ [text]: text }), after: JSON.stringify({ [text]: [text] }) }
      const id = await note({ ...row, ...change, resource_id: 1 })
      expectHarmless((await browser.open(`/dashboard/audit-log/${id}`)).text, text)
      expectHarmless((await list({ name: text, what: text })).text, text)
    }
  })
})

describe('searching a long audit log', function suite() {
  this.timeout(120_000)
  const ROWS = 200_000
  const pool = usePool(useDatabase())
  before(async () => {
    // Nearly all entries have the same actor and one of two actions; a few have others.
    await pool.query(`
      INSERT INTO audit_log (at, actor_type, actor_name, action, resource, resource_id, request_id)
      SELECT '2026-01-01'::timestamptz + n * interval '1 minute',
        CASE WHEN n % 20000 = 7 THEN 'admin' WHEN n = 3 THEN 'system' ELSE 'token' END,
        CASE WHEN n % 20000 = 7 THEN 'ada@example.com' WHEN n = 3 THEN 'seed'
          WHEN n % 1000 = 5 THEN 'Display ' || n / 1000 ELSE 'Kiosk' END,
        CASE WHEN n % 50000 = 9 THEN 'buildings.update' WHEN n % 2 = 0 THEN 'bookings.create' ELSE 'bookings.update' END,
        CASE WHEN n % 50000 = 9 THEN 'buildings' ELSE 'bookings' END, n / 2, 'r' || n
      FROM generate_series(1, ${ROWS}) AS n`)
    // Samples all rows: with a random sample the plans could differ from run to run.
    await pool.query('ALTER TABLE audit_log ALTER COLUMN request_id SET STATISTICS 1000')
    await pool.query('VACUUM ANALYZE audit_log')
  })

  const searches: Record<string, Parameters<typeof searchAuditLog>[1]> = {
    everything: {},
    'a page far back': { before: 1_000 },
    'one kind of actor': { actorType: 'system' },
    'many actors': { actorType: 'token' },
    'a rare actor': { actor: 'ada' },
    'a frequent actor': { actor: 'kiosk' },
    'an actor without entries': { actor: 'nobody' },
    'a frequent action': { actions: ['bookings.create'] },
    'a rare action': { actions: ['buildings.update'] },
    'a rare action of a frequent actor': { actor: 'kiosk', actions: ['buildings.update'] },
    'an action that a rare actor never did': { actor: 'ada', actions: ['buildings.update'] },
    'one resource': { resource: 'bookings', resourceId: 5_000 },
    'an id of any resource': { resourceId: 5_000 },
    'a day long ago': { from: '2026-01-02T00:00:00Z', to: '2026-01-03T00:00:00Z' },
    'a rare actor long ago': { actor: 'ada', to: '2026-01-30T00:00:00Z' },
  }
  for (const [what, search] of Object.entries(searches)) {
    it(`does not read the whole log for ${what}`, async () => {
      const read: number[] = []
      const explaining = {
        async query(asked: string | { text: string; values: unknown[] }, given: unknown[] = []) {
          const { text, values } = typeof asked === 'string' ? { text: asked, values: given } : asked
          const { rows } = await pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values)
          const plan = rows[0]['QUERY PLAN'][0].Plan
          read.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'])
          expect(JSON.stringify(plan), text).to.not.match(/"Seq Scan"[^}]*"audit_log"/)
          return pool.query(text, values)
        },
      } as unknown as pg.Pool
      const known = await listActions(explaining)
      expect(known).to.deep.equal(['bookings.create', 'bookings.update', 'buildings.update'])
      const found = await searchAuditLog(explaining, search, { known, limit: 51 })
      expect(found.length).to.be.at.most(51)
      const blocks = read.reduce((sum, each) => sum + each, 0)
      // The table has about four thousand blocks, and its indexes together have as many.
      expect(blocks, `blocks read: ${read}`).to.be.below(2_500)
    })
  }
})
