// The page of a building with its locations and who is in today, and creating and deleting one.
import { message } from '../../../../shared/messages/message.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatZone, zoneOptions } from '../../pages/time/zones.ts'
import { formPage, resource } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { type Column, formatNumber, showLink, showLinkOrText, table } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { historyPage } from '../audit-log/audit-entry.ts'
import {
  describePresent,
  findPresentPeople,
  type PeopleOfBuilding,
  showPresentPeople,
} from '../people/present-people.ts'
import { deletionCard, detailsCard } from '../places/location-pages.ts'
import { rulesPage } from '../rules/rules-pages.ts'
import { findBuilding, type LocationSummary } from './queries.ts'

const buildingForm = object({
  name: required(text({ max: 255, min: 1 })),
  address: text({ max: 1000 }).default(''),
  timezone: required(timezone()),
})

export const buildingPages = resource({
  path: '/places/buildings/{id}',
  section: 'Places',
  missing: message`This building does not exist, or it has been deleted.`,
  find: (call) => findBuilding(call.reads, call.params.id),
  above: (_found, call) => [[t`Places`, backPath(call, '/places')]],
  nameOf: ({ name }) => name,
  tabs: [
    ['', sentence`Floors`],
    ['/rules', sentence`Rules`],
    ['/details', sentence`Details`],
    ['/history', sentence`History`],
  ],
})

export const newBuilding = formPage({
  path: '/places/buildings/new',
  title: sentence`New building`,
  section: 'Places',
  find: async (call) => ({ timezone: await findCommonZone(call.reads) }),
  breadcrumbs: () => [[t`Places`, '/places']],
  action: 'create',
  submit: sentence`Create building`,
  form: buildingForm,
  fields: buildingFields,
  async act(call) {
    const { data } = await call.dispatch('buildings.create', call.form)
    return {
      redirectTo: call.link(`/places/buildings/${data.id}`),
      notice: t`Building created. Now add its floors.`,
    }
  },
})

export const deleteBuilding = buildingPages.form({
  path: '/delete',
  title: sentence`Delete building`,
  action: 'delete',
  tone: 'danger',
  heading: ({ name }) => t`Delete “${name}”?`,
  intro: () => t`You can delete a building only once it has no floors. This cannot be undone.`,
  async act(call) {
    await call.dispatch('buildings.delete', { id: call.params.id })
    return { redirectTo: call.link(backPath(call, '/places')), notice: t`Building deleted.` }
  },
})

export const building = buildingPages.page({
  title: sentence`Building`,
  readers: 'reader',
  async show(call, found) {
    const { id, address, timezone, locations } = found
    const people = (await findPresentPeople(call.reads, call.now, id))(id)
    const below = `/places/buildings/${id}`
    return {
      lead: t`Time zone: ${formatZone(timezone)}`,
      tools: html`${locations.length > 0 && showLink(call.link('/day', { building: id }), t`Day`, { class: 'button quiet' })}
${showLink(call.link(`${below}/locations/new`), t`New floor`, { class: 'button primary' })}`,
      content: html`${address && html`<p class="address">${address}</p>`}
${locations.length > 0 && showPeople(call, id, people)}
<section aria-labelledby="locations"><h2 id="locations" class="unseen">${t`Floors`}</h2>
${table(t`Floors`, columnsOf(call, id, people), locations, noLocations())}</section>`,
    }
  },
})

export const buildingRules = rulesPage(buildingPages, 'buildings')
export const buildingHistory = historyPage(buildingPages, 'buildings', ({ timezone }) => timezone)

export const buildingDetails = buildingPages.page({
  path: '/details',
  title: sentence`Details`,
  readers: 'reader',
  actions: (action) => ({
    update: action(buildingForm, async (call) => {
      const { id } = call.params
      await call.dispatch('buildings.update', { ...call.form, id, version: call.version })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
  }),
  show(call, found) {
    const removal = buildingPages.address(call, '/delete')
    return {
      content: html`${detailsCard(call, found, (fields) => buildingFields(fields, found))}
${deletionCard(
  t`Delete this building`,
  removal,
  found.locations.length > 0
    ? t`You can delete a building once it has no floors.`
    : showLink(removal, t`Delete building`),
)}`,
    }
  },
})

function buildingFields(fields: Fields, { name, timezone }: { name?: string; timezone: string }) {
  return [
    fields.text('name', t`Name`, { autofocus: name === undefined }),
    fields.area('address', t`Address`, { rows: 3 }),
    fields.select('timezone', t`Time zone`, {
      hint: t`Days and times at this building are in this time zone.`,
      options: zoneOptions(timezone),
      value: timezone,
    }),
  ]
}

function noLocations(): Html {
  return showEmpty(
    t`This building has no floors yet.`,
    t`A part of a building with its own floor plan, such as a car park, is a floor too.`,
  )
}

function showPeople(call: Call, building: number, { inside, home }: PeopleOfBuilding): Html {
  return html`<p>${describePresent(inside)}</p>
${home.today > 0 && html`<div class="at-home"><strong>${t`At home:`}</strong> ${showPresentPeople(call, home, { building })}</div>`}`
}

function columnsOf(call: Call, building: number, people: PeopleOfBuilding): Column<LocationSummary>[] {
  return [
    {
      label: t`Floor`,
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
