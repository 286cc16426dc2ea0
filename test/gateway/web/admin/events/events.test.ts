// Tests events in the dashboard: how to find them, create and change them with people and rooms chosen by
// search, and cancel them.

import { expect } from 'chai'
import { parseForms, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-${time}Z`

describe('events in the dashboard', () => {
  const world = useWorld({ now: createClock(NOW) })
  const client = useClient(world)
  const browser = useSignedIn(world)
  let location_id: number
  let ada: number
  before(async () => {
    const building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    for (const name of ['Dock', 'Yard'])
      await createBuilding(world.database, { name, timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id, name: 'Deck' })
    ada = await createUser(world.database, { name: 'Ada Lovelace', email: 'ada@example.com' })
  })

  const makeRoom = (name: string, row = {}) =>
    createBookable(world.database, { location_id, name, type: 2, ...row })
  const list = (query: Record<string, string>) =>
    browser.open(`/dashboard/events?${new URLSearchParams(query)}`)

  /** Fills and submits the search form that contains the given field. */
  async function look(field: string, words: string) {
    const forms = parseForms(browser.page.text).filter(({ controls }) =>
      controls.some(({ name }) => name === field),
    )
    await browser.send(forms[0] ?? expect.fail(`There is no field ${field}`), { [field]: words })
  }
  async function add(field: string, words: string, name: string) {
    await look(field, words)
    await browser.press(`Add ${name}`)
  }
  /** Returns the text of a section. */
  const section = (id: string) => {
    const part =
      new RegExp(`aria-labelledby="${id}">([\\s\\S]*?)</section>`).exec(browser.page.text)?.[1] ?? ''
    return part.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')
  }

  it('are listed by name, place, day and state', async () => {
    const { database } = world
    const room = await makeRoom('Galley')
    const times = { from: at('20T08:00:00'), to: at('20T10:00:00') }
    const stand = await createEvent(database, {
      name: 'Stand-up',
      organizer_user_id: ada,
      from_timezone: 'Asia/Tokyo',
      ...times,
    })
    await createBooking(database, { bookable_id: room, event_id: stand, ...times })
    await createEvent(database, { name: 'Called off', status: 2, ...times })
    await createEvent(database, { name: 'The week after', from: at('27T00:00:00'), to: at('27T10:00:00') })
    await list({})
    expect(browser.words).to.include(
      'Stand-up now 20 Nov 2026, 17:00 (Asia/Tokyo) 20 Nov 2026, 10:00 (UTC) Galley Ada Lovelace',
    )
    expect(browser.words).to.include('Called off cancelled').and.not.include('The week after')
    await list({ state: 'confirmed' })
    expect(browser.words).to.include('Stand-up').and.not.include('Called off')
    await list({ state: 'cancelled' })
    expect(browser.words).to.include('Called off').and.not.include('Stand-up')
    await list({ place: 'deck galley' })
    expect(browser.words).to.include('Stand-up').and.not.include('Called off')
    await list({ place: 'deck galleon' })
    expect(browser.words)
      .to.include('No meetings match.')
      .and.include('Cancelled meetings no longer have rooms')
    await list({ name: 'lovelace' })
    expect(browser.words).to.include('Stand-up').and.not.include('Called off')
    await list({ from: '2026-11-27' })
    expect(browser.words).to.include('The week after').and.not.include('Stand-up')
  })

  it('are created with people and rooms chosen by search', async () => {
    const room = await makeRoom('Bridge')
    await makeRoom('Bridge desk', { type: 0 })
    await makeRoom('Bridge spot', { type: 1 })
    await createUser(world.database, { name: 'Grace Hopper', email: 'grace@example.com' })
    await createUser(world.database, { name: 'Grace Gone', deactivated_at: new Date() })
    await browser.open('/dashboard/events/new')
    expect(browser.words).to.include('every meeting needs an organizer')
    await add('person', 'lovelace', 'Ada Lovelace')
    await look('person', 'grace')
    expect(browser.words).to.not.include('Grace Gone')
    await browser.press('Add Grace Hopper')
    await look('visitor', 'no address')
    expect(browser.words).to.include('This is not a valid e-mail address.')
    await look('visitor', 'mary@intranet')
    expect(browser.words).to.include('This is not a valid e-mail address.')
    await look('visitor', 'mary@example.org; ')
    await look('visitor', 'late@example.org')
    await add('place', 'bridge', 'Bridge')
    expect(section('people')).to.include('mary@example.org').and.include('Grace Hopper')
    await browser.press('Remove late@example.org')
    expect(section('people')).to.not.include('late@')
    await browser.submit('Create meeting', {
      name: 'Launch',
      description: '# Agenda\r\n* one',
      from_time: '2026-11-24T10:00',
      to_time: '2026-11-24T12:00',
      organizer_user_id: String(ada),
      classification: '1',
    })
    expect(browser.words).to.include('Meeting created.').and.include('Classification Private')
    expect(browser.words).to.include('24 Nov 2026, 10:00').and.include('# Agenda')
    expect(section('rooms')).to.include('Bridge')
    expect(section('people')).to.include('organizer accepted').and.include('mary@example.org visitor')
    const id = Number(browser.page.path.split('/').at(-1))
    const { data } = (await client.get(`events/${id}`)).json
    expect(data).to.include({
      name: 'Launch',
      from: '2026-11-24T09:00:00.000000Z',
      to: '2026-11-24T11:00:00.000000Z',
      classification: 1,
    })
    expect(data.bookables.map((each: { id: number }) => each.id)).to.deep.equal([room])
    expect(
      data.attendees.map(({ email, role }: Record<string, unknown>) => [email, role]),
    ).to.have.deep.members([
      ['ada@example.com', 0],
      ['grace@example.com', 1],
      ['mary@example.org', 1],
    ])
    const row = await world.database('events').where({ id }).first()
    expect(row).to.include({
      description: '# Agenda\n* one',
      from_timezone: 'Europe/Berlin',
      to_timezone: 'Europe/Berlin',
    })
  })

  it('keep their time zone when a room in another zone is added', async () => {
    const building_id = await createBuilding(world.database, { name: 'Far', timezone: 'Asia/Tokyo' })
    const far = await createLocation(world.database, { building_id })
    await makeRoom('Dojo', { location_id: far })
    const zone = () =>
      browser.form('Create meeting').controls.find(({ name }) => name === 'from_timezone')?.value
    await browser.open('/dashboard/events/new')
    await add('person', 'lovelace', 'Ada Lovelace')
    expect(zone(), 'of most buildings').to.equal('Europe/Berlin')
    await add('place', 'dojo', 'Dojo')
    expect(zone()).to.equal('Europe/Berlin')
    expect(browser.words).to.include('Dojo is in Asia/Tokyo.')
  })

  it('are not created if a room is taken, and the page names the person who booked the room', async () => {
    const room = await makeRoom('Mess')
    const bob = await createUser(world.database, { name: 'Bob', email: 'bob@example.com' })
    await createBooking(world.database, {
      bookable_id: room,
      user_id: bob,
      from: at('25T09:00:00'),
      to: at('25T10:00:00'),
    })
    await browser.open('/dashboard/events/new')
    await add('person', 'lovelace', 'Ada Lovelace')
    await add('place', 'mess', 'Mess')
    const fields = { name: 'Lunch', from_time: '2026-11-25T10:30', to_time: '2026-11-25T12:00' }
    expect((await browser.submit('Create meeting', fields)).status).to.equal(409)
    expect(browser.words).to.include(
      'Mess is taken by Bob (bob@example.com) from 10:00 to 11:00 on 25 Nov 2026.',
    )
    expect(browser.form('Create meeting').controls.find(({ name }) => name === 'name')?.value).to.equal(
      'Lunch',
    )
    expect(await world.database('events').where({ name: 'Lunch' })).to.have.length(0)
    const late = await browser.submit('Create meeting', {
      from_time: '2026-11-25T11:00',
      to_time: '2026-11-25T11:00',
    })
    expect(late.status).to.equal(422)
    expect(browser.words).to.include('The end must be after the start.')
    await browser.submit('Create meeting', {
      from_time: '2026-11-25T11:00',
      to_time: '2026-11-25T05:00',
      to_timezone: 'America/New_York',
    })
    expect(browser.words, '11:00 to 11:00 in Berlin').to.include('The end must be after the start.')
    await browser.submit('Create meeting', { to_time: '2026-11-25T06:00', name: '' })
    expect(browser.words).to.include('Name is required.')
  })

  let made = 0
  async function makeEvent(row: Record<string, unknown> = {}) {
    const times = { from: '2026-11-26T09:00:12.345678Z', to: at('26T10:00:00') }
    const room = await makeRoom(`Cabin no. ${++made}`)
    const organizer = await createUser(world.database, { name: 'Orga' })
    const event_id = await createEvent(world.database, {
      ...times,
      organizer_user_id: organizer,
      from_timezone: 'Europe/Berlin',
      to_timezone: 'Europe/Berlin',
      ...row,
    })
    await createBooking(world.database, { bookable_id: room, event_id, ...times })
    await world.database('event_attendees').insert({ event_id, user_id: organizer, role: 0, status: 1 })
    const [attendee] = await world
      .database('event_attendees')
      .insert({ event_id, user_id: ada, status: 3 })
      .returning('id')
    await world.database('event_attendees').insert({ event_id, email: 'Guest@Example.org' })
    return { event_id, room, organizer, attendee: attendee.id as number }
  }

  it('keep all unchanged fields as they are, including answers and microseconds', async () => {
    const { event_id, room, attendee } = await makeEvent({
      description: 'one\r\ntwo',
      classification: 0,
      name: 'Kept',
    })
    const before = await world.database('events').where({ id: event_id }).first()
    await browser.open(`/dashboard/events/${event_id}`)
    await browser.follow('Change')
    await browser.submit('Save changes')
    expect(browser.words).to.include('Changes saved.')
    const after = await world.database('events').where({ id: event_id }).first()
    const touched = { updated_at: 0, revision: before.revision + 1 }
    expect({ ...after, updated_at: 0 }).to.deep.equal({ ...before, ...touched })
    const people = await world.database('event_attendees').where({ event_id }).orderBy('id')
    expect(people.map(({ status }) => status)).to.deep.equal([1, 3, 0])
    expect(people[1].id).to.equal(attendee)
    expect(await world.database('bookings').where({ event_id }).pluck('bookable_id')).to.deep.equal([room])
  })

  it('can change their people, rooms and organizer', async () => {
    const { event_id, room, organizer } = await makeEvent({ name: 'Moves' })
    const other = await makeRoom('Crow’s nest')
    await browser.open(`/dashboard/events/${event_id}/change`)
    await add('place', 'crow', 'Crow’s nest')
    await browser.press('Remove Guest@Example.org')
    const { name } = await world.database('bookables').where({ id: room }).first()
    await browser.press(`Remove ${name}`)
    await browser.submit('Save changes', { organizer_user_id: String(ada), to_time: '2026-11-26T12:00' })
    expect(section('rooms')).to.include('Crow’s nest').and.not.include(name)
    expect(section('people')).to.not.include('Guest@')
    const row = await world.database('events').where({ id: event_id }).first()
    expect(row.organizer_user_id).to.equal(ada)
    expect(row.during).to.include('09:00:12.345678').and.include('11:00:00')
    expect(await world.database('bookings').where({ event_id }).pluck('bookable_id')).to.deep.equal([other])
    const roles = await world.database('event_attendees').where({ event_id }).select('user_id', 'role')
    expect(roles).to.have.deep.members([
      { user_id: organizer, role: 1 },
      { user_id: ada, role: 0 },
    ])
  })

  it('do not offer deactivated people, but keep a deactivated organizer', async () => {
    const { event_id, organizer } = await makeEvent({ name: 'Left' })
    await world.database('users').whereIn('id', [organizer]).update({ deactivated_at: new Date() })
    const gone = await createUser(world.database, { name: 'Gone', deactivated_at: new Date() })
    await world.database('event_attendees').insert({ event_id, user_id: gone })
    await browser.open(`/dashboard/events/${event_id}/change`)
    expect(section('people')).to.match(/Gone .*deactivated, will be removed when you save/)
    await browser.submit('Save changes', { name: 'Still there' })
    expect(browser.words).to.include('Changes saved.')
    const users = await world
      .database('event_attendees')
      .where({ event_id })
      .whereNotNull('user_id')
      .pluck('user_id')
    expect(users).to.have.members([organizer, ada])
  })

  it('are cancelled after a confirmation, free their rooms, and can be restored', async () => {
    const { event_id } = await makeEvent({ name: 'Party' })
    await browser.open(`/dashboard/events/${event_id}`)
    await browser.follow('Cancel meeting')
    expect(browser.words)
      .to.include('Cancel “Party”?')
      .and.include('3 people are invited')
      .and.include('Its room becomes free again.')
    await browser.submit('Cancel meeting')
    expect(browser.words).to.include('Meeting cancelled').and.include('The rooms were released')
    expect(await world.database('bookings').where({ event_id })).to.have.length(0)
    await browser.follow('Reinstate meeting')
    expect(browser.words).to.include('Saving reinstates it.')
    await browser.submit('Save changes')
    expect((await world.database('events').where({ id: event_id }).first()).status).to.equal(1)
  })

  it('are read-only once they are over', async () => {
    const id = await createEvent(world.database, {
      name: 'Was',
      from: at('19T09:00:00'),
      to: at('19T10:00:00'),
    })
    await browser.open(`/dashboard/events/${id}`)
    expect(browser.words).to.include('over').and.not.include('Change').and.not.include('Cancel meeting')
    await browser.open(`/dashboard/events/${id}/change`)
    expect((await browser.submit('Save changes', { name: 'Changed' })).status).to.equal(409)
    expect(browser.words).to.include('The meeting has ended and can no longer be changed.')
    await browser.open(`/dashboard/events/${id}/cancel`)
    expect((await browser.submit('Cancel meeting')).status).to.equal(409)
    expect(browser.words).to.include('The meeting ended at ')
    expect((await browser.open('/dashboard/events/999999')).status).to.equal(404)
  })

  it('ignore invalid values in the URL', async () => {
    await browser.open('/dashboard/events/new?add=u0,r-1,vnobody,x5,u99999999,,&drop=%00,u1e5')
    expect(browser.page.status).to.equal(422)
    await browser.open('/dashboard/events/new?add=u0,r-1,vnobody,x5,u99999999,,&drop=u1e5')
    expect(browser.page.status).to.equal(200)
    expect(browser.words).to.include('No people yet.')
  })

  it('escape hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      const { event_id, room } = await makeEvent({ name: text, description: text })
      await world.database('bookables').where({ id: room }).update({ name: text })
      await world.database('users').where({ id: ada }).update({ name: text })
      for (const path of [
        'events',
        `events/${event_id}`,
        `events/${event_id}/change`,
        `events/${event_id}/cancel`,
      ]) {
        const { text: page } = await browser.open(
          `/dashboard/${path}${path === 'events' ? '?from=2026-11-26' : ''}`,
        )
        expectHarmless(page, text)
      }
      const query = new URLSearchParams({ person: text, place: text, visitor: text })
      expectHarmless((await browser.open(`/dashboard/events/new?${query}`)).text, text)
      await browser.open(`/dashboard/events/new?add=u${ada},r${room}`)
      const taken = { name: text, from_time: '2026-11-26T10:00', to_time: '2026-11-26T11:00' }
      const refused = await browser.submit('Create meeting', taken)
      expect(refused.status).to.equal(409)
      expectHarmless(refused.text, text)
    }
  })
})
