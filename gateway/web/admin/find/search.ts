// Searches everything at once: people and where they sit today, desks and rooms, places, bookings by number,
// and pages and actions by name.
import type pg from 'pg'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { type Content, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { type Sentence, sentence, t, translate } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { SECTIONS } from '../../pages/page/sections.ts'
import {
  type BookableChoice,
  CHOICES_MAX,
  searchBookables,
  searchUsers,
  showExceptionalStatus,
  type UserChoice,
} from '../../pages/search/choices.ts'
import { type BookedSeat, describeSeat, findFirstSeats } from '../../pages/search/seats.ts'
import { type BookingRow, findBooking } from '../bookings/queries.ts'

/** A search result. `map` has the address of a map that shows the result, and a label for the link. */
export type SearchHit = {
  address: string
  name: string
  more?: Content
  map?: { address: string; label: string }
}
export type SearchHitGroup = { label: string; hits: SearchHit[] }

const BOOKING_NUMBER_PATTERN = /^#?(\d{1,15})$/

// Pages outside the navigation, with the names by which users search for them.
const OTHER_PAGES: Array<{ label: Sentence; path: string }> = [
  ...SECTIONS,
  { label: sentence`New booking`, path: '/bookings/new' },
  { label: sentence`New meeting`, path: '/events/new' },
  { label: sentence`New building`, path: '/places/buildings/new' },
  { label: sentence`Add a person`, path: '/people/new' },
  { label: sentence`Import people`, path: '/people/import' },
  { label: sentence`Groups`, path: '/people/groups' },
  { label: sentence`Deactivated people`, path: '/people/deactivated' },
  { label: sentence`Administrators`, path: '/settings/administrators' },
  { label: sentence`API tokens`, path: '/integrations/tokens' },
  { label: sentence`New token`, path: '/integrations/tokens/new' },
  { label: sentence`Webhooks`, path: '/integrations/webhooks' },
  { label: sentence`New webhook`, path: '/integrations/webhooks/new' },
  { label: sentence`Change password`, path: '/settings' },
]

/** Searches all groups. Returns at most one more result per group than `CHOICES_MAX`. */
export async function searchDashboard(call: Call, words: string): Promise<SearchHitGroup[]> {
  const number = BOOKING_NUMBER_PATTERN.exec(words.trim())?.[1]
  const [booking, people, bookables, places] = await Promise.all([
    number === undefined ? undefined : findBooking(call.reads, Number(number)),
    searchPeople(call, words),
    searchBookables(call.reads, words),
    searchPlaces(call.reads, words),
  ])
  const groups: SearchHitGroup[] = [
    { label: t`Bookings`, hits: booking ? [toBookingHit(call, booking)] : [] },
    { label: t`People`, hits: people },
    { label: t`Desks, rooms and parking`, hits: bookables.map((each) => toBookableHit(call, each)) },
    {
      label: t`Places`,
      hits: places.map(({ kind, id, name, building }) => ({
        address: call.link(`/places/${kind}s/${id}`),
        name,
        more: building ?? t`building`,
      })),
    },
    { label: t`Pages`, hits: searchPages(call, words) },
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}

async function searchPeople(call: Call, words: string): Promise<SearchHit[]> {
  const people = await searchUsers(call.reads, words)
  const ids = people.map(({ id }) => id)
  const seats = await findFirstSeats(call.reads, ids, call.now)
  return people.map((person) => toPersonHit(call, person, seats.get(person.id)))
}

function toPersonHit(call: Call, { id, name, email }: UserChoice, seat: BookedSeat | undefined): SearchHit {
  const hit = {
    address: call.link(`/people/${id}`),
    name,
    more: `${email} · ${describeSeat(seat, call.now)}`,
  }
  return seat ? { ...hit, map: createMapLink(call, seat) } : hit
}

const createMapLink = (call: Call, { locationId, bookableId, bookable }: BookedSeat) => ({
  address: call.link('/map', { location: locationId, bookable: bookableId }),
  label: t`${bookable} on the map`,
})

function searchPages(call: Call, words: string): SearchHit[] {
  const wanted = rows.splitSearchWords(words.toLowerCase())
  return OTHER_PAGES.map(({ label, path }) => ({ address: call.link(path), name: translate(label) })).filter(
    ({ name }) => wanted.length > 0 && wanted.every((word) => name.toLowerCase().includes(word)),
  )
}

const toBookingHit = (call: Call, { id, bookable, user }: BookingRow): SearchHit => ({
  address: call.link(`/bookings/${id}`),
  name: t`Booking ${id}`,
  more: `${bookable}, ${user}`,
})

function toBookableHit(call: Call, found: BookableChoice): SearchHit {
  const { id, name, location, building, locationId } = found
  return {
    address: call.link(`/places/bookables/${id}`),
    name,
    more: html`${location}, ${building} ${showExceptionalStatus(found)}`,
    map: {
      address: call.link('/map', { location: locationId, bookable: id }),
      label: t`${name} on the map`,
    },
  }
}

const PLACE_COLUMNS = {
  kind: rows.column<'building' | 'location'>('kind'),
  id: rows.numberColumn('id'),
  name: rows.textColumn('name'),
  building: rows.nullableColumn(rows.textColumn('building')),
}

function searchPlaces(reads: pg.Pool, words: string): Promise<rows.RowOf<typeof PLACE_COLUMNS>[]> {
  const conditions = new rows.SqlConditions()
  conditions.addSearch(words, ['name', 'code', "coalesce(building, '')"])
  const found = `(
      SELECT 'building' AS kind, id, name, '' AS code, NULL AS building FROM buildings
      UNION ALL
      SELECT 'location', locations.id, locations.name, locations.code, buildings.name
      FROM locations JOIN buildings ON buildings.id = locations.building_id
    ) AS places
    WHERE ${conditions.sql}
    ORDER BY kind, ${naturalSql('building')}, ${naturalSql('name')}, id LIMIT ${CHOICES_MAX + 1}`
  return rows.selectRows(reads, PLACE_COLUMNS, found, conditions.values)
}
