// The Places page: buildings, each with its locations.
import { object, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { findReturnAddress } from '../../pages/page/back.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { showFilterBar } from '../../pages/ui/forms.ts'
import { createPageSlice, pageNumber, showListPager, showPageBeyondLast } from '../../pages/ui/paging.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showRunningRelease } from '../people/release-progress.ts'
import { type BuildingRow, listBuildings } from './queries.ts'

const BUILDINGS_PER_PAGE = 20

export const placesPage = definePage({
  path: '/places',
  title: sentence`Places`,
  section: 'Places',
  readers: 'reader',
  query: object({ search: text({ max: 255 }), page: pageNumber() }),
  async show(call) {
    const { search, page } = call.query
    const found = await listBuildings(call.reads, search, createPageSlice(page, BUILDINGS_PER_PAGE))
    const { rows } = found
    const isSearched = search !== undefined
    return {
      lead: t`Buildings, their floors, and what people can book there.`,
      tools: html`${showLink(call.link('/places/screens'), t`Screens`, { class: 'button quiet' })}
${showLink(call.link('/places/holidays'), t`Holidays`, { class: 'button quiet' })}
${showLink(call.link('/places/buildings/new'), t`New building`, { class: 'button primary' })}`,
      content: html`${await showRunningRelease(call)}${
        (isSearched || page > 1 || rows.length > 0) &&
        showFilterBar(call, (fields) =>
          fields.search('search', t`Search`, { placeholder: t`Building or floor` }),
        )
      }
${rows.length === 0 && (page > 1 ? showPageBeyondLast(call, page) : isSearched ? showNothingFound(call) : showNoBuildings())}
<div class="buildings">${rows.slice(0, BUILDINGS_PER_PAGE).map((each) => showBuildingCard(call, each))}</div>
${showListPager(call, { found, page, rowsPerPage: BUILDINGS_PER_PAGE })}`,
    }
  },
})

function showNoBuildings(): Html {
  return showEmptyState(
    t`There are no buildings yet.`,
    t`Add a building first. Its floors contain the desks, rooms and parking spots that people book.`,
  )
}

function showNothingFound(call: Call): Html {
  return showEmptyState(t`No buildings or floors match.`, showLink(call.link('/places'), t`Show all`))
}

function showBuildingCard(call: Call, { id, name, address, timezone, locations }: BuildingRow): Html {
  const lines = locations.map(
    (
      location,
    ) => html`<li><span>${showLinkOrText(call.link(`/places/locations/${location.id}`, { back: findReturnAddress(call) }), location.name)}
${location.code && html` <span class="badge">${location.code}</span>`}</span>
<span class="soft">${plural(location.bookables, '# desk or room', '# desks and rooms')}</span>
${showLink(call.link('/map', { location: location.id }), t`Map`, { 'aria-label': t`Map of ${location.name}` })}</li>`,
  )
  return html`<section class="card building" aria-labelledby="building-${id}">
<h2 id="building-${id}">${showLinkOrText(call.link(`/places/buildings/${id}`, { back: findReturnAddress(call) }), name)}</h2>
<p class="soft">${[address.replaceAll('\n', ', '), formatZone(timezone)].filter(Boolean).join(' · ')}</p>
${lines.length > 0 ? html`<ul class="rows">${lines}</ul>` : html`<p>${t`No floors yet.`} ${showLink(call.link(`/places/buildings/${id}/locations/new`), t`Add a floor`, { 'aria-label': t`Add a floor to ${name}` })}</p>`}
</section>`
}
