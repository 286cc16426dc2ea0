// Tests what Berth does with meetings in the calendars of their organizers when a provider fails.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createLog } from '../../../shared/utilities/log.ts'
import { startHooks } from '../../../workers/hooks/hooks.ts'
import type { TestRequest } from '../../support/calendars/http.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../support/factories.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'
import { createSettings, OPEN_WORLDS } from './engine-world.ts'
import { ROOM, ZONE } from './provider-worlds.ts'

const WAIT_MS = promised(20_000)
const OLGA = 'olga@corp.test'
const PETE = 'pete@corp.test'
const SECOND_ROOM = 'balcony@rooms.test'
const date = new Date(Date.now() + 2 * 24 * 3_600_000).toISOString().slice(0, 10)
const at = (time: string) => `${date}T${time}:00.000000Z`

const OTHER = { microsoft: 'google', google: 'microsoft' } as const

const REFUSALS = {
  microsoft: {
    status: 403,
    body: { error: { code: 'ErrorAccessDenied', message: 'Access is denied.' } },
  },
  google: {
    status: 401,
    body: { error: 'unauthorized_client', error_description: 'Client is unauthorized.' },
  },
}

const toGraphTimes = (from: string, to: string) => {
  const [start, end] = [from, to].map((each) => ({
    dateTime: `${each.slice(0, 19)}.0000000`,
    timeZone: 'UTC',
  }))
  return { start, end }
}
const toGoogleTimes = (from: string, to: string) => ({ start: { dateTime: from }, end: { dateTime: to } })

/** Requests to the calendar of Olga. */
const isOlgas = ({ url }: TestRequest) => decodeURIComponent(url.pathname).includes(OLGA)
const isCreation = (request: TestRequest) => isOlgas(request) && request.method === 'POST'

function describeFaults(name: string, providerName: 'microsoft' | 'google') {
  describe(`a fault of the calendar of an organizer: ${name}`, function suite() {
    this.timeout(180_000)
    const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '1000000' } })
    const client = useClient(world)
    let calendar: Awaited<ReturnType<(typeof OPEN_WORLDS)['microsoft' | 'google']>>
    let other: typeof calendar
    let hooks: Awaited<ReturnType<typeof startHooks>>
    let room: number
    let olga: number

    beforeEach(async () => {
      calendar = await OPEN_WORLDS[providerName]()
      for (const person of [OLGA, PETE]) calendar.server.addPerson(person)
      const { database } = world
      await database('users')
        .whereIn('email', [OLGA, PETE, 'nobody@corp.test', 'former@corp.test'])
        .update({ email: database.raw("'old-' || id || '@corp.test'") })
      olga = await createUser(database, { email: OLGA, name: 'Olga' })
      room = await addRoom(ROOM)
      other = await OPEN_WORLDS[OTHER[providerName]]()
      const calendars = {
        ...createSettings(calendar, { pollSeconds: 1 }),
        [other.provider.name]: createSettings(other)[OTHER[providerName]],
        usesOrganizerMailboxes: true,
      }
      const google = providerName === 'google' ? calendar : other
      hooks = await startHooks({ ...world.config, calendars }, createLog('hooks', 'silent'), {
        calendars: { googleUrl: google.proxy.url },
      })
    })
    afterEach(async () => {
      await hooks.stop()
      for (const table of ['room_calendars', 'organizer_entries', 'events'])
        await world.database(table).delete()
      await calendar.close()
      await other.close()
    })

    async function addRoom(address: string, provider = providerName) {
      const building_id = await createBuilding(world.database, { timezone: ZONE })
      const location_id = await createLocation(world.database, { building_id })
      const id = await createBookable(world.database, { location_id, type: 2, name: address })
      await world.database('room_calendars').insert({ bookable_id: id, provider, calendar: address })
      return id
    }
    async function book(from: string, to: string, organizer = olga, places = [room]) {
      const { json, text, status } = await client.post('events', {
        name: 'Planning',
        organizer_user_id: organizer,
        from_time: at(from),
        to_time: at(to),
        attendees: places.map((id) => ({ type: 'bookable', id: String(id) })),
      })
      expect(status, text).to.equal(200)
      return json.data.id as number
    }
    async function move(id: number, from: string, to: string) {
      const { status, text } = await client.patch(`events/${id}`, { from_time: at(from), to_time: at(to) })
      expect(status, text).to.equal(200)
    }
    /** Waits, and lets Berth try again at once what has failed. */
    const waitFor = (check: () => unknown) =>
      eventually(async () => {
        await world.database('room_calendars').update({ retry_at: null, next_write_at: new Date(0) })
        await world.database('calendar_entries').update({ next_write_at: null })
        await check()
      }, WAIT_MS)
    const starts = (address: string, { server } = calendar) =>
      server
        .listEvents(address)
        .map(
          ({ fields }) => /T(\d\d:\d\d)/.exec(String((fields.start as { dateTime: string }).dateTime))?.[1],
        )
        .sort()
    /** Waits until the calendars of Olga and the room have meetings that begin at these times. */
    const shown = (...times: string[]) =>
      waitFor(() => {
        for (const each of [OLGA, ROOM]) expect(starts(each), each).to.deep.equal(times)
      })
    const link = () => world.database('room_calendars').where({ bookable_id: room }).first()
    const rows = () => world.database('calendar_entries').where({ bookable_id: room })
    /** The hours at which the bookings of the room begin. */
    const hours = async () =>
      (await world.database('bookings').where({ bookable_id: room }).orderByRaw('lower(during)'))
        .filter(({ released_at }) => released_at === null)
        .map(({ during }) => /(\d\d):\d\d/.exec(JSON.stringify(during))?.[1])
    /** Keeps this process from working on these rooms, as if another process had leased them. */
    const hold = (...rooms: number[]) =>
      world
        .database('room_calendars')
        .whereIn('bookable_id', rooms)
        .update({ lease: randomUUID(), leased_until: new Date(Date.now() + 3_600_000) })
    const release = (...rooms: number[]) =>
      world
        .database('room_calendars')
        .whereIn('bookable_id', rooms)
        .update({ lease: null, next_read_at: new Date(0), next_write_at: new Date(0) })

    it('leaves one meeting, which follows once Berth may write to that calendar again', async () => {
      const id = await book('09:00', '10:00')
      await shown('09:00')
      const isRefused = (request: TestRequest) => isOlgas(request) || request.url.pathname === '/token'
      calendar.proxy.faults.push({ matches: isRefused, isLasting: true, answer: REFUSALS[providerName] })
      await move(id, '11:00', '12:00')
      const getFault = async () => (providerName === 'google' ? await link() : (await rows())[0]).fault
      await eventually(async () => expect(await getFault()).not.to.equal(null), WAIT_MS)
      calendar.proxy.faults.splice(0)
      await shown('11:00')
      expect(await world.database('organizer_entries').pluck('is_missing')).to.deep.equal([false])
    })

    it('does not hold up the meetings of others in the room', async () => {
      calendar.proxy.faults.push({ matches: isOlgas, isLasting: true, answer: { status: 429 } })
      await book('09:00', '10:00')
      await eventually(async () => expect(await rows().whereNotNull('fault')).to.have.length(1), WAIT_MS)
      expect((await link()).fault).to.equal(null)
      await book('11:00', '12:00', await createUser(world.database, { email: 'nobody@corp.test' }))
      await eventually(() => expect(starts(ROOM)).to.deep.equal(['11:00']), WAIT_MS)
      calendar.proxy.faults.splice(0)
      await waitFor(() => expect(starts(ROOM)).to.deep.equal(['09:00', '11:00']))
      expect((await link()).fault).to.equal(null)
    })

    it('ends the round of the room once three calendars do not answer', async () => {
      const people = ['pete', 'rita', 'sven'].map((name) => `${name}@corp.test`)
      const isOf = ({ url }: TestRequest) =>
        people.some((email) => decodeURIComponent(url.pathname).includes(email))
      calendar.proxy.faults.push({ matches: isOf, isLasting: true, answer: { status: 503 } })
      for (const [index, email] of people.entries()) {
        calendar.server.addPerson(email)
        await book(`1${index}:00`, `1${index}:30`, await createUser(world.database, { email }))
      }
      await waitFor(async () => expect((await link()).fault_kind).to.equal('unavailable'))
    })

    it('keeps no invitation back if the provider refuses the meeting', async () => {
      const answer = { status: 400, body: { error: { code: 'ErrorInvalid', message: 'Invalid.' } } }
      calendar.proxy.faults.push({ matches: isCreation, isLasting: true, answer })
      await book('09:00', '10:00')
      await eventually(async () => {
        expect(await rows().whereNotNull('fault')).to.have.length(1)
        expect(await world.database('organizer_entries').select('uid', 'people')).to.deep.equal([
          { uid: null, people: [] },
        ])
      }, WAIT_MS)
    })

    it('ends once the organizer has an address with a calendar', async () => {
      const organizer = await createUser(world.database, { email: 'nobody@corp.test' })
      const id = await book('09:00', '10:00', organizer)
      await waitFor(() => expect(starts(ROOM)).to.deep.equal(['09:00']))
      await world.database('users').where({ id: olga }).update({ email: 'former@corp.test' })
      await world.database('users').where({ id: organizer }).update({ email: OLGA })
      await shown('09:00')
      await move(id, '11:00', '12:00')
      await shown('11:00')
      expect(await world.database('organizer_entries').pluck('is_missing')).to.deep.equal([false])
    })

    it('holds up no room if the mailbox no longer exists, and Google gives no token for it', async () => {
      await book('09:00', '10:00')
      await shown('09:00')
      await eventually(async () => expect((await rows())[0]?.copy_id).not.to.equal(null), WAIT_MS)
      calendar.server.removePerson(OLGA)
      calendar.server.expireTokens()
      calendar.server.changeEvent(ROOM, (await rows())[0]?.copy_id, {})
      await calendar.addMeeting({ title: 'Visit', from: at('16:00'), to: at('17:00') })
      await eventually(async () => expect(await hours()).to.deep.equal(['09', '16']), WAIT_MS)
      await eventually(async () => expect(await link()).to.include({ fault: null, lease: null }), WAIT_MS)
    })

    it('concerns no room of the meeting at another provider, which has the meeting in its own calendar', async () => {
      const second = await addRoom(SECOND_ROOM, OTHER[providerName])
      const id = await book('09:00', '10:00', olga, [room, second])
      await shown('09:00')
      await waitFor(() => expect(starts(SECOND_ROOM, other)).to.deep.equal(['09:00']))
      await move(id, '11:00', '12:00')
      await shown('11:00')
      await waitFor(() => expect(starts(SECOND_ROOM, other)).to.deep.equal(['11:00']))
      expect(await world.database('calendar_entries')).to.have.length(2)
    })

    it('holds up no meeting that somebody else adds in the calendar of the room, and the change is read later', async () => {
      const id = await book('09:00', '10:00')
      await shown('09:00')
      await eventually(async () => expect((await rows())[0]?.copy_id).not.to.equal(null), WAIT_MS)
      const fault = { matches: isOlgas, isLasting: true, answer: { status: 503 } }
      calendar.proxy.faults.push(fault)
      const shift = providerName === 'google' ? toGoogleTimes : toGraphTimes
      const entry = calendar.server.listEvents(OLGA)[0]?.id ?? ''
      calendar.server.changeEvent(OLGA, entry, shift(at('13:00'), at('14:00')))
      await calendar.addMeeting({ title: 'Visit', from: at('16:00'), to: at('17:00') })
      await eventually(async () => expect(await hours()).to.deep.equal(['09', '16']), WAIT_MS)
      calendar.proxy.faults.splice(0)
      await eventually(async () => expect(await hours()).to.deep.equal(['13', '16']), WAIT_MS)
      // Reads the calendar from the beginning, without the copy of the entry.
      const links = world.database('room_calendars')
      await links.clone().update({ next_read_at: new Date(Date.now() + 3_600_000) })
      await eventually(async () => expect((await link()).lease).to.equal(null), WAIT_MS)
      calendar.proxy.faults.push(fault)
      calendar.server.deleteEvent(ROOM, (await rows().whereNotNull('key').first()).copy_id)
      const { reading } = await link()
      await links.clone().update({ position: null, period: null, next_read_at: new Date(0) })
      await eventually(
        async () =>
          expect(await link()).to.deep.include({ reading: reading + 1, is_complete: true, lease: null }),
        WAIT_MS,
      )
      expect(await hours()).to.deep.equal(['13', '16'])
      expect((await link()).fault).to.equal(null)
      calendar.proxy.faults.splice(0)
      await waitFor(async () => expect(await rows().where({ version: null })).to.deep.equal([]))
      expect(await hours()).to.deep.equal(['13', '16'])
      expect(starts(OLGA)).to.deep.equal(['13:00'])
      expect(await world.database('events').where({ id, status: 1 })).to.have.length(1)
    })

    it('does not occur if another room of the meeting changes the entry at the same time', async () => {
      const id = await book('09:00', '10:00')
      await shown('09:00')
      const second = await addRoom(SECOND_ROOM)
      const answer = {
        status: 412,
        body: { error: { code: 412, message: 'Precondition Failed', errors: [] } },
      }
      const isChange = (request: TestRequest) => isOlgas(request) && request.method === 'PATCH'
      calendar.proxy.faults.push({ matches: isChange, answer }, { matches: isChange, answer })
      const { status, text } = await client.patch(`events/${id}`, {
        attendees: [room, second].map((each) => ({ type: 'bookable', id: String(each) })),
      })
      expect(status, text).to.equal(200)
      await eventually(() => expect(starts(SECOND_ROOM)).to.deep.equal(['09:00']), WAIT_MS)
      expect(calendar.proxy.faults).to.deep.equal([])
      expect(await world.database('calendar_entries').where('failures', '>', 0)).to.deep.equal([])
    })

    it('does not occur if one room creates a deleted entry again before another room reads that it is gone', async () => {
      const second = await addRoom(SECOND_ROOM)
      const id = await book('09:00', '10:00', olga, [room, second])
      await shown('09:00')
      await waitFor(async () =>
        expect(await world.database('calendar_entries').whereNotNull('copy_id')).to.have.length(2),
      )
      await hold(room, second)
      await move(id, '11:00', '12:00')
      calendar.server.deleteEvent(OLGA, calendar.server.listEvents(OLGA)[0]?.id ?? '')
      await release(room)
      await waitFor(() => expect(starts(SECOND_ROOM)).to.deep.equal(['11:00']))
      await release(second)
      await waitFor(async () => {
        const entries = await world.database('calendar_entries').orderBy('bookable_id')
        expect(entries.map(({ bookable_id }) => bookable_id)).to.deep.equal([room, second].sort())
        expect(new Set(entries.map(({ key, entry_id }) => `${key} ${entry_id}`)).size).to.equal(1)
        for (const each of entries) {
          expect(each).to.include({ fault: null, conflict: null, pending_since: null })
          expect(Date.parse(each.base.from)).to.equal(Date.parse(at('11:00')))
        }
      })
      await shown('11:00')
      expect(await world.database('events').where({ status: 1 })).to.have.length(1)
    })

    it('does not occur if a room reads a meeting that another room has handed over, and the room stays invited', async () => {
      const second = await addRoom(SECOND_ROOM)
      const pete = await createUser(world.database, { email: PETE })
      const id = await book('09:00', '10:00')
      await shown('09:00')
      await waitFor(async () => expect((await rows())[0]?.copy_id).not.to.equal(null))
      await hold(room)
      const { status, text } = await client.patch(`events/${id}`, {
        organizer_user_id: pete,
        attendees: [room, second].map((each) => ({ type: 'bookable', id: String(each) })),
      })
      expect(status, text).to.equal(200)
      await waitFor(() => expect(starts(SECOND_ROOM)).to.deep.equal(['09:00']))
      const isChange = ({ method, url }: TestRequest) =>
        method === 'PATCH' && decodeURIComponent(url.pathname).includes(PETE)
      calendar.proxy.faults.push({ matches: isChange, isLasting: true, answer: { status: 503 } })
      await release(room)
      const entries = () => world.database('calendar_entries').orderBy('bookable_id')
      await waitFor(async () => {
        expect(starts(OLGA)).to.deep.equal([])
        expect(starts(ROOM)).to.deep.equal(['09:00'])
        const found = await entries()
        expect(found.map(({ bookable_id }) => bookable_id)).to.deep.equal([room, second].sort())
        expect(new Set(found.map(({ key, entry_id }) => `${key} ${entry_id}`)).size).to.equal(1)
        for (const each of found) expect(each).to.include({ failures: 0, fault: null, pending_since: null })
      })
      expect(calendar.proxy.requests.filter(isChange)).to.deep.equal([])
      expect((await link()).fault).to.equal(null)
      calendar.server.deleteEvent(PETE, calendar.server.listEvents(PETE)[0]?.id ?? '')
      await eventually(async () => {
        const { rows: held } = await world.database.raw(
          'SELECT FROM bookings WHERE event_id = ? AND released_at IS NULL',
          [id],
        )
        expect(held).to.have.length(0)
      }, WAIT_MS)
    })

    it('holds up no other meeting if somebody cancels a meeting whose creation never arrived', async () => {
      calendar.proxy.faults.push({ matches: isCreation, isLasting: true })
      const id = await book('09:00', '10:00')
      await waitFor(async () => expect(await rows().where('failures', '>', 0)).to.have.length(1))
      await client.delete(`events/${id}`)
      calendar.proxy.faults.splice(0)
      await book('11:00', '12:00')
      await shown('11:00')
      await waitFor(async () => {
        expect(await rows()).to.have.length(1)
        expect((await link()).fault).to.equal(null)
      })
    })
  })
}

describeFaults('Microsoft 365', 'microsoft')
describeFaults('Google Workspace', 'google')
