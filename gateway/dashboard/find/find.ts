// The Find page: one search for people, desks and rooms, places, bookings by number, and pages.
import type pg from 'pg'
import { object, text } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { type BookingRow, findBooking } from '../bookings/queries.ts'
import { type Call, page, SECTIONS } from '../kit/page.ts'
import { type Sentence, sentence, t, translate } from '../locales/translate.ts'
import {
  type BookableChoice,
  CHOICES_MAX,
  searchBookables,
  searchUsers,
  showExceptionalStatus,
} from '../search/choices.ts'
import * as rows from '../search/rows.ts'
import { SqlConditions } from '../search/rows.ts'
import { searchForm } from '../ui/forms.ts'
import { showLink, showLinkOrText } from '../ui/parts.ts'

type Hit = { address: string; name: string; more?: Content }
type Group = { label: string; hits: Hit[] }

const NUMBER = /^#?(\d{1,15})$/

// Pages outside the navigation that users search for by these names.
const PAGES: Array<{ label: Sentence; path: string }> = [
  ...SECTIONS,
  { label: sentence`New booking`, path: '/bookings/new' },
  { label: sentence`New event`, path: '/events/new' },
  { label: sentence`New building`, path: '/places/buildings/new' },
  { label: sentence`Add a person`, path: '/people/new' },
  { label: sentence`Import people`, path: '/people/import' },
  { label: sentence`Groups`, path: '/people/groups' },
  { label: sentence`Deactivated people`, path: '/people/deactivated' },
  { label: sentence`Administrators`, path: '/settings/administrators' },
  { label: sentence`New token`, path: '/settings/tokens/new' },
  { label: sentence`Webhooks`, path: '/settings/webhooks' },
  { label: sentence`New webhook`, path: '/settings/webhooks/new' },
  { label: sentence`Change password`, path: '/settings' },
]

export const find = page({
  path: '/find',
  title: sentence`Find`,
  readers: 'reader',
  query: object({ q: text({ max: 255 }) }),
  async show(call) {
    const { q } = call.query
    const groups = q === undefined ? [] : await search(call, q)
    const [only, ...others] = groups.flatMap(({ hits }) => hits)
    if (only && others.length === 0) return { redirectTo: only.address }
    return {
      lead: t`People, desks and rooms, places, a booking by its number, and pages.`,
      content: html`<div class="card search">${searchForm(call, t`Find`, (fields) =>
        fields.search('q', t`Name or number`, { required: true, autofocus: true }),
      )}</div>
${q !== undefined && !only && html`<div class="empty"><p><strong>${t`Nothing found.`}</strong></p><p>${t`Try fewer or shorter words.`}</p></div>`}
${groups.map(showGroup)}`,
    }
  },
})

async function search(call: Call, words: string): Promise<Group[]> {
  const number = NUMBER.exec(words.trim())?.[1]
  const [booking, people, bookables, places] = await Promise.all([
    number === undefined ? undefined : findBooking(call.reads, Number(number)),
    searchUsers(call.reads, words),
    searchBookables(call.reads, words),
    searchPlaces(call.reads, words),
  ])
  const wanted = words.trim().toLowerCase()
  const pages = PAGES.map(({ label, path }) => ({ address: call.link(path), name: translate(label) }))
  const groups: Group[] = [
    { label: t`Bookings`, hits: booking ? [bookingHit(call, booking)] : [] },
    {
      label: t`People`,
      hits: people.map(({ id, name, email }) => ({ address: call.link(`/people/${id}`), name, more: email })),
    },
    { label: t`Desks, rooms and parking`, hits: bookables.map((each) => bookableHit(call, each)) },
    {
      label: t`Places`,
      hits: places.map(({ kind, id, name, building }) => ({
        address: call.link(`/places/${kind}s/${id}`),
        name,
        more: building ?? t`building`,
      })),
    },
    { label: t`Pages`, hits: pages.filter(({ name }) => name.toLowerCase().includes(wanted)) },
  ]
  return groups.filter(({ hits }) => hits.length > 0)
}

const bookingHit = (call: Call, { id, bookable, user }: BookingRow): Hit => ({
  address: call.link(`/bookings/${id}`),
  name: t`Booking ${id}`,
  more: `${bookable}, ${user}`,
})

function bookableHit(call: Call, found: BookableChoice): Hit {
  const { id, name, location, building, locationId } = found
  const map = call.link('/map', { location: locationId, bookable: id })
  return {
    address: call.link(`/places/bookables/${id}`),
    name,
    more: html`${location}, ${building} ${showExceptionalStatus(found)}
${showLink(map, t`Map`, { 'aria-label': t`${name} on the map` })}`,
  }
}

const PLACE = {
  kind: rows.column<'building' | 'location'>('kind'),
  id: rows.number('id'),
  name: rows.text('name'),
  building: rows.orNull(rows.text('building')),
}

/** Returns up to one more than the page shows. */
function searchPlaces(reads: pg.Pool, words: string): Promise<rows.RowOf<typeof PLACE>[]> {
  const conditions = new SqlConditions()
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

function showGroup({ label, hits }: Group): Html {
  const items = hits
    .slice(0, CHOICES_MAX)
    .map(
      ({ address, name, more }) =>
        html`<li>${showLinkOrText(address, name)}${more !== undefined && html` <span class="soft">${more}</span>`}</li>`,
    )
  return html`<section class="card" aria-label="${label}"><h2>${label}</h2><ul class="rows">${items}</ul>
${hits.length > CHOICES_MAX && html`<p class="soft">${t`There are more matches. Add another word to narrow them down.`}</p>`}</section>`
}
