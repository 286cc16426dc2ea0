// Searches everything at once: people with where they sit today, desks and rooms, places, a booking by its number, and
// pages and actions by their names.
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
import { describeSeat, findSeats, type Seat } from '../../pages/search/seats.ts'
import { type BookingRow, findBooking } from '../bookings/queries.ts'

/** `map`: the address of the place on a map, and what describes the link. */
export type Hit = { address: string; name: string; more?: Content; map?: { address: string; label: string } }
export type Group = { label: string; hits: Hit[] }

const NUMBER = /^#?(\d{1,15})$/

// Pages outside the navigation that users search for by these names.
const PAGES: Array<{ label: Sentence; path: string }> = [
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

/** Returns up to one more of each group than `CHOICES_MAX`. */
export async function search(call: Call, words: string): Promise<Group[]> {
  const number = NUMBER.exec(words.trim())?.[1]
  const [booking, people, bookables, places] = await Promise.all([
    number === undefined ? undefined : findBooking(call.reads, Number(number)),
    searchPeople(call, words),
    searchBookables(call.reads, words),
    searchPlaces(call.reads, words),
  ])
  const groups: Group[] = [
    { label: t`Bookings`, hits: booking ? [bookingHit(call, booking)] : [] },
    { label: t`People`, hits: people },
    { label: t`Desks, rooms and parking`, hits: bookables.map((each) => bookableHit(call, each)) },
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

async function searchPeople(call: Call, words: string): Promise<Hit[]> {
  const people = await searchUsers(call.reads, words)
  const ids = people.map(({ id }) => id)
  const seats = await findSeats(call.reads, ids, call.now)
  return people.map((person) => personHit(call, person, seats.get(person.id)))
}

function personHit(call: Call, { id, name, email }: UserChoice, seat: Seat | undefined): Hit {
  const hit = {
    address: call.link(`/people/${id}`),
    name,
    more: `${email} · ${describeSeat(seat, call.now)}`,
  }
  return seat ? { ...hit, map: mapOf(call, seat) } : hit
}

const mapOf = (call: Call, { locationId, bookableId, bookable }: Seat) => ({
  address: call.link('/map', { location: locationId, bookable: bookableId }),
  label: t`${bookable} on the map`,
})

function searchPages(call: Call, words: string): Hit[] {
  const wanted = rows.wordsOf(words.toLowerCase())
  return PAGES.map(({ label, path }) => ({ address: call.link(path), name: translate(label) })).filter(
    ({ name }) => wanted.length > 0 && wanted.every((word) => name.toLowerCase().includes(word)),
  )
}

const bookingHit = (call: Call, { id, bookable, user }: BookingRow): Hit => ({
  address: call.link(`/bookings/${id}`),
  name: t`Booking ${id}`,
  more: `${bookable}, ${user}`,
})

function bookableHit(call: Call, found: BookableChoice): Hit {
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

const PLACE = {
  kind: rows.column<'building' | 'location'>('kind'),
  id: rows.number('id'),
  name: rows.text('name'),
  building: rows.orNull(rows.text('building')),
}

function searchPlaces(reads: pg.Pool, words: string): Promise<rows.RowOf<typeof PLACE>[]> {
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
  return rows.selectRows(reads, PLACE, found, conditions.values)
}
