// The page that deletes the bookables selected in the list of a location.
import { object } from '../../../shared/schemas/fields.ts'
import { html } from '../../http/html.ts'
import * as affectedForm from '../affected-bookings/affected-bookings-form.ts'
import { plural, sentence, t, tHtml } from '../locales/translate.ts'
import { locationBreadcrumbs, locationPages } from '../places/location-pages.ts'
import { showNames } from '../ui/bookables.ts'
import { confirmation } from '../ui/forms.ts'
import { showLinkOrText } from '../ui/parts.ts'
import { listSelected } from './queries.ts'
import { findSelected, hiddenIds, listPath, selectionField, selectionQuery } from './selection.ts'

export const deleteBookables = locationPages.page({
  path: '/delete-bookables',
  title: sentence`Delete`,
  query: object(selectionQuery),
  actions: (action) => ({
    delete: action(object({ ...selectionField, ...affectedForm.formFields }), async (call) => {
      const { ids } = call.form
      const found = await listSelected(call.reads, call.params.id, ids)
      // Sends all that were selected, even if deleted since: a double click gets the first click's result.
      await call.dispatch('bookables.delete', { ids, in_the_way: affectedForm.inputOf(call).in_the_way })
      const [first] = found
      const notice =
        first && found.length === 1
          ? t`${first.name} deleted.`
          : plural(found.length, '# desk or room deleted.', '# desks and rooms deleted.')
      return affectedForm.redirectAfterResolving(call, call.link(listPath(call)), notice)
    }),
  }),
  async show(call, location) {
    const found = await findSelected(call)
    const list = call.link(listPath(call))
    const breadcrumbs = locationBreadcrumbs(location, listPath(call))
    if (found.length === 0) {
      return {
        breadcrumbs,
        title: call.refusedForm ? t`Already deleted` : t`Nothing selected`,
        content: html`<div class="empty"><p>${tHtml`Select what to delete in ${showLinkOrText(list, location.name)}.`}</p></div>`,
      }
    }
    const only = found.length === 1 ? found[0] : undefined
    const words = only
      ? { question: t`Delete “${only.name}”?`, consequence: t`Past bookings are kept.`, submit: t`Delete it` }
      : {
          question: plural(found.length, 'Delete # desk or room?', 'Delete # desks and rooms?'),
          consequence: html`${showNames(found.map(({ name }) => name))}
${t`Past bookings are kept.`}`,
          submit: t`Delete them`,
          cancelLabel: t`Keep them`,
        }
    const fields = await affectedForm.showOptions(call, { ids: found.map(({ id }) => id) })
    const options = { action: 'delete', hidden: hiddenIds(found), cancel: list, fields }
    return { breadcrumbs, ...confirmation(call, { ...options, ...words }) }
  },
})
