// Places: the floor plan of a location, and where everything stands on it.
import { object, pathId, queryId, required } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page } from '../framework/page.ts'
import { placeFields, placeInput, placeShape } from '../places/bookables/plan-places.ts'
import { listPlaces, type Place } from '../places/bookables/queries.ts'
import { floorPlanPicture } from '../places/locations/floor-plans.ts'
import { findFloorPlanFacts, findLocation } from '../places/locations/queries.ts'
import { form } from '../ui/forms.ts'
import { formatCount } from '../ui/words.ts'
import { canvas, layoutOf, movables } from './canvas.ts'

const missing = 'This location does not exist, or it has been deleted.'

export const arrange = page({
  path: '/places/locations/{id}/arrange',
  title: 'Arrange floor plan',
  section: 'Places',
  params: object({ id: pathId() }),
  missing,
  actions: (action) => ({
    place: action(object({ ...placeShape, bookable: required(queryId()) }), async (call) => {
      const { bookable, ...place } = call.form
      await call.dispatch('bookables.place', { id: bookable, version: call.version, ...placeInput(place) })
      return { redirectTo: call.linkHere() }
    }),
  }),
  async show(call) {
    const { id } = call.params
    // What a script has saved leaves no notice: a replica might show where everything stood before.
    const { primary } = call.services
    const [location, plan, places] = await Promise.all([
      findLocation(primary, id),
      findFloorPlanFacts(primary, id),
      listPlaces(primary, id),
    ])
    if (!location) throw new Refusal('not_found', missing)
    const back = `/places/locations/${id}`
    const layout = plan && layoutOf(floorPlanPicture(call, id, plan), places)
    return {
      title: `Arrange ${location.name}`,
      breadcrumbs: [
        ['Places', '/places'],
        [location.building, `/places/buildings/${location.buildingId}`],
        [location.name, back],
      ],
      tools: html`<a class="button primary" href="${call.link('/map', { location: id })}">Done</a>`,
      content: layout
        ? html`<div class="map" data-arrange><div class="map-main">
<p class="notice" data-saved role="status" hidden>Every move is saved right away.</p>
${canvas(layout, `Floor plan of ${location.name}`, movables(layout, places, `Bookables of ${location.name}`))}</div>
<div class="map-list">${places.length === 0 ? nothingYet(call, back) : html`${howTo}${unplaced(call, places)}${byNumbers(call, places)}`}</div></div>`
        : noPlan(call, back),
    }
  },
})

const howTo = html`<div data-with-script hidden><h2>How it works</h2>
<p>Drag each bookable into place, or tap it and then tap its position. With the keyboard, use the arrow keys (with Shift for
small steps), and Delete to take it off the floor plan.</p></div>`

function noPlan(call: Call, back: string): Html {
  return html`<div class="empty"><p><strong>There is no floor plan yet.</strong></p>
<p><a href="${call.link(back)}#plan">Upload one</a>, then put everything in place.</p></div>`
}

function nothingYet(call: Call, back: string): Html {
  return html`<h2>Nothing to arrange yet</h2>
<p><a href="${call.link(`${back}/add`)}">Add bookables</a>, then put them in place.</p>`
}

function unplaced(call: Call, places: Place[]): Html {
  const waiting = places.filter(({ x }) => x === null)
  const entries = waiting.map(
    ({ id, name }) =>
      html`<li data-waiting="${id}"><a href="${call.link(`/places/bookables/${id}`)}#place">${name}</a></li>`,
  )
  return html`<section aria-labelledby="waiting"><h2 id="waiting">Not on the floor plan</h2>
<p data-count>${waiting.length === 0 ? 'Everything is on the floor plan.' : `${formatCount(waiting.length, 'bookable')}, shown below the floor plan:`}</p>
<ul class="names waiting">${entries}</ul></section>`
}

// With it a script saves what is moved; without one it does the same by numbers.
function byNumbers(call: Call, places: Place[]): Html {
  const options = places.map(({ id, name }) => ({ value: id, label: name }))
  return html`<details class="card" data-place${call.refusedForm ? html` open` : ''}><summary>Enter a position</summary>
${form(call, { action: 'place', submit: 'Save position', tone: 'quiet' }, (fields) => [
  fields.select({ name: 'bookable', label: 'Bookable', options, required: true }),
  placeFields(fields, { x: null, y: null }),
])}</details>`
}
