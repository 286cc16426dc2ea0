// Places: deleting bookables, those that were chosen in the list of a location.
import * as yup from 'yup'
import { object, pathId, queryId } from '../../../../shared/contracts/fields.ts'
import { Refusal } from '../../../../shared/refusal.ts'
import { html } from '../../../http/html.ts'
import { page } from '../../framework/page.ts'
import { confirmation } from '../../ui/forms.ts'
import { findLocation } from '../locations/queries.ts'
import { findBookableNames } from './queries.ts'
import { formatCount, nameList } from './words.ts'

const missing = 'There is no such location, or not any more.'
const IDS_MAX = 1_000

// One of them is no list in a query.
const chosen = yup
  .array(queryId().defined())
  .transform((_value: unknown, original: unknown) => (original === undefined ? [] : [original].flat()))
  .default([])
  .max(IDS_MAX, `At most ${IDS_MAX} can be deleted at once.`)

export const deleteBookables = page({
  path: '/places/locations/{id}/delete-bookables',
  title: 'Delete bookables',
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ids: chosen }),
  missing,
  actions: (action) => ({
    delete: action(object({}), async (call) => {
      const found = await findBookableNames(call.reads, call.params.id, call.query.ids)
      // All that were chosen, those that are gone meanwhile too: a double click finds what became of the first.
      await call.dispatch('bookables.delete', { ids: call.query.ids })
      const notice =
        found.length === 1 ? `${found[0]?.name} is deleted.` : `${found.length} bookables are deleted.`
      return { redirectTo: call.link(`/places/locations/${call.params.id}`), notice }
    }),
  }),
  async show(call) {
    const [location, found] = await Promise.all([
      findLocation(call.reads, call.params.id),
      findBookableNames(call.reads, call.params.id, call.query.ids),
    ])
    if (!location) throw new Refusal('not_found', missing)
    const back = `/places/locations/${location.id}`
    const breadcrumbs: Array<[string, string]> = [
      ['Places', '/places'],
      [location.building, `/places/buildings/${location.buildingId}`],
      [location.name, back],
    ]
    if (found.length === 0) {
      return {
        breadcrumbs,
        title: call.refusedForm ? 'They are gone already' : 'Nothing is chosen',
        content: html`<div class="empty"><p>Choose what is to be deleted in the list of
<a href="${call.link(back)}">${location.name}</a>.</p></div>`,
      }
    }
    return {
      breadcrumbs,
      ...confirmation(call, {
        question:
          found.length === 1
            ? `Delete “${found[0]?.name}”?`
            : `Delete ${formatCount(found.length, 'bookable')}?`,
        consequence: html`${found.length > 1 && nameList(found.map(({ name }) => name))}
Past bookings are kept. If any of them is booked, now or later, none is deleted.`,
        action: 'delete',
        submit: found.length === 1 ? 'Delete it' : 'Delete them',
        cancel: call.link(back),
      }),
    }
  },
})
