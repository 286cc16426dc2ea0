// Checks who may create, change and delete single buildings, locations and bookables.
import {
  answered,
  create,
  createRandomName,
  expectRefusal,
  expectUnknownRefused,
  getDataAt,
  getEtag,
} from '../additions.ts'
import { type Check, toNumber } from '../data.ts'
import { placed } from '../resources.ts'
import { type Session, SkippedError } from '../session.ts'
import { anything, at, data, items, type Json, object } from '../shapes.ts'

type Place = { building: number; location: number; bookable: number }

/** Creates a building, a location and a bookable that only this run books, and deletes them at the end. */
export async function createPlace(session: Session, type = 0): Promise<Place> {
  const building = await create(session, 'buildings', { name: createRandomName(), timezone: 'Europe/Berlin' })
  const location = await create(session, 'locations', { building_id: building, name: createRandomName() })
  return { building, location, bookable: await createBookable(session, location, type) }
}

export const createBookable = (session: Session, location_id: number, type = 0) =>
  create(session, 'bookables', { location_id, name: createRandomName(), type })

const listPlacePaths = ({ building, location, bookable }: Place) => [
  `bookables/${bookable}`,
  `locations/${location}`,
  `buildings/${building}`,
]

/** Expects GET to return the answer of a write, with the same ETag. */
async function expectReadable(session: Session, path: string, answer: Awaited<ReturnType<Session['ask']>>) {
  const read = await session.ask(`GET ${path}`)
  session.answered(read, 200)
  session.must(answer.text === read.text, `what GET ${path} answers: ${read.text.slice(0, 200)}`, answer.json)
  session.must(getEtag(answer) === getEtag(read), `the ETag ${getEtag(read)}`, getEtag(answer))
}

const requireLimitedToken = (session: Session) => {
  const { limitedToken: token } = session.target
  if (token === undefined) throw new SkippedError('without --limited-token')
  return { token }
}

/** Expects a partial update to change only the fields in its body. */
function expectUnchanged(
  session: Session,
  before: Json | undefined,
  after: Json | undefined,
  changed: string[],
): void {
  for (const [name, value] of Object.entries(Object(before)))
    if (!changed.includes(name))
      session.must(
        JSON.stringify(at(after, name)) === JSON.stringify(value),
        `${name} as it was`,
        at(after, name),
      )
}

const WRITES: Array<{ path: keyof Place; body: (place: Place) => object; changes: Record<string, Json> }> = [
  {
    path: 'building',
    body: () => ({ name: createRandomName(), address: 'Am Kai 1', timezone: 'Asia/Kathmandu' }),
    changes: { address: 'Am Kai 2' },
  },
  {
    path: 'location',
    body: ({ building }) => ({ building_id: building, name: createRandomName(), code: 'A' }),
    changes: { code: 'B' },
  },
  {
    path: 'bookable',
    body: ({ location }) => ({
      location_id: location,
      name: createRandomName(),
      type: 2,
      tags: ['two', 'one'],
      capacity: 4,
      description: 'By the window',
      position: { x: 0.25, y: 0.5 },
    }),
    changes: { tags: ['three'], capacity: null, requires_vehicle: true, description: null },
  },
]

export const placeWriteChecks: Check[] = [
  ...WRITES.map(
    ({ path, body, changes }): Check => ({
      name: `additions.${path}-write`,
      rule: `4 POST and PATCH ${path}s: the answer of GET; only what is sent changes`,
      async run(session) {
        const wish = body(await createPlace(session))
        const made = await session.ask(`POST ${path}s`, wish)
        answered(session, made, 200, data(object({ ...placed, opening_hours: anything })))
        const id = toNumber(getDataAt(made, 'id'))
        session.deleteLater(`${path}s/${id}`, () => session.ask(`DELETE ${path}s/${id}`))
        for (const [name, value] of Object.entries(wish)) {
          const got = name.endsWith('_id') ? getDataAt(made, name.slice(0, -3), 'id') : getDataAt(made, name)
          const isThere =
            name === 'position' ? at(got, 'y') === value.y : JSON.stringify(got) === JSON.stringify(value)
          session.must(isThere, `${name} ${JSON.stringify(value)}`, got)
        }
        await expectReadable(session, `${path}s/${id}`, made)
        const patched = await session.ask(`PATCH ${path}s/${id}`, changes)
        session.answered(patched, 200)
        const after = at((await session.ask(`GET ${path}s/${id}`)).json, 'data')
        for (const [name, value] of Object.entries(changes))
          session.must(
            JSON.stringify(at(after, name)) === JSON.stringify(value),
            `${name} ${JSON.stringify(value)}`,
            at(after, name),
          )
        expectUnchanged(session, getDataAt(made), after, [...Object.keys(changes), 'features'])
        if (path !== 'bookable') await expectReadable(session, `${path}s/${id}`, patched)
      },
    }),
  ),
  {
    name: 'additions.place-refused',
    rule: '4 POST of places: names are free in any letter case, and what they name must exist',
    async run(session) {
      const name = createRandomName()
      const building_id = await create(session, 'buildings', { name })
      const location_id = await create(session, 'locations', { building_id, name })
      await create(session, 'bookables', { location_id, name, type: 0 })
      const refused = async (path: string, body: object, why: string) =>
        expectRefusal(session, await session.ask(`POST ${path}`, body), 422, 'validation_failed', why)
      await refused('buildings', { name: name.toUpperCase() }, 'another building has this name')
      await refused('buildings', {}, 'a building needs a name')
      await refused(
        'buildings',
        { name: createRandomName(), timezone: 'Mars/Olympus' },
        'there is no such time zone',
      )
      await refused('locations', { building_id: 999_999_999, name }, 'there is no such building')
      await refused('bookables', { location_id: 999_999_999, name, type: 0 }, 'there is no such location')
      await refused(
        'bookables',
        { location_id, name: name.toUpperCase(), type: 0 },
        'the name is taken there',
      )
      await refused('bookables', { location_id, name: createRandomName(), type: 4 }, 'there is no such type')
    },
  },
  {
    name: 'additions.place-delete',
    rule: '4 DELETE of places: 409 while something is inside; 204, and then 404',
    async run(session) {
      const place = await createPlace(session)
      const [bookable = '', location = '', building = ''] = listPlacePaths(place)
      const refused = async (path: string) =>
        expectRefusal(session, await session.ask(`DELETE ${path}`), 409, 'in_use', 'something is inside')
      await refused(building)
      await refused(location)
      for (const path of [bookable, location, building]) {
        session.answered(await session.ask(`GET ${path}`), 200)
        const deleted = await session.ask(`DELETE ${path}`)
        session.answered(deleted, 204)
        session.must(deleted.text === '', 'an empty body', deleted.text)
        await expectUnknownRefused(session, path)
        expectRefusal(session, await session.ask(`DELETE ${path}`), 404, 'not_found', 'it is gone')
      }
    },
  },
  {
    name: 'additions.place-if-match',
    rule: '4 PATCH and DELETE of places: If-Match; of two with the same ETag one succeeds',
    async run(session) {
      for (const path of listPlacePaths(await createPlace(session))) {
        const ask = (method: string, etag: string, body?: object) =>
          session.ask(`${method} ${path}`, body, { headers: { 'If-Match': etag } })
        const first = getEtag(await session.ask(`GET ${path}`))
        const both = await Promise.all([1, 2].map(() => ask('PATCH', first, { name: createRandomName() })))
        const statuses = both.map(({ status }) => status).sort()
        session.must(String(statuses) === '200,412', 'one 200 and one 412', statuses)
        expectRefusal(session, await ask('DELETE', first), 412, 'precondition_failed', 'the ETag is old')
        const present = getEtag(await session.ask(`GET ${path}`))
        const changed = both.find(({ status }) => status === 200)
        session.must(changed !== undefined && getEtag(changed) === present, `the ETag ${present}`, 'another')
        session.answered(await ask('DELETE', `"another", ${present}`), 204)
      }
    },
  },
  {
    name: 'additions.place-limited',
    rule: '4 A token of some buildings: what is elsewhere does not exist for it, and it creates no building',
    async run(session) {
      const limited = requireLimitedToken(session)
      const own = toNumber(getDataAt(await session.ask('GET me', undefined, limited), 'buildings', 0, 'id'))
      const place = await createPlace(session)
      const ask = (line: string, body?: object) => session.ask(line, body, limited)
      for (const path of listPlacePaths(place)) {
        for (const [method, body] of [['GET'], ['PATCH', { name: createRandomName() }], ['DELETE']] as const)
          expectRefusal(
            session,
            await ask(`${method} ${path}`, body),
            404,
            'not_found',
            `${path} is elsewhere`,
          )
        session.answered(await session.ask(`GET ${path}`), 200)
      }
      const listed = items((await ask('GET buildings')).json)
      session.must(!listed.some((each) => at(each, 'id') === place.building), 'no building elsewhere', listed)
      const { building: building_id, location: location_id } = place
      const elsewhere = 'that is elsewhere'
      const refused = async (line: string, body: object) =>
        expectRefusal(session, await ask(line, body), 422, 'validation_failed', elsewhere)
      await refused('POST locations', { building_id, name: createRandomName() })
      await refused('POST bookables', { location_id, name: createRandomName(), type: 0 })
      const created = await ask('POST buildings', { name: createRandomName() })
      expectRefusal(session, created, 403, 'outside_buildings', 'it would be outside')
      const inside = await ask('POST locations', { building_id: own, name: createRandomName() })
      const id = toNumber(at(session.answered(inside, 200), 'data', 'id'))
      session.deleteLater(`locations/${id}`, () => session.ask(`DELETE locations/${id}`))
      await refused(`PATCH locations/${id}`, { building_id })
      session.answered(await ask(`PATCH locations/${id}`, { name: createRandomName() }), 200)
      session.answered(await ask(`DELETE locations/${id}`), 204)
    },
  },
  {
    name: 'additions.place-abilities',
    rule: '4 POST, PATCH and DELETE of places need object-write',
    async run(session) {
      const { readToken: token } = session.target
      if (token === undefined) throw new SkippedError('without --read-token')
      const place = await createPlace(session)
      for (const path of ['buildings', 'locations', 'bookables'])
        expectRefusal(
          session,
          await session.ask(`POST ${path}`, {}, { token }),
          403,
          'missing_ability',
          'read alone',
        )
      for (const path of listPlacePaths(place))
        for (const method of ['PATCH', 'DELETE'])
          expectRefusal(
            session,
            await session.ask(`${method} ${path}`, method === 'PATCH' ? {} : undefined, { token }),
            403,
            'missing_ability',
            'read alone',
          )
    },
  },
]
