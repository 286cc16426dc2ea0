// Tests the page of a meeting without scripts: first the time, then the people, then free rooms, and alternatives to a
// taken room.
import { expect } from 'chai'
import { findNextWorkingHour } from '../../../../../gateway/web/pages/time/requested-time.ts'
import { createSignedIn, extractWords, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const ROOM_TYPE = 2
const MONDAY = { from: '2026-11-23T10:00', to: '2026-11-23T11:00', zone: 'Europe/Berlin' }
const TAKEN_SPAN = { from: '2026-11-23T09:30:00Z', to: '2026-11-23T10:30:00Z' }

describe('the page of a meeting in the dashboard', () => {
  const world = useWorld({ now: createClock(NOW) })
  const browser = useSignedIn(world)
  let deck: number
  let rooms: Record<'bridge' | 'galley' | 'nook' | 'mess', number>
  let people: number[]
  before(async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    deck = await createLocation(database, { building_id, name: 'Deck' })
    const room = (name: string, row: object) =>
      createBookable(database, { location_id: deck, name, type: ROOM_TYPE, ...row })
    rooms = {
      bridge: await room('Bridge', { capacity: 4 }),
      galley: await room('Galley', { capacity: 8 }),
      nook: await room('Nook', { capacity: 2 }),
      mess: await room('Mess', { capacity: 20 }),
    }
    const names = ['Ada Lovelace', 'Grace Hopper', 'Joan Clarke']
    people = await Promise.all(
      names.map((name) => createUser(database, { name, email: `${name.slice(0, 3)}@example.com` })),
    )
    const bob = await createUser(database, { name: 'Bob' })
    await createBooking(database, { bookable_id: rooms.mess, user_id: bob, ...TAKEN_SPAN })
  })

  const three = () => people.map((id) => `u${id}`).join()
  const open = (query: Record<string, string>, path = '/dashboard/events/new') =>
    browser.open(`${path}?${new URLSearchParams(query)}`)
  /** The texts of the rows in the table of rooms. */
  const listed = (text = browser.page.text) => {
    const [, slot = ''] = /data-slot="rooms">([\s\S]*?)<\/table>/.exec(text) ?? []
    const rows = [...slot.matchAll(/<tr>([\s\S]*?)(?=<tr>|<\/tbody>|<\/thead>)/g)].map(([, row = '']) =>
      extractWords(row),
    )
    return rows.slice(1)
  }
  const typed = { name: 'Launch', description: 'Bring **ideas**', classification: '1' }
  const claimed = (event_id: number) => world.database('bookings').where({ event_id }).pluck('bookable_id')
  const idHere = () => Number(browser.page.path.split('/').at(-1))

  it('lists free rooms first, then rooms that are too small, then taken rooms', async () => {
    await browser.open('/dashboard/events/new')
    await browser.submit('Show rooms', MONDAY)
    expect(listed()).to.deep.equal([
      'Bridge 4 people Deck, Harbour free Add',
      'Galley 8 people Deck, Harbour free Add',
      'Nook 2 people Deck, Harbour free Add',
      'Mess 20 people Deck, Harbour taken',
    ])
    await open({ ...MONDAY, add: three() })
    expect(browser.words).to.include('Mon, 23 Nov 2026, 10:00 to 11:00 Europe/Berlin')
    expect(listed().slice(1)).to.deep.equal([
      'Galley 8 people Deck, Harbour free Add',
      'Nook 2 people too small Deck, Harbour free Add',
      'Mess 20 people Deck, Harbour taken',
    ])
    await open({ ...MONDAY, from: '2026-11-23T11:30', to: '2026-11-23T12:30' })
    expect(listed()[2], 'free again').to.equal('Mess 20 people Deck, Harbour free Add')
  })

  it('proposes the next full hour within working hours, in the time zone of the building', async () => {
    const proposed = (now: string, zone = 'Europe/Berlin') => findNextWorkingHour(now, zone).from
    const friday = '2026-11-20T'
    expect(proposed(`${friday}09:30:00Z`)).to.equal('2026-11-20T11:00')
    expect(proposed(`${friday}04:00:00Z`), 'before working hours').to.equal('2026-11-20T09:00')
    expect(proposed(`${friday}15:00:00.000001Z`), 'no hour is left').to.equal('2026-11-23T09:00')
    expect(proposed('2026-11-21T10:10:00Z'), 'on Saturday').to.equal('2026-11-23T09:00')
    expect(proposed('2026-11-23T07:59:59Z')).to.equal('2026-11-23T09:00')
    expect(proposed(`${friday}05:40:00Z`, 'Asia/Kolkata'), 'a zone with half hours').to.equal(
      '2026-11-20T12:00',
    )
    await open({})
    const valueIn = (field: string) =>
      browser.form('Create meeting').controls.find(({ name }) => name === field)?.value
    expect([valueIn('from_time'), valueIn('to_time')]).to.deep.equal(['2026-11-20T11:00', '2026-11-20T12:00'])
    await open({ from: '2026-11-21T20:00' })
    expect([valueIn('from_time'), valueIn('to_time')], 'as chosen by hand').to.deep.equal([
      '2026-11-21T20:00',
      '2026-11-21T21:00',
    ])
  })

  it('lists rooms near the organizer’s desk of that day first, or near their usual desk', async () => {
    const { database } = world
    const building_id = await createBuilding(database, { name: 'Away', timezone: 'Europe/Berlin' })
    const make = async (floor: string, name: string) => {
      const location_id = await createLocation(database, { building_id, name: floor })
      await createBookable(database, { location_id, name, type: ROOM_TYPE })
      return createBookable(database, { location_id, name: `Desk ${floor}` })
    }
    const [low, high] = [await make('Low', 'Cellar'), await make('High', 'Attic')]
    const user_id = await createUser(database, { name: 'Mary' })
    const first = async () => {
      await open({ ...MONDAY, add: `u${user_id}` })
      return listed().map((row) => row.split(' ')[0])
    }
    expect((await first())[0], 'nothing is known').to.equal('Bridge')
    const book = (bookable_id: number, day: string) =>
      createBooking(database, { bookable_id, user_id, from: `${day}T08:00:00Z`, to: `${day}T09:00:00Z` })
    await Promise.all(['2026-11-17', '2026-11-18'].map((day) => book(high, day)))
    await book(low, '2026-11-19')
    expect((await first()).slice(0, 2)).to.deep.equal(['Attic', 'Cellar'])
    await book(low, '2026-11-23')
    expect((await first()).slice(0, 3)).to.deep.equal(['Cellar', 'Attic', 'Bridge'])
    await open({
      ...MONDAY,
      add: `u${user_id}`,
      building: String((await database('locations').where({ id: deck }).first()).building_id),
    })
    expect(listed()[0], 'the building that is chosen by hand').to.match(/^Bridge/)
    await database('bookings').where({ user_id }).delete()
    await database('bookables')
      .whereIn('location_id', database('locations').select('id').where({ building_id }))
      .delete()
  })

  it('lists rooms of the building in which the organizer booked most often, at any desk', async () => {
    const { database } = world
    const make = async (building: string, timezone: string, desks: number) => {
      const building_id = await createBuilding(database, { name: building, timezone })
      const location_id = await createLocation(database, { building_id, name: `${building} floor` })
      await createBookable(database, { location_id, name: `${building}-room`, type: ROOM_TYPE })
      const ids = Array.from({ length: desks }, (_, index) =>
        createBookable(database, { location_id, name: `${building} ${index}` }),
      )
      return { location_id, desks: await Promise.all(ids) }
    }
    const [york, wharf] = [await make('York', 'America/New_York', 1), await make('Wharf', 'Europe/Berlin', 3)]
    const user_id = await createUser(database, { name: 'Edith' })
    const book = (bookable_id: number, day: string) =>
      createBooking(database, { bookable_id, user_id, from: `${day}T08:00:00Z`, to: `${day}T09:00:00Z` })
    for (const day of ['2026-11-18', '2026-11-19']) await book(Number(york.desks[0]), day)
    for (const [index, desk] of wharf.desks.entries()) await book(desk, `2026-11-1${index}`)
    await open({ ...MONDAY, add: `u${user_id}` })
    expect(listed()[0]).to.match(/^Wharf-room/)
    await database('bookings').where({ user_id }).delete()
    await open({ ...MONDAY, zone: 'America/New_York', add: `u${user_id}` })
    expect(listed()[0], 'nothing is known: the time zone of the meeting').to.match(/^York-room/)
    const made = [york.location_id, wharf.location_id]
    await database('bookables').whereIn('location_id', made).delete()
  })

  it('keeps the entered time while people and rooms are chosen, until the meeting is created', async () => {
    await open({ ...MONDAY, person: 'lovelace' })
    await browser.press('Add Ada Lovelace')
    await browser.press('Add Galley')
    expect(listed()[0]).to.equal('Galley 8 people Deck, Harbour free Remove')
    await browser.submit('Create meeting', typed)
    expect(browser.words).to.include('Meeting created.').and.include('23 Nov 2026, 10:00')
    const id = idHere()
    expect(await claimed(id)).to.deep.equal([rooms.galley])
    await open({}, `/dashboard/events/${id}/change`)
    expect(listed()[0], 'its own claim is not in its way').to.equal(
      'Galley 8 people Deck, Harbour free Remove',
    )
    await browser.press('Remove Galley')
    expect(listed(), 'and not when it is taken away').to.include('Galley 8 people Deck, Harbour free Add')
    await world.database('bookings').where({ event_id: id }).delete()
  })

  it('offers other rooms if the chosen room was taken in the meantime, and keeps all input', async () => {
    await open({ ...MONDAY, add: `${three()},r${rooms.bridge}` })
    const event_id = await createEvent(world.database, { name: 'Faster', ...TAKEN_SPAN })
    const claim = await createBooking(world.database, { bookable_id: rooms.bridge, event_id, ...TAKEN_SPAN })
    const refused = await browser.submit('Create meeting', typed)
    expect(refused.status).to.equal(409)
    expect(browser.words).to.include('Bridge is taken by the meeting “Faster”')
    const { buttons, controls } = browser.form('Create meeting')
    const offered = buttons.filter((each) => each.startsWith('Use '))
    expect(offered, 'large enough, and free').to.deep.equal(['Use Galley instead'])
    expect(controls.find(({ name }) => name === 'description')?.value).to.equal(typed.description)
    expect(listed()[0]).to.equal('Bridge 4 people Deck, Harbour taken Remove')
    await browser.submit('Use Galley instead')
    expect(browser.words).to.include('Meeting created.').and.include(typed.description)
    const id = idHere()
    expect(await claimed(id)).to.deep.equal([rooms.galley])
    expect((await world.database('events').where({ id }).first()).name).to.equal('Launch')
    await world.database('bookings').whereIn('event_id', [id]).orWhere({ id: claim }).delete()
  })

  it('shows rooms for the entered time when the form is shown again with errors', async () => {
    await open({ add: `u${people[0]},r${rooms.mess}` })
    expect(listed()[0], 'at the time that is proposed').to.include('free')
    const fields = { ...typed, from_time: MONDAY.from, to_time: MONDAY.to }
    expect((await browser.submit('Create meeting', fields)).status).to.equal(409)
    expect(listed()[0]).to.equal('Mess 20 people Deck, Harbour taken Remove')
    expect(browser.words).to.include('Mon, 23 Nov 2026, 10:00 to 11:00')
    expect(browser.form('Create meeting').buttons).to.include('Use Galley instead')
    expect((await browser.submit('Create meeting', { from_time: 'soon' })).status).to.equal(422)
    expect(listed(), 'no time, no rooms but the chosen').to.deep.equal([
      'Mess 20 people Deck, Harbour Remove',
    ])
  })

  it('shows the time set by another administrator beside the entered time', async () => {
    const times = { from: '2026-11-24T09:00:00Z', to: '2026-11-24T10:00:00Z' }
    const zones = { from_timezone: 'Europe/Berlin', to_timezone: 'Europe/Berlin' }
    const organizer_user_id = people[0]
    const id = await createEvent(world.database, { name: 'Moves', organizer_user_id, ...times, ...zones })
    await world.database('event_attendees').insert({ event_id: id, user_id: people[0], role: 0, status: 1 })
    const path = `/dashboard/events/${id}/change`
    await open({ from: '2026-11-24T15:00', to: '2026-11-24T16:00' }, path)
    const { controls } = browser.form('Save changes')
    expect(controls.find(({ name }) => name === 'from_time')?.value).to.equal('2026-11-24T15:00')
    const none = controls.find(({ name }) => name === 'to_timezone')?.options.filter((each) => each === '')
    expect(none, 'the same as the start, once').to.have.length(1)
    const other = await createSignedIn(world, 'other@example.com')
    await other.open(path)
    await other.submit('Save changes', { from_time: '2026-11-24T10:30' })
    expect((await browser.submit('Save changes')).status).to.equal(409)
    expect(browser.words).to.include(
      'From was “2026-11-24T10:00”, is now “2026-11-24T10:30”. You entered “2026-11-24T15:00”.',
    )
    await browser.submit('Save changes')
    const { rows } = await world.database.raw('SELECT lower(during) AS from FROM events WHERE id = ?', [id])
    expect(new Date(rows[0].from).toISOString()).to.equal('2026-11-24T14:00:00.000Z')
  })

  it('says if no other room is free', async () => {
    await open({ ...MONDAY, add: `u${people[0]},r${rooms.mess}`, visitor: '' })
    expect(browser.words).to.include('Mess is taken at that time.')
    const everybody = Array.from({ length: 9 }, (_, index) => `vguest${index}@example.org`).join()
    await open({ ...MONDAY, add: `${everybody},r${rooms.mess}` })
    expect(browser.words).to.include('No other room in the building is both free and large enough.')
  })

  it('finds rooms by name and building, including taken rooms', async () => {
    const far = await createBuilding(world.database, { name: 'Far', timezone: 'Asia/Tokyo' })
    const location_id = await createLocation(world.database, { building_id: far, name: 'Shrine' })
    await createBookable(world.database, { location_id, name: 'Dojo', type: ROOM_TYPE })
    await open({ ...MONDAY, place: 'mess' })
    expect(listed()).to.deep.equal(['Mess 20 people Deck, Harbour taken'])
    await open({ ...MONDAY, building: String(far) })
    expect(listed()).to.deep.equal(['Dojo unknown Shrine, Far free Add'])
    await world.database('bookables').where({ location_id }).delete()
  })

  it('offers rooms forbidden only by a rule that can be overridden, but no blocked rooms', async () => {
    const rules = JSON.stringify({ closed: [{ from: '2026-11-23T00:00:00Z', to: '2026-11-24T00:00:00Z' }] })
    await world.database('bookables').where({ id: rooms.nook }).update({ status: 1 })
    await world.database('bookables').where({ id: rooms.bridge }).update({ rules })
    await open(MONDAY)
    expect(listed().slice(1)).to.have.members([
      'Bridge 4 people Deck, Harbour breaks a rule Add',
      'Nook blocked 2 people Deck, Harbour cannot be booked',
      'Mess 20 people Deck, Harbour taken',
    ])
    await world.database('bookables').update({ status: 0, rules: null })
  })

  it('shows an error for an invalid time, and no rooms', async () => {
    await open({ ...MONDAY, to: '2026-11-23T09:00' })
    expect(browser.page.status).to.equal(200)
    expect(browser.words).to.include('The end must be after the start.')
    expect(listed()).to.deep.equal([])
    await open({ ...MONDAY, from: '2026-03-29T02:30', to: '2026-03-29T04:00' })
    expect(browser.words).to.include('skip 2026-03-29 02:30')
    await open({ ...MONDAY, from: '9999-12-31T23:30', to: '' })
    expect(browser.page.status).to.equal(200)
    await open({ ...MONDAY, from: 'soon' })
    expect(browser.page.status).to.equal(422)
    expect(browser.words).to.include('From must be a date and a time')
  })

  it('finds people for its script: users not yet invited, and visitors by e-mail', async () => {
    const find = async (person: string, add = '') => {
      const { text } = await open({ person, add, _part: 'found' })
      return [...text.matchAll(/data-add="([^"]+)"/g)].map(([, mark]) => mark)
    }
    expect(await find('ada')).to.deep.equal([`u${people[0]}`])
    expect(await find('ada', `u${people[0]}`)).to.deep.equal([])
    expect(await find('ADA@example.com')).to.deep.equal([`u${people[0]}`])
    expect(await find('mary@example.org')).to.deep.equal(['vmary@example.org'])
    expect(await find('nobody')).to.deep.equal([])
    expect(extractWords(browser.page.text)).to.equal('No other active people found.')
  })

  it('renders the parts that depend on the URL for its script', async () => {
    await open({ ...MONDAY, add: `${three()},r${rooms.mess}`, _part: 'meeting' })
    const { text } = browser.page
    expect([...text.matchAll(/data-slot="(\w+)"/g)].map(([, name]) => name)).to.deep.equal([
      'people',
      'organizers',
      'rooms',
      'instead',
    ])
    expect(listed(text)[0]).to.equal('Mess 20 people Deck, Harbour taken Remove')
    expect(text).to.not.include('_part')
  })
})
