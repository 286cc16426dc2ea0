// Tests Settings → Calendars: the rooms of providers beside Berth's, linking and unlinking them, creating missing rooms, and
// the conflicts.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createConflict, createProviderRoom } from '../../../../support/dashboard/room-calendar-examples.ts'
import {
  createBookable,
  createBuilding,
  createCalendarProvider,
  createLocation,
  createRoomCalendar,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

const PATH = '/dashboard/settings/calendars'

describe('the calendars of rooms in the dashboard', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  let location_id: number

  beforeEach(async () => {
    const { database } = world
    await database('room_calendars').delete()
    await database('calendar_providers').delete()
    await database('bookables').update({ deleted_at: new Date(), integration_email: null })
    const building_id = await createBuilding(database, { timezone: 'UTC' })
    location_id = await createLocation(database, { name: '1st floor', building_id })
  })

  const createRoom = (name: string, row: object = {}) =>
    createBookable(world.database, { name, type: 2, location_id, ...row })
  const listLinks = async () =>
    world
      .database('room_calendars')
      .where({ is_ending: false })
      .orderBy('calendar')
      .select('bookable_id', 'calendar')
  const show = async (query = '') => {
    await browser.open(PATH + query)
    return browser.words
  }

  it('say in one paragraph how to set up a provider', async () => {
    await browser.open('/dashboard/settings')
    await browser.follow('Calendars of rooms')
    expect(browser.words).to.include('No provider is set up.').and.include('docs/calendars.md')
    expect(browser.words).not.to.include('List the rooms again')
  })

  it('are only shown to owners', async () => {
    const other = await createSignedIn(world, 'administrator@example.com', 'administrator')
    for (const path of ['', '/conflicts', '/link?provider=caldav&calendar=/a/', '/create?provider=caldav'])
      expect((await other.open(PATH + path)).status, path).to.equal(403)
    await other.open('/dashboard/settings')
    expect(other.words).not.to.include('Calendars of rooms')
  })

  it('match rooms by address, or else by a name that only one room has and a capacity that fits', async () => {
    const { database } = world
    const byAddress = await createRoom('Meeting room 1', { integration_email: 'elbe@example.com' })
    const byName = await createRoom('Alster', { capacity: 8 })
    await createRoom('Weser', { capacity: 4 })
    await createRoom('Twin')
    await createRoom('Twin', { location_id: await createLocation(database) })
    for (const [name, capacity] of [
      ['Elbe', 6],
      ['alster', 8],
      ['Weser', 12],
      ['Twin', 2],
    ] as const)
      await createProviderRoom(database, { calendar: `${name.toUpperCase()}@example.com`, name, capacity })
    const words = await show()
    expect(words).to.include('2 rooms of the providers match rooms of Berth.')
    expect(words).to.match(/Elbe elbe@example.com 6 Meeting room 1 \? 1st floor not linked/)
    expect(words).to.match(/alster alster@example.com 8 Alster \? 1st floor not linked/)
    expect(words).to.match(/Twin twin@example.com 2 no match/)
    expect(words).to.match(/Weser weser@example.com 12 no match/)

    await browser.submit('Link all that match')
    expect(browser.words).to.include('2 rooms linked.')
    expect(await listLinks()).to.deep.equal([
      { bookable_id: byName, calendar: 'alster@example.com' },
      { bookable_id: byAddress, calendar: 'elbe@example.com' },
    ])
    expect(browser.words).not.to.include('match rooms of Berth')
    expect(browser.words).to.match(/Elbe elbe@example.com 6 Meeting room 1 1st floor being linked/)
  })

  it('link all that match, except rooms of providers without settings', async () => {
    const { database } = world
    const room = await createRoom('Elbe')
    await createRoom('Alster')
    await createProviderRoom(database, { provider: 'google', calendar: 'elbe@example.com', name: 'Elbe' })
    await createProviderRoom(database, { calendar: 'alster@example.com', name: 'Alster' })
    await createProviderRoom(database, { provider: 'caldav', calendar: '/elbe/', name: 'Elbe' })
    await database('calendar_providers').whereNot({ provider: 'google' }).update({ seen_at: '2020-01-01' })
    expect(await show()).to.include('1 room of a provider matches a room of Berth.')
    await browser.submit('Link all that match')
    expect(browser.words).to.include('1 room linked.')
    expect(await listLinks()).to.deep.equal([{ bookable_id: room, calendar: 'elbe@example.com' }])
  })

  it('link one room, with a choice of how people are named', async () => {
    const room = await createRoom('Besprechung')
    await createProviderRoom(world.database, { calendar: 'elbe@example.com', name: 'Elbe' })
    await show()
    await browser.follow('Link')
    expect((await browser.submit('Link', { bookable_id: '' })).status).to.equal(422)
    await browser.submit('Link', { bookable_id: String(room), names: 'initials' })
    expect(browser.words).to.include('Linked. Berth reads the calendar now.')
    expect(await world.database('room_calendars').first()).to.deep.include({
      bookable_id: room,
      calendar: 'elbe@example.com',
      names: 'initials',
    })
    await browser.open(`${PATH}/link?provider=microsoft&calendar=elbe@example.com`)
    expect(browser.page.status).to.equal(409)
    expect(browser.words).to.include(
      'The calendar elbe@example.com is linked to Besprechung. Unlink it there first.',
    )
    await browser.open(`${PATH}/link?provider=microsoft&calendar=gone@example.com`)
    expect(browser.page.status).to.equal(404)
  })

  it('link a room once if two owners link it to different calendars at the same time, and tell the other owner why not', async () => {
    const room = await createRoom('Besprechung')
    const other = await createSignedIn(world, 'owner@example.com', 'owner')
    const names = ['elbe', 'alster']
    for (const name of names)
      await createProviderRoom(world.database, { calendar: `${name}@example.com`, name })
    const owners = [browser, other]
    for (const [index, owner] of owners.entries())
      await owner.open(`${PATH}/link?provider=microsoft&calendar=${names[index]}@example.com`)
    await Promise.all(
      owners.map((owner) => owner.submit('Link', { bookable_id: String(room), names: 'full' })),
    )
    const [linked] = await listLinks()
    const [won, lost] = linked.calendar === 'elbe@example.com' ? owners : owners.toReversed()
    expect(won?.words).to.include('Linked. Berth reads the calendar now.')
    expect(lost?.page.status).to.equal(409)
    expect(lost?.words).to.include(
      `Besprechung already has the calendar ${linked.calendar}. Unlink it first.`,
    )
    expect(await listLinks()).to.deep.equal([{ bookable_id: room, calendar: linked.calendar }])
  })

  it('link all rooms that match once if two owners do so at the same time', async () => {
    for (const name of ['Elbe', 'Alster', 'Weser']) {
      await createRoom(name)
      await createProviderRoom(world.database, { calendar: `${name}@example.com`, name })
    }
    const other = await createSignedIn(world, 'third@example.com', 'owner')
    const owners = [browser, other]
    for (const owner of owners) await owner.open(PATH)
    await Promise.all(owners.map((owner) => owner.submit('Link all that match')))
    for (const { page, words } of owners) {
      expect(page.status).to.equal(200)
      expect(words).to.match(/[03] rooms linked/)
    }
    expect(await listLinks()).to.have.length(3)
    expect(
      await world
        .database('audit_log')
        .where({ action: 'bookables.link-calendar' })
        .whereRaw("after ->> 'calendar' LIKE 'weser@%'"),
    ).to.have.length(1)
  })

  it('create the rooms that Berth lacks on a floor, and link them', async () => {
    await createProviderRoom(world.database, { calendar: 'Elbe@example.com', name: 'Elbe', capacity: 8 })
    await createProviderRoom(world.database, { calendar: 'ems@example.com', name: 'Ems' })
    await show()
    await browser.follow('Create missing rooms')
    expect(browser.words).to.include('Elbe elbe@example.com · 8 seats')
    expect((await browser.submit('Create and link', { location_id: String(location_id) })).status).to.equal(
      422,
    )
    const chosen = { location_id: String(location_id), calendars: ['elbe@example.com'] }
    await browser.submit('Create and link', chosen)
    expect(browser.words).to.include('1 room created and linked.')
    const room = await world.database('bookables').where({ deleted_at: null }).first()
    expect(room).to.deep.include({
      name: 'Elbe',
      capacity: 8,
      type: 2,
      integration_email: 'elbe@example.com',
      location_id,
    })
    expect(await listLinks()).to.deep.equal([{ bookable_id: room.id, calendar: 'elbe@example.com' }])
  })

  it('create a missing room once if two owners create it at the same time, and tell the other owner why not', async () => {
    await createProviderRoom(world.database, { calendar: 'elbe@example.com', name: 'Elbe' })
    const other = await createSignedIn(world, 'fourth@example.com', 'owner')
    const owners = [browser, other]
    for (const owner of owners) await owner.open(`${PATH}/create?provider=microsoft`)
    const chosen = { location_id: String(location_id), calendars: ['elbe@example.com'] }
    await Promise.all(owners.map((owner) => owner.submit('Create and link', chosen)))
    const words = owners.map((owner) => owner.words)
    expect(words.filter((each) => each.includes('1 room created and linked.'))).to.have.length(1)
    expect(owners.map(({ page }) => page.status).sort()).to.deep.equal([200, 422])
    expect(words.join(' ')).to.match(/Elbe.*(exists|taken|already)/)
    expect(await world.database('bookables').where({ deleted_at: null })).to.have.length(1)
    expect(await listLinks()).to.have.length(1)
  })

  it('unlink a room after saying what stays', async () => {
    const room = await createRoom('Elbe')
    await createRoomCalendar(world.database, { bookable_id: room, calendar: '/elbe/' })
    await show()
    await browser.follow('Unlink')
    expect(browser.words)
      .to.include('Unlink Elbe from its calendar?')
      .and.include('Everything stays as it is')
    await browser.submit('Unlink')
    expect(browser.words).to.include('Unlinked.')
    expect(await world.database('room_calendars').first()).to.deep.include({ is_ending: true })
    expect(await world.database('audit_log').orderBy('id', 'desc').first()).to.deep.include({
      action: 'bookables.unlink-calendar',
      actor_name: 'admin@example.com',
    })
  })

  it('show the state of each provider and calendar, and filter by it', async () => {
    const fault = JSON.stringify({
      text: '{0} does not accept the credentials: {1}',
      values: ['CalDAV', '401'],
    })
    const [good, bad] = [await createRoom('Good'), await createRoom('Bad')]
    await createRoomCalendar(world.database, { bookable_id: good, calendar: '/good/' })
    const since = { fault, fault_since: new Date(), fault_kind: 'credentials_refused' }
    await createRoomCalendar(world.database, { bookable_id: bad, calendar: '/bad/', ...since })
    await world.database('calendar_providers').update(since)
    expect(await show()).to.include('CalDAV does not accept the credentials: 401')
    expect(browser.words)
      .to.match(/\/good\/ Good 1st floor in step/)
      .and.match(/\/bad\/ CalDAV does not accept the credentials: 401 Bad 1st floor not in step/)
    expect(await show('?state=behind'))
      .to.include('/bad/')
      .and.not.include('/good/')
    expect(await show('?search=goo'))
      .to.include('/good/')
      .and.not.include('/bad/')
    await world.database('calendar_providers').update({ seen_at: '2020-01-01' })
    expect(await show()).to.include(
      'No running process has settings for CalDAV, so its rooms are not kept in step.',
    )
  })

  it('ask the providers for their rooms again', async () => {
    await createCalendarProvider(world.database, 'caldav')
    await show()
    expect(browser.words).to.include('No provider has listed a room yet.')
    await browser.submit('List the rooms again')
    const { next_list_at } = await world.database('calendar_providers').first()
    expect(new Date(next_list_at).getTime()).to.be.below(Date.now() + 60_000)
  })

  it('are on the page of a room: in step, or why not', async () => {
    const room = await createRoom('Elbe')
    const page = `/dashboard/places/bookables/${room}`
    await browser.open(page)
    expect(browser.words).not.to.include('Calendar of the room')
    await createRoomCalendar(world.database, { bookable_id: room, calendar: '/elbe/' })
    await browser.open(page)
    expect(browser.words).to.match(/Calendar of the room CalDAV: \/elbe\/ in step Last in step/)
    const row = world.database('room_calendars').where({ bookable_id: room })
    await row.clone().update({
      fault: JSON.stringify({ text: '{0} does not find this: {1}', values: ['CalDAV', '404'] }),
      fault_kind: 'not_found',
      fault_since: new Date(),
    })
    await createConflict(world.database, room)
    await browser.open(page)
    expect(browser.words).to.include('CalDAV does not find this: 404')
    expect(browser.words).to.include('1 meeting of the calendar has no room in Berth.')
    const reader = await createSignedIn(world, 'reader@example.com', 'reader')
    await reader.open(page)
    expect(reader.words).to.include('CalDAV does not find this: 404').and.not.include('Unlink')
  })

  it('count bookings that could not be written, but not meetings that the room has declined', async () => {
    const room = await createRoom('Elbe')
    const page = `/dashboard/places/bookables/${room}`
    await createRoomCalendar(world.database, { bookable_id: room, calendar: '/elbe/' })
    const addFault = (fault: object) =>
      createConflict(world.database, room, { conflict: null, fault: JSON.stringify(fault) })
    await addFault({ text: 'The room has declined the meeting.', reason: 'declined' })
    await browser.open(page)
    expect(browser.words).to.match(/CalDAV: \/elbe\/ in step/)
    await addFault({ text: 'The server refuses the entry.' })
    await browser.open(page)
    expect(browser.words).to.include('1 booking could not be written to the calendar.')
  })

  it('list conflicts with their room, time, person, reason and remedy, without the content of private ones', async () => {
    const room = await createRoom('Elbe')
    const free = { id: await createRoom('Alster'), name: 'Alster' }
    await createRoomCalendar(world.database, { bookable_id: room, calendar: '/elbe/' })
    await browser.open(`${PATH}/conflicts`)
    expect(browser.words).to.include('No conflicts.')
    const refused = { message: { text: 'The room is not free.' }, free_rooms: [free] }
    await createConflict(world.database, room, { decline: 'declined', conflict: JSON.stringify(refused) })
    await createConflict(world.database, room, {
      title: 'Secret',
      who: 'Spy',
      isPrivate: true,
      decline: 'impossible',
    })
    await createConflict(world.database, room, {
      title: 'Over',
      during: '[2020-03-04T10:00Z,2020-03-04T11:00Z)',
    })
    await browser.open(`${PATH}/conflicts`)
    expect(browser.words).to.match(
      /Elbe .*4 Mar(ch)? 2031.* Budget Ada Lovelace The room is not free\. Declined\. The organizer knows\. Free at this time: Alster \./,
    )
    expect(browser.words).to.match(
      /private The room is not free\. Ask the organizer for another room or time/,
    )
    for (const hidden of ['Secret', 'Spy', 'Over']) expect(browser.page.text).not.to.include(hidden)
  })

  it('take at most 30 KB with fifty rooms', async () => {
    const address = (index: number) => `meeting-room-${index}@rooms.example.com`
    for (let index = 0; index < 60; index++) {
      await createProviderRoom(world.database, {
        calendar: address(index),
        name: `Meeting room ${index}`,
        capacity: 8,
      })
      if (index % 3 === 0) continue
      const room = await createRoom(`Meeting room ${index}`)
      if (index % 3 === 1)
        await createRoomCalendar(world.database, {
          bookable_id: room,
          calendar: address(index),
          provider: 'microsoft',
        })
    }
    const { text } = await browser.open(PATH)
    expect(browser.words).to.include('1–50 of 60')
    expect(Buffer.byteLength(text)).to.be.at.most(30 * 1_024)
  })

  it('show hostile names as text', async () => {
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const room = await createRoom(text)
      await createRoomCalendar(world.database, { bookable_id: room, calendar: `/${index}/${text}` })
      await createConflict(world.database, room, { title: text, who: text })
    }
    for (const path of ['', '/conflicts']) {
      const { text: page } = await browser.open(PATH + path)
      for (const text of HOSTILE_TEXTS) expectHarmless(page, text)
    }
  })
})
