// The page of a building with its locations and who is in today. Also the pages that create and delete
// buildings.
import { message } from '../../../../shared/messages/message.ts'
import { object, required, text } from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { findBackPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { formatZone, listZoneOptions } from '../../pages/time/zones.ts'
import { showClosedNow } from '../../pages/ui/bookables.ts'
import { defineFormPage, defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { type Column, formatNumber, showLink, showLinkOrText, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { defineHistoryPage } from '../audit-log/audit-entry.ts'
import {
  describePresent,
  findPresentPeople,
  type PeopleOfBuilding,
  showPresentPeople,
} from '../people/present-people.ts'
import { showDeletionMenu, showPlaceDetailsCard } from '../places/location-pages.ts'
import { defineClosePage } from '../rules/close-place.ts'
import { defineRulesPage } from '../rules/rules-pages.ts'
import { findBuilding, type LocationSummary } from './queries.ts'

const buildingForm = object({
  name: required(text({ max: 255, min: 1 })),
  address: text({ max: 1000 }).default(''),
  timezone: required(timezone()),
})

export const buildingPages = defineResourcePages({
  path: '/places/buildings/{id}',
  section: 'Places',
  missing: message`This building does not exist, or it has been deleted.`,
  find: (call) => findBuilding(call.reads, call.params.id),
  above: (_found, call) => [[t`Places`, findBackPath(call, '/places')]],
  nameOf: ({ name }) => name,
  tabs: [
    ['', sentence`Floors`],
    ['/rules', sentence`Rules`],
    ['/details', sentence`Details`],
    ['/history', sentence`History`],
  ],
})

export const newBuildingPage = defineFormPage({
  path: '/places/buildings/new',
  title: sentence`New building`,
  section: 'Places',
  find: async (call) => ({ timezone: await findCommonZone(call.reads) }),
  breadcrumbs: () => [[t`Places`, '/places']],
  action: 'create',
  submit: sentence`Create building`,
  form: buildingForm,
  fields: showBuildingFields,
  async act(call) {
    const { data } = await call.dispatch('buildings.create', call.form)
    return {
      redirectTo: call.link(`/places/buildings/${data.id}`),
      notice: t`Building created. Now add its floors.`,
    }
  },
})

export const deleteBuildingPage = buildingPages.form({
  path: '/delete',
  title: sentence`Delete building`,
  action: 'delete',
  tone: 'danger',
  heading: ({ name }) => t`Delete “${name}”?`,
  intro: () => t`You can delete a building only once it has no floors. This cannot be undone.`,
  async act(call) {
    await call.dispatch('buildings.delete', { id: call.params.id })
    return { redirectTo: call.link(findBackPath(call, '/places')), notice: t`Building deleted.` }
  },
})

export const buildingPage = buildingPages.page({
  title: sentence`Building`,
  readers: 'reader',
  async show(call, found) {
    const { id, address, timezone, locations } = found
    const people = (await findPresentPeople(call.reads, call.now, id))(id)
    const below = `/places/buildings/${id}`
    return {
      lead: t`Time zone: ${formatZone(timezone)}`,
      tools: html`${locations.length > 0 && showLink(call.link('/day', { building: id }), t`Day`, { class: 'button quiet' })}
${locations.length > 0 && showLink(call.link(`${below}/locations/new`), t`New floor`, { class: 'button primary' })}
${showMoreMenu([locations.length > 0 && showLink(call.link(`${below}/close`), t`Close for a time…`)])}`,
      content: html`${address && html`<p class="address">${address}</p>`}
${locations.length > 0 && showPeople(call, id, people)}
<section aria-labelledby="locations"><h2 id="locations" class="unseen">${t`Floors`}</h2>
${showTable(t`Floors`, createColumns(call, found, people), locations, showNoLocations(call, id))}</section>`,
    }
  },
})

export const buildingClosePage = defineClosePage(buildingPages, 'buildings')
export const buildingRulesPage = defineRulesPage(buildingPages, 'buildings')
export const buildingHistoryPage = defineHistoryPage(buildingPages, 'buildings', ({ timezone }) => timezone)

export const buildingDetailsPage = buildingPages.page({
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
      tools: showDeletionMenu(
        removal,
        t`Delete building`,
        found.locations.length > 0 && t`You can delete a building once it has no floors.`,
      ),
      content: showPlaceDetailsCard(call, found, (fields) => showBuildingFields(fields, found)),
    }
  },
})

function showBuildingFields(fields: Fields, { name, timezone }: { name?: string; timezone: string }) {
  return [
    fields.text('name', t`Name`, { autofocus: name === undefined }),
    fields.area('address', t`Address`, { rows: 3 }),
    html`<div${name === undefined && html` data-browser-zone`}>${fields.select('timezone', t`Time zone`, {
      hint: t`Days and times at this building are in this time zone.`,
      options: listZoneOptions(timezone),
      value: timezone,
    })}</div>`,
  ]
}

function showNoLocations(call: Call, building: number): Html {
  const create = call.link(`/places/buildings/${building}/locations/new`)
  return showEmptyState(
    t`This building has no floors yet.`,
    html`<p>${t`A part of a building with its own floor plan, such as a car park, is a floor too.`}</p>
${showLink(create, t`New floor`, { class: 'button primary' })}`,
  )
}

function showPeople(call: Call, building: number, { inside, home }: PeopleOfBuilding): Html {
  return html`<p>${describePresent(inside)}</p>
${home.today > 0 && html`<div class="at-home"><strong>${t`At home:`}</strong> ${showPresentPeople(call, home, { building })}</div>`}`
}

function createColumns(
  call: Call,
  { id: building, timezone }: { id: number; timezone: string },
  people: PeopleOfBuilding,
): Column<LocationSummary>[] {
  return [
    {
      label: t`Floor`,
      show: ({ id, name, closed }) =>
        html`${showLinkOrText(call.link(`/places/locations/${id}`), name)}${closed && html` ${showClosedNow(closed, timezone)}`}`,
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
