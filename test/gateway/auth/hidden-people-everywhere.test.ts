// Asks everything that a personal token may call about somebody who hides from its person, in three worlds: the hidden person
// has a booking, a meeting, a request and a calendar; a stranger has them instead; nobody has them. The first two answer
// the same to the byte, and so does the third, unless the answer says that a place is taken. A new endpoint, or a new field that
// names people, fails this test until it has a request here.
import { expect } from 'chai'
import type { Knex } from 'knex'
import type * as yup from 'yup'
import { TOOLS } from '../../../gateway/api/mcp/tools.ts'
import { endpoints } from '../../../gateway/app.ts'
import { type Endpoint, isWrite } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES } from '../../../shared/tokens/token-store.ts'
import { APART, type Campus, createCampus, REQUESTS } from '../../support/campus.ts'
import { createUser, hoursFromNow } from '../../support/factories.ts'
import { type Asked, Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { useWorld } from '../../support/world.ts'
import { connectWith } from '../api/mcp/agent.ts'

const EMAIL = 'hedda@example.com'
const WORLDS = ['hidden', 'stranger', 'nobody'] as const
type Kind = (typeof WORLDS)[number]

type Scene = { mine: Campus; theirs: Campus; visitor: number }
type Asking = Scene & { client: Client; token: string }
/** `saysTaken`: the answer is about whether a place of the hidden person is taken, so it differs where nobody has it. */
type Request = Asked & { path: string; saysTaken?: boolean }

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const personal = endpoints.filter((each) => each.personal !== undefined)

const DAY = `from=${hoursFromNow(-3)}&to=${hoursFromNow(24)}`
const NOW = { from_time: hoursFromNow(0), to_time: hoursFromNow(1) }
const LATER = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
const DAYTIME = { day: 'today', from_time: '00:00', to_time: '23:59' }
const FREE_BUSY = { from: hoursFromNow(-3), to: hoursFromNow(24) }

const onDesk = ({ theirs: { desk, location } }: Scene) => ({ bookable_id: desk, location_id: location })
const event = (attendees: object[]) => ({ name: 'Meeting', ...LATER, attendees })
const byEmail = (type: string, email = EMAIL) => [{ type, email }]
const everyWayToName = ({ theirs, visitor }: Scene) => [
  byEmail('user'),
  byEmail('visitor'),
  [...byEmail('user'), ...byEmail('visitor', 'HEDDA@example.com')],
  [{ type: 'user', id: theirs.user }],
  [{ type: 'user', id: theirs.user, email: EMAIL }],
  [{ type: 'visitor', id: visitor, email: EMAIL }],
]

/** Requests about the hidden person and their places, besides those that name things of both campuses. */
const ABOUT: Record<string, (scene: Scene) => Request[]> = {
  'GET /users/by-email/{user_email}': () => [{ path: `users/by-email/${EMAIL}` }],
  'GET /users/by-email/{user_email}/bookings': () => [{ path: `users/by-email/${EMAIL}/bookings?${DAY}` }],
  'GET /bookings': ({ theirs }) => [
    { path: `bookings?${DAY}&user_id=${theirs.user}` },
    { path: `bookings?${DAY}&group_id=${theirs.group}` },
    { path: `bookings?${DAY}&bookable_id=${theirs.desk}` },
  ],
  'GET /calendars': ({ theirs }) => [
    { path: `calendars?user_id=${theirs.user}` },
    { path: `calendars?bookable_id=${theirs.desk}` },
  ],
  'GET /buildings/{building_id}/bookings': ({ theirs }) => [
    { path: `buildings/${theirs.building}/bookings?${DAY}&user_id=${theirs.user}` },
  ],
  'GET /locations/{location_id}/bookings': ({ theirs }) => [
    { path: `locations/${theirs.location}/bookings?${DAY}&user_id=${theirs.user}` },
  ],
  'GET /booking-requests': ({ theirs }) => [{ path: `booking-requests?user_id=${theirs.user}` }],
  'POST /calendars': ({ theirs }) => [
    { path: 'calendars', method: 'POST', body: { user_id: theirs.user } },
    { path: 'calendars', method: 'POST', body: { bookable_id: theirs.desk } },
  ],
  'GET /availability': ({ theirs }) => [
    { path: `availability?location_id=${theirs.location}&user_id=${theirs.user}&${DAY}` },
    { path: `availability?location_id=${theirs.location}&${DAY}`, saysTaken: true },
  ],
  'POST /free-busy': ({ mine, theirs }) =>
    [undefined, [], [0], [1], [2], [3]].map((booking_types) => ({
      path: 'free-busy',
      method: 'POST',
      body: { user_ids: [theirs.user, mine.user], ...FREE_BUSY, booking_types },
    })),
  'POST /bookings': (scene) => [
    { path: 'bookings', method: 'POST', body: { ...onDesk(scene), ...NOW }, saysTaken: true },
    { path: 'bookings', method: 'POST', body: { ...onDesk(scene), ...LATER, guest_email: EMAIL } },
    { path: 'bookings', method: 'POST', body: { ...onDesk(scene), ...LATER, user_id: scene.theirs.user } },
  ],
  'POST /bookings/check': (scene) => [
    { path: 'bookings/check', method: 'POST', body: { ...onDesk(scene), ...NOW }, saysTaken: true },
    {
      path: 'bookings/check',
      method: 'POST',
      body: { ...onDesk(scene), ...LATER, user_id: scene.theirs.user },
    },
  ],
  'POST /bookings/batch': (scene) => [
    {
      path: 'bookings/batch',
      method: 'POST',
      body: { bookings: [{ ...onDesk(scene), ...NOW }] },
      saysTaken: true,
    },
    {
      path: 'bookings/batch',
      method: 'POST',
      body: { bookings: [{ ...onDesk(scene), ...LATER, user_id: scene.theirs.user, guest_email: EMAIL }] },
    },
  ],
  'POST /bookings/series': (scene) => [
    {
      path: 'bookings/series',
      method: 'POST',
      body: { ...onDesk(scene), ...NOW, repeat: { every: 'day', count: 2 } },
      saysTaken: true,
    },
    {
      path: 'bookings/series',
      method: 'POST',
      body: {
        ...onDesk(scene),
        ...LATER,
        user_id: scene.theirs.user,
        guest_email: EMAIL,
        repeat: { every: 'day', count: 2 },
      },
    },
  ],
  'POST /booking-requests': ({ mine, theirs }) => [
    {
      path: 'booking-requests',
      method: 'POST',
      body: {
        bookable_id: mine.guarded,
        location_id: mine.guardedFloor,
        ...LATER,
        user_id: theirs.user,
        guest_email: EMAIL,
      },
    },
  ],
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
    { path: `events?${DAY}&include=details` },
    { path: `events?${DAY}&bookable_id=${theirs.room}` },
  ],
  'GET /events/today': ({ mine }) => [{ path: `events/today?building_id=${mine.building}&include=details` }],
  'POST /events': (scene) => [
    ...everyWayToName(scene).map((attendees) => ({
      path: 'events?include=details',
      method: 'POST',
      body: event(attendees),
    })),
    { path: 'events', method: 'POST', body: { ...event([]), organizer_user_id: scene.theirs.user } },
    {
      path: 'events',
      method: 'POST',
      body: { ...event([{ type: 'bookable', id: scene.theirs.room }]), ...NOW },
      saysTaken: true,
    },
  ],
  'PUT /events/{id}': (scene) => [
    ...everyWayToName(scene).map((attendees) => ({
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
  'PATCH /events/{id}': (scene) =>
    [
      { name: 'Renamed' },
      ...everyWayToName(scene).map((attendees) => ({ attendees })),
      ...everyWayToName(scene).map((add) => ({ attendees: { add } })),
      ...[scene.theirs.user, scene.visitor].map((id) => ({ attendees: { remove: [id] } })),
      { organizer_user_id: scene.theirs.user },
    ].map((body) => ({ path: `events/${scene.mine.event}?include=details`, method: 'PATCH', body })),
}

/** The fields that name people, by endpoint. Each request above or of a campus tries them with the hidden person. */
const NAMING: Record<string, string[]> = {
  'GET /bookings': ['user_id'],
  'GET /buildings/{building_id}/bookings': ['user_id'],
  'GET /locations/{location_id}/bookings': ['user_id'],
  'GET /booking-requests': ['user_id'],
  'GET /calendars': ['user_id'],
  'GET /availability': ['user_id'],
  'POST /free-busy': ['user_ids'],
  'POST /bookings': ['user_id', 'guest_email'],
  'POST /bookings/batch': ['bookings.user_id', 'bookings.guest_email'],
  'POST /bookings/check': ['user_id', 'guest_email'],
  'POST /bookings/series': ['user_id', 'guest_email'],
  'PUT /bookings/{id}': ['guest_email', 'user_id'],
  'PATCH /bookings/{id}': ['guest_email', 'user_id'],
  'POST /bookings/{id}/move': ['guest_email', 'user_id'],
  'POST /booking-requests': ['user_id', 'guest_email'],
  'POST /events': ['attendees', 'organizer_user_id'],
  'PUT /events/{id}': ['attendees', 'organizer_user_id'],
  'PATCH /events/{id}': ['attendees', 'organizer_user_id'],
  'POST /calendars': ['user_id'],
}

/** Requests whose whole answer is about a place that the hidden person has taken. */
const SAYS_TAKEN = new Set([
  'GET /locations/{location_id}/bookables/occupancy',
  'GET /bookables/{id}/availability',
  'GET /availability',
])

const TOOL_CALLS: Record<string, (scene: Scene) => Array<{ given: object; saysTaken?: boolean }>> = {
  find_people: ({ theirs }) => [{ given: { search: 'Verborgen' } }, { given: { group_id: theirs.group } }],
  who_is_in: ({ theirs }) => [{ given: { building_id: theirs.building, user_id: theirs.user } }],
  find_free: ({ theirs }) => [
    { given: { ...DAYTIME, building_id: theirs.building, near_user_ids: [theirs.user] } },
    { given: { ...DAYTIME, building_id: theirs.building, user_id: theirs.user } },
    { given: { ...DAYTIME, building_id: theirs.building }, saysTaken: true },
  ],
  check_booking: (scene) => [
    { given: { ...onDesk(scene), ...LATER, user_id: scene.theirs.user } },
    { given: { ...onDesk(scene), ...NOW }, saysTaken: true },
  ],
  book: (scene) => [
    { given: { ...onDesk(scene), ...LATER, user_id: scene.theirs.user } },
    { given: { ...onDesk(scene), ...NOW }, saysTaken: true },
  ],
  move_booking: ({ mine, theirs }) => [
    { given: { booking_id: theirs.booking, bookable_id: theirs.free } },
    { given: { booking_id: mine.booking, bookable_id: theirs.desk }, saysTaken: true },
  ],
  cancel_booking: ({ theirs }) => [{ given: { booking_id: theirs.booking } }],
  check_in: ({ theirs }) => [{ given: { booking_id: theirs.booking } }],
  list_bookings: ({ theirs }) => [
    { given: { user_id: theirs.user } },
    { given: { bookable_id: theirs.desk } },
    { given: { location_id: theirs.location } },
    { given: { booking_id: theirs.booking } },
  ],
  explain_refusal: ({ theirs }) => [{ given: { code: 'booking_conflict', bookable_id: theirs.desk } }],
}

describe('a personal token and somebody who hides from its person', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })

  for (const endpoint of personal)
    it(`finds out nothing with ${nameOf(endpoint)}`, () =>
      compareWorlds(
        isWrite(endpoint),
        (scene) => requestsFor(endpoint, scene),
        async (request, { client }) => {
          const { path, saysTaken: _, ...asked } = request
          const { status, text } = await client.ask(path, { method: endpoint.method, ...asked })
          return {
            isRefused: status >= 400,
            text: `${path} ${JSON.stringify(asked.body)}: ${status} ${text}`,
          }
        },
      ))

  it('is tested with each field that names people', () => {
    const found = Object.fromEntries(
      personal.flatMap((each) => {
        const fields = [...namingFields(each.query), ...(each.body ? namingFields(each.body) : [])]
        return fields.length > 0 ? [[nameOf(each), fields.sort()]] : []
      }),
    )
    const declared = Object.entries(NAMING).map(([name, fields]) => [name, fields.sort()])
    expect(found).to.deep.equal(Object.fromEntries(declared))
    for (const name of Object.keys(NAMING)) expect(ABOUT, name).to.have.property(name)
  })

  it('gets the same answer for the e-mail of a hidden person as for an unknown e-mail', async () => {
    const answersFor = async (email: string) => {
      const answers: string[] = []
      for (const type of ['user', 'visitor'])
        for (const [method, body] of [
          ['POST', event(byEmail(type, email))],
          ['PUT', event(byEmail(type, email))],
          ['PATCH', { attendees: byEmail(type, email) }],
          ['PATCH', { attendees: { add: byEmail(type, email) } }],
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

  it('can change a meeting with a hidden attendee, using the ETag and ids that it has read', async () => {
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
    // Sending the attendees back as they were read changes nothing.
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

  it('is tested with each tool of an agent', () =>
    expect(Object.keys(TOOL_CALLS)).to.have.members(TOOLS.map(({ listed }) => listed.name)))

  for (const [name, callsOf] of Object.entries(TOOL_CALLS))
    it(`finds out nothing with the tool ${name}`, () =>
      compareWorlds(true, callsOf, async ({ given }, { token }) => {
        const agent = await connectWith(world.url, token)
        const answer = await agent.call(name, { ...given })
        await agent.close()
        return { isRefused: answer.isError, text: `${JSON.stringify(given)}: ${JSON.stringify(answer)}` }
      }))

  /** A refused request changes nothing. After any other, the next request gets a new world. */
  async function compareWorlds<Each extends { saysTaken?: boolean }>(
    changes: boolean,
    requestsOf: (scene: Asking) => Each[] | Promise<Each[]>,
    ask: (request: Each, scene: Asking) => Promise<{ isRefused: boolean; text: string }>,
  ) {
    const answersIn = async (kind: Kind) => {
      const answers: Array<{ text: string; saysTaken: boolean }> = []
      let scene = await createScene(kind)
      const { length } = await requestsOf(scene)
      for (let index = 0; index < length; index++) {
        const request = (await requestsOf(scene))[index]
        if (!request) throw new Error('The worlds have the same requests')
        const { isRefused, text } = await ask(request, scene)
        expect(text.replaceAll('"search":"Verborgen"', '')).to.not.include('Verborgen')
        answers.push({ text: withoutChance(text), saysTaken: request.saysTaken === true })
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

  /** Creates the same rows with the same ids each time, except where the worlds differ. */
  async function createScene(kind: Kind): Promise<Asking> {
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
    await database('calendars')
      .where({ id: theirs.calendar })
      .update({ user_id: theirs.user, bookable_id: null })
    const visitor = await inviteHidden(database, mine.event, kind === 'hidden' ? theirs.user : null)
    if (kind === 'stranger') await giveTo(database, theirs.user, stranger)
    if (kind === 'nobody') await removeAll(database, theirs)
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

/** To the person's own meeting: as a user, who is a visitor for the person; in other worlds as that visitor. */
async function inviteHidden(database: Knex, event_id: number, user_id: number | null): Promise<number> {
  const who = user_id === null ? { email: EMAIL } : { user_id }
  const visitor_id = database.raw("nextval(pg_get_serial_sequence('users', 'id'))")
  const [row] = await database('event_attendees')
    .insert({ event_id, ...who, visitor_id })
    .returning('visitor_id')
  return row.visitor_id
}

async function giveTo(database: Knex, from: number, to: number) {
  for (const table of ['bookings', 'holds', 'calendars'])
    await database(table).where({ user_id: from }).update({ user_id: to })
  await database('events').where({ organizer_user_id: from }).update({ organizer_user_id: to })
}

async function removeAll(database: Knex, { user, event }: Campus) {
  const held = database('holds').where({ user_id: user }).select('id')
  await database('bookings')
    .where({ user_id: user })
    .orWhere({ event_id: event })
    .orWhereIn('hold_id', held)
    .delete()
  for (const table of ['holds', 'calendars']) await database(table).where({ user_id: user }).delete()
  await database('events').where({ organizer_user_id: user }).delete()
}

async function requestsFor(
  endpoint: Endpoint,
  { mine, theirs, client, visitor }: Asking,
): Promise<Request[]> {
  const name = nameOf(endpoint)
  const requestOf = REQUESTS[name] ?? APART[name]
  if (!requestOf) throw new Error(`${name} has no request in test/support/campus.ts`)
  const saysTaken = SAYS_TAKEN.has(name)
  const ofCampus = [
    await requestOf(mine, client),
    { ...(await requestOf(theirs, client)), ...(saysTaken && { saysTaken }) },
  ]
  return [...ofCampus, ...(ABOUT[name]?.({ mine, theirs, visitor }) ?? [])]
}

// Timestamps, secrets, and the id of the token differ each time.
const withoutChance = (text: string) =>
  text
    .replaceAll(
      /"(request_id|created_at|updated_at|checked_in_at|decided_at|time|code|license_plate|url)":"[^"]*"/g,
      '"$1":""',
    )
    .replaceAll(/signature=[^"]*/g, '')
    .replaceAll(/"id":\d+,"name":"program"/g, '"name":"program"')
    .replaceAll(/"(duration_ms)":\d+/g, '"$1":0')
    .replaceAll(/\b[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\b/g, 'UUID')

type Described = yup.SchemaDescription & { fields?: Record<string, Described>; innerType?: Described }

/** Returns the paths of fields that name people. */
function namingFields(schema: yup.AnySchema): string[] {
  const walk = ({ fields, innerType }: Described, path: string[]): string[] => {
    if (innerType) return walk(innerType, path)
    return Object.entries(fields ?? {}).flatMap(([name, field]) => {
      const here = [...path, name]
      const isNaming = /user_ids?$|email|attendees|person|people|organizer|colleague/.test(name)
      return isNaming ? [here.join('.')] : walk(field, here)
    })
  }
  return walk(schema.describe() as Described, [])
}
