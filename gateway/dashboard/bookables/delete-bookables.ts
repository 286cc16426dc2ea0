// The page that deletes the bookables selected in the list of a location.
import { object, pathId } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import {
  conflictFormFields,
  conflictInput,
  fromNowOn,
  redirectAfterClearing,
  showConflictOptions,
} from '../affected-bookings/conflict-form.ts'
import { backPath } from '../kit/back.ts'
import { page } from '../kit/page.ts'
import { plural, sentence, t, tHtml } from '../locales/translate.ts'
import { missingLocation, requireLocation } from '../places/location-queries.ts'
import { showNames } from '../ui/bookables.ts'
import { confirmation } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/links.ts'
import { listSelected } from './queries.ts'
import { findSelected, hiddenIds, selectionField, selectionQuery } from './selection.ts'

export const deleteBookables = page({
  path: '/places/locations/{id}/delete-bookables',
  title: sentence`Delete`,
  section: 'Places',
  params: object({ id: pathId() }),
  query: object(selectionQuery),
  missing: missingLocation,
  actions: (action) => ({
    delete: action(object({ ...selectionField, ...conflictFormFields }), async (call) => {
      const { ids } = call.form
      const found = await listSelected(call.reads, call.params.id, ids)
      // Sends all that were selected, even if deleted since: a double click gets the first click's result.
      await call.dispatch('bookables.delete', { ids, in_the_way: conflictInput(call).in_the_way })
      const [first] = found
      const notice =
        first && found.length === 1
          ? t`${first.name} deleted.`
          : plural(found.length, '# desk or room deleted.', '# desks and rooms deleted.')
      return redirectAfterClearing(
        call,
        call.link(backPath(call, `/places/locations/${call.params.id}`)),
        notice,
      )
    }),
  }),
  async show(call) {
    const [location, found] = await Promise.all([
      requireLocation(call.reads, call.params.id),
      findSelected(call),
    ])
    const back = backPath(call, `/places/locations/${location.id}`)
    const breadcrumbs: Array<[string, string]> = [
      [t`Places`, '/places'],
      [location.building, `/places/buildings/${location.buildingId}`],
      [location.name, back],
    ]
    if (found.length === 0) {
      return {
        breadcrumbs,
        title: call.refusedForm ? t`Already deleted` : t`Nothing selected`,
        content: html`<div class="empty"><p>${tHtml`Select what to delete in ${showLinkOrText(call.link(back), location.name)}.`}</p></div>`,
      }
    }
    const only = found.length === 1 ? found[0] : undefined
    const search = { ids: found.map(({ id }) => id), times: fromNowOn(call) }
    const conflictOptions = await showConflictOptions(call, search, { canLeave: false })
    return {
      breadcrumbs,
      ...confirmation(call, {
        question:
          only === undefined
            ? plural(found.length, 'Delete # desk or room?', 'Delete # desks and rooms?')
            : t`Delete “${only.name}”?`,
        consequence: html`${only === undefined && showNames(found.map(({ name }) => name))}
${t`Past bookings are kept.`}`,
        fields: conflictOptions,
        action: 'delete',
        hidden: hiddenIds(found),
        submit: only === undefined ? t`Delete them` : t`Delete it`,
        cancel: call.link(back),
        cancelLabel: only === undefined ? t`Keep them` : t`Keep it`,
      }),
    }
  },
})
