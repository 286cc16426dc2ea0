// Creates examples for the pages of places: a location with a plan, a bookable on it with an assignee, and a
// person with a booking there.
import type { Knex } from 'knex'
import { message } from '../../../shared/messages/message.ts'
import { createBookable, createBooking, createBuilding, createLocation, createUser } from '../factories.ts'
import { createScreen } from '../screens/screens.ts'
import { createReviewedImport } from './people-examples.ts'
import { createFloorPlanColumns, drawPng } from './pictures.ts'

type Ids = { building: number; location: number; bookable: number }

async function createPlace(database: Knex): Promise<Ids> {
  const building = await createBuilding(database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
  const plan = createFloorPlanColumns(drawPng(60, 40))
  const location = await createLocation(database, { building_id: building, name: '3rd floor', ...plan })
  const at = (name: string, row: object = {}) =>
    createBookable(database, { name, location_id: location, ...row })
  const bookable = await at('Desk 1', { position_x: 0.3, position_y: 0.4, tags: ['window'] })
  const assigned = await at('Desk 2', { status: 2, position_x: 0.6, position_y: 0.4 })
  await at('Desk 3', { status: 1, description: 'Its lamp is broken' })
  await at('Free desk')
  const user_id = await createUser(database, { name: 'Ada Lovelace' })
  await database('bookable_assignees').insert({ bookable_id: assigned, user_id })
  await createBooking(database, { bookable_id: bookable, user_id, from: '2026-01-01T08:00:00Z', to: null })
  return { building, location, bookable }
}

/** Creates an import that its administrator has not applied yet. */
async function createImport(database: Knex): Promise<string> {
  const { location, bookable } = await createPlace(database)
  const rule = message`the type must be desk, parking spot, meeting room or home office`
  const errors = { type: [message`${rule} (it is “${'sofa'}”)`] }
  return createReviewedImport(database, {
    name: 'bookables.plan-import',
    input: { filename: 'desks.csv', location_id: location },
    file: 'name,type,tags\nSofa,sofa,\nDesk 1,,quiet\n',
    header: ['name', 'type', 'tags'],
    counts: { create: 0, change: 1, skip: 0, error: 1 },
    rows: [
      {
        section: 'error',
        ordinal: 1,
        row_number: 2,
        name: 'Sofa',
        errors: JSON.stringify(errors),
        cells: ['Sofa', 'sofa', ''],
      },
      {
        section: 'change',
        ordinal: 1,
        row_number: 3,
        name: 'Desk 1',
        bookable_id: bookable,
        changes: JSON.stringify({ tags: [['window'], ['quiet']] }),
      },
    ],
  })
}

/** Creates a bookable that is blocked for a day. */
async function createBlocked(database: Knex): Promise<number> {
  const { bookable } = await createPlace(database)
  const [from, to] = ['2031-03-03T08:00:00.000000Z', '2031-03-04T08:00:00.000000Z']
  const rules = JSON.stringify({ closed: [{ from, to, reason: 'Its lamp is broken' }] })
  await database('bookables').where({ id: bookable }).update({ rules })
  return bookable
}

async function createCodes(database: Knex): Promise<string> {
  const { location, bookable } = await createPlace(database)
  await database('bookable_codes').insert({ bookable_id: bookable, code: `code-${bookable}` })
  return `/places/locations/${location}/codes`
}

const createScreenExample = (below: string) => async (database: Knex) => {
  const { bookable } = await createPlace(database)
  const { id } = await createScreen(database, { bookable_id: bookable, name: 'Door' })
  return `/places/screens/${id}${below}`
}

const createPlaceExample = (path: (ids: Ids) => string) => async (database: Knex) =>
  path(await createPlace(database))

export const PLACE_EXAMPLES = {
  '/places/buildings/{id}': createPlaceExample(({ building }) => `/places/buildings/${building}`),
  '/places/buildings/{id}/delete': createPlaceExample(
    ({ building }) => `/places/buildings/${building}/delete`,
  ),
  '/places/buildings/{id}/locations/new': createPlaceExample(
    ({ building }) => `/places/buildings/${building}/locations/new`,
  ),
  '/places/locations/{id}': createPlaceExample(({ location }) => `/places/locations/${location}`),
  '/places/locations/{id}/add': createPlaceExample(({ location }) => `/places/locations/${location}/add`),
  '/places/locations/{id}/arrange': createPlaceExample(
    ({ location }) => `/places/locations/${location}/arrange`,
  ),
  '/places/locations/{id}/copy': createPlaceExample(({ location }) => `/places/locations/${location}/copy`),
  '/places/locations/{id}/import': createPlaceExample(
    ({ location }) => `/places/locations/${location}/import`,
  ),
  '/places/imports/{id}': async (database: Knex) => `/places/imports/${await createImport(database)}`,
  '/places/locations/{id}/selected': createPlaceExample(
    ({ location, bookable }) => `/places/locations/${location}/selected?ids=${bookable}&person=a`,
  ),
  '/places/locations/{id}/delete': createPlaceExample(
    ({ location }) => `/places/locations/${location}/delete`,
  ),
  '/places/locations/{id}/delete-bookables': createPlaceExample(
    ({ location, bookable }) => `/places/locations/${location}/delete-bookables?ids=${bookable}`,
  ),
  '/places/bookables/{id}': createPlaceExample(({ bookable }) => `/places/bookables/${bookable}`),
  '/places/bookables/{id}/block': async (database: Knex) =>
    `/places/bookables/${await createBlocked(database)}/block`,
  '/places/bookables/{id}/assign': createPlaceExample(
    ({ bookable }) => `/places/bookables/${bookable}/assign?search=a`,
  ),
  '/places/buildings/{id}/rules': createPlaceExample(({ building }) => `/places/buildings/${building}/rules`),
  '/places/buildings/{id}/details': createPlaceExample(
    ({ building }) => `/places/buildings/${building}/details`,
  ),
  '/places/buildings/{id}/history': createPlaceExample(
    ({ building }) => `/places/buildings/${building}/history`,
  ),
  '/places/locations/{id}/plan': createPlaceExample(({ location }) => `/places/locations/${location}/plan`),
  '/places/locations/{id}/details': createPlaceExample(
    ({ location }) => `/places/locations/${location}/details`,
  ),
  '/places/locations/{id}/history': createPlaceExample(
    ({ location }) => `/places/locations/${location}/history`,
  ),
  '/places/bookables/{id}/history': createPlaceExample(
    ({ bookable }) => `/places/bookables/${bookable}/history`,
  ),
  '/places/locations/{id}/rules': createPlaceExample(({ location }) => `/places/locations/${location}/rules`),
  '/places/locations/{id}/codes': createCodes,
  '/places/bookables/{id}/rules': createPlaceExample(({ bookable }) => `/places/bookables/${bookable}/rules`),
  '/places/buildings/{id}/close': createPlaceExample(({ building }) => `/places/buildings/${building}/close`),
  '/places/locations/{id}/close': createPlaceExample(
    ({ location }) => `/places/locations/${location}/close?from=2031-03-03&reason=Repair`,
  ),
  '/places/bookables/{id}/close': createPlaceExample(
    ({ bookable }) => `/places/bookables/${bookable}/close?from=2031-03-03&reason=Repair`,
  ),
  '/places/screens/{id}': createScreenExample(''),
  '/places/screens/{id}/revoke': createScreenExample('/revoke'),
  '/places/screens/new': createPlaceExample(({ bookable }) => `/places/screens/new?bookable=${bookable}`),
  '/day': createPlaceExample(({ building }) => `/day?building=${building}`),
  '/map': createPlaceExample(({ location, bookable }) => `/map?location=${location}&bookable=${bookable}`),
}
