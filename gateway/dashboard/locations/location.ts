// The page of a location: what can be booked there, and its floor plan.

import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/history.ts'
import { BOOKABLE_ORDERS, listBookables } from '../bookables/queries.ts'
import { searchQuery } from '../bookables/selection.ts'
import { listBuildingNames } from '../buildings/queries.ts'
import { calendarCard, createCalendar } from '../calendars/card.ts'
import { backPath, backQuery } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import { deletionCard, detailsCard } from '../places/cards.ts'
import { findFloorPlanFacts, missingLocation, requireLocation } from '../places/location-queries.ts'
import { rulesCard } from '../rules/card.ts'
import { showLink } from '../ui/links.ts'
import { pageNumber, sliceOf } from '../ui/paging.ts'
import { parseSort, sortChoice } from '../ui/sorting.ts'
import { bookablesSearch, bookablesTable } from './bookables-table.ts'
import { floorPlanCard } from './floor-plan-card.ts'
import { locationFields, locationForm } from './form.ts'

const BOOKABLES_PER_PAGE = 100

const withoutFile = message`This form must be sent with a file.`

export const location = page({
  path: '/places/locations/{id}',
  title: sentence`Location`,
  section: 'Places',
  readers: 'reader',
  params: object({ id: pathId() }),
  query: object({
    ...searchQuery,
    ...backQuery,
    sort: sortChoice(BOOKABLE_ORDERS),
    page: pageNumber(),
  }),
  missing: missingLocation,
  actions: (action) => ({
    'create-calendar': action(object({}), (call) => createCalendar(call, 'location_id')),
    update: action(locationForm, async (call) => {
      const { code = '', ...rest } = call.form
      await call.dispatch('locations.update', {
        ...rest,
        id: call.params.id,
        code,
        version: call.version,
      })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
    'set-floor-plan': action(
      object({}),
      async (call) => {
        if (!call.upload) throw new Refusal('malformed_body', withoutFile)
        await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: call.upload.fileId })
        const redirectTo = call.link(`/places/locations/${call.params.id}/arrange`)
        return { redirectTo, notice: t`Floor plan uploaded.` }
      },
      { takesFile: true },
    ),
    'delete-floor-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: null })
      return {
        redirectTo: call.linkHere(),
        notice: t`Floor plan deleted. All positions are kept.`,
      }
    }),
  }),
  async show(call) {
    const { page, sort, back: _, ...search } = call.query
    const order = parseSort(sort, 'name')
    const { id } = call.params
    const [found, floorPlan, bookables, buildings] = await Promise.all([
      requireLocation(call.reads, id),
      findFloorPlanFacts(call.reads, id),
      listBookables(call.reads, { locationId: id, ...search }, sliceOf(page, BOOKABLES_PER_PAGE), order),
      listBuildingNames(call.reads),
    ])
    return {
      title: found.name,
      lead: found.code || undefined,
      breadcrumbs: [
        [t`Places`, backPath(call, '/places')],
        [found.building, `/places/buildings/${found.buildingId}`],
      ],
      tools: html`${showLink(call.link('/map', { location: id }), t`Map`, { class: 'button quiet' })}
${showLink(call.link('/day', { location: id }), t`Day`, { class: 'button quiet' })}
${showLink(call.link(`/places/locations/${id}/copy`), t`Copy`, { class: 'button quiet' })}
${showLink(call.link(`/places/locations/${id}/import`), t`Import from a file`, { class: 'button quiet' })}
${showLink(call.link(`/places/locations/${id}/add`), t`Add desks, rooms or parking`, { class: 'button primary' })}`,
      content: html`${found.bookables > 0 && bookablesSearch(call, search)}
${bookablesTable(call, found, search, { found: bookables, page, order, rowsPerPage: BOOKABLES_PER_PAGE, empty: found.bookables > 0 ? nothingFound(call) : noBookables() })}
${floorPlanCard(call, found, floorPlan)}
${detailsCard(call, { summary: t`Edit name, code and building`, version: found.version }, (fields) => locationFields(fields, found, buildings))}
${await rulesCard(call, 'locations', id, call.query.back)}
${await calendarCard(call, 'location_id', id)}
${deletionCard('location', {
  isEmpty: found.bookables === 0,
  condition: t`A location can be deleted once it has no desks, rooms or parking.`,
  address: call.link(`/places/locations/${id}/delete`),
})}
${await showHistory(call, 'locations', id, found.timezone)}`,
    }
  },
})

function noBookables(): Html {
  return html`<p><strong>${t`No desks, rooms or parking yet.`}</strong></p>
<p>${t`Add desks, rooms or parking spots: “Desk 1-40” adds 40 desks at once.`}</p>`
}

function nothingFound(call: Call): Html {
  return html`<p><strong>${t`No matches.`}</strong></p>
<p>${showLink(call.linkHere({ search: null, type: null, status: null, page: null }), t`Show all`)}</p>`
}
