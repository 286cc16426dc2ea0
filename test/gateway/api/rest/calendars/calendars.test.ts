// Tests calendars at secret addresses: their content, who may read them, and when they end.
import { expect } from 'chai'
import type { Knex } from 'knex'
import {
  ABILITIES,
  createToken,
  generateToken,
  hashToken,
  rotateToken,
} from '../../../../../shared/tokens/token-store.ts'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import {
  createBooking,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { type Component, parseCalendar } from './parse-icalendar.ts'
import { hasPython, readWithPython } from './python-icalendar.ts'

type CalendarSubject = ({ user_id: number } | { bookable_id: number } | { location_id: number }) & {
  names?: string
}

describe('calendar feeds', () => {
  const lines: string[] = []
  const world = useWorld({
    workers: ['writes', 'imports'],
    environment: {
      FAILED_SIGN_INS_PER_MINUTE: '1000',
      RATE_LIMIT_PER_MINUTE: '100000',
      WRITE_WAIT_MS: '60000',
      KEEPALIVE_AFTER_MS: '600000',
    },
    onLog: (line) => lines.push(line),
  })
  const client = useClient(world)
  const admin = useAdmin(world)
  let stranger: Client
  before(() => {
    stranger = new Client(world.url)
  })

  const create = async (subject: CalendarSubject, headers = {}) => {
    const { status, json, text } = await client.post('calendars', subject, headers)
    expect(status, text).to.equal(200)
    return json.data as { id: number; url: string }
  }
  const pathOf = ({ url }: { url: string }) => new URL(url).pathname
  const read = async (calendar: { url: string }) => {
    const { status, text } = await stranger.get(pathOf(calendar))
    expect(status, text).to.equal(200)
    return parseCalendar(text)
  }
  const entriesOf = ({ components }: Component) =>
    components.map(({ properties }) => Object.fromEntries(properties) as Record<string, string>)
  const entryOf = async (calendar: { url: string }, kind: string, id: number) =>
    entriesOf(await read(calendar)).find(({ UID }) => UID?.startsWith(`${kind}-${id}@`))
  const seconds = (instant: string) => `${instant.slice(0, 19)}.000Z`

  it('show the bookings of a user at an address that needs no token', async () => {
    const desk = await createDesk(world.database, { name: 'Desk; 7, by the window' })
    const calendar = await create({ user_id: desk.user_id })
    const span = { from_time: hoursFromNow(1), to_time: hoursFromNow(3) }
    const booked = (await client.post('bookings', { ...desk, ...span })).json.data[0]
    const answer = await stranger.get(pathOf(calendar))
    expect(answer.headers.get('Content-Type')).to.equal('text/calendar; charset=utf-8')
    expect(answer.headers.get('Content-Disposition')).to.equal('attachment; filename="calendar.ics"')
    expect(answer.headers.get('Cache-Control')).to.equal('private, no-cache')
    expect(answer.headers.get('RateLimit-Policy')).to.equal('default;q=60;w=60')
    const [entry, ...more] = entriesOf(parseCalendar(answer.text))
    expect(more).to.deep.equal([])
    const { id: database } = await world.database('identity').first('id')
    expect(entry).to.include({
      UID: `booking-${booked.id}@${database}.berth`,
      SUMMARY: 'Desk; 7, by the window',
      DTSTART: seconds(span.from_time),
      DTEND: seconds(span.to_time),
      STATUS: 'CONFIRMED',
      SEQUENCE: '0',
      TRANSP: 'TRANSPARENT',
    })
    expect(entry?.LOCATION).to.match(/^Desk; 7, by the window, Floor \d+, Building \d+, 1 Quay Street$/)
  })

  it('follow the setting `names` of their place, and never name people who are hidden or have left', async () => {
    const { database } = world
    const location_id = await createLocation(database)
    const inPlace = () => createDesk(database, { location_id, name: 'Bow' })
    const ada = await createUser(database, { name: 'Ada Byron' })
    const hedda = await createUser(database, { name: 'Hedda Verborgen' })
    const leo = await createUser(database, { name: 'Leo Leaver', deactivated_at: new Date() })
    await database('person_settings').insert({ user_id: hedda, visibility: 'nobody' })
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const expected: Array<[kind: string, id: number, full: string, initials: string]> = []
    for (const [user_id, guest_name, full, initials] of [
      [ada, null, 'Ada Byron', 'AB'],
      [ada, 'Gus Guest', 'Gus Guest', 'Taken'],
      [hedda, null, 'Taken', 'Taken'],
      [hedda, 'Gus Guest', 'Taken', 'Taken'],
      [leo, null, 'Taken', 'Taken'],
      [leo, 'Gus Guest', 'Gus Guest', 'Taken'],
    ] as const) {
      const { bookable_id } = await inPlace()
      const id = await createBooking(database, { ...times, bookable_id, user_id, guest_name })
      expected.push(['booking', id, `Bow: ${full}`, `Bow: ${initials}`])
    }
    for (const [organizer_user_id, classification, full, initials] of [
      [ada, 3, 'Planning', 'Bow: AB'],
      [ada, 1, 'Private event', 'Bow: Taken'],
      [hedda, 3, 'Bow: Taken', 'Bow: Taken'],
      [leo, 3, 'Planning', 'Bow: Taken'],
    ] as const) {
      const { bookable_id } = await inPlace()
      const event = { ...times, organizer_user_id, classification, name: 'Planning', description: 'Agenda' }
      const id = await createEvent(database, event)
      await createBooking(database, { ...times, bookable_id, event_id: id })
      expected.push(['event', id, full, initials])
    }
    const calendars = {
      full: await create({ location_id }),
      initials: await create({ location_id, names: 'initials' }),
      none: await create({ location_id, names: 'none' }),
    }
    for (const [names, calendar] of Object.entries(calendars)) {
      const text = (await stranger.get(pathOf(calendar))).text
      expect(text).to.not.match(/Hedda|Verborgen|Leo/)
      if (names !== 'full') expect(text).to.not.match(/Ada|Byron|Guest|Planning|Agenda/)
      for (const [kind, id, full, initials] of expected) {
        const summary = { full, initials, none: 'Bow: Taken' }[names]
        expect((await entryOf(calendar, kind, id))?.SUMMARY, `${names} ${kind}`).to.equal(summary)
      }
    }
    const listed = (await client.get(`calendars?location_id=${location_id}`)).json.data
    expect(listed.map((each: { names: string }) => each.names)).to.deep.equal(['full', 'initials', 'none'])
    const ofUser = await client.post('calendars', { user_id: ada, names: 'none' })
    expect(ofUser.json.errors.names).to.deep.equal([
      'names is allowed only for the calendar of a bookable or a location.',
    ])
  })

  it('give each change a higher SEQUENCE, and mark cancelled bookings as cancelled', async () => {
    const desk = await createDesk(world.database)
    const ofUser = await create({ user_id: desk.user_id })
    const ofDesk = await create({ bookable_id: desk.bookable_id })
    const booked = (
      await client.post('bookings', { ...desk, from_time: hoursFromNow(1), to_time: hoursFromNow(2) })
    ).json.data[0]
    let sequence = -1
    const expectChange = async (expected: Record<string, string>) => {
      const [one, other] = [
        await entryOf(ofUser, 'booking', booked.id),
        await entryOf(ofDesk, 'booking', booked.id),
      ]
      expect(one).to.include(expected)
      expect(other).to.include(expected)
      expect(other?.SEQUENCE).to.equal(one?.SEQUENCE)
      expect(Number(one?.SEQUENCE)).to.be.greaterThan(sequence)
      sequence = Number(one?.SEQUENCE)
    }
    await expectChange({ STATUS: 'CONFIRMED', DTEND: seconds(hoursFromNow(2)) })
    // Both changes are in the same second, because the sequence must not come from a clock.
    for (const hours of [3, 4, 5]) {
      const changed = await client.patch(`bookings/${booked.id}`, { to_time: hoursFromNow(hours) })
      expect(changed.status).to.equal(200)
      await expectChange({ STATUS: 'CONFIRMED', DTEND: seconds(hoursFromNow(hours)) })
    }
    expect((await client.delete(`bookings/${booked.id}`)).status).to.equal(204)
    await expectChange({ STATUS: 'CANCELLED', DTEND: seconds(hoursFromNow(5)) })
  })

  it('show an event to its attendees and rooms until they are removed from the event', async () => {
    const { database } = world
    const location_id = await createLocation(database)
    const [room, other] = [
      await createDesk(database, { type: 2, location_id }),
      await createDesk(database, { type: 2, location_id }),
    ]
    const [organizer, guest] = [
      await createUser(database, { name: 'Ada, Countess' }),
      await createUser(database),
    ]
    const calendars = {
      organizer: await create({ user_id: organizer }),
      guest: await create({ user_id: guest }),
      room: await create({ bookable_id: room.bookable_id }),
      other: await create({ bookable_id: other.bookable_id }),
      location: await create({ location_id }),
    }
    const attendees = (...rooms: number[]) => [
      { type: 'user', id: String(guest) },
      ...rooms.map((id) => ({ type: 'bookable', id: String(id) })),
    ]
    const meeting = {
      name: 'Planning\\2027',
      description: 'Bring: plans,\nand cake;',
      from_time: hoursFromNow(1),
      to_time: hoursFromNow(2),
      organizer_user_id: organizer,
    }
    const { id } = (
      await client.post('events', { ...meeting, attendees: attendees(room.bookable_id, other.bookable_id) })
    ).json.data
    const states = async () =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(calendars).map(async ([name, calendar]) => {
            const entry = await entryOf(calendar, 'event', id)
            return [name, entry && [entry.STATUS, Number(entry.SEQUENCE)]] as const
          }),
        ),
      )
    const all = (status: string, sequence: number) =>
      Object.fromEntries(Object.keys(calendars).map((name) => [name, [status, sequence]]))
    expect(await states()).to.deep.equal(all('CONFIRMED', 0))
    const entry = await entryOf(calendars.location, 'event', id)
    expect(entry).to.include({
      SUMMARY: 'Planning\\2027',
      DESCRIPTION: 'Bring: plans,\nand cake;\n\nOrganizer: Ada, Countess',
      TRANSP: 'OPAQUE',
    })
    await client.put(`events/${id}`, { ...meeting, attendees: attendees(room.bookable_id) })
    expect(await states()).to.deep.equal({ ...all('CONFIRMED', 2), other: ['CANCELLED', 3] })
    await client.put(`events/${id}`, {
      ...meeting,
      attendees: attendees(room.bookable_id, other.bookable_id),
    })
    expect(await states()).to.deep.equal(all('CONFIRMED', 4))
    expect((await client.delete(`events/${id}`)).status).to.equal(204)
    expect(await states()).to.deep.equal(all('CANCELLED', 7))
  })

  it('leave out a room that was released because nobody checked in', async () => {
    const { database } = world
    const location_id = await createLocation(database, { name: 'Third floor' })
    const room = await createDesk(database, { type: 2, location_id, name: 'Lagoon' })
    const other = await createDesk(database, { type: 2, location_id, name: 'Atoll' })
    const organizer_user_id = await createUser(database)
    const times = { from: hoursFromNow(-0.5), to: hoursFromNow(1) }
    const event_id = await createEvent(database, { organizer_user_id, ...times })
    const claim = { event_id, ...times }
    await createBooking(database, {
      ...claim,
      bookable_id: room.bookable_id,
      released_at: hoursFromNow(-0.25),
    })
    const calendar = await create({ user_id: organizer_user_id })
    const placeOf = async () => (await entryOf(calendar, 'event', event_id))?.LOCATION ?? null
    expect(await placeOf()).to.equal(null)
    await createBooking(database, { ...claim, bookable_id: other.bookable_id })
    expect(await placeOf())
      .to.include('Atoll')
      .and.include('Third floor')
      .and.not.include('Lagoon')
  })

  it('show who has booked a place, but no private details and no e-mail addresses', async () => {
    const { database } = world
    const desk = await createDesk(database, { name: 'Room 1', type: 2 })
    const ada = await createUser(database, { name: 'Ada', email: 'ada.calendar@example.com' })
    const { bookable_id, location_id } = desk
    await createBooking(database, { bookable_id, user_id: ada, from: hoursFromNow(1), to: hoursFromNow(2) })
    await createBooking(database, {
      bookable_id,
      user_id: ada,
      from: hoursFromNow(2),
      to: hoursFromNow(3),
      guest_name: 'Grace',
      guest_email: 'grace@example.com',
    })
    const secret = { name: 'Layoffs', description: 'Who goes', classification: 1, organizer_user_id: ada }
    const event_id = await createEvent(database, { ...secret, from: hoursFromNow(3), to: hoursFromNow(4) })
    await createBooking(database, { bookable_id, event_id, from: hoursFromNow(3), to: hoursFromNow(4) })
    for (const subject of [{ bookable_id }, { location_id }]) {
      const { text } = await stranger.get(pathOf(await create(subject)))
      const summaries = entriesOf(parseCalendar(text)).map(({ SUMMARY }) => SUMMARY)
      expect(summaries).to.deep.equal(['Room 1: Ada', 'Room 1: Grace', 'Private event'])
      expect(text).to.not.match(/Layoffs|Who goes|@example/)
    }
    const own = await entryOf(await create({ user_id: ada }), 'event', event_id)
    expect(own).to.include({ SUMMARY: 'Layoffs', CLASS: 'PRIVATE' })
  })

  it('cover one year back and one year ahead, and give open-ended bookings an end', async () => {
    const { database } = world
    const desk = await createDesk(database)
    const book = (from: number, to: number | null) =>
      createBooking(database, {
        bookable_id: desk.bookable_id,
        user_id: desk.user_id,
        from: hoursFromNow(from),
        to: to === null ? null : hoursFromNow(to),
      })
    const year = 365 * 24
    await book(-year - 48, -year - 47)
    const shown = [await book(-year + 48, -year + 49), await book(year - 49, year - 48)]
    const open = await book(year - 47, null)
    const calendar = await create({ bookable_id: desk.bookable_id })
    const entries = entriesOf(await read(calendar))
    expect(entries.map(({ UID }) => Number(/\d+/.exec(UID ?? '')))).to.deep.equal([...shown, open])
    expect(entries.at(-1)).to.include({ DESCRIPTION: 'Open-ended.' })
    expect(Date.parse(entries.at(-1)?.DTEND ?? '')).to.be.greaterThan(Date.now() + 10 * year * 3_600_000)
  })

  it('give an end after the start to a booking that ended within its first second', async () => {
    const { bookable_id, user_id } = await createDesk(world.database)
    const calendar = await create({ user_id })
    const hour = hoursFromNow(1).slice(0, 14)
    const span = { from: `${hour}59:59.250Z`, to: `${hour}59:59.750Z` }
    const id = await createBooking(world.database, { bookable_id, user_id, ...span })
    const entry = await entryOf(calendar, 'booking', id)
    expect(Date.parse(entry?.DTEND ?? '') - Date.parse(entry?.DTSTART ?? '')).to.equal(1_000)
    if (!hasPython()) return
    const { text } = await stranger.get(pathOf(calendar))
    const [read] = readWithPython(text).events
    expect(Date.parse(read?.to ?? '') - Date.parse(read?.from ?? '')).to.equal(1_000)
  })

  it('answer 304 if the client has the current version, and are compressed if the client asks', async () => {
    const { database } = world
    const desk = await createDesk(database)
    for (const hour of [1, 2, 3, 4])
      await createBooking(database, {
        bookable_id: desk.bookable_id,
        user_id: desk.user_id,
        from: hoursFromNow(hour),
        to: hoursFromNow(hour + 1),
      })
    const path = pathOf(await create({ user_id: desk.user_id }))
    const first = await stranger.get(path, { 'Accept-Encoding': 'br' })
    expect(first.headers.get('Content-Encoding')).to.equal('br')
    parseCalendar(first.text)
    const known = { 'If-None-Match': first.headers.get('ETag') ?? '' }
    expect((await stranger.get(path, known)).status).to.equal(304)
    await client.patch(`bookings/${await anyBooking(database, desk.user_id)}`, { to_time: hoursFromNow(1.5) })
    expect((await stranger.get(path, known)).status).to.equal(200)
  })

  const anyBooking = async (database: Knex, user_id: number) =>
    (await database('bookings').where({ user_id }).orderBy('id').first('id')).id

  it('are listed without their addresses, which appear only in the answer to their creation', async () => {
    const { user_id } = await createDesk(world.database)
    const [calendar, again] = [await create({ user_id }), await create({ user_id })]
    const listed = (await client.get(`calendars?user_id=${user_id}`)).json.data
    expect(listed.map(({ id }: { id: number }) => id)).to.deep.equal([calendar.id, again.id])
    expect(listed[0]).to.have.all.keys('id', 'user_id', 'bookable_id', 'location_id', 'names', 'created_at')
    const secret = /calendar_\w+/.exec(calendar.url)?.[0] ?? expect.fail('no secret')
    const { rows } = await world.database.raw('SELECT hash FROM calendars WHERE id = ? AND hash = ?', [
      calendar.id,
      hashToken(secret),
    ])
    expect(rows).to.have.length(1)
    for (const table of ['idempotency_keys', 'audit_log', 'calendars', 'changes']) {
      const kept = JSON.stringify(await world.database(table).select())
      expect(kept, table).to.not.include(secret)
    }
  })

  it('cover only the buildings of the limited token that created them, and never a user', async () => {
    const { database } = world
    const [here, there] = [await createDesk(database), await createDesk(database)]
    const { building_id } = await database('locations').where({ id: here.location_id }).first()
    const { token } = await createToken(database, {
      name: 'limited',
      abilities: ['webhook-write', 'read'],
      createdBy: 'test',
      buildingIds: [building_id],
    })
    const limited = new Client(world.url, token)
    const elsewhere = await create({ bookable_id: there.bookable_id })
    await create({ user_id: here.user_id })
    const own = await limited.post('calendars', { bookable_id: here.bookable_id })
    expect(own.status, own.text).to.equal(200)
    const listed = (await limited.get('calendars')).json.data
    expect(listed.map(({ id }: { id: number }) => id)).to.deep.equal([own.json.data.id])
    for (const subject of [{ user_id: here.user_id }, { location_id: there.location_id }])
      expect((await limited.post('calendars', subject)).status).to.equal(422)
    expect((await limited.delete(`calendars/${elsewhere.id}`)).status).to.equal(404)
    expect((await limited.delete(`calendars/${own.json.data.id}`)).status).to.equal(204)
    await read(elsewhere)
  })

  it('never write their secret addresses to the log', async () => {
    const { user_id } = await createDesk(world.database)
    const calendar = await create({ user_id })
    await read(calendar)
    await client.delete(`calendars/${calendar.id}`)
    expect((await stranger.get(pathOf(calendar))).status).to.equal(404)
    const secret = /calendar_\w+/.exec(calendar.url)?.[0] ?? expect.fail('no secret')
    await eventually(() => expect(lines.join('\n')).to.include('/calendars/{secret}.ics'))
    expect(lines.join('\n')).to.not.include(secret.slice(0, 30))
  })

  it('limit the rate of reads for each address, and of unknown addresses for each network', async () => {
    const { user_id } = await createDesk(world.database)
    const [one, other] = [await create({ user_id }), await create({ user_id })]
    const answers = await Promise.all(Array.from({ length: 70 }, () => stranger.get(pathOf(one))))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).to.be.within(1, 10)
    expect(refused[0]?.json.code).to.equal('rate_limited')
    expect(Number(refused[0]?.headers.get('Retry-After'))).to.be.within(1, 60)
    expect((await stranger.get(pathOf(other))).status).to.equal(200)
    const { url } = await world.startGateway({ FAILED_SIGN_INS_PER_MINUTE: '3' })
    const guesser = new Client(url)
    const guesses = await Promise.all(Array.from({ length: 9 }, () => guesser.get('calendars/guess.ics')))
    expect(guesses.map(({ status }) => status)).to.include(429)
    expect((await guesser.get(pathOf(other))).status).to.equal(200)
  })

  it('are streamed if they are long, with the same content', async () => {
    const { bookable_id, user_id } = await createDesk(world.database, { type: 3 })
    await world.database.raw(
      `INSERT INTO bookings (bookable_id, user_id, during, exclusive)
       SELECT ?, ?, tstzrange(start, start + interval '1 hour'), false
       FROM generate_series(1, 6000) AS number, LATERAL (SELECT now() + number * interval '1 minute') AS starts (start)`,
      [bookable_id, user_id],
    )
    const answer = await stranger.get(pathOf(await create({ bookable_id })), { 'Accept-Encoding': 'gzip' })
    expect(answer.headers.get('Content-Encoding')).to.equal('gzip')
    expect(answer.headers.get('ETag')).to.equal(null)
    expect(parseCalendar(answer.text).components).to.have.length(6_000)
  })

  it('keep their address when their creation is repeated with the same idempotency key', async () => {
    const { user_id } = await createDesk(world.database)
    const headers = { 'Idempotency-Key': 'calendar-of-ada' }
    const first = await create({ user_id }, headers)
    const repeated = await client.post('calendars', { user_id }, { 'Idempotency-Key': '"calendar-of-ada"' })
    expect(repeated.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(repeated.json.data).to.deep.equal(first)
    await read(first)
    const other = await client.post('calendars', { user_id: 1 }, headers)
    expect(other.json.code).to.equal('idempotency_key_reused')
  })

  it('keep their address with a new secret of the token, and with another letter case of Bearer', async () => {
    const { database } = world
    const { user_id } = await createDesk(database)
    const { id, token } = await createToken(database, {
      name: 'rotated',
      abilities: [...ABILITIES],
      createdBy: 'test',
    })
    const rotated = (await rotateToken(database, id, 3_600)) ?? expect.fail('not rotated')
    const ask = (Authorization: string) =>
      stranger.post('calendars', { user_id }, { Authorization, 'Idempotency-Key': 'rotated' })
    const first = await ask(`Bearer ${token}`)
    expect(first.status, first.text).to.equal(200)
    for (const repeat of [`Bearer ${rotated}`, `bearer ${rotated}`, `BEARER ${token}`])
      expect((await ask(repeat)).text, repeat).to.equal(first.text)
  })

  it('never reuse an address, even if its idempotency key is reused after a day', async () => {
    const { user_id } = await createDesk(world.database)
    const headers = { 'Idempotency-Key': 'every-day' }
    const first = await create({ user_id }, headers)
    expect((await client.delete(`calendars/${first.id}`)).status).to.equal(204)
    await world
      .database('idempotency_keys')
      .where({ key: 'every-day' })
      .update({ created_at: world.database.raw("now() - interval '24 hours 1 second'") })
    const second = await create({ user_id }, headers)
    expect(second.url).to.not.equal(first.url)
    expect((await stranger.get(pathOf(first))).status).to.equal(404)
    await read(second)
  })

  it('work with a secret that a gateway of the previous release created', async () => {
    const { user_id } = await createDesk(world.database)
    const secret = generateToken('calendar')
    const hash = hashToken(secret).toString('hex')
    expect((await admin.ask('calendars.create', { user_id, hash })).status).to.equal(200)
    await read({ url: `${world.url}/api/v1/calendars/${secret}.ics` })
  })

  it('answer 404 once they are revoked, like any unknown address', async () => {
    const { user_id } = await createDesk(world.database)
    const calendar = await create({ user_id })
    expect((await client.delete(`calendars/${calendar.id}`)).status).to.equal(204)
    expect((await client.delete(`calendars/${calendar.id}`)).status).to.equal(404)
    const made = pathOf(calendar)
    const paths = [
      made,
      made.replace('.ics', 'x.ics'),
      '/api/v1/calendars/1.ics',
      '/api/v1/calendars/%00.ics',
    ]
    for (const path of paths) {
      const { status, json } = await stranger.get(path)
      expect(status, path).to.equal(404)
      expect(json, path).to.include({ code: 'not_found', detail: 'There is no calendar at this address.' })
    }
  })

  it('end permanently when an import deactivates their user, even if the user is restored later', async () => {
    const { database } = world
    const email = 'leaving@example.com'
    const user_id = await createUser(database, { email })
    const calendar = await create({ user_id })
    await read(calendar)
    const staying = await database('users')
      .whereNot({ id: user_id })
      .whereNull('deactivated_at')
      .pluck('email')
    const left = await client.import(`email\n${staying.join('\n')}`, { deactivate: 'true' })
    expect(left.json.deleted).to.equal(1)
    expect((await stranger.get(pathOf(calendar))).status).to.equal(404)
    expect((await client.import(`email\n${email}`, { restore: 'true' })).json.updated).to.deep.equal([2])
    expect((await stranger.get(pathOf(calendar))).status).to.equal(404)
    expect(await database('calendars').where({ user_id })).to.deep.equal([])
  })

  it('end when their user is deactivated or erased, or when their bookable is deleted', async () => {
    const { database } = world
    const [one, two, three] = [
      await createDesk(database),
      await createDesk(database),
      await createDesk(database),
    ]
    const calendars = [
      await create({ user_id: one.user_id }),
      await create({ user_id: two.user_id }),
      await create({ bookable_id: three.bookable_id }),
    ]
    await database('users').where({ id: one.user_id }).update({ deactivated_at: new Date() })
    await database('users').where({ id: two.user_id }).delete()
    await database('bookables').where({ id: three.bookable_id }).update({ deleted_at: new Date() })
    for (const calendar of calendars) expect((await stranger.get(pathOf(calendar))).status).to.equal(404)
  })

  it('belong to an existing user, bookable or place, which has at most ten of them', async () => {
    const { user_id, bookable_id } = await createDesk(world.database)
    const none = await client.post('calendars', {})
    expect(none.status).to.equal(422)
    expect(none.json.errors).to.have.all.keys('user_id', 'bookable_id', 'location_id')
    expect((await client.post('calendars', { user_id, bookable_id })).status).to.equal(422)
    expect((await client.post('calendars', { location_id: 999_999 })).json.errors).to.deep.equal({
      location_id: ['There is no location with this id.'],
    })
    const made = await Promise.all(
      Array.from({ length: 12 }, () => client.post('calendars', { user_id, bookable_id: null })),
    )
    expect(made.map(({ status }) => status).sort()).to.deep.equal([...Array(10).fill(200), 422, 422])
  })

  it('are read correctly by python3-icalendar', async function python() {
    if (!hasPython()) this.skip()
    const { database } = world
    const desk = await createDesk(database, { name: `Büro “Straße”; ${'漢'.repeat(40)}, 7\\8` })
    const from = hoursFromNow(1)
    const id = await createBooking(database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      from,
      to: hoursFromNow(2),
    })
    const event = await createEvent(database, {
      organizer_user_id: desk.user_id,
      from,
      to: hoursFromNow(2),
      description: '1\n2,3;4',
      status: 2,
    })
    const { text } = await stranger.get(pathOf(await create({ user_id: desk.user_id })))
    const { name, version, events } = readWithPython(text)
    expect(version).to.equal('2.0')
    expect(name).to.match(/^User \d+$/)
    expect(events.flatMap(({ errors }) => errors)).to.deep.equal([])
    const [booked, met] = events
    expect(booked).to.include({ status: 'CONFIRMED', summary: `Büro “Straße”; ${'漢'.repeat(40)}, 7\\8` })
    expect(booked?.uid).to.match(new RegExp(`^booking-${id}@`))
    expect(new Date(booked?.from ?? '').toISOString()).to.equal(from)
    expect(met).to.include({ status: 'CANCELLED', transparency: 'TRANSPARENT' })
    expect(met?.uid).to.match(new RegExp(`^event-${event}@`))
    expect(met?.description).to.match(/^1\n2,3;4\n\nOrganizer: User \d+$/)
  })
})
