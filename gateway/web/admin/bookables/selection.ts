// The bookables that are selected in a location's list: by their checkboxes, or all that match its search.
import { MANY_MAX } from '../../../../shared/bookables/bookables.ts'
import { object, queryFlag, text } from '../../../../shared/schemas/fields.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { backPath, backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { idList } from '../../pages/search/id-list.ts'
import { statusFilter, typeChoice } from '../../pages/ui/bookables.ts'
import { formatNumber, showLink } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { listMatching, listSelected, type SelectedBookable } from './queries.ts'

export const searchQuery = { search: text({ max: 255 }), type: typeChoice(), status: statusFilter() }

export const selectionQuery = { ...backQuery, ...searchQuery, ids: idList(MANY_MAX), all: queryFlag() }

/** A form sends the bookables that it shows, whatever matches the search by then. */
export const selectionField = { ids: idList(MANY_MAX) }

export const hiddenIds = (found: SelectedBookable[]) => ({ ids: found.map(({ id }) => id).join(',') })

const query = object(selectionQuery)
export type SelectionCall = Call<{ id: number }, typeof query.__outputType>

export const listPath = (call: SelectionCall) => backPath(call, `/places/locations/${call.params.id}`)

/** The selected bookables that still exist; if more match than can be changed at once, one too many. */
export function findSelected({
  reads,
  now,
  params,
  query,
  refusedForm,
}: SelectionCall): Promise<SelectedBookable[]> {
  const sent = refusedForm?.values['ids']?.[0]
  if (sent !== undefined) {
    const ids = sent.split(',').map(Number).filter(Number.isSafeInteger)
    return listSelected(reads, params.id, ids)
  }
  if (!query.all) return listSelected(reads, params.id, query.ids)
  const { search, type, status } = query
  return listMatching({ reads, now }, { locationId: params.id, search, type, status }, MANY_MAX + 1)
}

export const showNothingSelected = (address: string): Html =>
  showEmpty(t`Nothing is selected.`, showLink(address, t`Select what to change in the list`))

export const showTooManySelected = (address: string): Html =>
  showEmpty(
    t`More than ${formatNumber(MANY_MAX)} match.`,
    html`${t`Up to ${formatNumber(MANY_MAX)} can be changed at once.`} ${showLink(address, t`Narrow the search`)}`,
  )
