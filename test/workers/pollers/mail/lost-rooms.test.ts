// Tests mails to the organizer of a meeting that loses its room: the mail names the meeting, the time, the room and the
// reason, and links to a page with other rooms.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { createLog } from '../../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../../workers/pollers/check-ins/no-shows.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useMails } from './use-mails.ts'

const HOUR_MS = 3_600_000
const getInstantInHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

describe('mail about a meeting that loses its room', () => {
  const { world, createPerson, mailsOf, queued, send } = useMails()
  const admin = useAdmin(world)

  /** Creates a meeting with a room, in a building whose time zone no other test uses. */
  async function createMeeting(settings: Parameters<typeof createPerson>[0] = {}, from = 30) {
    const { database } = world
    const organizer = await createPerson(settings)
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Asia/Kolkata' })
    const location_id = await createLocation(database, { building_id, name: 'Third floor' })
    const type = BOOKABLE_TYPES.meetingRoom
    const room = await createBookable(database, { location_id, type, name: 'Lagoon', capacity: 6 })
    const span = { from: getInstantInHours(from), to: getInstantInHours(from + 1) }
    const event_id = await createEvent(database, {
      name: 'Harbour plans',
      organizer_user_id: organizer.user_id,
      ...span,
    })
    const booking_id = await createBooking(database, { bookable_id: room, event_id, ...span })
    return { organizer, location_id, room, event_id, booking_id, span }
  }

  const timeIn = (at: string) =>
    new Date(at).toLocaleTimeString('en-GB', {
      hour: '2-digit',
      minute: '2-digit',
      timeZone: 'Asia/Kolkata',
    })
  const close = async (ids: number[], from: string) => {
    const day = (shift: number) => new Date(Date.parse(from) + shift * HOUR_MS).toISOString().slice(0, 16)
    const closed = [{ from: day(-12), to: day(24), reason: 'Water damage' }]
    const done = await admin.ask('bookables.close', { ids, closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
  }

  it('names the meeting, its local time, its room and the reason if the room is closed', async () => {
    const { organizer, room, event_id, span } = await createMeeting()
    await close([room], span.from)
    const [mail, ...more] = await send(organizer)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.match(/^Subject: Meeting without a room: Harbour plans on \w+day \d+ \w+/m)
    expect(mail?.text)
      .to.include('The office team has removed the room from your meeting.')
      .and.include('Reason: the place is closed at that time (Water damage).')
      .and.include('Lagoon, Third floor, Harbour')
      .and.include(`${timeIn(span.from)}–${timeIn(span.to)} (Asia/Kolkata)`)
      .and.include(`http://desks.example.com/my/meetings/${event_id}`)
    expect(mail?.calendars).to.deep.equal([])
  })

  it('lists all meetings of one organizer that a write affects', async () => {
    const { organizer, room, span } = await createMeeting()
    const later = { from: span.to, to: new Date(Date.parse(span.to) + HOUR_MS).toISOString() }
    const other = { name: 'Reef plans', organizer_user_id: organizer.user_id, ...later }
    const event_id = await createEvent(world.database, other)
    await createBooking(world.database, { bookable_id: room, event_id, ...later })
    await close([room], span.from)
    const [mail, ...more] = await send(organizer)
    expect(more).to.deep.equal([])
    expect(mail?.headers).to.include('Subject: 2 meetings have lost their rooms')
    expect(mail?.text).to.include('Harbour plans').and.include('Reef plans')
  })

  it('is in the organizer’s language, and the page People to notify lists the organizer', async () => {
    const { organizer, room, event_id } = await createMeeting({ language: 'de' })
    const browser = await createSignedIn(world, 'lost-rooms@tell.example', 'owner')
    await browser.open(`/dashboard/places/bookables/${room}`)
    await browser.submit('Save changes', { status: '1' })
    await browser.submit('Save changes', { in_the_way: 'release' })
    await browser.follow('People to notify')
    const [mail] = await send(organizer)
    expect(mail?.text)
      .to.include('Das Office-Team hat Ihrem Termin den Raum entzogen.')
      .and.include('Grund: Der Platz ist gesperrt.')
      .and.include(`/my/meetings/${event_id}`)
    await browser.open(browser.page.path)
    expect(browser.words)
      .to.include('Berth has sent an e-mail to all of these people.')
      .and.match(/sent \w{3}/)
  })

  it('names the new room if an administrator moves the meeting', async () => {
    const { organizer, location_id, room } = await createMeeting()
    const type = BOOKABLE_TYPES.meetingRoom
    await createBookable(world.database, { location_id, type, name: 'Atoll', capacity: 6 })
    const patch = { ids: [room], status: 1, in_the_way: 'move' }
    expect((await admin.ask('bookables.set-status', patch)).status).to.equal(200)
    const [mail] = await send(organizer)
    expect(mail?.headers).to.include('Subject: New room: Harbour plans on ')
    expect(mail?.text).to.include('Now in: Atoll').and.include('Before: Lagoon, Third floor, Harbour')
  })

  it('says that nobody has checked in, and links to a page with other free rooms', async () => {
    const { organizer, location_id, booking_id, event_id } = await createMeeting({}, -0.5)
    const type = BOOKABLE_TYPES.meetingRoom
    await createBookable(world.database, { location_id, type, name: 'Atoll', capacity: 6 })
    await world
      .database('bookings')
      .where({ id: booking_id })
      .update({ check_in_from: getInstantInHours(-0.6), check_in_until: getInstantInHours(-0.25) })
    await releaseNoShows(world.database, createLog('test', 'silent'))
    const [mail] = await send(organizer)
    expect(mail?.text).to.include('Nobody checked in, so others can book the room of your meeting now.')
    const browser = await signInAs(world, organizer.user_id)
    await browser.open(`/my/meetings/${event_id}`)
    expect(browser.words).to.include('This meeting has lost its room. It was in Lagoon.')
  })

  it('is not sent if the organizer gives up the room, has muted such mails, or gets the room back', async () => {
    const own = await createMeeting()
    const browser = await signInAs(world, own.organizer.user_id)
    await browser.open(`/my/meetings/${own.event_id}`)
    await browser.submit('Cancel this meeting')
    const muted = await createMeeting({ muted_mails: ['changed'] })
    const restored = await createMeeting()
    await close([muted.room, restored.room], restored.span.from)
    await queued()
    expect(await mailsOf(restored.organizer)).to.have.length(1)
    const { event_id, room: bookable_id, span } = restored
    await createBooking(world.database, { bookable_id, event_id, ...span })
    for (const { organizer } of [own, muted, restored]) expect(await send(organizer)).to.deep.equal([])
  })

  it('is not sent if the meeting is over', async () => {
    const { organizer, event_id, room, span } = await createMeeting()
    await close([room], span.from)
    await queued()
    const during = world.database.raw('tstzrange(?, ?)', [getInstantInHours(-2), getInstantInHours(-1)])
    await world.database('events').where({ id: event_id }).update({ during })
    expect(await send(organizer)).to.deep.equal([])
  })
})
