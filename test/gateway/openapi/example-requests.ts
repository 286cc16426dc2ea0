// The requests of the document's examples, asked of the demo's data: by the name of their operation, in an order in which
// each finds what the ones before it have left.
import type { Answered, Client } from '../../support/http/http.ts'

export type Example = { request?: unknown; answers: Record<string, unknown> }
export type Examples = Record<string, Example>

/** What the demo has; `at` is a time on Saturday of next week, when nobody has booked anything. */
export type Demo = {
  vehicle: { user_id: number; id: number }
  room: number
  at(hour: number): string
  /** A gateway whose clock says Wednesday of next week: what is answered of “now” depends on the day. */
  onWednesday: Client
  /** And one whose clock says ten o'clock of that Saturday: who checks in has to be there. */
  onSaturday: Client
  /** Resolves once all changes are served: they wait for transactions of anybody in the same Postgres. */
  untilServed(): Promise<void>
}

const LISTED_MAX = 2
const SECRET = `whsec_${Buffer.alloc(24).toString('base64')}`
const CALENDAR_SECRET = `calendar_${'0'.repeat(36)}`
const SIGNATURE = `signature=1790000000.1.${'0'.repeat(64)}`
const OF_NOW = new Set(['getOccupancy', 'listTodaysEvents'])
const OF_CHECK_IN = new Set(['checkInBooking', 'checkInEvent'])
const WRITES = new Set(['POST', 'PUT', 'PATCH'])

export async function askExamples(client: Client, demo: Demo): Promise<Examples> {
  const examples: Examples = {}
  const ask = async (name: string, line: string, body?: unknown, headers?: Record<string, string>) => {
    const [method = '', path = ''] = line.split(' ')
    const late = OF_CHECK_IN.has(name) ? demo.onSaturday : client
    const by = OF_NOW.has(name) ? demo.onWednesday : late
    const answer = await by.ask(path, { method, body, headers })
    keep(
      name,
      answer.status,
      answer.text === '' ? undefined : bodyOf(answer),
      WRITES.has(method) ? body : undefined,
    )
    return answer
  }
  const keep = (name: string, status: number, answer: unknown, request?: unknown) => {
    const example = examples[name] ?? { answers: {} }
    examples[name] = example
    if (request !== undefined && example.request === undefined) example.request = request
    if (answer !== undefined) example.answers[status] = shorten(answer)
  }
  const week = new URLSearchParams({ from: demo.at(-120), to: demo.at(40) })
  const when = new URLSearchParams({ from: demo.at(9), to: demo.at(17) })
  const email = encodeURIComponent((await client.get('users/1')).json.data.email)

  await ask('getToken', 'GET me')
  await ask('listGroups', 'GET groups')
  await ask('listUsers', 'GET users?limit=2')
  await ask('getUser', 'GET users/1')
  await ask('getUser', 'GET users/999999')
  await ask('getUserByEmail', `GET users/by-email/${email}`)
  await ask('listUserVehicles', `GET users/${demo.vehicle.user_id}/vehicles`)
  await ask('listUserBookings', `GET users/1/bookings?${week}`)
  await ask('listUserBookingsByEmail', `GET users/by-email/${email}/bookings?${week}`)
  await ask('listBuildings', 'GET buildings')
  await ask('getBuilding', 'GET buildings/1')
  await ask('listBuildingBookings', `GET buildings/1/bookings?${week}`)
  await ask('getLocation', 'GET locations/1')
  await ask('listLocationBookings', `GET locations/1/bookings?${week}`)
  await ask('listLocationBookables', 'GET locations/1/bookables')
  await ask('getOccupancy', 'GET locations/1/bookables/occupancy?details=true')
  await ask('getBookable', 'GET bookables/1')
  await ask('listBookableBookings', `GET bookables/2/bookings?${week}`)
  const rules = { days_ahead_max: 60, minutes_max: 720 }
  for (const [place, name] of [
    ['buildings/1', 'Building'],
    ['locations/1', 'Location'],
    ['bookables/1', 'Bookable'],
  ]) {
    await ask(`replace${name}Rules`, `PUT ${place}/rules`, rules)
    await ask(`get${name}Rules`, `GET ${place}/rules`)
  }
  for (const [place, name] of [
    ['buildings/1', 'Building'],
    ['locations/1', 'Location'],
    ['bookables/2', 'Bookable'],
  ])
    await ask(`list${name}InTheWay`, `GET ${place}/in-the-way?${week}`)
  await ask('getBookableAvailability', `GET bookables/2/availability?${when}`)
  await ask('listAvailableBookables', `GET availability?location_id=1&limit=2&${when}`)
  await ask('listBookings', `GET bookings?${week}`)
  await ask('listBookings', 'GET bookings')

  await demo.untilServed()
  const { next } = (await client.get('changes')).json
  const desk = { bookable_id: 1, location_id: 1, user_id: 1, from_time: demo.at(9), to_time: demo.at(17) }
  await ask('checkBooking', 'POST bookings/check', desk)
  const booked = await ask('createBooking', 'POST bookings', desk)
  await ask('createBooking', 'POST bookings', desk)
  const booking = `bookings/${booked.json.data[0].id}`
  const found = await ask('getBooking', `GET ${booking}`)
  const longer = { to_time: demo.at(18) }
  await ask('replaceBooking', `PUT ${booking}`, longer)
  await ask('updateBooking', `PATCH ${booking}`, longer)
  await ask('updateBooking', `PATCH ${booking}`, longer, { 'If-Match': found.headers.get('ETag') ?? '' })
  await ask('checkInBooking', `POST ${booking}/check-in`)
  await ask('deleteBooking', `DELETE ${booking}`)
  await ask('deleteBooking', `DELETE ${booking}`)
  await ask('createBookings', 'POST bookings/batch', { bookings: [desk], atomic: false })
  const later = { ...desk, from_time: demo.at(18), to_time: demo.at(19) }
  const repeat = { every: 'week', on: [6], count: 2 }
  const made = await ask('createSeries', 'POST bookings/series', { ...later, repeat, on_conflict: 'skip' })
  await ask('getSeries', `GET series/${made.json.data.id}`)
  await ask('deleteSeries', `DELETE series/${made.json.data.id}`)
  await demo.untilServed()
  await ask('listChanges', `GET changes?limit=2&after=${encodeURIComponent(next)}`)
  await ask('updateBookable', 'PATCH bookables/1', {
    description: 'At the window',
    tags: ['window', 'quiet'],
  })

  const meeting = {
    name: 'Planning',
    description: 'What we do in *spring*',
    from_time: demo.at(10),
    to_time: demo.at(11),
    from_timezone: 'Europe/Berlin',
    to_timezone: 'Europe/Berlin',
    organizer_user_id: 1,
    attendees: [
      { type: 'user', id: '2' },
      { type: 'visitor', email: 'guest@example.net' },
      { type: 'bookable', id: String(demo.room) },
    ],
  }
  const event = `events/${(await ask('createEvent', 'POST events', meeting)).json.data.id}`
  await ask('getEvent', `GET ${event}`)
  await ask('replaceEvent', `PUT ${event}`, { ...meeting, name: 'Planning of the year' })
  await ask('listEvents', `GET events?${new URLSearchParams({ from: demo.at(0), to: demo.at(24) })}`)
  await ask('listTodaysEvents', 'GET events/today?building_id=1')
  await ask('checkInEvent', `POST ${event}/check-in`)
  await ask('cancelEvent', `DELETE ${event}`)

  const receiver = { url: 'https://hooks.example.net/berth', types: ['booking.created', 'booking.deleted'] }
  const webhook = `webhooks/${(await ask('createWebhook', 'POST webhooks', receiver)).json.data.id}`
  await ask('listWebhooks', 'GET webhooks')
  await ask('getWebhook', `GET ${webhook}`)
  await ask('updateWebhook', `PATCH ${webhook}`, { description: 'The lobby display' })
  await ask('rotateWebhookSecret', `POST ${webhook}/rotate-secret`)
  const test = (await ask('testWebhook', `POST ${webhook}/test`)).json.data.id
  await ask('listWebhookDeliveries', `GET ${webhook}/deliveries`)
  await ask('getWebhookDelivery', `GET ${webhook}/deliveries/${test}`)
  await ask('sendWebhookDeliveryAgain', `POST ${webhook}/deliveries/${test}/send-again`)
  await ask('sendFailedWebhookDeliveries', `POST ${webhook}/send-failed`, { since: demo.at(-24) })

  const review = { name: 'Review', organizer_user_id: 1, from_time: demo.at(9), to_time: demo.at(10) }
  await client.post('events', review)
  const calendar = (await ask('createCalendar', 'POST calendars', { user_id: 1 })).json.data
  await ask('listCalendars', 'GET calendars?user_id=1')
  await ask('getCalendar', `GET ${new URL(calendar.url).pathname}`)
  await ask('deleteCalendar', `DELETE calendars/${calendar.id}`)

  const list = 'name,email\nAnna Berg,anna.berg@example.com\nBen,ben@\n'
  const imported = await client.import(list, { dry_run: 'true' })
  keep('importUsers', imported.status, imported.json)
  const accepted = await client.import(list, { dry_run: 'true' }, { Prefer: 'respond-async' })
  keep('importUsers', accepted.status, accepted.json)
  const exported = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
  keep('exportUsers', exported.status, exported.json)
  const job = `jobs/${accepted.json.data.id}`
  while (!(await client.get(job)).text.includes('"done"')) await new Promise((done) => setTimeout(done, 50))
  await ask('getJob', `GET ${job}`)
  return examples
}

const ENTRY = /BEGIN:VEVENT\r\n[\s\S]*?END:VEVENT\r\n/g

/** Of a calendar, with the last of its entries. */
function bodyOf(answer: Answered): unknown {
  if (!answer.headers.get('Content-Type')?.startsWith('text/calendar')) return answer.json
  const last = answer.text.match(ENTRY)?.at(-1) ?? ''
  const text = answer.text.replace(ENTRY, '').replace('END:VCALENDAR', () => `${last}END:VCALENDAR`)
  return text.replace(/@\w+\.berth/, '@0123456789ab.berth')
}

/** A listing is an example with two of its items. */
function shorten(answer: unknown): unknown {
  // A secret of a test looks like any other to those who search for them.
  const text = JSON.stringify(answer)
    .replace(/whsec_[\w+/=]+/g, SECRET)
    .replace(/calendar_\w{36}/g, CALENDAR_SECRET)
    .replace(/signature=[\w.]+/g, SIGNATURE)
  const whole: { data?: unknown } = JSON.parse(text)
  return Array.isArray(whole.data) ? { ...whole, data: whole.data.slice(0, LISTED_MAX) } : whole
}
