// The page that adds many bookables to a location at once: pasted names, or ranges such as “Desk 1-40”.
import type * as yup from 'yup'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { expandNames } from '../../../shared/bookables/name-ranges.ts'
import { invalid } from '../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page, type View } from '../kit/page.ts'
import { plural, sentence, t } from '../locales/translate.ts'
import { missingLocation, requireLocation } from '../places/location-queries.ts'
import { showNames } from '../ui/bookables.ts'
import { formCard } from '../ui/forms.ts'
import { bookableFields, newBookablesForm, parseBookableDetails } from './form.ts'

type Typed = Partial<yup.InferType<typeof newBookablesForm>>

export const addBookables = page({
  path: '/places/locations/{id}/add',
  title: sentence`Add desks, rooms or parking`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    create: action(newBookablesForm, async (call) => {
      const { type, status } = call.form
      const { names, problems } = expandNames(call.form.names)
      if (problems.length > 0) throw invalid({ names: problems })
      if (call.form.preview) return { show: await showForm(call, call.params.id, call.form, names) }
      const more = parseBookableDetails(call.form)
      await call.dispatch('bookables.create', { location_id: call.params.id, names, type, status, ...more })
      const redirectTo = call.link(`/places/locations/${call.params.id}`)
      return { redirectTo, notice: describeAdded(type, names) }
    }),
  }),
  show: (call) => showForm(call, call.params.id, {}),
})

async function showForm(call: Call, id: number, typed: Typed, names?: string[]): Promise<View> {
  const location = await requireLocation(call.reads, id)
  const back = `/places/locations/${id}`
  const options = { action: 'create', submit: t`Add desks, rooms or parking`, cancel: call.link(back) }
  return {
    title: t`Add desks, rooms or parking`,
    breadcrumbs: [
      [t`Places`, '/places'],
      [location.building, `/places/buildings/${location.buildingId}`],
      [location.name, back],
    ],
    content: html`${names && preview(names)}${formCard(call, options, (fields) => [
      fields.area({
        name: 'names',
        label: t`Names`,
        hint: t`One per line. A range adds many: “Desk 1-40”, “P-001…P-120”. Up to 1,000 at once.`,
        rows: 6,
        value: typed.names,
        required: true,
      }),
      html`<p><button class="button quiet" name="preview" value="true">${t`Preview names`}</button></p>`,
      bookableFields(fields, { ...typed, requiresVehicle: typed.requires_vehicle ?? false }, true),
    ])}`,
  }
}

function describeAdded(type: number, names: string[]): string {
  const [first = '', number] = [names[0], names.length]
  const last = names.at(-1) ?? first
  if (number === 1) return t`${first} added.`
  switch (type) {
    case BOOKABLE_TYPES.parkingSpot:
      return plural(
        number,
        '# parking spot added: {0} to {1}.',
        '# parking spots added: {0} to {1}.',
        first,
        last,
      )
    case BOOKABLE_TYPES.meetingRoom:
      return plural(
        number,
        '# meeting room added: {0} to {1}.',
        '# meeting rooms added: {0} to {1}.',
        first,
        last,
      )
    case BOOKABLE_TYPES.homeOffice:
      return plural(
        number,
        '# home office added: {0} to {1}.',
        '# home offices added: {0} to {1}.',
        first,
        last,
      )
    default:
      return plural(number, '# desk added: {0} to {1}.', '# desks added: {0} to {1}.', first, last)
  }
}

function preview(names: string[]): Html {
  return html`<section class="notice good" role="status" aria-labelledby="preview"><h2 id="preview">${plural(names.length, 'Preview: # name', 'Preview: # names')}</h2>
<p>${showNames(names)}</p>
<p>${t`Nothing has been added yet.`}</p></section>`
}
