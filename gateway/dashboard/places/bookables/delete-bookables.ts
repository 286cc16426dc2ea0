// Places: deleting bookables, those that were selected in the list of a location.
import * as yup from 'yup'
import { object, pathId, queryId } from '../../../../shared/contracts/fields.ts'
import { html } from '../../../http/html.ts'
import { page } from '../../framework/page.ts'
import { showNames } from '../../ui/bookables.ts'
import { confirmation } from '../../ui/forms.ts'
import { formatCount } from '../../ui/words.ts'
import { always, askFirst, describeWayOut, showWaysOut, wayOutField } from '../in-the-way/ways-out.ts'
import { missingLocation, requireLocation } from '../locations/queries.ts'
import { listBookableNames } from './queries.ts'

const IDS_MAX = 1_000

// One of them is no list in a query.
const selected = yup
  .array(queryId().defined())
  .transform((_value: unknown, original: unknown) => (original === undefined ? [] : [original].flat()))
  .default([])
  .max(IDS_MAX, `Up to ${IDS_MAX} can be deleted at once.`)

export const deleteBookables = page({
  path: '/places/locations/{id}/delete-bookables',
  title: 'Delete bookables',
  section: 'Places',
  params: object({ id: pathId() }),
  query: object({ ids: selected }),
  missing: missingLocation,
  actions: (action) => ({
    delete: action(object(wayOutField), async (call) => {
      const found = await listBookableNames(call.reads, call.params.id, call.query.ids)
      // All that were selected, also those deleted meanwhile: a double click finds what became of the first.
      const { in_the_way } = call.form
      await call.dispatch('bookables.delete', { ids: call.query.ids, in_the_way: askFirst(in_the_way) })
      const notice =
        found.length === 1
          ? `${found[0]?.name} deleted.`
          : `${formatCount(found.length, 'bookable')} deleted.`
      return {
        redirectTo: call.link(`/places/locations/${call.params.id}`),
        notice: notice + describeWayOut(in_the_way),
      }
    }),
  }),
  async show(call) {
    const [location, found] = await Promise.all([
      requireLocation(call.reads, call.params.id),
      listBookableNames(call.reads, call.params.id, call.query.ids),
    ])
    const back = `/places/locations/${location.id}`
    const breadcrumbs: Array<[string, string]> = [
      ['Places', '/places'],
      [location.building, `/places/buildings/${location.buildingId}`],
      [location.name, back],
    ]
    if (found.length === 0) {
      return {
        breadcrumbs,
        title: call.refusedForm ? 'Already deleted' : 'Nothing selected',
        content: html`<div class="empty"><p>Select bookables to delete in
<a href="${call.link(back)}">${location.name}</a>.</p></div>`,
      }
    }
    const taking = { ids: found.map(({ id }) => id), times: always(call) }
    const waysOut = await showWaysOut(call, taking, { canLeave: false })
    return {
      breadcrumbs,
      ...confirmation(call, {
        question:
          found.length === 1
            ? `Delete “${found[0]?.name}”?`
            : `Delete ${formatCount(found.length, 'bookable')}?`,
        consequence: html`${found.length > 1 && showNames(found.map(({ name }) => name))}
Past bookings are kept.`,
        fields: waysOut,
        action: 'delete',
        submit: found.length === 1 ? 'Delete bookable' : 'Delete bookables',
        cancel: call.link(back),
        cancelLabel: found.length === 1 ? 'Keep it' : 'Keep them',
      }),
    }
  },
})
