// The bookables that are selected in a location's list, by their checkboxes or because they match the search.
import { BOOKABLES_PER_WRITE_MAX } from '../../../../shared/bookables/bookables.ts'
import { object, queryFlag, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { idList } from '../../pages/search/id-list.ts'
import { statusFilter, typeChoice } from '../../pages/ui/bookables.ts'
import { formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { listMatchingBookables, listSelectedBookables, type SelectedBookable } from './queries.ts'

export const searchQuery = { search: text({ max: 255 }), type: typeChoice(), status: statusFilter() }

export const selectionQuery = {
  ...backQuery,
  ...searchQuery,
  ids: idList(BOOKABLES_PER_WRITE_MAX),
  all: queryFlag(),
}

/** The form sends the ids of the bookables that it shows, even if other bookables match the search by the
 * time it is sent. */
export const selectionField = { ids: idList(BOOKABLES_PER_WRITE_MAX) }

export const toHiddenIds = (found: SelectedBookable[]) => ({ ids: found.map(({ id }) => id).join(',') })

const query = object(selectionQuery)
export type SelectionCall = Call<{ id: number }, typeof query.__outputType>

export const findListPath = (call: SelectionCall) => findBackPath(call, `/places/locations/${call.params.id}`)

/** Finds the selected bookables that still exist. If more bookables match than can be changed at once,
 * returns one more than the limit. */
export function findSelectedBookables({
  reads,
  now,
  params,
  query,
  refusedForm,
}: SelectionCall): Promise<SelectedBookable[]> {
  const sent = refusedForm?.values['ids']?.[0]
  if (sent !== undefined) {
    const ids = sent.split(',').map(Number).filter(Number.isSafeInteger)
    return listSelectedBookables(reads, params.id, ids)
  }
  if (!query.all) return listSelectedBookables(reads, params.id, query.ids)
  const { search, type, status } = query
  return listMatchingBookables(
    { reads, now },
    { locationId: params.id, search, type, status },
    BOOKABLES_PER_WRITE_MAX + 1,
  )
}

export const showNothingSelected = (address: string): Html =>
  showEmptyState(t`Nothing is selected.`, showLink(address, t`Select what to change in the list`))

export const showTooManySelected = (address: string): Html =>
  showEmptyState(
    t`More than ${formatNumber(BOOKABLES_PER_WRITE_MAX)} match.`,
    html`${t`Up to ${formatNumber(BOOKABLES_PER_WRITE_MAX)} can be changed at once.`} ${showLink(address, t`Narrow the search`)}`,
  )
