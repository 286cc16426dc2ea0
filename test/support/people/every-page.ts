// Creates a person with content on all their pages, and the URLs of these pages, for tests that visit every page.
import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { peopleSite } from '../../../gateway/web/my/people-site.ts'
import { createFloorPlanColumns, drawPng } from '../dashboard/pictures.ts'
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

const COLLEAGUE_COUNT = 25
const DESK_COUNT = 33
const TODAY_SPAN = { from: hoursFromNow(-1), to: hoursFromNow(5) }
const LATER_SPAN = { from: hoursFromNow(23), to: hoursFromNow(29) }
// A time that covers every day and hour that a page initially shows.
const LONG_SPAN = { from: hoursFromNow(-1), to: hoursFromNow(100) }
const CHECK_IN_COLUMNS = { check_in_from: hoursFromNow(-2), check_in_until: hoursFromNow(1) }

/** A person and the URLs of their pages. `open` contains the URLs of pages that need no sign-in. */
export type FullPerson = { id: number; addresses: string[]; open: string[] }

export async function createFullPerson(database: Knex): Promise<FullPerson> {
  const id = await createUser(database, { name: 'Alexandra von der Langen-Brückenstraße' })
  const plan = createFloorPlanColumns(drawPng(600, 400))
  const location_id = await createLocation(database, { name: 'Third floor, Warehouse wing', ...plan })
  const [mine = 0, taken = 0, free = 0, blocked = 0, ...others] = await createDesks(database, location_id)
  const circle = await createCircle(database, id)
  await createBooking(database, { user_id: id, bookable_id: mine, ...TODAY_SPAN, ...CHECK_IN_COLUMNS })
  await createBooking(database, { user_id: id, bookable_id: mine, ...LATER_SPAN })
  for (const [index, user_id] of circle.entries())
    await createBooking(database, { user_id, bookable_id: [taken, ...others][index], ...LONG_SPAN })
  await database('bookables').where({ id: blocked }).update({ status: 1 })
  const room = await createBookable(database, { location_id, name: 'Elbe', type: 2, capacity: 8 })
  const spot = await createBookable(database, { location_id, name: 'Spot 1', type: 1 })
  await createVehicle(database, { user_id: id })
  await database('calendars').insert({ user_id: id, hash: Buffer.from('calendar') })
  const offered = others.at(-1)
  await createWaits(database, { user_id: id, taken, offered })

  const decide = await createRequests(database, id, circle)
  const meeting = await createEvent(database, { organizer_user_id: id, ...LATER_SPAN })
  const email = 'grace.hopper@navy.example.org'
  await database('event_attendees').insert({ event_id: meeting, email })
  const [invitation] = await database('invitations').insert({ event_id: meeting, email }).returning('id')
  const answer = { invitation_id: invitation.id, expires_at: LATER_SPAN.to }
  await database('answer_links').insert({ hash: createHash('sha256').update('answer').digest(), ...answer })
  const booked = await createBooking(database, { user_id: id, bookable_id: room, ...LATER_SPAN })

  const waited = new URLSearchParams({ bookable: String(taken), from: LATER_SPAN.from, to: LATER_SPAN.to })
  const full: Record<string, string[]> = {
    '/answer': ['/answer?token=answer&answer=maybe'],
    '/at/{code}': [mine, taken, free, blocked].map((desk) => `/at/code-${desk}`),
    '/book': ['/book', '/book?view=list', '/book?type=1', '/book?type=2'],
    '/book/{id}': [free, taken, room, spot].map((each) => `/book/${each}`),
    '/bookings/{id}': [`/bookings/${booked}`],
    // Browsers download these files instead of showing them.
    '/bookings/{id}/calendar': [],
    '/meetings/{id}/calendar': [],
    '/bookings/{id}/invite': [`/bookings/${booked}/invite`],
    '/meetings/{id}': [`/meetings/${meeting}`],
    '/people': ['/people', '/people?search=emil'],
    '/people/{id}': [`/people/${circle[0]}`],
    '/requests/decide': [decide],
    '/waits/new': [`/waits/new?${waited}`],
  }
  // Replaces parameters by an unknown id, so that the page shows its refusal.
  const requiredAddresses = (path: string) =>
    full[path] ?? [path.replaceAll(/\{\w+\}/g, '1').replace(/^\/$/, '')]
  const addressesFor = (access: 'signed-in' | 'everybody') =>
    peopleSite.pages
      .filter((page) => page.access === access)
      .flatMap(({ path }) => requiredAddresses(path))
      .map((each) => `/my${each}`)
  return { id, addresses: addressesFor('signed-in'), open: addressesFor('everybody') }
}

/** Creates desks with codes on the floor plan. */
async function createDesks(database: Knex, location_id: number): Promise<number[]> {
  const desks: number[] = []
  for (let number = 0; number < DESK_COUNT; number++) {
    const place = { position_x: (number % 8) / 8 + 0.05, position_y: Math.floor(number / 8) / 6 + 0.1 }
    const tags = number % 3 ? ['window', 'monitor'] : []
    desks.push(await createBookable(database, { location_id, name: `Desk 3.${number}`, tags, ...place }))
  }
  await database('bookable_codes').insert(desks.map((id) => ({ bookable_id: id, code: `code-${id}` })))
  return desks
}

/** Creates favourites and people of the same group. */
async function createCircle(database: Knex, id: number): Promise<number[]> {
  const group_id = await createGroup(database)
  const circle: number[] = []
  for (let number = 0; number < COLLEAGUE_COUNT; number++)
    circle.push(await createUser(database, { name: `Emil Nolde-Hinterhuber von der Langen-Zeile ${number}` }))
  const members = [id, ...circle].map((user_id) => ({ group_id, user_id }))
  await database('group_members').insert(members)
  await database('group_leads').insert({ group_id, user_id: id })
  await database('team_days').insert([1, 3].map((weekday) => ({ group_id, weekday, note: 'We are all in' })))
  const favourites = circle.slice(0, 5).map((colleague_id) => ({ user_id: id, colleague_id }))
  await database('favourite_colleagues').insert(favourites)
  return circle
}

/** Creates requests for the person to decide, including a decided one, and requests by the person. Returns
 * the link in the mail about a request. / */
async function createRequests(database: Knex, id: number, [asker, other]: number[]): Promise<string> {
  const rules = JSON.stringify({ approvers: { user_ids: [id, other] } })
  const location_id = await createLocation(database, { name: 'Board floor', rules })
  const reason = 'That day the whole floor is closed for the renovation'
  const declined = { state: 'declined', decided_at: new Date(), reason }
  const of = async (user_id: number | undefined, more: object = {}) =>
    createHold(database, {
      bookable_id: await createBookable(database, { location_id, name: 'Corner office' }),
      user_id,
      ...LATER_SPAN,
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
  await database('decision_links').insert({ hash, hold_id, user_id: id, expires_at: LATER_SPAN.from })
  return '/requests/decide?token=decide'
}

type WaitlistRows = { user_id: number; taken: number; offered: number | undefined }

/** Creates three waitlist entries: one pending, one with an open offer, and one whose offer expired. */
async function createWaits(database: Knex, { user_id, taken, offered }: WaitlistRows): Promise<void> {
  const during = database.raw('tstzrange(?, ?)', [LATER_SPAN.from, LATER_SPAN.to])
  const expires_at = new Date(Date.now() + 10 * 60_000)
  const hold = { kind: 'offer', bookable_id: offered, user_id, ...LATER_SPAN, expires_at }
  const own = { user_id, during }
  await database('waits').insert([
    { ...own, bookable_id: taken },
    { ...own, bookable_id: offered, state: 'offered', hold_id: await createHold(database, hold) },
    { ...own, bookable_id: taken, state: 'missed', ended_at: new Date() },
  ])
}
