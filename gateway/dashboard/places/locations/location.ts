// Places: a location, what can be booked there, and its floor plan.
import { integer, object, pathId, queryNumber, text } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { html } from '../../../http/html.ts'
import { type Call, page } from '../../framework/page.ts'
import { statusChoice, typeChoice } from '../../ui/bookables.ts'
import { pager } from '../../ui/tables.ts'
import { listBookables } from '../bookables/queries.ts'
import { listBuildingNames } from '../buildings/queries.ts'
import { locationForm } from '../forms.ts'
import { bookablesTable, editCard, filters, planCard } from './parts.ts'
import { findFloorPlanFacts, findLocation } from './queries.ts'

const BOOKABLES_A_PAGE = 100
const missing = 'This location does not exist, or it has been deleted.'

export const location = page({
  path: '/places/locations/{id}',
  title: 'Location',
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({
    search: text({ max: 255 }),
    type: typeChoice(),
    status: statusChoice(),
    page: queryNumber(integer({ min: 1, max: 100_000 })).default(1),
  }),
  missing,
  actions: (action) => ({
    update: action(locationForm, async (call) => {
      const { code = '', ...rest } = call.form
      await call.dispatch('locations.update', {
        ...rest,
        id: call.params.id,
        code,
        version: call.version,
      })
      return { redirectTo: call.linkHere(), notice: 'Changes saved.' }
    }),
    plan: action(
      object({}),
      async (call) => {
        if (!call.upload) throw new Refusal('malformed_body', 'This form must be sent with a file.')
        await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: call.upload.fileId })
        const redirectTo = call.link(`/places/locations/${call.params.id}/arrange`)
        return { redirectTo, notice: 'Floor plan uploaded.' }
      },
      { takesFile: true },
    ),
    'remove-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: null })
      return {
        redirectTo: call.linkHere(),
        notice: 'Floor plan deleted. All positions are kept.',
      }
    }),
  }),
  async show(call) {
    const { page: number, ...search } = call.query
    const { id } = call.params
    const [found, plan, bookables, buildings] = await Promise.all([
      findLocation(call.reads, id),
      findFloorPlanFacts(call.reads, id),
      listBookables(
        call.reads,
        { locationId: id, ...search },
        { offset: (number - 1) * BOOKABLES_A_PAGE, limit: BOOKABLES_A_PAGE + 1 },
      ),
      listBuildingNames(call.reads),
    ])
    if (!found) throw new Refusal('not_found', missing)
    return {
      title: found.name,
      lead: found.code || undefined,
      breadcrumbs: [
        ['Places', '/places'],
        [found.building, `/places/buildings/${found.buildingId}`],
      ],
      tools: html`<a class="button quiet" href="${call.link('/map', { location: id })}">Map</a>
<a class="button primary" href="${call.link(`/places/locations/${id}/add`)}">Add bookables</a>`,
      content: html`${found.bookables > 0 && filters(call, search)}
${bookablesTable(call, found, bookables.slice(0, BOOKABLES_A_PAGE), found.bookables > 0 ? nothingFound(call) : noBookables)}
${pager(call, { page: number, hasMore: bookables.length > BOOKABLES_A_PAGE })}
${planCard(call, found, plan)}
${editCard(call, found, buildings)}`,
    }
  },
})

const noBookables = html`<p><strong>No bookables yet.</strong></p>
<p>Add desks, rooms or parking spots: “Desk 1…40” adds 40 desks at once.</p>`

function nothingFound(call: Call) {
  return html`<p><strong>No matches.</strong></p>
<p><a href="${call.linkHere({ search: null, type: null, status: null, page: null })}">Show all</a></p>`
}
