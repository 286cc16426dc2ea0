// Tests that each person of a meeting in the calendar of its organizer gets one invitation: from the provider, or else from Berth.
import { expect } from 'chai'
import { writeCalendar } from '../../../workers/calendars/writing/write-calendar.ts'
import { takeDueMail } from '../../../workers/pollers/mail/due-mails.ts'
import { recordMailedMeeting } from '../../../workers/pollers/mail/record-mailed-meeting.ts'
import type { GraphServer } from '../../support/calendars/graph-server.ts'
import type { TestRequest } from '../../support/calendars/http.ts'
import { useConnection, useDatabase } from '../../support/databases.ts'
import { createUser } from '../../support/factories.ts'
import { openMicrosoft, ROOM } from './provider-worlds.ts'
import { addEvent, moveEvent } from './writing/room-of-test.ts'
import { openWriting, type WritingWorld } from './writing/writing-worlds.ts'

const OLGA = 'olga@corp.test'
const GUEST = 'guest@else.test'
const LATER = 'later@else.test'
const MORNING = '20T09:00 20T10:00'
const REFUSAL = { status: 400, body: { error: { code: 'ErrorInvalid', message: 'Invalid.' } } }

describe('an invitation to a meeting in the calendar of its organizer', function suite() {
  this.timeout(60_000)
  const database = useConnection(useDatabase())
  let world: WritingWorld
  let server: GraphServer
  let olga: number

  beforeEach(async () => {
    world = await openWriting(database, async () => {
      const microsoft = await openMicrosoft()
      server = microsoft.server
      return microsoft
    })
    world.tools.settings.usesOrganizerMailboxes = true
    server.addPerson(OLGA)
    olga = await createUser(database, { email: OLGA, name: 'Olga' })
  })
  afterEach(async () => {
    for (const table of [
      'mails',
      'calendar_entries',
      'room_calendars',
      'organizer_entries',
      'bookings',
      'events',
    ])
      await database(table).delete()
    await database('users')
      .where({ id: olga })
      .update({ email: `${olga}@else.test` })
    await world.close()
  })

  const write = () => writeCalendar(world.tools, world.link)
  async function invite(event_id: number, email: string) {
    await database('event_attendees').insert({ event_id, email })
    const [{ id } = { id: 0 }] = await database('invitations').insert({ event_id, email }).returning('id')
    await database('mails').insert({ kind: 'meeting', invitation_id: id, next_at: new Date() })
    await database('events').where({ id: event_id }).update({ updated_at: database.fn.now() })
  }
  async function book() {
    const id = await addEvent(database, world, MORNING, { organizer_user_id: olga, invites: true })
    await invite(id, GUEST)
    return id
  }
  /** Sends all mails as if they were due. Returns their addresses. */
  async function mail(): Promise<string[]> {
    await database('mails')
      .whereNull('sent_at')
      .update({ next_at: new Date(Date.now() - 1_000) })
    const addresses: string[] = []
    for (let due = await takeDueMail(database); due; due = await takeDueMail(database)) {
      const { id, about } = due
      if (about && 'meeting' in about)
        await database.transaction((trx) => recordMailedMeeting(trx, about.meeting))
      await database('mails').where({ id }).update({ sent_at: new Date(), next_at: null })
      addresses.push(due.email)
    }
    return addresses
  }
  const attendees = () =>
    server
      .listEvents(OLGA)
      .map(({ fields }) =>
        ((fields.attendees ?? []) as Array<{ emailAddress: { address: string } }>)
          .map(({ emailAddress }) => emailAddress.address)
          .sort(),
      )
  const isOlgas = ({ url }: TestRequest) => decodeURIComponent(url.pathname).includes(OLGA)
  const isCreation = (request: TestRequest) => isOlgas(request) && request.method === 'POST'
  const isChange = (request: TestRequest) => isOlgas(request) && request.method === 'PATCH'
  /** The people whom each call to the calendar of the organizer has named. */
  const named = () =>
    world
      .writes()
      .filter(isOlgas)
      .map(({ body }) => JSON.stringify(body).includes(GUEST))

  for (const [reason, withdraw] of Object.entries({
    'the calendar of the room begins to hide titles': async () => {
      await database('room_calendars').update({ names: 'none' })
      world.link.names = 'none'
    },
    'the setting is switched off and the meeting moves': async (id: number) => {
      world.tools.settings.usesOrganizerMailboxes = false
      await moveEvent(database, id, '20T12:00 20T13:00')
    },
    'the meeting loses its room': async (id: number) => {
      await database('bookings').where({ event_id: id }).update({ released_at: new Date() })
    },
  }))
    it(`comes from Berth once ${reason}`, async () => {
      const id = await book()
      await write()
      expect(attendees()).to.deep.equal([[GUEST, ROOM].sort()])
      expect(await mail()).to.deep.equal([])
      await withdraw(id)
      await write()
      expect(attendees()).to.deep.equal([])
      expect(await mail()).to.deep.equal([GUEST])
      await write()
      expect(await mail()).to.deep.equal([])
    })

  it('comes from Berth if the provider refuses to add the person, even after an outage', async () => {
    const id = await book()
    await write()
    await invite(id, LATER)
    world.proxy.faults.push({ matches: isChange, isLasting: true, answer: { status: 503 } })
    await write()
    expect(await mail()).to.deep.equal([])
    world.proxy.faults.splice(0)
    world.proxy.faults.push({ matches: isChange, isLasting: true, answer: REFUSAL })
    await database('calendar_entries').update({ next_write_at: null })
    await write()
    expect(await database('calendar_entries').whereNotNull('fault')).to.have.length(1)
    expect(await mail()).to.deep.equal([LATER])
    world.proxy.faults.splice(0)
    await database('calendar_entries').update({ next_write_at: null })
    await write()
    expect(attendees()).to.deep.equal([[GUEST, ROOM].sort()])
    expect(await database('calendar_entries').whereNotNull('fault')).to.deep.equal([])
  })

  for (const isCarriedOut of [false, true])
    it(`is the only one if Berth mails during an outage, and the creation has ${isCarriedOut ? '' : 'not '}arrived`, async () => {
      const id = await book()
      world.proxy.faults.push({ matches: isCreation, isCarriedOut })
      world.link.mustEnd = () => world.proxy.faults.length === 0
      await write()
      world.link.mustEnd = () => false
      expect(await database('calendar_entries').whereNotNull('entry_id')).to.deep.equal([])
      await database('organizer_entries').update({ asked_at: new Date(Date.now() - 11 * 60_000) })
      expect(await mail()).to.deep.equal([GUEST])
      await database('calendar_entries').update({ next_write_at: null })
      await write()
      await write()
      // Without the person, the provider mails a cancellation if the person was invited before.
      expect(attendees()).to.deep.equal([isCarriedOut ? [GUEST, ROOM].sort() : [ROOM]])
      expect(named().slice(1)).to.not.include(true)
      const before = world.writes().length
      await database('event_attendees').where({ event_id: id, email: GUEST }).delete()
      await write()
      expect(attendees()).to.deep.equal([[ROOM]])
      expect(world.writes().length - before).to.equal(isCarriedOut ? 1 : 0)
    })
})
