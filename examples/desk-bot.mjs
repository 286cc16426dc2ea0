// A chat bot that books desks. It reads a line and answers with a line, so it is easy to connect to any chat:
//
//   book anna tomorrow 9-17           books the first free desk
//   book anna tomorrow 9-17 Desk 2    books this desk
//   who is in                         lists the people who are in now
//   cancel                            cancels the last booking of this conversation
//
// Times are in the computer's time zone. Set TZ to the time zone of the building.
import { createInterface } from 'node:readline'
import { BerthError, createClient } from '@berth/client'

const { BERTH_URL, BERTH_TOKEN, BUILDING } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })
const buildings = await berth.buildings.list().all()
const building = BUILDING ? buildings.find(({ name }) => name === BUILDING) : buildings[0]
if (!building) throw new Error(`There is no building ${BUILDING ?? 'for this token'}.`)

const DESK_TYPE = 0
const HOME_OFFICE_TYPE = 3
let lastBooking

/** A refusal whose message tells the person why their command did not work. */
class Refusal extends Error {}

const COMMANDS = [
  [/^book (\S+) (today|tomorrow|\d{4}-\d\d-\d\d) (\d\d?)-(\d\d?)(?: (.+))?$/i, book],
  [/^who is in\??$/i, listPeopleIn],
  [/^cancel$/i, cancel],
]

async function book(name, day, begin, end, deskName) {
  const user = await findPerson(name)
  const from = parseTime(day, begin)
  const to = parseTime(day, end)
  const desk = deskName ? await findDesk(deskName) : await findFreeDesk(user, from, to)
  const what = { bookable_id: desk.id, location_id: desk.location.id, user_id: user.id }
  const [booking] = await berth.bookings.create({ ...what, from_time: from, to_time: to })
  lastBooking = booking
  return `Booked: ${desk.name}, ${desk.location.name}, for ${user.name}.`
}

async function listPeopleIn() {
  const from = new Date()
  const to = new Date(from.getTime() + 1_000)
  const bookings = await berth.buildings.listBookings(building.id, { from, to }).all()
  const lines = bookings
    .filter(({ bookable }) => bookable.type !== HOME_OFFICE_TYPE)
    .map(({ user, bookable }) => `${user.name}: ${bookable.name}, ${bookable.location.name}`)
  return lines.join('\n') || `Nobody is in ${building.name}.`
}

async function cancel() {
  if (!lastBooking) throw new Refusal('There is nothing to cancel.')
  await berth.bookings.delete(lastBooking.id)
  const { bookable, user } = lastBooking
  lastBooking = undefined
  return `Cancelled: ${bookable.name}, for ${user.name}.`
}

async function findPerson(name) {
  const people = await berth.users.list({ search: name }).all()
  if (people.length === 0) throw new Refusal(`I know nobody called ${name}.`)
  if (people.length > 1) throw new Refusal(`Who is it: ${people.map((each) => each.email).join(', ')}?`)
  return people[0]
}

async function findDesk(name) {
  for (const location of building.locations)
    for await (const desk of berth.locations.listBookables(location.id))
      if (desk.name.toLowerCase() === name.toLowerCase()) return { ...desk, location }
  throw new Refusal(`There is no ${name} in ${building.name}.`)
}

async function findFreeDesk(user, from, to) {
  const query = { building_id: building.id, type: DESK_TYPE, user_id: user.id, from, to, limit: 1 }
  for await (const desk of berth.availability.list(query)) return desk
  throw new Refusal(`No desk is free in ${building.name} then.`)
}

function parseTime(day, hour) {
  if (/^\d/.test(day)) return new Date(`${day}T${hour.padStart(2, '0')}:00:00`)
  const now = new Date()
  const date = now.getDate() + (day.toLowerCase() === 'tomorrow' ? 1 : 0)
  return new Date(now.getFullYear(), now.getMonth(), date, Number(hour))
}

function explainError(error) {
  if (!(error instanceof BerthError || error instanceof Refusal)) throw error
  const free = error.alternatives?.map(({ name }) => name) ?? []
  return free.length > 0 ? `${error.message} Free instead: ${free.join(', ')}` : error.message
}

for await (const line of createInterface({ input: process.stdin })) {
  const [pattern, answer] = COMMANDS.find(([known]) => known.test(line.trim())) ?? []
  if (!answer) console.log('Write “book anna tomorrow 9-17”, “who is in” or “cancel”.')
  else console.log(await answer(...pattern.exec(line.trim()).slice(1)).catch(explainError))
}
