// A person whose own pages are full, and the addresses of these pages, for tests that go through every page.
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { peopleSite } from '../../../gateway/web/my/people-site.ts'
import { drawnPng, floorPlanColumns } from '../dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createGroup,
  createHold,
  createLocation,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../factories.ts'

const COLLEAGUES = 25
const DESKS = 33
const TODAY = { from: hoursFromNow(-1), to: hoursFromNow(5) }
const LATER = { from: hoursFromNow(23), to: hoursFromNow(29) }
// Whatever day and time a page begins with.
const LONG = { from: hoursFromNow(-1), to: hoursFromNow(100) }
const CHECK_IN = { check_in_from: hoursFromNow(-2), check_in_until: hoursFromNow(1) }

/** `open`: the addresses of pages for which nobody needs to sign in. */
export type FullPerson = { id: number; addresses: string[]; open: string[] }

export async function createFullPerson(database: Knex): Promise<FullPerson> {
  const id = await createUser(database, { name: 'Alexandra von der Langen-Brückenstraße' })
  const plan = floorPlanColumns(drawnPng(600, 400))
  const location_id = await createLocation(database, { name: 'Third floor, Warehouse wing', ...plan })
  const [mine = 0, taken = 0, free = 0, blocked = 0, ...others] = await createDesks(database, location_id)
  const circle = await createCircle(database, id)
  await createBooking(database, { user_id: id, bookable_id: mine, ...TODAY, ...CHECK_IN })
  await createBooking(database, { user_id: id, bookable_id: mine, ...LATER })
  for (const [index, user_id] of circle.entries())
    await createBooking(database, { user_id, bookable_id: [taken, ...others][index], ...LONG })
  await database('bookables').where({ id: blocked }).update({ status: 1 })
  const room = await createBookable(database, { location_id, name: 'Elbe', type: 2, capacity: 8 })
  const spot = await createBookable(database, { location_id, name: 'Spot 1', type: 1 })
  await createVehicle(database, { user_id: id })
  await database('calendars').insert({ user_id: id, hash: Buffer.from('calendar') })
  const offered = others.at(-1)
  await createWaits(database, { user_id: id, taken, offered })

  const decide = await createRequests(database, id, circle)
  const meeting = await createEvent(database, { organizer_user_id: id, ...LATER })
  await database('event_attendees').insert({ event_id: meeting, email: 'grace.hopper@navy.example.org' })
  const booked = await createBooking(database, { user_id: id, bookable_id: room, ...LATER })
  const invited = `/book/${room}?invited=grace.hopper@navy.example.org&person=emil`

  const waited = new URLSearchParams({ bookable: String(taken), from: LATER.from, to: LATER.to })
  const full: Record<string, string[]> = {
    '/at/{code}': [mine, taken, free, blocked].map((desk) => `/at/code-${desk}`),
    '/book': ['/book', '/book?map=true', '/book?type=1', '/book?type=2'],
    '/book/{id}': [...[free, taken, room, spot].map((each) => `/book/${each}`), invited],
    '/bookings/{id}': [`/bookings/${booked}`],
    '/bookings/{id}/invite': [`/bookings/${booked}/invite`],
    '/meetings/{id}': [`/meetings/${meeting}`],
    '/people': ['/people', '/people?search=emil'],
    '/people/{id}': [`/people/${circle[0]}`],
    '/requests/decide': [decide],
    '/waits/new': [`/waits/new?${waited}`],
  }
  // What another page shows under a number that nobody has, is its refusal.
  const addressesOf = (path: string) => full[path] ?? [path.replaceAll(/\{\w+\}/g, '1').replace(/^\/$/, '')]
  const addressesFor = (access: 'signed-in' | 'everybody') =>
    peopleSite.pages
      .filter((page) => page.access === access)
      .flatMap(({ path }) => addressesOf(path))
      .map((each) => `/my${each}`)
  return { id, addresses: addressesFor('signed-in'), open: addressesFor('everybody') }
}

/** Desks on the floor plan, with their codes. */
async function createDesks(database: Knex, location_id: number): Promise<number[]> {
  const desks: number[] = []
  for (let number = 0; number < DESKS; number++) {
    const place = { position_x: (number % 8) / 8 + 0.05, position_y: Math.floor(number / 8) / 6 + 0.1 }
    const tags = number % 3 ? ['window', 'monitor'] : []
    desks.push(await createBookable(database, { location_id, name: `Desk 3.${number}`, tags, ...place }))
  }
  await database('bookable_codes').insert(desks.map((id) => ({ bookable_id: id, code: `code-${id}` })))
  return desks
}

/** Favourites and people of the same group. */
async function createCircle(database: Knex, id: number): Promise<number[]> {
  const group_id = await createGroup(database)
  const circle: number[] = []
  for (let number = 0; number < COLLEAGUES; number++)
    circle.push(await createUser(database, { name: `Emil Nolde-Hinterhuber von der Langen-Zeile ${number}` }))
  const members = [id, ...circle].map((user_id) => ({ group_id, user_id }))
  await database('group_members').insert(members)
  const favourites = circle.slice(0, 5).map((colleague_id) => ({ user_id: id, colleague_id }))
  await database('favourite_colleagues').insert(favourites)
  return circle
}

/** Those that the person decides, one of them decided, and their own. Returns the link in the mail about one of them. */
async function createRequests(database: Knex, id: number, [asker, other]: number[]): Promise<string> {
  const rules = JSON.stringify({ approvers: { user_ids: [id, other] } })
  const location_id = await createLocation(database, { name: 'Board floor', rules })
  const reason = 'That day the whole floor is closed for the renovation'
  const declined = { state: 'declined', decided_at: new Date(), reason }
  const of = async (user_id: number | undefined, more: object = {}) =>
    createHold(database, {
      bookable_id: await createBookable(database, { location_id, name: 'Corner office' }),
      user_id,
      ...LATER,
      ...more,
    })
  const guest = {
    guest_name: 'Grace Brewster Murray Hopper',
    booking_info: 'A visit with a tour of the building',
  }
  const hold_id = await of(asker, guest)
  await of(other)
  await of(asker, { ...declined, decided_by_user_id: id })
  await of(id)
  await of(id, { ...declined, decided_by_user_id: other })
  const hash = createHash('sha256').update('decide').digest()
  await database('decision_links').insert({ hash, hold_id, user_id: id, expires_at: LATER.from })
  return '/requests/decide?token=decide'
}

type Waited = { user_id: number; taken: number; offered: number | undefined }

/** One in the line, one that is offered, and one that was missed. */
async function createWaits(database: Knex, { user_id, taken, offered }: Waited): Promise<void> {
  const during = database.raw('tstzrange(?, ?)', [LATER.from, LATER.to])
  const expires_at = new Date(Date.now() + 10 * 60_000)
  const hold = { kind: 'offer', bookable_id: offered, user_id, ...LATER, expires_at }
  const own = { user_id, during }
  await database('waits').insert([
    { ...own, bookable_id: taken },
    { ...own, bookable_id: offered, state: 'offered', hold_id: await createHold(database, hold) },
    { ...own, bookable_id: taken, state: 'missed', ended_at: new Date() },
  ])
}
