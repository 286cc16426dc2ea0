// The other tabs of a location's page: its floor plan, its rules, its details and its history.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { findFloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { sentence, t } from '../../locales/translate.ts'
import { createCalendar } from '../../pages/calendars/create-calendar.ts'
import { defineHistoryPage } from '../audit-log/audit-entry.ts'
import { placeCalendarForm, showCalendarCard } from '../calendars/calendars.ts'
import {
  listBuildingOptions,
  locationPages,
  showDeletionMenu,
  showPlaceDetailsCard,
} from '../places/location-pages.ts'
import { defineClosePage } from '../rules/close-place.ts'
import { defineRulesPage } from '../rules/rules-pages.ts'
import { showFloorPlanCard } from './floor-plan-card.ts'
import { locationForm, showLocationFields } from './locations.ts'

export const locationClosePage = defineClosePage(locationPages, 'locations')
export const locationRulesPage = defineRulesPage(locationPages, 'locations')
export const locationHistoryPage = defineHistoryPage(locationPages, 'locations', ({ timezone }) => timezone)

export const floorPlanPage = locationPages.page({
  path: '/plan',
  title: sentence`Floor plan`,
  readers: 'reader',
  actions: (action) => ({
    'set-floor-plan': action(
      object({}),
      async (call) => {
        if (!call.upload) throw new Refusal('malformed_body', message`This form must be sent with a file.`)
        await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: call.upload.fileId })
        const redirectTo = call.link(`/places/locations/${call.params.id}/arrange`)
        return { redirectTo, notice: t`Floor plan uploaded.` }
      },
      { takesFile: true },
    ),
    'delete-floor-plan': action(object({}), async (call) => {
      await call.dispatch('locations.set-floor-plan', { id: call.params.id, file_id: null })
      return { redirectTo: call.linkHere(), notice: t`Floor plan deleted. All positions are kept.` }
    }),
  }),
  async show(call, found) {
    return { content: showFloorPlanCard(call, found, await findFloorPlanFacts(call.reads, found.id)) }
  },
})

export const locationDetailsPage = locationPages.page({
  path: '/details',
  title: sentence`Details`,
  readers: 'reader',
  actions: (action) => ({
    'create-calendar': action(placeCalendarForm, (call) => createCalendar(call, 'location_id')),
    update: action(locationForm, async (call) => {
      const { id } = call.params
      await call.dispatch('locations.update', { ...call.form, id, version: call.version })
      return { redirectTo: call.linkHere(), notice: t`Changes saved.` }
    }),
  }),
  async show(call, found) {
    const removal = locationPages.address(call, '/delete')
    const buildings = await listBuildingOptions(call.reads)
    return {
      tools: showDeletionMenu(
        removal,
        t`Delete floor`,
        found.bookables > 0 && t`You can delete a floor once it has no desks, rooms or parking.`,
      ),
      content: html`${showPlaceDetailsCard(call, found, (fields) => showLocationFields(fields, { ...found, buildings }))}
${await showCalendarCard(call, 'location_id', found.id)}`,
    }
  },
})
