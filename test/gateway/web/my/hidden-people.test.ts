// Tests that no page, search, sum or sort order reveals anything about a hidden person, and that no SQL statement of a
// page could.
import { expect } from 'chai'
import pg from 'pg'
import { limitPool } from '../../../../gateway/reads/limits/person-pool.ts'
import { COLLEAGUE_TABLES } from '../../../../gateway/reads/limits/personal-limits.ts'
import type { Visibility } from '../../../../shared/people/people.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createEvent,
  createGroup,
  createHold,
  createLoan,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { signInAs } from '../../../support/people/person.ts'
import { createPersonalToken } from '../../../support/personal-tokens.ts'
import { eventually } from '../../../support/time.ts'
import { useWith } from '../../../support/use.ts'
import { useWorld } from '../../../support/world.ts'

// Values that appear in no other id or text.
const ID = 987_654_321
const MARK = 'Verborgen'
const EMAIL = 'hedda.verborgen@example.com'
// Data that is never shown to colleagues.
const PRIVATE_VALUES = ['Gast', 'gast@', 'Notiz', 'HH-V', 'verborgen.upn']

// Tables that are the same for everybody, and say nothing about people.
const SHARED_TABLES = [
  'bookable_codes',
  'bookables',
  'buildings',
  'changed_user_texts',
  'figured_locations',
  'identity',
  'locations',
  'webhook_position',
  'migrations',
  'migrations_lock',
]

describe('a person who hides from colleagues', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  const pool = useWith(
    world,
    () => new pg.Pool({ connectionString: world.databaseUrl, max: 1 }),
    (opened) => opened.end(),
  )
  let [near, far, group, desk] = [0, 0, 0, 0]
  const now = () => ({ from: hoursFromNow(-0.01), to: hoursFromNow(0.01) })

  before(async () => {
    const { database } = world
    near = await createUser(database, { name: 'Nora Nah' })
    far = await createUser(database, { name: 'Fred Fern' })
    group = await createGroup(database, { name: 'Design' })
    const own = await createGroup(database, { name: `Team ${MARK}` })
    await database.raw(
      `INSERT INTO users (id, name, email, upn) OVERRIDING SYSTEM VALUE VALUES (?, ?, ?, 'verborgen.upn')`,
      [ID, `Hedda ${MARK}`, EMAIL],
    )
    await database('group_members').insert([
      ...[near, ID].map((user_id) => ({ group_id: group, user_id })),
      { group_id: own, user_id: ID },
    ])
    for (const user_id of [near, far])
      await database('favourite_colleagues').insert({ user_id, colleague_id: ID })
    await database('favourite_colleagues').insert({ user_id: ID, colleague_id: far })
    const vehicle_id = await createVehicle(database, { user_id: ID, license_plate: 'HH-V 1' })
    desk = await createBookable(database, { name: 'Bow' })
    const guest = {
      guest_name: `Gast ${MARK}`,
      guest_email: 'gast@example.com',
      booking_info: `Notiz ${MARK}`,
    }
    await createBooking(database, {
      user_id: ID,
      bookable_id: desk,
      ...now(),
      vehicle_id,
      license_plate: 'HH-V 1',
    })
    await createBooking(database, { user_id: ID, ...now(), ...guest })
    await createHold(database, { user_id: ID, from: hoursFromNow(30), to: hoursFromNow(31), ...guest })
    const during = database.raw('tstzrange(?, ?)', [hoursFromNow(50), hoursFromNow(51)])
    await database('waits').insert({ user_id: ID, bookable_id: desk, during })
    const event = await createEvent(database, { organizer_user_id: ID, name: `Treffen ${MARK}`, ...now() })
    await database('event_attendees').insert({ event_id: event, user_id: ID })
    await createBooking(database, { event_id: event, ...now() })
    await database('bookable_assignees').insert({ bookable_id: await createBookable(database), user_id: ID })
    await database('calendars').insert({ user_id: ID, hash: Buffer.from(MARK) })
    await database('provisioned_users').insert({ user_id: ID, family_name: MARK })
    await database('user_texts')
      .insert({ user_id: ID, text: `hedda ${MARK}`.toLowerCase() })
      .onConflict('user_id')
      .merge()
    for (const table of ['person_sessions', 'sign_in_links'])
      await database(table).insert({ user_id: ID, hash: Buffer.from(MARK), expires_at: hoursFromNow(1) })
    await createAbsence(database, { user_id: ID, days: '[2031-03-03,2031-03-05)' })
    await createLoan(database, {
      bookable_id: await createBookable(database),
      user_id: ID,
      days: '[2031-03-03,2031-03-05)',
    })
    await database('group_leads').insert({ group_id: group, user_id: ID })
    await database('user_pictures').insert({
      user_id: ID,
      source: 'provider',
      provider_url: 'https://a.example',
    })
    const subscription = { endpoint: `https://push.example/${MARK}`, p256dh: 'key', auth: 'secret' }
    await database('push_subscriptions').insert({
      ...subscription,
      user_id: ID,
      session_hash: Buffer.from(MARK),
    })
    await database('pushes').insert({ kind: 'changed', user_id: ID, next_at: null })
    await database('pushed_bookings').insert({ user_id: ID, booking_id: 1 })
    // Fills the audit log, the changes, a refusal, and cancelled bookings.
    const booked = {
      user_id: ID,
      ...(await placeOf(desk)),
      from_time: hoursFromNow(50),
      to_time: hoursFromNow(51),
    }
    const made = await admin.ask('bookings.create', { ...booked, ...guest })
    await admin.ask('bookings.create', booked)
    await admin.ask('bookings.delete', { id: made.json.data[0].id })
  })

  const placeOf = async (id: number) => ({
    bookable_id: id,
    location_id: (await world.database('bookables').where({ id }).first()).location_id as number,
  })
  const choose = (visibility: Visibility) =>
    world.database('person_settings').insert({ user_id: ID, visibility }).onConflict('user_id').merge()

  const PAGES = [
    '/my',
    '/my/people',
    '/my/people?q=Hedda',
    `/my/people?q=${EMAIL}`,
    `/my/people/${ID}`,
    '/my/book',
  ]

  for (const visibility of ['everybody', 'groups', 'nobody'] as const)
    for (const relation of ['same group', 'other group', 'signed out'] as const) {
      const isSeen =
        relation === 'same group'
          ? visibility !== 'nobody'
          : relation === 'other group' && visibility === 'everybody'
      it(`${isSeen ? 'is seen' : 'is not seen'} (${visibility}; viewer: ${relation})`, async () => {
        await choose(visibility)
        const viewer = relation === 'same group' ? near : far
        const browser = relation === 'signed out' ? new Browser(world.url) : await signInAs(world, viewer)
        for (const path of PAGES) {
          await browser.open(path)
          if (browser.page.status === 404 && path === '/my/book') continue
          const { text } = browser.page
          for (const each of PRIVATE_VALUES) expect(text, path).to.not.include(each)
          // Removes the search words that the search field shows.
          const shown = text.replaceAll(/ value="[^"]*"/g, '').replaceAll(/(href|action)="[^"]*"/g, '')
          if (path === '/my/book' && isSeen) continue
          expect(shown.includes(MARK), `${path} ${shown.length}`).to.equal(isSeen)
          if (!isSeen) expect(shown, path).to.not.include(EMAIL)
        }
      })
    }

  it('does not appear in API responses to a colleague’s personal token, or in a colleague’s calendar', async () => {
    const client = new Client(world.url, await createPersonalToken(world.database, near))
    const calendar = await (await world.client()).post('calendars', { user_id: near })
    const feed = await fetch(calendar.json.data.url)
    expect(feed.status).to.equal(200)
    for (const visibility of ['everybody', 'nobody'] as const) {
      await choose(visibility)
      expect(await (await fetch(calendar.json.data.url)).text()).to.not.include(MARK)
      for (const path of ['bookings', 'users', 'groups', 'events', 'booking-requests', `users/${ID}`, 'me']) {
        const { text } = await client.get(path)
        expect(text, path).to.not.include(MARK).and.not.include(String(ID))
      }
    }
  })

  it('appears as a guest with an e-mail address in a meeting with a colleague', async () => {
    const event = await createEvent(world.database, { organizer_user_id: near, name: 'Planning', ...now() })
    await world.database('event_attendees').insert({ event_id: event, user_id: ID })
    const browser = await signInAs(world, near)
    for (const [visibility, who] of [
      ['everybody', `Hedda ${MARK} Remove`],
      ['nobody', `${EMAIL} guest Remove`],
    ] as const) {
      await choose(visibility)
      await browser.open(`/my/meetings/${event}`)
      expect(browser.words).to.include(who)
      expect(browser.page.text.includes(String(ID)), 'the id of the person').to.equal(
        visibility === 'everybody',
      )
    }
    expect(browser.words).to.not.include(MARK)
    await browser.submit('Remove')
    const left = await world.database('event_attendees').where({ event_id: event }).pluck('user_id')
    expect(left).to.deep.equal([near])
  })

  it('does not change the totals and the order of lists that colleagues see', async () => {
    await choose('nobody')
    const browser = await signInAs(world, near)
    const read = async () => {
      const seen: string[] = []
      for (const path of ['/my', '/my/people', '/my/people?q=e']) {
        await browser.open(path)
        seen.push(browser.words)
      }
      return seen
    }
    const before = await read()
    await createBooking(world.database, { user_id: ID, ...now() })
    await world
      .database('users')
      .where({ id: ID })
      .update({ name: `Aaron ${MARK}` })
    expect(await read()).to.deep.equal(before)
    await world
      .database('users')
      .where({ id: ID })
      .update({ name: `Hedda ${MARK}` })
  })

  it('is visible in the dashboard to administrators and the front desk', async () => {
    await choose('nobody')
    for (const role of ['administrator', 'front-desk'] as const) {
      const browser = await createSignedIn(world, `${role}@example.com`, role)
      await browser.open(`/dashboard/people/${ID}`)
      expect(browser.words, role).to.include(MARK)
    }
  })

  it('appears in no table row that a person’s page can read with any SQL statement', async () => {
    await choose('nobody')
    const tables = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
    )
    const names = tables.rows.map(({ name }) => name)
    // Workers store refused bookings a moment after they answer.
    await eventually(async () =>
      expect((await pool.query('SELECT FROM refused_bookings')).rowCount).to.be.above(0),
    )
    expect([...COLLEAGUE_TABLES, ...SHARED_TABLES]).to.include.members(names)
    const marks = `(row::text ILIKE '%${MARK}%' OR row::text LIKE '%${ID}%' OR row::text LIKE '%HH-V%')`
    const limited = limitPool(pool, near)
    const planted: string[] = []
    for (const name of names.filter((each) => !SHARED_TABLES.includes(each))) {
      const text = `SELECT row::text AS found FROM ${name} AS row WHERE ${marks}`
      if ((await pool.query(text)).rows.length > 0) planted.push(name)
      const { rows } = await limited.query<{ found: string }>(text)
      // A person may read their own favourites, but pages omit favourites who are hidden.
      if (name !== 'favourite_colleagues') expect(rows, name).to.deep.equal([])
    }
    expect(planted).to.include.members([
      'absences',
      'audit_log',
      'bookable_assignees',
      'bookings',
      'calendars',
      'cancelled_bookings',
      'changes',
      'event_attendees',
      'events',
      'group_leads',
      'group_members',
      'groups',
      'holds',
      'loans',
      'person_sessions',
      'person_settings',
      'provisioned_users',
      'push_subscriptions',
      'pushed_bookings',
      'pushes',
      'refused_bookings',
      'sign_in_links',
      'user_pictures',
      'user_texts',
      'users',
      'vehicles',
      'waits',
    ])
  })
})
