// Tests meetings that Berth writes to the calendars of their organizers, with a worker and the process of hooks, at the test
// servers of Microsoft 365 and Google.
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import type { GoogleServer } from '../../support/calendars/google-server.ts'
import type { GraphServer } from '../../support/calendars/graph-server.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../support/factories.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { createSettings, OPEN_WORLDS } from './engine-world.ts'
import { ROOM, ZONE } from './provider-worlds.ts'

const DAY_MS = 24 * 3_600_000
const WAIT_MS = promised(20_000)
const SECOND_ROOM = 'balcony@rooms.test'
const OLGA = 'olga@corp.test'
const PETE = 'pete@corp.test'
const GUEST = 'guest@else.test'

const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10)
const at = (time: string) => `${date}T${time}:00.000000Z`

type Shown = { id: string; title: string; from: string; to: string; attendees: string[] }

/** What the tests do in the calendars of people and rooms. */
type Edits = {
  list(calendar: string): Shown[]
  move(calendar: string, id: string, from: string, to: string): void
  /** Shows the copy of a meeting in the calendar of a room with these dates, as after its organizer has made it repeat. */
  repeat(room: string, dates: Array<[string, string]>): void
}

const graphTime = (instant: string) => ({ dateTime: `${instant.slice(0, 19)}.0000000`, timeZone: 'UTC' })
const toInstant = (text: string) => `${new Date(text).toISOString().slice(0, 19)}.000000Z`

const editGraph = (server: GraphServer): Edits => ({
  list: (calendar) =>
    server.listEvents(calendar).map(({ id, fields }) => ({
      id,
      title: String(fields.subject),
      from: toInstant(`${fields.start.dateTime.slice(0, 19)}Z`),
      to: toInstant(`${fields.end.dateTime.slice(0, 19)}Z`),
      attendees: ((fields.attendees ?? []) as Array<{ emailAddress: { address: string } }>)
        .map(({ emailAddress }) => emailAddress.address)
        .sort(),
    })),
  move: (calendar, id, from, to) =>
    server.changeEvent(calendar, id, { start: graphTime(from), end: graphTime(to) }),
  repeat(room, dates) {
    const [copy] = server.listEvents(room)
    if (!copy) throw new Error('The room has no copy')
    copy.type = 'seriesMaster'
    for (const [number, [from, to]] of dates.entries()) {
      const iCalUId = String(copy.fields.iCalUId).replace('E00800000000', `E00807EA0${number}0F`)
      const fields = { ...copy.fields, iCalUId, start: graphTime(from), end: graphTime(to) }
      server.addEvent(room, fields, { type: 'occurrence', seriesMasterId: copy.id })
    }
    server.changeEvent(room, copy.id, {})
  },
})

const editGoogle = (server: GoogleServer): Edits => ({
  list: (calendar) =>
    server.listEvents(calendar).map(({ id, fields }) => ({
      id,
      title: String(fields.summary),
      from: toInstant(fields.start.dateTime ?? ''),
      to: toInstant(fields.end.dateTime ?? ''),
      attendees: (fields.attendees ?? []).map(({ email }) => email).sort(),
    })),
  move: (calendar, id, from, to) =>
    server.changeEvent(calendar, id, { start: { dateTime: from }, end: { dateTime: to } }),
  repeat(room, dates) {
    const [copy] = server.listEvents(room)
    if (!copy) throw new Error('The room has no copy')
    for (const [number, [from, to]] of dates.entries()) {
      const times = { start: { dateTime: from }, end: { dateTime: to } }
      const fields = { ...copy.fields, ...times, iCalUID: `${copy.id}@google.com` }
      server.addEvent(room, fields, { id: `${copy.id}_${number}`, recurringEventId: copy.id })
    }
    // Google lists the dates only.
    server.changeEvent(room, copy.id, { status: 'cancelled' })
  },
})

function describeMailboxes(name: string, providerName: 'microsoft' | 'google') {
  describe(`the calendars of organizers: ${name}`, function suite() {
    this.timeout(180_000)
    const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const client = useClient(world)
    let calendar: Awaited<ReturnType<(typeof OPEN_WORLDS)['microsoft' | 'google']>>
    let edits: Edits
    let hooks: Awaited<ReturnType<typeof startHooks>> | undefined
    let rooms: number[]
    let olga: number

    const start = async (usesOrganizerMailboxes = true) => {
      const calendars = { ...createSettings(calendar, { pollSeconds: 1 }), usesOrganizerMailboxes }
      hooks = await startHooks({ ...world.config, calendars }, createLog('hooks', 'silent'), {
        calendars: providerName === 'google' ? { googleUrl: calendar.proxy.url } : {},
      })
    }

    beforeEach(async () => {
      calendar = await OPEN_WORLDS[providerName]()
      const { server } = calendar
      edits =
        providerName === 'microsoft' ? editGraph(server as GraphServer) : editGoogle(server as GoogleServer)
      for (const person of [OLGA, PETE]) server.addPerson(person)
      const { database } = world
      await database('users')
        .whereIn('email', [OLGA, PETE])
        .update({ email: database.raw("'old-' || id || '@corp.test'") })
      olga = await createUser(database, { email: OLGA, name: 'Olga' })
      const building_id = await createBuilding(database, { timezone: ZONE })
      const location_id = await createLocation(database, { building_id })
      rooms = []
      for (const address of [ROOM, SECOND_ROOM]) {
        const room = await createBookable(database, { location_id, type: 2, name: address })
        await database('room_calendars').insert({
          bookable_id: room,
          provider: providerName,
          calendar: address,
        })
        rooms.push(room)
      }
    })
    afterEach(async () => {
      await hooks?.stop()
      hooks = undefined
      await world.database('room_calendars').delete()
      await world.database('organizer_entries').delete()
      await world.database('events').delete()
      await calendar.close()
    })

    const attend = (ids: number[]) => ids.map((id) => ({ type: 'bookable', id: String(id) }))
    async function book(
      from: string,
      to: string,
      { places = [0], attendees = [] as object[], organizer = olga, query = '' } = {},
    ) {
      const { json, text, status } = await client.post(`events${query}`, {
        name: 'Planning',
        organizer_user_id: organizer,
        from_time: at(from),
        to_time: at(to),
        attendees: [...attend(places.map((place) => rooms[place] ?? 0)), ...attendees],
      })
      expect(status, text).to.equal(200)
      return json.data.id as number
    }
    const change = async (id: number, fields: object) => {
      const { status, text } = await client.patch(`events/${id}`, fields)
      expect(status, text).to.equal(200)
    }
    const times = (calendarId: string) => edits.list(calendarId).map(({ from, to }) => [from, to])
    const waitFor = (check: () => unknown) => eventually(async () => check(), WAIT_MS)
    /** Waits until each of these calendars has one meeting at these times, and the others have none. */
    const shown = (from: string, to: string, calendars: string[]) =>
      waitFor(() => {
        for (const each of [OLGA, PETE, ROOM, SECOND_ROOM])
          expect(times(each), each).to.deep.equal(calendars.includes(each) ? [[at(from), at(to)]] : [])
      })
    const claims = async () => {
      const { rows } = await world.database.raw(
        `SELECT bookings.bookable_id AS room, lower(bookings.during) AS start FROM bookings JOIN events ON events.id = event_id
         WHERE released_at IS NULL AND status = 1 AND bookings.bookable_id = ANY (?) ORDER BY start, room`,
        [rooms],
      )
      return rows.map(({ room, start: from }: { room: number; start: string }) => [
        rooms.indexOf(room),
        new Date(from).toISOString().slice(11, 16),
      ])
    }
    const held = (...expected: Array<[number, string]>) =>
      eventually(async () => expect(await claims()).to.deep.equal(expected), WAIT_MS)
    const countWrites = () =>
      calendar.proxy.requests.filter(
        ({ method, url }) =>
          method !== 'GET' &&
          !url.pathname.endsWith('/token') &&
          !/watch|channels|subscriptions/.test(url.pathname),
      ).length
    /** Waits until every calendar was read and compared twice, and checks that nothing was written meanwhile. */
    async function expectQuiet() {
      const read = async () => {
        const since = new Date()
        await world
          .database('room_calendars')
          .update({ next_read_at: new Date(0), next_write_at: new Date(0) })
        await eventually(async () => {
          for (const { read_at, in_step_at, lease } of await world.database('room_calendars')) {
            expect(Date.parse(read_at)).to.be.greaterThan(since.getTime())
            expect(Date.parse(in_step_at)).to.be.greaterThan(since.getTime())
            expect(lease).to.equal(null)
          }
        }, WAIT_MS)
      }
      await read()
      const before = countWrites()
      await read()
      await read()
      expect(countWrites(), 'writes').to.equal(before)
      expect(await world.database('calendar_entries').whereNotNull('conflict')).to.deep.equal([])
    }

    it('get the meetings of their owners with the room as a resource, and the copy in the room changes nothing', async () => {
      await start()
      await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      expect(edits.list(OLGA)[0]).to.deep.include({ title: 'Planning', attendees: [ROOM] })
      await expectQuiet()
      await held([0, '09:00'])
      expect(await world.database('events').where({ status: 1 })).to.have.length(1)
    })

    it('change nothing while the setting is off', async () => {
      await start(false)
      await book('09:00', '10:00')
      await shown('09:00', '10:00', [ROOM])
      expect(await world.database('organizer_entries')).to.deep.equal([])
    })

    it('follow a meeting that is moved and cancelled in Berth', async () => {
      await start()
      const id = await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      await change(id, { from_time: at('11:00'), to_time: at('12:00') })
      await shown('11:00', '12:00', [OLGA, ROOM])
      await expectQuiet()
      await client.delete(`events/${id}`)
      await shown('11:00', '12:00', [])
      await expectQuiet()
    })

    it('move and cancel the meeting in Berth when the organizer does', async () => {
      await start()
      await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      await expectQuiet()
      edits.move(OLGA, edits.list(OLGA)[0]?.id ?? '', at('13:00'), at('14:00'))
      await held([0, '13:00'])
      await expectQuiet()
      calendar.server.deleteEvent(OLGA, edits.list(OLGA)[0]?.id ?? '')
      await held()
      await shown('13:00', '14:00', [])
    })

    it('get the meeting back at its time when the organizer moves it to a time that is taken', async () => {
      await start()
      await book('13:00', '14:00', { organizer: await createUser(world.database) })
      await book('09:00', '10:00')
      await waitFor(() => expect(times(OLGA)).to.deep.equal([[at('09:00'), at('10:00')]]))
      await expectQuiet()
      edits.move(OLGA, edits.list(OLGA)[0]?.id ?? '', at('13:30'), at('14:30'))
      await waitFor(() => expect(times(OLGA)).to.deep.equal([[at('13:30'), at('14:30')]]))
      await waitFor(() => expect(times(OLGA)).to.deep.equal([[at('09:00'), at('10:00')]]))
      await held([0, '09:00'], [0, '13:00'])
    })

    it('have one entry for two rooms of a meeting, which lose and get rooms with it', async () => {
      await start()
      const id = await book('09:00', '10:00', { places: [0, 1] })
      await shown('09:00', '10:00', [OLGA, ROOM, SECOND_ROOM])
      await expectQuiet()
      await change(id, { from_time: at('11:00'), to_time: at('12:00') })
      await shown('11:00', '12:00', [OLGA, ROOM, SECOND_ROOM])
      await expectQuiet()
      await change(id, { attendees: attend([rooms[1] ?? 0]) })
      await shown('11:00', '12:00', [OLGA, SECOND_ROOM])
      await held([1, '11:00'])
      await change(id, { attendees: attend(rooms) })
      await shown('11:00', '12:00', [OLGA, ROOM, SECOND_ROOM])
      await expectQuiet()
      edits.move(OLGA, edits.list(OLGA)[0]?.id ?? '', at('15:00'), at('16:00'))
      await held([0, '15:00'], [1, '15:00'])
      await expectQuiet()
      calendar.server.deleteEvent(OLGA, edits.list(OLGA)[0]?.id ?? '')
      await held()
    })

    it('leave the meeting in the calendar of the room if the organizer has none, and follow a changed organizer', async () => {
      await start()
      const organizer = await createUser(world.database, { email: 'nobody@corp.test' })
      const id = await book('09:00', '10:00', { organizer })
      await shown('09:00', '10:00', [ROOM])
      await expectQuiet()
      await change(id, { organizer_user_id: olga })
      await shown('09:00', '10:00', [OLGA, ROOM])
      await expectQuiet()
      const pete = await createUser(world.database, { email: PETE })
      await change(id, { organizer_user_id: pete, attendees: attend(rooms) })
      await shown('09:00', '10:00', [PETE, ROOM, SECOND_ROOM])
      await expectQuiet()
      await change(id, { organizer_user_id: organizer, attendees: attend(rooms) })
      await shown('09:00', '10:00', [ROOM, SECOND_ROOM])
      await held([0, '09:00'], [1, '09:00'])
      await expectQuiet()
    })

    it('get one entry even if the answer to its creation is lost', async () => {
      calendar.proxy.faults.push({
        matches: ({ method, url }) => method === 'POST' && url.pathname.includes('olga'),
        isCarriedOut: true,
      })
      await start()
      await book('09:00', '10:00', { places: [0, 1] })
      await eventually(async () => {
        await world.database('room_calendars').update({ retry_at: null, next_write_at: new Date(0) })
        expect(await world.database('organizer_entries').whereNotNull('uid')).to.have.length(1)
      }, WAIT_MS)
      await shown('09:00', '10:00', [OLGA, ROOM, SECOND_ROOM])
      await held([0, '09:00'], [1, '09:00'])
      await expectQuiet()
      expect(await world.database('events').where({ status: 1 })).to.have.length(1)
    })

    it('keep a booking whose room declines the meeting, and show this as a fault until the meeting moves', async () => {
      await start()
      const id = await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      await expectQuiet()
      calendar.server.declineMeetings(ROOM)
      const faults = () => world.database('calendar_entries').whereNotNull('fault').pluck('fault')
      await waitFor(async () =>
        expect(JSON.stringify(await faults())).to.include('The mailbox of the room has declined'),
      )
      await shown('09:00', '10:00', [OLGA])
      await held([0, '09:00'])
      await change(id, { from_time: at('11:00'), to_time: at('12:00') })
      await shown('11:00', '12:00', [OLGA, ROOM])
      await waitFor(async () => expect(await faults()).to.deep.equal([]))
      await expectQuiet()
      await held([0, '11:00'])
    })

    it('decide the time of a meeting whose copy in the room lags behind', async () => {
      await start()
      const id = await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      await expectQuiet()
      calendar.server.delaysCopies = true
      for (const [from, to] of [
        ['11:00', '12:00'],
        ['15:00', '16:00'],
      ] as const) {
        await change(id, { from_time: at(from), to_time: at(to) })
        await waitFor(() => expect(times(OLGA)).to.deep.equal([[at(from), at(to)]]))
      }
      // The room's calendar still has the first time when it is read anew.
      await world.database('room_calendars').update({ position: null, period: null })
      await expectQuiet()
      await held([0, '15:00'])
      calendar.server.deliverCopies()
      await expectQuiet()
      await shown('15:00', '16:00', [OLGA, ROOM])
    })

    it('keep the text and the answers of people when Berth changes the meeting', async () => {
      await start()
      const gus = { type: 'visitor', email: GUEST, name: 'Gus' }
      const id = await book('09:00', '10:00', { attendees: [gus], query: '?invite=true' })
      await waitFor(() => expect(edits.list(OLGA)[0]?.attendees).to.deep.equal([ROOM, GUEST].sort()))
      await expectQuiet()
      const entryId = edits.list(OLGA)[0]?.id ?? ''
      const isGraph = providerName === 'microsoft'
      const answered = isGraph
        ? {
            emailAddress: { address: GUEST, name: 'Gus' },
            type: 'optional',
            status: { response: 'accepted' },
          }
        : { email: GUEST, optional: true, responseStatus: 'accepted', comment: 'I come by train' }
      const room = isGraph
        ? { emailAddress: { address: ROOM }, type: 'resource', status: { response: 'accepted' } }
        : { email: ROOM, resource: true, responseStatus: 'accepted' }
      const text = isGraph
        ? { body: { contentType: 'html', content: 'Join the video call' } }
        : { description: 'Join the video call' }
      const present: object[] = [answered, room]
      calendar.server.changeEvent(OLGA, entryId, { attendees: present, ...text })
      const fields = () => {
        const found = calendar.server.listEvents(OLGA).find((each) => each.id === entryId)?.fields
        return found as (Record<string, unknown> & { attendees: object[] }) | undefined
      }
      await expectQuiet()
      await change(id, { from_time: at('11:00'), to_time: at('12:00') })
      await waitFor(() => expect(times(OLGA)).to.deep.equal([[at('11:00'), at('12:00')]]))
      expect(fields()?.attendees).to.deep.equal(present)
      expect(fields()).to.deep.include(text)
      await expectQuiet()
      const ned = { type: 'visitor', email: 'ned@else.test', name: 'Ned' }
      await change(id, { attendees: [...attend([rooms[0] ?? 0]), gus, ned] })
      await waitFor(() => expect(edits.list(OLGA)[0]?.attendees).to.include('ned@else.test'))
      expect(fields()?.attendees).to.deep.include.members(present)
      expect(fields()).to.deep.include(text)
    })

    it('hold the room for every date when the organizer makes the meeting repeat', async () => {
      await start()
      await book('09:00', '10:00')
      await shown('09:00', '10:00', [OLGA, ROOM])
      await expectQuiet()
      const later = (time: string) => new Date(Date.parse(at(time)) + 7 * DAY_MS).toISOString()
      edits.repeat(ROOM, [
        [at('09:00'), at('10:00')],
        [later('11:00'), later('12:00')],
      ])
      await held([0, '09:00'], [0, '11:00'])
      await expectQuiet()
      await held([0, '09:00'], [0, '11:00'])
    })

    it('invite people only where the meeting does, and keep those whom the organizer has added', async () => {
      await start()
      const attendees = [{ type: 'visitor', email: GUEST, name: 'Gus' }]
      await book('07:00', '08:00', { attendees })
      const id = await book('09:00', '10:00', { attendees, query: '?invite=true' })
      await waitFor(() =>
        expect(edits.list(OLGA).map((each) => each.attendees)).to.have.deep.members([
          [ROOM],
          [ROOM, GUEST].sort(),
        ]),
      )
      const shownId = edits.list(OLGA).find((each) => each.attendees.length === 2)?.id ?? ''
      const added =
        providerName === 'microsoft'
          ? [ROOM, GUEST, 'new@corp.test'].map((address) => ({
              emailAddress: { address },
              type: address === ROOM ? 'resource' : 'required',
            }))
          : [ROOM, GUEST, 'new@corp.test'].map((email) => ({ email }))
      calendar.server.changeEvent(OLGA, shownId, { attendees: added })
      await change(id, { from_time: at('11:00'), to_time: at('12:00') })
      await waitFor(() =>
        expect(edits.list(OLGA).find((each) => each.id === shownId)).to.deep.include({
          from: at('11:00'),
          attendees: [ROOM, GUEST, 'new@corp.test'].sort(),
        }),
      )
      // Another room joins the meeting, and leaves it again, while the first room writes nothing.
      await waitFor(async () => {
        const first = world.database('room_calendars').where({ bookable_id: rooms[0] }).whereNull('lease')
        expect(await first.update({ retry_at: new Date(Date.now() + DAY_MS) })).to.equal(1)
      })
      for (const [places, more] of [
        [rooms, [SECOND_ROOM]],
        [rooms.slice(0, 1), []],
      ] as const) {
        await change(id, { attendees: [...attend([...places]), ...attendees] })
        await waitFor(() =>
          expect(edits.list(OLGA).find((each) => each.id === shownId)?.attendees).to.deep.equal(
            [ROOM, GUEST, 'new@corp.test', ...more].sort(),
          ),
        )
      }
    })
  })
}

describeMailboxes('Microsoft 365', 'microsoft')
describeMailboxes('Google Workspace', 'google')
