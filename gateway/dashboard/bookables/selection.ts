// The bookables that are selected in a location's list: by their checkboxes, or all that match its search.
import * as yup from 'yup'
import { MANY_MAX } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { object, queryFlag, queryId, text } from '../../../shared/schemas/fields.ts'
import { backPath, backQuery } from '../kit/back.ts'
import type { Call } from '../kit/page.ts'
import { statusChoice, typeChoice } from '../ui/bookables.ts'
import { listMatching, listSelected, type SelectedBookable } from './queries.ts'

// In a query, a single ID is not a list. A form sends all IDs in one field.
const idList = () =>
  yup
    .array(queryId().defined())
    .transform((_value: unknown, original: unknown) =>
      [original ?? []].flat().flatMap((each: unknown) => (typeof each === 'string' ? each.split(',') : each)),
    )
    .default([])
    .max(MANY_MAX, () => message`Up to ${MANY_MAX} can be changed at once.`)

export const searchQuery = { search: text({ max: 255 }), type: typeChoice(), status: statusChoice() }

export const selectionQuery = { ...backQuery, ...searchQuery, ids: idList(), all: queryFlag() }

/** A form sends the bookables that it shows, whatever matches the search by then. */
export const selectionField = { ids: idList() }

export const hiddenIds = (found: SelectedBookable[]) => ({ ids: found.map(({ id }) => id).join(',') })

const query = object(selectionQuery)
export type Selecting = Call<{ id: number }, typeof query.__outputType>

export const listPath = (call: Selecting) => backPath(call, `/places/locations/${call.params.id}`)

/** The selected bookables that still exist; if more match than can be changed at once, one too many. */
export function findSelected({ reads, params, query, refusedForm }: Selecting): Promise<SelectedBookable[]> {
  const sent = refusedForm?.values['ids']?.[0]
  if (sent !== undefined) {
    const ids = sent.split(',').map(Number).filter(Number.isSafeInteger)
    return listSelected(reads, params.id, ids)
  }
  if (!query.all) return listSelected(reads, params.id, query.ids)
  const { search, type, status } = query
  return listMatching(reads, { locationId: params.id, search, type, status }, MANY_MAX + 1)
}
