// The page of a building: its locations, and who is in today.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { showHistory } from '../audit-log/history.ts'
import { backPath, backQuery, keepBack } from '../kit/back.ts'
import { type Call, page } from '../kit/page.ts'
import { sentence, t } from '../locales/translate.ts'
import {
  describePresent,
  findPresentPeople,
  type PeopleOfBuilding,
  showPresentPeople,
} from '../people/present-people.ts'
import { deletionCard, detailsCard } from '../places/cards.ts'
import { rulesCard } from '../rules/card.ts'
import { formatZone } from '../time/zones.ts'
import { showLink, showLinkOrText } from '../ui/links.ts'
import { type Column, table } from '../ui/tables.ts'
import { formatNumber } from '../ui/words.ts'
import { buildingFields, buildingForm } from './form.ts'
import { type LocationSummary, missingBuilding, requireBuilding } from './queries.ts'

export const building = page({
  path: '/places/buildings/{id}',
  title: sentence`Building`,
  section: 'Places',
  readers: 'reader',
  params: object({ id: pathId() }),
  query: object(backQuery),
  missing: missingBuilding,
  actions: (action) => ({
    update: action(buildingForm, async (call) => {
      const { address = '', ...rest } = call.form
      await call.dispatch('buildings.update', {
        ...rest,
        id: call.params.id,
        address,
        version: call.version,
      })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
  }),
  async show(call) {
    const { id } = call.params
    const [found, present] = await Promise.all([
      requireBuilding(call.reads, id),
      findPresentPeople(call.reads, call.now, id),
    ])
    const people = present(id)
    const below = `/places/buildings/${found.id}`
    return {
      title: found.name,
      breadcrumbs: [[t`Places`, backPath(call, '/places')]],
      lead: t`Time zone: ${formatZone(found.timezone)}`,
      tools: html`${found.locations.length > 0 && showLink(call.link('/day', { building: found.id }), t`Day`, { class: 'button quiet' })}
${showLink(call.link(`${below}/locations/new`), t`New location`, { class: 'button primary' })}`,
      content: html`${found.address && html`<p class="address">${found.address}</p>`}
${found.locations.length > 0 && showPeople(call, id, people)}
<section aria-labelledby="locations"><h2 id="locations" class="unseen">${t`Locations`}</h2>
${table(t`Locations`, columnsOf(call, id, people), found.locations, noLocations())}</section>
${detailsCard(call, { summary: t`Edit name, address and time zone`, version: found.version }, (fields) => buildingFields(fields, found))}
${await rulesCard(call, 'buildings', found.id, call.query.back)}
${deletionCard('building', {
  isEmpty: found.locations.length === 0,
  condition: t`A building can be deleted once it has no locations.`,
  address: call.link(keepBack(call, `${below}/delete`)),
})}
${await showHistory(call, 'buildings', found.id, found.timezone)}`,
    }
  },
})

function noLocations(): Html {
  return html`<p><strong>${t`This building has no locations yet.`}</strong></p>
<p>${t`A location is a floor or an area with its own floor plan.`}</p>`
}

function showPeople(call: Call, building: number, { inside, home }: PeopleOfBuilding): Html {
  const atHome =
    home.today > 0 && html` <strong>${t`At home:`}</strong> ${showPresentPeople(call, home, { building })}`
  return html`<p>${describePresent(inside)}${atHome}</p>
`
}

function columnsOf(call: Call, building: number, people: PeopleOfBuilding): Column<LocationSummary>[] {
  return [
    {
      label: t`Location`,
      isHead: true,
      show: ({ id, name }) => showLinkOrText(call.link(`/places/locations/${id}`), name),
    },
    {
      label: t`In today`,
      show: ({ id, name }) => showPresentPeople(call, people.locations.get(id), { building, place: name }),
    },
    { label: t`Code`, isShort: true, show: ({ code }) => code },
    { label: t`Desks and rooms`, isNumber: true, show: ({ bookables }) => formatNumber(bookables) },
    {
      label: t`Floor plan`,
      show: ({ hasFloorPlan }) => (hasFloorPlan ? t`yes` : html`<span class="soft">${t`no`}</span>`),
    },
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, name }) =>
        showLink(call.link('/map', { location: id }), t`Map`, { 'aria-label': t`Map of ${name}` }),
    },
  ]
}
