// Places: a building and its locations.
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { type Html, html } from '../../../http/html.ts'
import { type Call, page } from '../../framework/page.ts'
import { formatZone } from '../../time/zones.ts'
import { form } from '../../ui/forms.ts'
import { type Column, table } from '../../ui/tables.ts'
import { formatNumber } from '../../ui/words.ts'
import { buildingFields, buildingForm } from '../forms.ts'
import { type BuildingRow, findBuilding, type LocationSummary } from './queries.ts'

const missing = 'This building does not exist, or it has been deleted.'

export const building = page({
  path: '/places/buildings/{id}',
  title: 'Building',
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    update: action(buildingForm, async (call) => {
      const { address = '', ...rest } = call.form
      await call.dispatch('buildings.update', {
        ...rest,
        id: call.params.id,
        address,
        version: call.version,
      })
      return { redirectTo: call.linkHere(), notice: 'Changes saved.' }
    }),
  }),
  async show(call) {
    const found = await findBuilding(call.reads, call.params.id)
    if (!found) throw new Refusal('not_found', missing)
    const below = `/places/buildings/${found.id}`
    return {
      title: found.name,
      breadcrumbs: [['Places', '/places']],
      lead: `Time zone: ${formatZone(found.timezone)}`,
      tools: html`<a class="button primary" href="${call.link(`${below}/locations/new`)}">New location</a>`,
      content: html`${found.address && html`<p class="address">${found.address}</p>`}
<section aria-labelledby="locations"><h2 id="locations" class="unseen">Locations</h2>
${table('Locations', columnsOf(call), found.locations, noLocations)}</section>
${edit(call, found)}
<section class="card"><h2>Delete this building</h2>
<p>A building can be deleted once it has no locations.
<a href="${call.link(`${below}/delete`)}">Delete building</a></p></section>`,
    }
  },
})

const noLocations = html`<p><strong>This building has no locations yet.</strong></p>
<p>A location is a floor or an area with its own floor plan.</p>`

function columnsOf(call: Call): Column<LocationSummary>[] {
  return [
    {
      label: 'Location',
      isHead: true,
      show: ({ id, name }) => html`<a href="${call.link(`/places/locations/${id}`)}">${name}</a>`,
    },
    { label: 'Code', show: ({ code }) => code },
    { label: 'Bookables', isNumber: true, show: ({ bookables }) => formatNumber(bookables) },
    { label: 'Floor plan', show: ({ hasPlan }) => (hasPlan ? 'yes' : html`<span class="soft">none</span>`) },
    {
      label: 'Actions',
      isTools: true,
      show: ({ id, name }) =>
        html`<a href="${call.link('/map', { location: id })}" aria-label="Map of ${name}">Map</a>`,
    },
  ]
}

function edit(call: Call, found: BuildingRow): Html {
  return html`<section class="card" aria-labelledby="edit"><h2 id="edit">Details</h2>
<details${call.refusedForm ? html` open` : ''}><summary>Edit name, address and time zone</summary>
<div class="narrow">${form(
    call,
    { action: 'update', submit: 'Save changes', version: found.version },
    (fields) => buildingFields(fields, found),
  )}</div></details></section>`
}
