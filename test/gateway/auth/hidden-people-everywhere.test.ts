// Sends every request of a personal token about a person who hides from its owner, in three worlds: the
// hidden person has a booking, a meeting, a request, a calendar, an absence and a loan; a stranger has them
// instead; nobody has them. The answers in the first two worlds must be equal to the byte, and so must the
// third, unless the answer says that a place is taken. A new endpoint, or a new field that names people,
// fails this test until it has a request here.
import { expect } from 'chai'
import type { Knex } from 'knex'
import type * as yup from 'yup'
import { TOOLS } from '../../../gateway/api/mcp/tools.ts'
import { endpoints } from '../../../gateway/app.ts'
import { type Endpoint, isWrite } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES } from '../../../shared/tokens/token-store.ts'
import {
  type Campus,
  createCampus,
  REQUESTS_IN_BUILDINGS,
  REQUESTS_OUTSIDE_BUILDINGS,
} from '../../support/campus.ts'
import { createUser, hoursFromNow } from '../../support/factories.ts'
import { Client, type RequestOptions } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { useWorld } from '../../support/world.ts'
import { connectWith } from '../api/mcp/agent.ts'

const EMAIL = 'hedda@example.com'
const WORLDS = ['hidden', 'stranger', 'nobody'] as const
type WorldKind = (typeof WORLDS)[number]

type Scene = { mine: Campus; theirs: Campus; visitor: number }
type AskingScene = Scene & { client: Client; token: string }
/**
 * `saysTaken` marks requests whose answer says whether a place is taken, and so differs if nobody has booked the place.
 */
type Request = RequestOptions & { path: string; saysTaken?: boolean }

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const personal = endpoints.filter((each) => each.personal !== undefined)

const DAY_QUERY = `from=${hoursFromNow(-3)}&to=${hoursFromNow(24)}`
const CURRENT_TIMES = { from_time: hoursFromNow(0), to_time: hoursFromNow(1) }
const LATER_TIMES = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
const WHOLE_DAY = { day: 'today', start_time: '00:00', end_time: '23:59' }
const FREE_BUSY_RANGE = { from: hoursFromNow(-3), to: hoursFromNow(24) }

const createDeskFields = ({ theirs: { desk, location } }: Scene) => ({
  bookable_id: desk,
  location_id: location,
})
const event = (attendees: object[]) => ({ name: 'Meeting', ...LATER_TIMES, attendees })
const createAttendeesByEmail = (type: string, email = EMAIL) => [{ type, email }]
const listAttendeeVariants = ({ theirs, visitor }: Scene) => [
  createAttendeesByEmail('user'),
  createAttendeesByEmail('visitor'),
  [...createAttendeesByEmail('user'), ...createAttendeesByEmail('visitor', 'HEDDA@example.com')],
  [{ type: 'user', id: theirs.user }],
  [{ type: 'user', id: theirs.user, email: EMAIL }],
  [{ type: 'visitor', id: visitor, email: EMAIL }],
]

/** Requests about the hidden person and the places that they booked. */
const REQUESTS_ABOUT_HIDDEN_PERSON: Record<string, (scene: Scene) => Request[]> = {
  'GET /users/by-email/{user_email}': () => [{ path: `users/by-email/${EMAIL}` }],
  'GET /users/by-email/{user_email}/bookings': () => [
    { path: `users/by-email/${EMAIL}/bookings?${DAY_QUERY}` },
  ],
  'GET /bookings': ({ theirs }) => [
    { path: `bookings?${DAY_QUERY}&user_id=${theirs.user}` },
    { path: `bookings?${DAY_QUERY}&group_id=${theirs.group}` },
    { path: `bookings?${DAY_QUERY}&bookable_id=${theirs.desk}` },
  ],
  'GET /calendars': ({ theirs }) => [
    { path: `calendars?user_id=${theirs.user}` },
    { path: `calendars?bookable_id=${theirs.desk}` },
  ],
  'GET /buildings/{building_id}/bookings': ({ theirs }) => [
    { path: `buildings/${theirs.building}/bookings?${DAY_QUERY}&user_id=${theirs.user}` },
  ],
  'GET /locations/{location_id}/bookings': ({ theirs }) => [
    { path: `locations/${theirs.location}/bookings?${DAY_QUERY}&user_id=${theirs.user}` },
  ],
  'GET /booking-requests': ({ theirs }) => [{ path: `booking-requests?user_id=${theirs.user}` }],
  'POST /calendars': ({ theirs }) => [
    { path: 'calendars', method: 'POST', body: { user_id: theirs.user } },
    { path: 'calendars', method: 'POST', body: { bookable_id: theirs.desk } },
  ],
  'GET /availability': ({ theirs }) => [
    { path: `availability?location_id=${theirs.location}&user_id=${theirs.user}&${DAY_QUERY}` },
    { path: `availability?location_id=${theirs.location}&${DAY_QUERY}`, saysTaken: true },
  ],
  'POST /free-busy': ({ mine, theirs }) =>
    [undefined, [], [0], [1], [2], [3]].map((booking_types) => ({
      path: 'free-busy',
      method: 'POST',
      body: { user_ids: [theirs.user, mine.user], ...FREE_BUSY_RANGE, booking_types },
    })),
  'POST /bookings': (scene) => [
    {
      path: 'bookings',
      method: 'POST',
      body: { ...createDeskFields(scene), ...CURRENT_TIMES },
      saysTaken: true,
    },
    {
      path: 'bookings',
      method: 'POST',
      body: { ...createDeskFields(scene), ...LATER_TIMES, guest_email: EMAIL },
    },
    {
      path: 'bookings',
      method: 'POST',
      body: { ...createDeskFields(scene), ...LATER_TIMES, user_id: scene.theirs.user },
    },
  ],
  'POST /bookings/check': (scene) => [
    {
      path: 'bookings/check',
      method: 'POST',
      body: { ...createDeskFields(scene), ...CURRENT_TIMES },
      saysTaken: true,
    },
    {
      path: 'bookings/check',
      method: 'POST',
      body: { ...createDeskFields(scene), ...LATER_TIMES, user_id: scene.theirs.user },
    },
  ],
  'POST /bookings/batch': (scene) => [
    {
      path: 'bookings/batch',
      method: 'POST',
      body: { bookings: [{ ...createDeskFields(scene), ...CURRENT_TIMES }] },
      saysTaken: true,
    },
    {
      path: 'bookings/batch',
      method: 'POST',
      body: {
        bookings: [
          { ...createDeskFields(scene), ...LATER_TIMES, user_id: scene.theirs.user, guest_email: EMAIL },
        ],
      },
    },
  ],
  'POST /bookings/series': (scene) => [
    {
      path: 'bookings/series',
      method: 'POST',
      body: { ...createDeskFields(scene), ...CURRENT_TIMES, repeat: { every: 'day', count: 2 } },
      saysTaken: true,
    },
    {
      path: 'bookings/series',
      method: 'POST',
      body: {
        ...createDeskFields(scene),
        ...LATER_TIMES,
        user_id: scene.theirs.user,
        guest_email: EMAIL,
        repeat: { every: 'day', count: 2 },
      },
    },
  ],
  'POST /booking-requests': ({ mine, theirs, visitor }) => [
    ...listAttendeeVariants({ mine, theirs, visitor }).map((attendees) => ({
      path: 'booking-requests?invite=true',
      method: 'POST',
      body: {
        bookable_id: mine.guardedRoom,
        location_id: mine.guardedFloor,
        title: 'Kick-off',
        attendees,
        ...LATER_TIMES,
      },
    })),
    {
      path: 'booking-requests',
      method: 'POST',
      body: {
        bookable_id: mine.guarded,
        location_id: mine.guardedFloor,
        ...LATER_TIMES,
        user_id: theirs.user,
        guest_email: EMAIL,
      },
    },
  ],
  'POST /bookables/{bookable_id}/loans': ({ mine, theirs }) =>
    [mine, theirs].map(({ assigned }) => ({
      path: `bookables/${assigned}/loans`,
      method: 'POST',
      body: { from: '2100-01-01', to: '2100-01-14', user_id: theirs.user },
    })),
  'POST /bookings/{id}/move': ({ mine, theirs }) => [
    {
      path: `bookings/${mine.booking}/move`,
      method: 'POST',
      body: { bookable_id: theirs.desk },
      saysTaken: true,
    },
    {
      path: `bookings/${mine.booking}/move`,
      method: 'POST',
      body: { bookable_id: theirs.free, user_id: theirs.user, guest_email: EMAIL },
    },
  ],
  'PUT /bookings/{id}': ({ mine, theirs }) => [
    {
      path: `bookings/${mine.booking}`,
      method: 'PUT',
      body: { to_time: hoursFromNow(3), user_id: theirs.user, guest_email: EMAIL },
    },
  ],
  'PATCH /bookings/{id}': ({ mine, theirs }) => [
    {
      path: `bookings/${mine.booking}`,
      method: 'PATCH',
      body: { to_time: hoursFromNow(3), user_id: theirs.user, guest_email: EMAIL },
    },
  ],
  'GET /events/{id}': ({ mine }) => [{ path: `events/${mine.event}?include=details` }],
  'GET /events': ({ theirs }) => [
    { path: `events?${DAY_QUERY}&include=details` },
    { path: `events?${DAY_QUERY}&bookable_id=${theirs.room}` },
  ],
  'GET /events/today': ({ mine }) => [{ path: `events/today?building_id=${mine.building}&include=details` }],
  'POST /events': (scene) => [
    ...listAttendeeVariants(scene).flatMap((attendees) =>
      ['', '&invite=true'].map((invite) => ({
        path: `events?include=details${invite}`,
        method: 'POST',
        body: event(attendees),
      })),
    ),
    { path: 'events', method: 'POST', body: { ...event([]), organizer_user_id: scene.theirs.user } },
    {
      path: 'events',
      method: 'POST',
      body: { ...event([{ type: 'bookable', id: scene.theirs.room }]), ...CURRENT_TIMES },
      saysTaken: true,
    },
  ],
  'POST /events/series': (scene) => [
    ...listAttendeeVariants(scene).map((attendees) => ({
      path: 'events/series?include=details',
      method: 'POST',
      body: { ...event(attendees), repeat: { every: 'day', count: 2 } },
    })),
    {
      path: 'events/series',
      method: 'POST',
      body: { ...event([]), organizer_user_id: scene.theirs.user, repeat: { every: 'day', count: 2 } },
    },
    {
      path: 'events/series',
      method: 'POST',
      body: {
        ...event([{ type: 'bookable', id: scene.theirs.room }]),
        ...CURRENT_TIMES,
        repeat: { every: 'day', count: 2 },
      },
      saysTaken: true,
    },
  ],
  'GET /event-series/{id}': ({ mine }) => [{ path: `event-series/${mine.meetings}?include=details` }],
  'PUT /events/{id}': (scene) => [
    ...listAttendeeVariants(scene).map((attendees) => ({
      path: `events/${scene.mine.event}?include=details`,
      method: 'PUT',
      body: event(attendees),
    })),
    {
      path: `events/${scene.mine.event}`,
      method: 'PUT',
      body: { ...event([]), organizer_user_id: scene.theirs.user },
    },
  ],
  'POST /events/{id}/answer': ({ mine, theirs, visitor }) =>
    [theirs.user, visitor].map((user_id) => ({
      path: `events/${mine.event}/answer`,
      method: 'POST',
      body: { user_id, status: 2 },
    })),
  'PATCH /events/{id}': (scene) =>
    [
      { name: 'Renamed' },
      ...listAttendeeVariants(scene).map((attendees) => ({ attendees })),
      ...listAttendeeVariants(scene).map((add) => ({ attendees: { add } })),
      ...[scene.theirs.user, scene.visitor].map((id) => ({ attendees: { remove: [id] } })),
      { organizer_user_id: scene.theirs.user },
    ].flatMap((body) =>
      ['', '&invite=true'].map((invite) => ({
        path: `events/${scene.mine.event}?include=details${invite}`,
        method: 'PATCH',
        body,
      })),
    ),
}

/** For each endpoint, the fields that name people. Requests fill these fields with the hidden person. */
const FIELDS_THAT_NAME_PEOPLE: Record<string, string[]> = {
  'GET /bookings': ['user_id'],
  'GET /buildings/{building_id}/bookings': ['user_id'],
  'GET /locations/{location_id}/bookings': ['user_id'],
  'GET /booking-requests': ['user_id'],
  'GET /calendars': ['user_id'],
  'GET /availability': ['user_id'],
  'POST /free-busy': ['user_ids'],
  'POST /bookables/{bookable_id}/loans': ['user_id'],
  'POST /bookings': ['user_id', 'guest_email'],
  'POST /bookings/batch': ['bookings.user_id', 'bookings.guest_email'],
  'POST /bookings/check': ['user_id', 'guest_email'],
  'POST /bookings/series': ['user_id', 'guest_email'],
  'PUT /bookings/{id}': ['guest_email', 'user_id'],
  'PATCH /bookings/{id}': ['guest_email', 'user_id'],
  'POST /bookings/{id}/move': ['guest_email', 'user_id'],
  'POST /booking-requests': ['user_id', 'guest_email', 'attendees'],
  'POST /events': ['attendees', 'organizer_user_id'],
  'POST /events/series': ['attendees', 'organizer_user_id'],
  'PUT /events/{id}': ['attendees', 'organizer_user_id'],
  'PATCH /events/{id}': ['attendees', 'organizer_user_id'],
  'POST /events/{id}/answer': ['user_id'],
  'POST /calendars': ['user_id'],
}

/** Requests whose whole answer is about a place that the hidden person has taken. */
const ANSWERS_ABOUT_TAKEN_PLACES = new Set([
  'GET /locations/{location_id}/bookables/occupancy',
  'GET /bookables/{id}/availability',
  'GET /availability',
])

const TOOL_CALLS: Record<string, (scene: Scene) => Array<{ given: object; saysTaken?: boolean }>> = {
  find_people: ({ theirs }) => [{ given: { search: 'Verborgen' } }, { given: { group_id: theirs.group } }],
  who_is_in: ({ theirs }) => [{ given: { building_id: theirs.building, user_id: theirs.user } }],
  find_free: ({ theirs }) => [
    { given: { ...WHOLE_DAY, building_id: theirs.building, near_user_ids: [theirs.user] } },
    { given: { ...WHOLE_DAY, building_id: theirs.building, user_id: theirs.user } },
    { given: { ...WHOLE_DAY, building_id: theirs.building }, saysTaken: true },
  ],
  check_booking: (scene) => [
    { given: { ...createDeskFields(scene), ...LATER_TIMES, user_id: scene.theirs.user } },
    { given: { ...createDeskFields(scene), ...CURRENT_TIMES }, saysTaken: true },
  ],
  book: (scene) => [
    { given: { ...createDeskFields(scene), ...LATER_TIMES, user_id: scene.theirs.user } },
    { given: { ...createDeskFields(scene), ...CURRENT_TIMES }, saysTaken: true },
    ...[{ user_id: scene.theirs.user }, { email: EMAIL }, { user_id: scene.visitor }].map((each) => ({
      given: { ...createDeskFields(scene), ...LATER_TIMES, attendees: [each], title: 'Plans' },
    })),
  ],
  move_booking: ({ mine, theirs }) => [
    { given: { booking_id: theirs.booking, bookable_id: theirs.free } },
    { given: { booking_id: mine.booking, bookable_id: theirs.desk }, saysTaken: true },
  ],
  cancel_booking: ({ theirs }) => [{ given: { booking_id: theirs.booking } }],
  change_meeting: ({ theirs }) => [{ given: { event_id: theirs.event, title: 'Plans' } }],
  cancel_meeting: ({ theirs }) => [{ given: { event_id: theirs.event } }],
  check_in: ({ theirs }) => [{ given: { booking_id: theirs.booking } }],
  list_bookings: ({ theirs }) => [
    { given: { user_id: theirs.user } },
    { given: { bookable_id: theirs.desk } },
    { given: { location_id: theirs.location } },
    { given: { booking_id: theirs.booking } },
  ],
  explain_refusal: ({ theirs }) => [{ given: { code: 'booking_conflict', bookable_id: theirs.desk } }],
}

describe('a personal token, with a person who is hidden from its owner', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })

  for (const endpoint of personal)
    it(`learns nothing about the hidden person from ${nameOf(endpoint)}`, () =>
      compareWorlds(
        isWrite(endpoint),
        (scene) => createRequests(endpoint, scene),
        async (request, { client }) => {
          const { path, saysTaken: _, ...asked } = request
          const { status, text } = await client.ask(path, { method: endpoint.method, ...asked })
          return {
            isRefused: status >= 400,
            text: `${path} ${JSON.stringify(asked.body)}: ${status} ${text}`,
          }
        },
      ))

  it('is tested with every field that names people', () => {
    const found = Object.fromEntries(
      personal.flatMap((each) => {
        const fields = [
          ...findFieldsThatNamePeople(each.query),
          ...(each.body ? findFieldsThatNamePeople(each.body) : []),
        ]
        return fields.length > 0 ? [[nameOf(each), fields.sort()]] : []
      }),
    )
    const declared = Object.entries(FIELDS_THAT_NAME_PEOPLE).map(([name, fields]) => [name, fields.sort()])
    expect(found).to.deep.equal(Object.fromEntries(declared))
    for (const name of Object.keys(FIELDS_THAT_NAME_PEOPLE))
      expect(REQUESTS_ABOUT_HIDDEN_PERSON, name).to.have.property(name)
  })

  it('gets the same answer for the e-mail of the hidden person as for an unknown e-mail', async () => {
    const answersFor = async (email: string) => {
      const answers: string[] = []
      for (const type of ['user', 'visitor'])
        for (const [method, body] of [
          ['POST', event(createAttendeesByEmail(type, email))],
          ['PUT', event(createAttendeesByEmail(type, email))],
          ['PATCH', { attendees: createAttendeesByEmail(type, email) }],
          ['PATCH', { attendees: { add: createAttendeesByEmail(type, email) } }],
        ] as const) {
          const { mine, client } = await createScene('nobody')
          await world.database('event_attendees').where({ event_id: mine.event }).delete()
          const path = method === 'POST' ? 'events' : `events/${mine.event}`
          const { status, json } = await client.ask(`${path}?include=details`, { method, body })
          expect(status).to.equal(200)
          const attendee = json.data.attendees.find((each: { email: string }) => each.email === email)
          expect(attendee).to.deep.include({ type: 'visitor', user_id: null, name: email })
          const again = await client.get(`events/${json.data.id}?include=details`)
          expect(again.json).to.deep.equal(json)
          answers.push(JSON.stringify(json).replaceAll(email, ''))
        }
      return answers
    }
    expect(await answersFor(EMAIL)).to.deep.equal(await answersFor('unknown@example.com'))
  })

  it('shows the name that the inviter gave a guest, whether the address is unknown or belongs to a hidden person', async () => {
    const answerFor = async (email: string) => {
      const { client } = await createScene('nobody')
      const attendees = [{ type: 'visitor', email, name: 'Somebody' }]
      const { json } = await client.post('events?include=details', event(attendees))
      const again = await client.get(`events/${json.data.id}?include=details`)
      expect(again.json).to.deep.equal(json)
      return json.data.attendees.find((each: { email: string }) => each.email === email)
    }
    for (const email of [EMAIL, 'unknown@example.com'])
      expect(await answerFor(email)).to.deep.include({
        type: 'visitor',
        user_id: null,
        name: 'Somebody',
        email,
      })
  })

  it('can change a meeting with a hidden attendee, using the ETag and ids that the token has read', async () => {
    const { mine, client, visitor } = await createScene('hidden')
    const path = `events/${mine.event}`
    for (const query of ['', '?include=details']) {
      const read = await client.get(path + query)
      expect(read.json.data.attendees[0]).to.deep.include({ id: visitor, name: EMAIL, email: EMAIL })
      const headers = { 'If-Match': read.headers.get('ETag') ?? '' }
      const changed = await client.patch(path + query, { name: `Renamed${query}` }, headers)
      expect(changed.status, changed.text).to.equal(200)
      expect((await client.get(path + query)).headers.get('ETag')).to.equal(changed.headers.get('ETag'))
    }
    // Writes the attendees unchanged.
    const { attendees } = (await client.get(path)).json.data
    const kept = attendees.map((each: object) => ({ type: 'visitor', ...each }))
    expect((await client.patch(path, { attendees: kept })).json.data.attendees[0]).to.deep.equal(attendees[0])
    const removed = await client.patch(path, { attendees: { remove: [visitor] } })
    expect(removed.status, removed.text).to.equal(200)
    expect(
      await world.database('event_attendees').where({ event_id: mine.event, email: EMAIL }),
    ).to.deep.equal([])
    expect(await world.database('event_attendees').where({ event_id: mine.event })).to.have.length(1)
  })

  it('is tested with every MCP tool', () =>
    expect(Object.keys(TOOL_CALLS)).to.have.members(TOOLS.map(({ listed }) => listed.name)))

  for (const [name, callsOf] of Object.entries(TOOL_CALLS))
    it(`learns nothing about the hidden person from the MCP tool ${name}`, () =>
      compareWorlds(true, callsOf, async ({ given }, { token }) => {
        const agent = await connectWith(world.url, token)
        const answer = await agent.call(name, { ...given })
        await agent.close()
        return { isRefused: answer.isError, text: `${JSON.stringify(given)}: ${JSON.stringify(answer)}` }
      }))

  /** A refused request changes nothing. After any other request, the next request gets a new world. */
  async function compareWorlds<Each extends { saysTaken?: boolean }>(
    changes: boolean,
    requestsOf: (scene: AskingScene) => Each[] | Promise<Each[]>,
    ask: (request: Each, scene: AskingScene) => Promise<{ isRefused: boolean; text: string }>,
  ) {
    const answersIn = async (kind: WorldKind) => {
      const answers: Array<{ text: string; saysTaken: boolean }> = []
      let scene = await createScene(kind)
      const { length } = await requestsOf(scene)
      for (let index = 0; index < length; index++) {
        const request = (await requestsOf(scene))[index]
        if (!request) throw new Error('The worlds have the same requests')
        const { isRefused, text } = await ask(request, scene)
        expect(text.replaceAll('"search":"Verborgen"', '')).to.not.include('Verborgen')
        answers.push({ text: removeVaryingValues(text), saysTaken: request.saysTaken === true })
        if (changes && (!isRefused || request.saysTaken)) scene = await createScene(kind)
      }
      return answers
    }
    const hidden = await answersIn('hidden')
    const [stranger, nobody] = [await answersIn('stranger'), await answersIn('nobody')]
    for (const [index, { text, saysTaken }] of hidden.entries()) {
      expect(text).to.equal(stranger[index]?.text)
      if (!saysTaken) expect(text).to.equal(nobody[index]?.text)
    }
  }

  /** Creates the same rows with the same ids in each world, except for the intended differences. */
  async function createScene(kind: WorldKind): Promise<AskingScene> {
    const { database } = world
    await database.raw('TRUNCATE users, buildings, groups, series, events RESTART IDENTITY CASCADE')
    // Does not restart the ids of tokens, because the gateway counts the requests of each token.
    await database.raw('TRUNCATE tokens CASCADE')
    const mine = await createCampus(database, 'My')
    const theirs = await createCampus(database, 'Their')
    const stranger = await createUser(database, { name: 'Stranger', email: 'stranger@example.com' })
    await database('users').where({ id: mine.user }).update({ name: 'Mina', email: 'mina@example.com' })
    await database('users').where({ id: theirs.user }).update({ name: 'Verborgen', email: EMAIL })
    await database('person_settings').insert({ user_id: theirs.user, visibility: 'nobody' })
    await database('absences')
      .where({ id: theirs.absence })
      .update({ days: database.raw('daterange(current_date - 1, current_date + 14)') })
    await database('calendars')
      .where({ id: theirs.calendar })
      .update({ user_id: theirs.user, bookable_id: null })
    const visitor = await inviteHiddenPerson(database, mine.event, kind === 'hidden' ? theirs.user : null)
    if (kind === 'stranger') await transferRows(database, theirs.user, stranger)
    if (kind === 'nobody') await removeContent(database, theirs)
    const token = await createPersonalToken(database, mine.user, ABILITIES)
    return {
      mine: { ...mine, email: 'mina@example.com' },
      theirs: { ...theirs, email: EMAIL },
      visitor,
      token,
      client: new Client(world.url, token),
    }
  }
})

/**
 * Invites the hidden user to the person's own meeting, who sees them as a visitor. Other worlds contain a real visitor
 * instead.
 */
async function inviteHiddenPerson(database: Knex, event_id: number, user_id: number | null): Promise<number> {
  const who = user_id === null ? { email: EMAIL } : { user_id }
  const visitor_id = database.raw("nextval(pg_get_serial_sequence('users', 'id'))")
  const [row] = await database('event_attendees')
    .insert({ event_id, ...who, visitor_id })
    .returning('visitor_id')
  return row.visitor_id
}

async function transferRows(database: Knex, from: number, to: number) {
  await database.raw(
    'INSERT INTO bookable_assignees (bookable_id, user_id) SELECT bookable_id, ? FROM bookable_assignees WHERE user_id = ?',
    [to, from],
  )
  for (const table of ['bookings', 'holds', 'calendars', 'absences', 'loans'])
    await database(table).where({ user_id: from }).update({ user_id: to })
  await database('bookable_assignees').where({ user_id: from }).delete()
  await database('events').where({ organizer_user_id: from }).update({ organizer_user_id: to })
}

async function removeContent(database: Knex, { user, event }: Campus) {
  const held = database('holds').where({ user_id: user }).select('id')
  await database('bookings')
    .where({ user_id: user })
    .orWhere({ event_id: event })
    .orWhereIn('hold_id', held)
    .delete()
  for (const table of ['holds', 'calendars', 'absences', 'bookable_assignees'])
    await database(table).where({ user_id: user }).delete()
  await database('events').where({ organizer_user_id: user }).delete()
}

async function createRequests(
  endpoint: Endpoint,
  { mine, theirs, client, visitor }: AskingScene,
): Promise<Request[]> {
  const name = nameOf(endpoint)
  const requestOf = REQUESTS_IN_BUILDINGS[name] ?? REQUESTS_OUTSIDE_BUILDINGS[name]
  if (!requestOf) throw new Error(`${name} has no request in test/support/campus.ts`)
  const saysTaken = ANSWERS_ABOUT_TAKEN_PLACES.has(name)
  const ofCampus = [
    await requestOf(mine, client),
    { ...(await requestOf(theirs, client)), ...(saysTaken && { saysTaken }) },
  ]
  return [...ofCampus, ...(REQUESTS_ABOUT_HIDDEN_PERSON[name]?.({ mine, theirs, visitor }) ?? [])]
}

// Removes timestamps, secrets and the token's id, which differ in each world.
const removeVaryingValues = (text: string) =>
  text
    .replaceAll(
      /"(request_id|created_at|updated_at|checked_in_at|decided_at|time|code|license_plate|url)":"[^"]*"/g,
      '"$1":""',
    )
    .replaceAll(/signature=[^"]*/g, '')
    .replaceAll(/"id":\d+,"name":"program"/g, '"name":"program"')
    .replaceAll(/"(duration_ms)":\d+/g, '"$1":0')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID')

type DescribedSchema = yup.SchemaDescription & {
  fields?: Record<string, DescribedSchema>
  innerType?: DescribedSchema
}

/** Returns the paths of fields that name people. */
function findFieldsThatNamePeople(schema: yup.AnySchema): string[] {
  const walk = ({ fields, innerType }: DescribedSchema, path: string[]): string[] => {
    if (innerType) return walk(innerType, path)
    return Object.entries(fields ?? {}).flatMap(([name, field]) => {
      const here = [...path, name]
      const isNaming = /user_ids?$|email|attendees|person|people|organizer|colleague/.test(name)
      return isNaming ? [here.join('.')] : walk(field, here)
    })
  }
  return walk(schema.describe() as DescribedSchema, [])
}
