// The page that adds many bookables to a location at once, from pasted names or ranges such as “Desk 1-40”.
import type * as yup from 'yup'
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { expandNames } from '../../../../shared/bookables/name-ranges.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showNames, splitTags } from '../../pages/ui/bookables.ts'
import { showFormCard } from '../../pages/ui/forms.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { createLocationBreadcrumbs, locationPages } from '../places/location-pages.ts'
import { newBookablesForm, showBookableFields } from './form.ts'

type NewBookablesValues = Partial<yup.InferType<typeof newBookablesForm>>

const { desk, parkingSpot, meetingRoom, homeOffice } = BOOKABLE_TYPES

export const addBookablesPage = locationPages.page({
  path: '/add',
  title: sentence`Add desks, rooms or parking`,
  actions: (action) => ({
    create: action(newBookablesForm, async (call) => {
      const { preview, tags, ...details } = call.form
      const { id } = call.params
      const { names, problems } = expandNames(call.form.names)
      if (problems.length > 0) throw invalidFields({ names: problems })
      if (preview) {
        const breadcrumbs = createLocationBreadcrumbs(await locationPages.require(call))
        return { show: { breadcrumbs, content: showForm(call, id, call.form, names) } }
      }
      const asked = { ...details, location_id: id, names, tags: splitTags(tags) }
      const { bookables, hasFloorPlan } = await locationPages.require(call)
      await call.dispatch('bookables.create', asked)
      // Redirects to the floor plan, because a new floor does not have one yet.
      const next = bookables === 0 && !hasFloorPlan ? '/plan' : ''
      return {
        redirectTo: call.link(`/places/locations/${id}${next}`),
        notice: describeAdded(details.type, names),
      }
    }),
  }),
  show: (call, { id }) => ({ content: showForm(call, id, {}) }),
})

function showForm(call: Call, id: number, typed: NewBookablesValues, names?: string[]): Html {
  const options = {
    action: 'create',
    submit: t`Add desks, rooms or parking`,
    cancel: call.link(`/places/locations/${id}`),
    values: { type: desk, status: BOOKABLE_STATUSES.flexible, ...typed },
  }
  return html`${names && previewNames(names)}${showFormCard(call, options, (fields) => [
    fields.area('names', t`Names`, {
      hint: t`One per line. “Desk 1-40” or “P-001…P-120” adds many. Up to 1,000 at once.`,
      rows: 6,
    }),
    html`<p><button class="button quiet" name="preview" value="true">${t`Preview names`}</button></p>`,
    showBookableFields(fields, true),
  ])}`
}

const ADDED_NOTICES: Record<number, (count: number, first: string, last: string) => string> = {
  [desk]: (count, ...ends) =>
    plural(count, '# desk added: {0} to {1}.', '# desks added: {0} to {1}.', ...ends),
  [parkingSpot]: (count, ...ends) =>
    plural(count, '# parking spot added: {0} to {1}.', '# parking spots added: {0} to {1}.', ...ends),
  [meetingRoom]: (count, ...ends) =>
    plural(count, '# meeting room added: {0} to {1}.', '# meeting rooms added: {0} to {1}.', ...ends),
  [homeOffice]: (count, ...ends) =>
    plural(count, '# home office added: {0} to {1}.', '# home offices added: {0} to {1}.', ...ends),
}

function describeAdded(type: number, names: string[]): string {
  const [first = ''] = names
  return names.length === 1
    ? t`${first} added.`
    : (ADDED_NOTICES[type]?.(names.length, first, names.at(-1) ?? first) ?? '')
}

function previewNames(names: string[]): Html {
  return showNotice(
    'neutral',
    html`<strong>${plural(names.length, 'Preview: # name', 'Preview: # names')}</strong>`,
    html`<p>${showNames(names)}</p><p>${t`Nothing has been added yet.`}</p>`,
  )
}
