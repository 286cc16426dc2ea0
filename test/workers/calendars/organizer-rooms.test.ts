// Tests rooms that share the entry of a meeting in the calendar of its organizer. Each test sets the order in which the rooms read
// and write, and where a process ends.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { EVENT_STATUSES } from '../../../shared/events/events.ts'
import { IS_IN_STEP_SQL } from '../../../shared/room-calendars/room-calendars-shape.ts'
import { finishRound } from '../../../workers/calendars/engine/leases.ts'
import { readCalendar } from '../../../workers/calendars/reading/reading.ts'
import { writeCalendar } from '../../../workers/calendars/writing/write-calendar.ts'
import type { GraphServer } from '../../support/calendars/graph-server.ts'
import type { TestRequest } from '../../support/calendars/http.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { createUser } from '../../support/factories.ts'
import { openMicrosoft, ROOM } from './provider-worlds.ts'
import { addBooking, addEvent, createRoom, moveEvent, NOW_MS, type TestRoom } from './writing/room-of-test.ts'
import { openWriting, type WritingWorld } from './writing/writing-worlds.ts'

const BALCONY = 'balcony@rooms.test'
const OLGA = 'olga@corp.test'
const PETE = 'pete@corp.test'
const MORNING = '20T09:00 20T10:00'
const NOON = '20T12:00 20T13:00'

describe('rooms that share the entry of a meeting', function suite() {
  this.timeout(60_000)
  const database = useConnection(useDatabase())
  let world: WritingWorld
  let server: GraphServer
  let aquarium: TestRoom
  let balcony: TestRoom
  let olga: number

  beforeEach(async () => {
    world = await openWriting(database, async () => {
      const microsoft = await openMicrosoft()
      server = microsoft.server
      return microsoft
    })
    world.tools.settings.usesOrganizerMailboxes = true
    aquarium = world
    balcony = await createRoom(database, { provider: 'microsoft', calendarId: BALCONY, name: 'Balcony' })
    for (const person of [OLGA, PETE]) server.addPerson(person)
    olga = await createUser(database, { email: OLGA, name: 'Olga' })
  })
  afterEach(async () => {
    for (const table of ['calendar_entries', 'room_calendars', 'organizer_entries', 'bookings', 'events'])
      await database(table).delete()
    await database('users')
      .whereLike('email', '%@corp.test')
      .update({ email: database.raw("id || '@else.test'") })
    await world.close()
  })

  const read = ({ link }: TestRoom) => readCalendar(world.tools, link, world.provider)
  const write = ({ link }: TestRoom) => writeCalendar(world.tools, link)
  async function book(times: string, ...rooms: TestRoom[]) {
    const [first = aquarium, ...others] = rooms
    const id = await addEvent(database, first, times, { organizer_user_id: olga })
    for (const room of others) await addBooking(database, room, times, { event_id: id })
    return id
  }
  const release = (eventId: number, { bookableId }: TestRoom) =>
    database('bookings')
      .where({ event_id: eventId, bookable_id: bookableId })
      .update({ released_at: database.fn.now() })
  const rows = ({ bookableId }: TestRoom) =>
    database('calendar_entries').where({ bookable_id: bookableId }).orderBy('id')
  /** Changes that Berth has yet to apply to the bookings of the room, such as a removal that cancels one. */
  const pending = (room: TestRoom) => rows(room).whereNotNull('pending_since')
  /** The start of each meeting in a calendar, with the rooms and people that the meeting invites. */
  const list = (calendar: string) =>
    server
      .listEvents(calendar)
      .map(({ fields }) => [
        fields.start.dateTime.slice(11, 16),
        ...((fields.attendees ?? []) as Array<{ emailAddress: { address: string } }>)
          .map(({ emailAddress }) => emailAddress.address)
          .sort(),
      ])
  const countWrites = () => world.writes().length
  /** Deletes the link of a room. Afterwards, only the audit log names the calendar that the room had. */
  async function unlink({ bookableId, link }: TestRoom) {
    await database('room_calendars').where({ bookable_id: bookableId }).delete()
    await database('audit_log').insert({
      actor_type: 'system',
      actor_name: 'test',
      action: 'bookables.unlink-calendar',
      resource: 'bookables',
      resource_id: bookableId,
      before: JSON.stringify({ calendar: link.calendar.id }),
      request_id: 'unlink',
    })
  }

  it('stay booked and invited if their former entries overlap the meeting when Berth first writes it to the organizer', async () => {
    server.declinesOverlaps = true
    world.tools.settings.usesOrganizerMailboxes = false
    const id = await book(MORNING, aquarium, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    for (const room of [aquarium, balcony]) await read(room)
    await moveEvent(database, id, '20T09:30 20T10:30')
    world.tools.settings.usesOrganizerMailboxes = true
    await write(aquarium)
    for (const room of [balcony, aquarium]) await read(room)
    await write(balcony)
    for (const room of [aquarium, balcony]) await read(room)
    for (const room of [aquarium, balcony]) {
      await write(room)
      expect(await pending(room)).to.deep.equal([])
      expect(await rows(room)).to.have.length(1)
      expect(await rows(room).whereNotNull('fault')).to.deep.equal([])
      expect(server.listEvents(room.link.calendar.id)).to.have.length(1)
    }
    expect(list(OLGA)).to.deep.equal([['09:30', ROOM, BALCONY]])
  })

  it('stay booked, and their entry has a fault, if they decline at once', async () => {
    server.declinesOverlaps = true
    const times = { from: '2030-11-20T09:30:00Z', to: '2030-11-20T10:30:00Z' }
    await world.addMeeting({ title: 'Painting', ...times })
    await book(MORNING, aquarium)
    await write(aquarium)
    expect(JSON.stringify(await rows(aquarium).whereNotNull('fault').pluck('fault'))).to.include('declined')
    const before = countWrites()
    world.setNow(NOW_MS + 61 * 60_000)
    await write(aquarium)
    await read(aquarium)
    expect(countWrites()).to.equal(before)
    expect(await pending(aquarium).whereNotNull('key')).to.deep.equal([])
    expect(await rows(aquarium).whereNotNull('fault')).to.have.length(1)
  })

  it('count as in step after they decline a meeting, because only people can change that', async () => {
    server.declinesOverlaps = true
    const times = { from: '2030-11-20T09:30:00Z', to: '2030-11-20T10:30:00Z' }
    await world.addMeeting({ title: 'Painting', ...times })
    await book(MORNING, aquarium)
    await write(aquarium)
    expect(await rows(aquarium).whereNotNull('fault')).to.have.length(1)
    const link = database('room_calendars').where({ bookable_id: aquarium.bookableId })
    await link.clone().update({ next_write_at: null })
    await finishRound(database, aquarium.link, undefined)
    const found = await link.clone().select('in_step_at', database.raw(`${IS_IN_STEP_SQL} AS is_in_step`))
    expect(found[0]?.in_step_at).not.to.equal(null)
    expect(found[0]?.is_in_step).to.equal(true)
  })

  it('leave no entry if the process ends before it stores whom it invites, and somebody then cancels the meeting', async () => {
    const id = await book(MORNING, aquarium)
    await database.raw('ALTER TABLE organizer_entries ADD CONSTRAINT ends CHECK (false) NOT VALID')
    const ended = await write(aquarium).catch(() => 'ended')
    await database.raw('ALTER TABLE organizer_entries DROP CONSTRAINT ends')
    expect(ended).to.equal('ended')
    await database('events').where({ id }).update({ status: EVENT_STATUSES.cancelled })
    await release(id, aquarium)
    await write(aquarium)
    expect(await rows(aquarium)).to.deep.equal([])
    expect(list(OLGA)).to.deep.equal([])
  })

  it('keep the time that the meeting has in Berth if the process of a joining room ends after it stores the entry', async () => {
    const id = await book(MORNING, aquarium)
    await write(aquarium)
    await addBooking(database, balcony, MORNING, { event_id: id })
    await moveEvent(database, id, NOON)
    const { lease } = balcony.link
    // From then on, another process has leased the calendar.
    const end = ({ sql }: { sql: string }) => {
      if (sql.includes('SET entry_id =')) balcony.link.lease = randomUUID()
    }
    database.on('query', end)
    await write(balcony).catch(() => undefined)
    database.removeListener('query', end)
    balcony.link.lease = lease
    await read(balcony)
    expect(await pending(balcony)).to.deep.equal([])
    await write(balcony)
    expect(list(OLGA)).to.deep.equal([['12:00', ROOM, BALCONY].sort()])
  })

  it('follow the organizer to a new address', async () => {
    await book(MORNING, aquarium, balcony)
    await write(aquarium)
    await write(balcony)
    await database('users').where({ id: olga }).update({ email: PETE })
    await write(aquarium)
    await write(balcony)
    expect(list(OLGA)).to.deep.equal([])
    expect(list(PETE)).to.deep.equal([['09:00', ROOM, BALCONY]])
    const before = countWrites()
    await write(aquarium)
    await write(balcony)
    expect(countWrites()).to.equal(before)
  })

  it('do not include a room whose calendar hides titles', async () => {
    await database('room_calendars').where({ bookable_id: balcony.bookableId }).update({ names: 'none' })
    balcony.link.names = 'none'
    await book(MORNING, aquarium, balcony)
    await write(aquarium)
    await write(balcony)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM]])
    expect(server.listEvents(BALCONY).map(({ fields }) => fields.subject)).to.deep.equal(['Belegt'])
  })

  it('lose a room whose calendar begins to hide titles, and keep their entry', async () => {
    await book(MORNING, aquarium, balcony)
    await write(aquarium)
    await write(balcony)
    const [entry] = server.listEvents(OLGA)
    await database('room_calendars').where({ bookable_id: balcony.bookableId }).update({ names: 'none' })
    balcony.link.names = 'none'
    await write(balcony)
    await write(aquarium)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM]])
    expect(server.listEvents(OLGA)[0]?.id).to.equal(entry?.id)
    expect(server.listEvents(BALCONY).map(({ fields }) => fields.subject)).to.deep.equal(['Belegt'])
    await read(balcony)
    expect(await pending(balcony)).to.deep.equal([])
  })

  it('stay in the entry until they leave it themselves, so that the change of another room cancels no booking', async () => {
    await book(MORNING, aquarium, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    await database('room_calendars').where({ bookable_id: balcony.bookableId }).update({ names: 'none' })
    balcony.link.names = 'none'
    await write(aquarium)
    await read(balcony)
    expect(await pending(balcony)).to.deep.equal([])
    await write(balcony)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM]])
  })

  it('remove their entry if the meeting moves further ahead than Berth writes', async () => {
    const id = await book(MORNING, aquarium, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    for (const room of [aquarium, balcony]) await read(room)
    await database.raw(
      `UPDATE bookings SET during = tstzrange(lower(during) + interval '400 days', upper(during) + interval '400 days')
       WHERE event_id = ?`,
      [id],
    )
    for (const room of [aquarium, balcony]) await write(room)
    expect(list(OLGA)).to.deep.equal([])
  })

  it('remove an entry that they leave to another room if that room never joins, and keep it if that room joins', async () => {
    for (const isHandedOver of [true, false]) {
      const id = await book(isHandedOver ? MORNING : NOON, aquarium)
      await write(aquarium)
      const [entry] = server.listEvents(OLGA)
      await release(id, aquarium)
      await addBooking(database, balcony, isHandedOver ? MORNING : NOON, { event_id: id })
      await write(aquarium)
      await read(aquarium)
      const pete = isHandedOver && (await createUser(database, { email: PETE, name: 'Pete' }))
      if (pete) await database('events').where({ id }).update({ organizer_user_id: pete })
      await write(balcony)
      await database('calendar_entries').update({ next_write_at: null })
      await write(aquarium)
      expect(await rows(aquarium)).to.deep.equal([])
      expect(list(OLGA)).to.deep.equal(isHandedOver ? [] : [['12:00', BALCONY]])
      if (!isHandedOver) expect(server.listEvents(OLGA)[0]?.id).to.equal(entry?.id)
    }
  })

  it('report after ten minutes that they wait for another room of the meeting, and try less and less often', async () => {
    const id = await book(MORNING, aquarium)
    await write(aquarium)
    await release(id, aquarium)
    await addBooking(database, balcony, MORNING, { event_id: id })
    const pauses: number[] = []
    const faults: unknown[] = []
    let nowMs = NOW_MS
    for (let tries = 1; tries <= 16; tries++) {
      await write(aquarium)
      const [row] = await rows(aquarium)
      faults.push(row.fault)
      pauses.push((Date.parse(row.next_write_at) - nowMs) / 1_000)
      nowMs = Date.parse(row.next_write_at)
      world.setNow(nowMs)
    }
    expect(pauses).to.deep.equal(Array.from({ length: 16 }, (_each, index) => 5 * (index + 1)))
    const fault = faults.pop()
    expect(faults.filter((each) => each !== null)).to.deep.equal([])
    expect(JSON.stringify(fault)).to.include('another room of the meeting')
    await write(balcony)
    await write(aquarium)
    expect(await rows(aquarium)).to.deep.equal([])
    expect(list(OLGA)).to.deep.equal([['09:00', BALCONY]])
  })

  it('are not invited again because an address has capital letters', async () => {
    const id = await book(MORNING, aquarium)
    await write(aquarium)
    const [entry] = server.listEvents(OLGA)
    const attendees = [ROOM, 'Ned@Else.test'].map((address) => ({ emailAddress: { address } }))
    server.changeEvent(OLGA, entry?.id ?? '', { attendees })
    await read(aquarium)
    await addBooking(database, balcony, MORNING, { event_id: id })
    await write(balcony)
    const before = countWrites()
    await write(aquarium)
    expect(countWrites()).to.equal(before)
    expect(list(OLGA)).to.deep.equal([['09:00', 'Ned@Else.test', ROOM, BALCONY].sort()])
  })

  it('do not change an entry that no longer invites them', async () => {
    const id = await book(MORNING, aquarium, balcony)
    await write(aquarium)
    await write(balcony)
    const [entry] = server.listEvents(OLGA)
    const attendees = [ROOM, 'Ned@Else.test'].map((address) => ({ emailAddress: { address } }))
    server.changeEvent(OLGA, entry?.id ?? '', { attendees })
    await release(id, balcony)
    const before = countWrites()
    await write(balcony)
    expect(countWrites()).to.equal(before)
  })

  for (const isRemovedFirst of [true, false])
    it(`keep the booking of a room that changes the entry ${isRemovedFirst ? 'after' : 'before'} another room removes it`, async () => {
      const id = await book(MORNING, aquarium, balcony)
      await write(aquarium)
      await write(balcony)
      await read(balcony)
      await moveEvent(database, id, NOON)
      const pete = await createUser(database, { email: PETE, name: 'Pete' })
      const { provider } = world
      const change = provider.changeEntry.bind(provider)
      const remove = async () => {
        await database('events').where({ id }).update({ organizer_user_id: pete })
        await write(aquarium)
        // The process of this room ends its round after it has stored the answer.
        balcony.link.mustEnd = () => true
      }
      provider.changeEntry = async (...call) => {
        provider.changeEntry = change
        if (isRemovedFirst) await remove()
        const changed = await change(...call)
        if (!isRemovedFirst) await remove()
        return changed
      }
      await write(balcony)
      balcony.link.mustEnd = () => false
      expect(list(OLGA)).to.deep.equal([])
      await read(balcony)
      expect(await pending(balcony)).to.deep.equal([])
    })

  it('keep the booking of a room that joins while another room removes the entry', async () => {
    const id = await book(MORNING, aquarium)
    await write(aquarium)
    await release(id, aquarium)
    const { provider } = world
    const cancel = provider.cancelEntry.bind(provider)
    provider.cancelEntry = async (...call) => {
      provider.cancelEntry = cancel
      await addBooking(database, balcony, MORNING, { event_id: id })
      await write(balcony)
      await cancel(...call)
    }
    await write(aquarium)
    await read(balcony)
    expect(await pending(balcony)).to.deep.equal([])
    await write(balcony)
    expect(list(OLGA)).to.deep.equal([['09:00', BALCONY]])
  })

  it('stay invited while somebody unlinks them', async () => {
    const id = await book(MORNING, aquarium, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    await database('room_calendars').where({ bookable_id: balcony.bookableId }).update({ is_ending: true })
    await moveEvent(database, id, NOON)
    await write(aquarium)
    expect(list(OLGA)).to.deep.equal([['12:00', ROOM, BALCONY]])
  })

  it('leave their meetings, which stay with the organizer, when their calendar is linked to another room', async () => {
    await book(MORNING, aquarium, balcony)
    await book(NOON, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    expect(server.listEvents(BALCONY)).to.have.length(2)
    await unlink(balcony)
    const cellar = await createRoom(database, { provider: 'microsoft', calendarId: BALCONY, name: 'Cellar' })
    Object.assign(cellar.link, { isNew: true, isComplete: false })
    await read(cellar)
    expect(await pending(cellar)).to.deep.equal([])
    await read(cellar)
    await write(cellar)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM], ['12:00']])
    expect(server.listEvents(BALCONY)).to.deep.equal([])
    expect(await rows(cellar)).to.deep.equal([])
    await read(cellar)
    await read(aquarium)
    expect([...(await rows(cellar)), ...(await pending(aquarium))]).to.deep.equal([])
  })

  it('leave their meetings when their calendar is linked to another room, even if a process ends while it reads the calendar', async () => {
    await book(MORNING, aquarium, balcony)
    for (const room of [aquarium, balcony]) await write(room)
    await unlink(balcony)
    const cellar = await createRoom(database, { provider: 'microsoft', calendarId: BALCONY, name: 'Cellar' })
    Object.assign(cellar.link, { isNew: true, isComplete: false })
    const { provider } = world
    const listChanges = provider.listChanges.bind(provider)
    provider.listChanges = async (...call) => {
      const page = await listChanges(...call)
      cellar.link.mustEnd = () => true
      return page
    }
    await read(cellar)
    provider.listChanges = listChanges
    cellar.link.mustEnd = () => false
    await read(cellar)
    await write(cellar)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM]])
    expect(server.listEvents(BALCONY)).to.deep.equal([])
  })

  it('stay in a meeting of an unlinked room if somebody added them to it in Outlook', async () => {
    await book(MORNING, balcony)
    await write(balcony)
    await unlink(balcony)
    const [entry] = server.listEvents(OLGA)
    const attendees = [BALCONY, ROOM].map((address) => ({ emailAddress: { address } }))
    server.changeEvent(OLGA, entry?.id ?? '', { attendees })
    Object.assign(aquarium.link, { isNew: true, isComplete: false })
    await read(aquarium)
    await write(aquarium)
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM, BALCONY]])
    expect(server.listEvents(ROOM)).to.have.length(1)
  })

  const isOlgas = ({ url }: TestRequest) => decodeURIComponent(url.pathname).includes(OLGA)
  /** Creates a meeting and loses the answer to its creation. Its copy arrives later. */
  async function loseAnswer() {
    server.delaysCopies = true
    const isCreation = (request: TestRequest) => isOlgas(request) && request.method === 'POST'
    world.proxy.faults.push({ matches: isCreation, isCarriedOut: true })
    await book(MORNING, aquarium)
    // The round ends before it tries again.
    aquarium.link.mustEnd = () => world.proxy.faults.length === 0
    await write(aquarium)
    aquarium.link.mustEnd = () => false
    expect(list(OLGA)).to.deep.equal([['09:00', ROOM]])
    expect(await rows(aquarium).whereNotNull('entry_id')).to.deep.equal([])
  }
  const keepAway = (status: number) =>
    world.proxy.faults.push({ matches: isOlgas, isLasting: true, answer: { status } })

  it('get a meeting at another time even if the mailbox of its organizer does not answer', async () => {
    await loseAnswer()
    keepAway(503)
    const [start, end] = ['14:00', '15:00'].map((time) => ({
      dateTime: `2030-11-20T${time}:00.0000000`,
      timeZone: 'UTC',
    }))
    const organizer = { emailAddress: { address: OLGA } }
    if (start && end) server.addEvent(ROOM, { subject: 'Other', start, end, organizer })
    await read(aquarium)
    expect(await rows(aquarium).whereNull('key')).to.have.length(1)
  })

  it('wait for the mailbox of an organizer that may have the meeting, and Berth does not pause the provider', async () => {
    await loseAnswer()
    server.deliverCopies()
    keepAway(429)
    const kind = await read(aquarium).catch((error) => error.kind)
    expect(kind).to.equal('unavailable')
    expect(await rows(aquarium).whereNull('key')).to.deep.equal([])
    world.proxy.faults.splice(0)
    await read(aquarium)
    expect(await rows(aquarium)).to.have.length(1)
  })

  it('ask a mailbox that does not answer only once for each page', async () => {
    for (const times of [MORNING, NOON]) await book(times, aquarium)
    await write(aquarium)
    await read(aquarium)
    for (const { id } of server.listEvents(OLGA)) server.changeEvent(OLGA, id, {})
    keepAway(503)
    const before = world.proxy.requests.length
    await read(aquarium)
    expect(world.proxy.requests.slice(before).filter(isOlgas)).to.have.length(1)
  })

  it('recognize the copy of a meeting whose organizer has another address in Berth than in the mailbox', async () => {
    server.addAlias('o.lga@corp.test', OLGA)
    await database('users').where({ id: olga }).update({ email: 'o.lga@corp.test' })
    const isCreation = ({ method, url }: TestRequest) => method === 'POST' && url.pathname.includes('o.lga')
    world.proxy.faults.push({ matches: isCreation, isCarriedOut: true })
    await book(MORNING, aquarium)
    aquarium.link.mustEnd = () => world.proxy.faults.length === 0
    await write(aquarium)
    aquarium.link.mustEnd = () => false
    await read(aquarium)
    expect(await rows(aquarium).whereNull('key')).to.deep.equal([])
    expect(await rows(aquarium)).to.have.length(1)
  })
})
