// Places: adding bookables to a location, many at once: names as they are pasted, or ranges such as “Desk 1-40”.
import type * as yup from 'yup'
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { expandNames } from '../../../../shared/name-ranges.ts'
import { invalid } from '../../../../shared/refusal.ts'
import { type Html, html } from '../../../http/html.ts'
import { type Call, page, type View } from '../../framework/page.ts'
import { formatBookableType, showNames } from '../../ui/bookables.ts'
import { formCard } from '../../ui/forms.ts'
import { formatCount } from '../../ui/words.ts'
import { missingLocation, requireLocation } from '../locations/queries.ts'
import { bookableFields, newBookablesForm, parseBookableDetails } from './form.ts'

type Typed = Partial<yup.InferType<typeof newBookablesForm>>

export const addBookables = page({
  path: '/places/locations/{id}/add',
  title: 'Add bookables',
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
      const [first, last] = [names[0], names.at(-1)]
      return {
        redirectTo,
        notice:
          names.length === 1
            ? `${first} added.`
            : `${formatCount(names.length, formatBookableType(type).toLowerCase())} added: ${first} to ${last}.`,
      }
    }),
  }),
  show: (call) => showForm(call, call.params.id, {}),
})

async function showForm(call: Call, id: number, typed: Typed, names?: string[]): Promise<View> {
  const location = await requireLocation(call.reads, id)
  const back = `/places/locations/${id}`
  const options = { action: 'create', submit: 'Add bookables', cancel: call.link(back) }
  return {
    title: 'Add bookables',
    breadcrumbs: [
      ['Places', '/places'],
      [location.building, `/places/buildings/${location.buildingId}`],
      [location.name, back],
    ],
    content: html`${names && preview(names)}${formCard(call, options, (fields) => [
      fields.area({
        name: 'names',
        label: 'Names',
        hint: 'One per line. A range adds many: “Desk 1-40”, “P-001…P-120”. Up to 1,000 at once.',
        rows: 6,
        value: typed.names,
        required: true,
      }),
      html`<p><button class="button quiet" name="preview" value="true">Preview names</button></p>`,
      bookableFields(fields, { ...typed, requiresVehicle: typed.requires_vehicle ?? false }, true),
    ])}`,
  }
}

function preview(names: string[]): Html {
  return html`<section class="notice good" role="status" aria-labelledby="preview"><h2 id="preview">Preview: ${formatCount(names.length, 'name')}</h2>
<p>${showNames(names)}</p>
<p>Nothing has been added yet.</p></section>`
}
